"""Which pairs of systems to compare next, by expected information."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import xarray as xr
from scipy.special import entr

from bayeseval._checks import checked_kind, nearest, some
from bayeseval._records import Record, Shown
from bayeseval.errors import BayesEvalError, ModelError
from bayeseval.inference import Posterior
from bayeseval.judgements._protocols import PAIRED

type Criterion = Literal["entropy", "rank"]
type FloatArray = npt.NDArray[np.float64]

_OUTCOMES = ("win", "tie", "loss")
_BYTES_AT_A_TIME = 2e8
_MOST_CANDIDATES = 2000
_MOST_ORDERS = 4000
_BLOCK = 200
_SPREAD = 0.5


class NextPairs(Record):
    """Pairs to compare next; see `next_pairs`.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a comparison to collect, in the order in which they were chosen.
    title : str
        What it is, in words.
    notes : tuple of str
        By which rule.
    shown : tuple of Shown
        Which columns are printed, and how.
    """


def next_pairs(
    posterior: Posterior,
    n: int,
    criterion: Criterion = "entropy",
    *,
    judged: str | None = None,
    draws: int = 1000,
) -> NextPairs:
    r"""Choose the comparisons whose outcomes are expected to tell most.

    The information of a pair is the mutual information of its next outcome :math:`y` and the
    qualities, :math:`H(\mathrm{E}\,p) - \mathrm{E}\,H(p)` with :math:`p` the probabilities of the
    outcomes in a posterior draw. An even match of two systems that are known well says little, and
    so does one whose outcome is certain.

    Parameters
    ----------
    posterior : Posterior
        Of a family for pairs.
    n : int
        How many comparisons to choose.
    criterion : {"entropy", "rank"}
        "entropy": information about the qualities. "rank": by how much the outcome is expected to
        lower the uncertainty about the order, the entropy of "i is better than j" summed over all
        pairs of systems.
    judged : str, optional
        The criterion that will be asked for, where the judgements have criteria; by default all of
        them, and their information is added.
    draws : int
        Number of posterior draws to use, taken evenly.

    Returns
    -------
    NextPairs
        With ``to_frame()``; columns ``place`` (order of choice), ``system_a``, ``system_b`` (in
        presentation order: each system comes first about as often as second), ``gain`` (bits that
        this comparison is expected to add to the earlier ones of the batch), ``alone`` (bits it
        would give by itself), ``p_win``, ``p_tie``, ``p_loss`` (of system_a; mean over criteria).

    Raises
    ------
    ModelError
        Where the posterior is not of a family for pairs.
    BayesEvalError
        Where a setting is wrong.

    Notes
    -----
    A batch is chosen one by one. What earlier choices are expected to teach is taken out of every
    pair: the expected score of a pair has a variance over the draws, an outcome is that score plus
    noise, and conditioning on the earlier outcomes lowers the variance as for normal variables.
    The gain falls as the logarithm of one plus signal over noise does. So a pair, or one that
    hangs together with it, loses value once it was chosen. Of the pairs whose gain is at least half
    of the largest, that with the fewest places so far is taken, of these the one with the largest
    gain: a batch spreads over pairs that are about as useful. No pair takes more than half of the
    batch while there is another.

    References
    ----------
    Lindley (1956), On a measure of the information provided by an experiment, Annals of
    Mathematical Statistics 27, 986-1005, doi:10.1214/aoms/1177728069.
    """
    checked_kind(posterior, Posterior, function="next_pairs", made_by="fit() or load()")
    _check(posterior, n, criterion, draws)
    criteria = _criteria(posterior, judged)
    thinned = _thinned(posterior, draws)
    alone = _information(thinned, criteria)
    a, b = np.triu_indices(len(posterior.systems), k=1)
    looked_at = np.argsort(-alone[a, b], kind="stable")[: max(_MOST_CANDIDATES, n)]
    looked_at.sort()
    pairs = _Candidates(thinned, criteria, a[looked_at], b[looked_at])
    value = pairs.information if criterion == "entropy" else _about_order(thinned, criteria, pairs)
    chosen, gains = _greedy(value, pairs, n)
    table = _table(posterior.systems, pairs, value, chosen, gains)
    return NextPairs(
        table=table,
        title=f"The next {n:,} comparisons of {len(posterior.systems)} systems",
        notes=_notes(posterior, criterion, len(a), looked_at.size),
        shown=_SHOWN,
    )


_SHOWN = (
    Shown("place", "", "count"),
    Shown("system_a", "first", "label"),
    Shown("system_b", "second", "label"),
    Shown("gain", "gain", decimals=4),
    Shown("alone", "alone", decimals=4),
    Shown("p_win", "P(first)", decimals=2),
    Shown("p_tie", "P(tie)", decimals=2),
    Shown("p_loss", "P(second)", decimals=2),
)


def _check(posterior: Posterior, n: int, criterion: str, draws: int) -> None:
    if posterior.protocol not in PAIRED:
        raise ModelError(
            f"next_pairs chooses comparisons of two systems; {posterior.family.name} models "
            f"{posterior.protocol!r} judgements, in which nobody compares. Fit a family for one of "
            f"{some(PAIRED)}"
        )
    if len(posterior.systems) < 2:
        raise ModelError("there is one system: no pair to compare")
    for name, value in (("n", n), ("draws", draws)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise BayesEvalError(f"{name}= is a whole number from 1; found {value!r}")
    if criterion not in ("entropy", "rank"):
        raise BayesEvalError(
            f"criterion= is 'entropy' or 'rank'; found {criterion!r}"
            + (
                f". The criterion that is judged is named by judged={criterion!r}"
                if criterion in (posterior.criteria or ())
                else ""
            )
        )


def _criteria(posterior: Posterior, judged: str | None) -> tuple[str, ...] | None:
    known = posterior.criteria
    if judged is None:
        return known
    if known is None or judged not in known:
        meant = nearest(judged, known or ())
        raise BayesEvalError(
            f"judged= names a criterion, and there is no {judged!r}; "
            + (f"there are {some(known)}" if known else "the judgements have no criteria")
            + (f". Did you mean {meant!r}?" if meant else "")
        )
    return (judged,)


def _thinned(posterior: Posterior, draws: int) -> Posterior:
    """Keep so many draws, as one chain."""
    flat = posterior.posterior.stack(sample=("chain", "draw"))
    kept = np.linspace(0, flat.sizes["sample"] - 1, min(draws, flat.sizes["sample"]))
    chosen = flat.isel(sample=kept.round().astype(int)).reset_index("sample", drop=True)
    one_chain = chosen.rename(sample="draw").expand_dims("chain")
    return _with_draws(posterior, one_chain.transpose("chain", "draw", ...))


def _with_draws(posterior: Posterior, draws: xr.Dataset) -> Posterior:
    return replace(posterior, data=xr.DataTree.from_dict({"/posterior": draws}), _memo={})


def _probabilities(
    posterior: Posterior, criteria: tuple[str, ...] | None
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield outcome probabilities of all pairs, a few draws at a time.

    Dims (draw, criterion, system, system_b, outcome); a slice says which draws.
    """
    draws = posterior.posterior
    n_draws, n_systems = draws.sizes["draw"], len(posterior.systems)
    size = 8.0 * n_systems**2 * len(_OUTCOMES) * len(posterior.criteria or ("",))
    step = max(1, int(_BYTES_AT_A_TIME / size))
    has_outcomes = "outcome_probability" in posterior.estimands
    for begin in range(0, n_draws, step):
        chunk = slice(begin, min(begin + step, n_draws))
        few = _with_draws(posterior, draws.isel(draw=chunk))
        if has_outcomes:
            array = few.estimand("outcome_probability")
        else:
            win = few.win_probability()
            array = xr.concat([win, 1.0 - win], pd.Index(["win", "loss"], name="outcome"))
        array = array.isel(chain=0)
        if criteria is None:
            array = array.expand_dims(criterion=[""])
        else:
            array = array.sel(criterion=list(criteria))
        order = ("draw", "criterion", "system", "system_b", "outcome")
        yield chunk, np.asarray(array.transpose(*order).values, dtype=np.float64)


def _information(posterior: Posterior, criteria: tuple[str, ...] | None) -> FloatArray:
    """Return the mutual information of every pair in bits, added over criteria."""
    mean, entropy, n_draws = 0.0, 0.0, 0
    for _, p in _probabilities(posterior, criteria):
        mean = mean + p.sum(axis=0)
        entropy = entropy + entr(p).sum(axis=(0, -1))
        n_draws += p.shape[0]
    gained = entr(mean / n_draws).sum(axis=-1) - entropy / n_draws
    return np.maximum(gained.sum(axis=0), 0.0) / np.log(2.0)


class _Candidates:
    """Pairs that may be chosen, with their outcome probabilities in every draw."""

    def __init__(
        self,
        posterior: Posterior,
        criteria: tuple[str, ...] | None,
        a: npt.NDArray[np.intp],
        b: npt.NDArray[np.intp],
    ) -> None:
        self.a, self.b = a, b
        parts = [p[:, :, a, b] for _, p in _probabilities(posterior, criteria)]
        # Dims (draw, criterion, pair, outcome).
        self.p = np.concatenate(parts)
        mean = self.p.mean(axis=0)
        gained = entr(mean).sum(axis=-1) - entr(self.p).sum(axis=-1).mean(axis=0)
        self.information = np.maximum(gained.sum(axis=0), 0.0) / np.log(2.0)
        self.mean = mean.mean(axis=0)
        # A win counts 1, a tie one half: score and noise of an outcome by draw.
        worth = np.array([1.0, 0.5, 0.0]) if self.p.shape[-1] == 3 else np.array([1.0, 0.0])
        score = self.p @ worth
        noise = (self.p @ worth**2 - score**2).mean(axis=0)
        self.score = score - score.mean(axis=0)
        self.noise = np.maximum(noise, 1e-12)


def _about_order(
    posterior: Posterior, criteria: tuple[str, ...] | None, pairs: _Candidates
) -> FloatArray:
    """Return by how many bits each pair is expected to lower the uncertainty about the order."""
    quality = posterior.quality.isel(chain=0)
    quality = quality.expand_dims(criterion=[""]) if criteria is None else quality
    result = np.zeros(pairs.a.size)
    for at in range(pairs.p.shape[1]):
        own = quality.isel(criterion=0) if criteria is None else quality.sel(criterion=criteria[at])
        values = own.transpose("draw", "system").values
        before, better = _uncertain_orders(values)
        for begin in range(0, pairs.a.size, _BLOCK):
            block = slice(begin, begin + _BLOCK)
            p = pairs.p[:, at, block]
            chance = p.mean(axis=0)
            after = np.zeros(p.shape[1])
            for outcome in range(p.shape[-1]):
                weight = p[:, :, outcome]
                total = np.maximum(weight.sum(axis=0), 1e-300)
                share = (weight / total).T @ better
                left = (entr(share) + entr(np.clip(1.0 - share, 0.0, 1.0))).sum(axis=1)
                after += chance[:, outcome] * left
            result[block] += (before - after) / np.log(2.0)
    return np.maximum(result, 0.0)


def _uncertain_orders(quality: FloatArray) -> tuple[float, FloatArray]:
    """Return the entropy of the order, and which of two systems is better in every draw.

    Where there are many pairs of systems, those whose order is least certain: the others add
    nothing that could be learnt.
    """
    a, b = np.triu_indices(quality.shape[1], k=1)
    share = np.empty(a.size)
    for begin in range(0, a.size, _MOST_ORDERS):
        block = slice(begin, begin + _MOST_ORDERS)
        share[block] = (quality[:, a[block]] > quality[:, b[block]]).mean(axis=0)
    entropy = entr(share) + entr(1.0 - share)
    kept = np.argsort(-entropy, kind="stable")[:_MOST_ORDERS]
    better = (quality[:, a[kept]] > quality[:, b[kept]]).astype(np.float64)
    return float(entropy[kept].sum()), better


def _greedy(
    value: FloatArray, pairs: _Candidates, n: int
) -> tuple[npt.NDArray[np.intp], FloatArray]:
    """Choose pairs one by one, each given those before it."""
    score = pairs.score
    n_draws = score.shape[0]
    noise = pairs.noise
    variance = (score**2).mean(axis=0)
    at_first = np.log1p(variance / noise).sum(axis=0)
    # Never more than half a batch for one pair, where there is another.
    most = n if value.size == 1 else max(1, (n + 1) // 2)
    taken = np.zeros(value.size, dtype=int)
    # What conditioning took out so far, one column a choice: as in a pivoted Cholesky factor.
    columns: list[FloatArray] = []
    chosen, gains = [], []
    for _ in range(n):
        left = np.log1p(np.maximum(variance, 0.0) / noise).sum(axis=0)
        gain = np.where(at_first > 0, value * left / np.maximum(at_first, 1e-300), 0.0)
        open_ = np.where(taken < most, gain, -1.0)
        # A batch spreads over pairs that are about as useful.
        useful = open_ >= _SPREAD * open_.max()
        best = int(np.argmax(np.where(useful & (taken == taken[useful].min()), open_, -1.0)))
        chosen.append(best)
        gains.append(float(gain[best]))
        taken[best] += 1
        covariance = np.einsum("dc,dcp->cp", score[:, :, best], score) / n_draws
        for column in columns:
            covariance -= column[:, best, None] * column
        scale = np.sqrt(np.maximum(variance[:, best], 0.0) + noise[:, best])
        columns.append(covariance / scale[:, None])
        variance = variance - columns[-1] ** 2
    return np.array(chosen), np.array(gains)


def _table(
    systems: tuple[str, ...],
    pairs: _Candidates,
    value: FloatArray,
    chosen: npt.NDArray[np.intp],
    gains: FloatArray,
) -> pd.DataFrame:
    rows = []
    lead = np.zeros(len(systems), dtype=int)
    for place, (at, gain) in enumerate(zip(chosen, gains, strict=True), start=1):
        a, b = int(pairs.a[at]), int(pairs.b[at])
        p = pairs.mean[at]
        win, tie, loss = p if p.size == 3 else (p[0], np.nan, p[1])
        if lead[a] > lead[b]:
            a, b, win, loss = b, a, loss, win
        lead[a] += 1
        lead[b] -= 1
        rows.append((place, systems[a], systems[b], gain, float(value[at]), win, tie, loss))
    return pd.DataFrame(
        rows,
        columns=[
            "place", "system_a", "system_b", "gain", "alone", "p_win", "p_tie", "p_loss",
        ],
    )  # fmt: skip


def _notes(
    posterior: Posterior, criterion: Criterion, n_pairs: int, n_looked_at: int
) -> tuple[str, ...]:
    what = (
        "gain: bits that the outcome is expected to tell about the qualities"
        if criterion == "entropy"
        else "gain: bits by which the outcome is expected to lower the uncertainty about the order"
    )
    notes = [
        f"{what}, given the comparisons above it; alone: without them.",
        (
            "Chosen one by one, spread over the pairs whose gain is at least half of the largest; "
            "no pair takes more than half of the batch while there is another. Each system comes "
            "first about as often as second."
        ),
    ]
    if n_looked_at < n_pairs:
        notes.append(
            f"Of {n_pairs:,} pairs the {n_looked_at:,} with the most information were looked at."
        )
    if "outcome_probability" not in posterior.estimands:
        notes.append(
            "As if annotators said only which of the two is better; "
            f"{posterior.protocol!r} answers say more."
        )
    if posterior.approximate is not None:
        notes.append(f"From approximate draws: {posterior.approximate}.")
    if posterior.convergence.merely_few:
        notes.append("TOO FEW DRAWS: ask for more before planning by them.")
    elif not posterior.convergence.ok:
        notes.append("NOT CONVERGED: from draws of a sampler that did not reach the posterior.")
    return tuple(notes)
