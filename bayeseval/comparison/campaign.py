"""Rank ranges and clusters of TrueSkill, as machine-translation campaigns report them."""

from math import ceil, floor

import numpy as np
import xarray as xr

from bayeseval._checks import counted, is_number
from bayeseval._records import Record, Shown
from bayeseval.comparison._contract import PosteriorLike, choose, components_of, refuse_no_posterior
from bayeseval.errors import BayesEvalError, ModelError
from bayeseval.ranking import alarm_sentences


class TrueSkillRanking(Record):
    """Means, rank ranges and clusters of TrueSkill; see `trueskill_ranking`.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a system (and criterion), best first.
    title : str
        What it is, in words.
    notes : tuple of str
        How ranges and clusters were made.
    shown : tuple of Shown
        Which columns are printed, and how.
    """

    @property
    def clusters(self) -> tuple[tuple[str, ...], ...]:
        """Systems by cluster, best first; those of the first criterion where there are several."""
        table = self.table
        if "criterion" in table:
            table = table[table["criterion"] == table["criterion"].iloc[0]]
        return tuple(tuple(group) for _, group in table.groupby("cluster")["system"])


def trueskill_ranking(
    posterior: PosteriorLike, *, criterion: str | None = None, prob: float = 0.95
) -> TrueSkillRanking:
    """Report TrueSkill as the campaigns of WMT do: means, rank ranges, clusters.

    Parameters
    ----------
    posterior : Posterior
        A fit of the family ``TrueSkill``.
    criterion : str, optional
        One criterion; all by default.
    prob : float
        Share of the runs whose ranks a range holds: the same share is cut off at both ends. Of n
        runs no share above 1 - 1/n can be told from all of them; 0.95 needs 20 runs.

    Returns
    -------
    TrueSkillRanking
        With ``to_frame()``; columns ``criterion`` (where there are criteria), ``system``,
        ``mean`` (of mu over shuffles, centred), ``sigma`` (TrueSkill's own, mean over shuffles),
        ``order_sd`` (standard deviation of mu over shuffles: what the order of the comparisons
        does), ``rank_low`` and ``rank_high`` (the range), ``cluster`` (from 1; ranges of different
        clusters do not overlap).

    Raises
    ------
    ModelError
        Where the posterior is not of TrueSkill.
    BayesEvalError
        Where ``prob`` is out of range, or the posterior has too few runs for it.

    References
    ----------
    Bojar et al. (2016), Findings of the 2016 conference on machine translation, WMT,
    doi:10.18653/v1/W16-2301.
    """
    import pandas as pd

    refuse_no_posterior(posterior, "trueskill_ranking")
    groups = posterior.data
    if "shuffles" not in groups:
        raise ModelError(
            f"rank ranges over shuffles are those of TrueSkill; this posterior is of "
            f"{posterior.family.name}. Take rank()"
        )
    if not (is_number(prob) and 0.5 < prob < 1.0):
        raise BayesEvalError(f"prob= is above 0.5 and below 1; found {prob!r}")
    shuffles = groups["shuffles"].to_dataset()
    again = groups["resamples"].to_dataset() if "resamples" in groups else None
    runs = shuffles["mu"] if again is None else again["mu"]
    run_dim = "shuffle" if again is None else "resample"
    _refuse_few_runs(runs.sizes[run_dim], run_dim, prob)
    has_criterion = "criterion" in runs.dims
    if criterion is not None and not has_criterion:
        choose(criterion, (), "criterion", "this posterior")
    names = choose(criterion, posterior.criteria or (), "criterion", "this posterior")
    frames = []
    for name in names if has_criterion else (None,):
        at = {} if name is None else {"criterion": name}
        mu, sigma = (shuffles[k].sel(at).transpose("shuffle", "system") for k in ("mu", "sigma"))
        ranks = _ranks(runs.sel(at).transpose(run_dim, "system").values)
        tail = 0.5 * (1.0 - prob)
        low, high = np.quantile(ranks, [tail, 1.0 - tail], axis=0, method="inverted_cdf")
        frame = pd.DataFrame(
            {
                "system": [str(label) for label in mu["system"].values],
                "mean": mu.mean("shuffle").values,
                "sigma": sigma.mean("shuffle").values,
                "order_sd": mu.std("shuffle").values,
                "rank_low": low.astype(int),
                "rank_high": high.astype(int),
            }
        )
        frame = frame.sort_values("mean", ascending=False, kind="stable", ignore_index=True)
        frame["cluster"] = _clusters(frame["rank_low"].to_numpy(), frame["rank_high"].to_numpy())
        if name is not None:
            frame.insert(0, "criterion", name)
        frames.append(frame)
    return TrueSkillRanking(
        table=pd.concat(frames, ignore_index=True),
        title=f"TrueSkill of {counted(len(posterior.systems), 'system')}",
        notes=(*_group_notes(components_of(posterior)), *_notes(shuffles, again, prob)),
        shown=_SHOWN,
    )


_SHOWN = (
    Shown("cluster", "cluster", "count"),
    Shown("system", "system", "label"),
    Shown("mean", "mean"),
    Shown("sigma", "sigma"),
    Shown("order_sd", "by order"),
    Shown(("rank_low", "rank_high"), "ranks", "interval", 0),
)


def _ranks(mu: np.ndarray) -> np.ndarray:
    """Rank the systems of every run, 1 = best; dims (run, system)."""
    return np.argsort(np.argsort(-mu, axis=1, kind="stable"), axis=1, kind="stable") + 1


def _clusters(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the cluster of every system, given ranges of systems that come best first."""
    reached = np.maximum.accumulate(high)
    still_to_come = np.minimum.accumulate(low[::-1])[::-1]
    new = np.ones(low.size, dtype=int)
    new[1:] = reached[:-1] < still_to_come[1:]
    return np.cumsum(new)


def _refuse_few_runs(n_runs: int, run_dim: str, prob: float) -> None:
    """Raise where so few runs cannot tell a share of them from all."""
    # Rounded, because 1 / (1 - 0.95) is not quite 20.
    least = ceil(round(1.0 / (1.0 - prob), 6))
    if n_runs < least:
        # Two runs allow a half at most, which prob= must exceed.
        most = floor(1000 * (1.0 - 1.0 / n_runs)) / 1000
        or_lower = f", or take prob= of at most {most:g}" if n_runs > 2 else ""
        raise BayesEvalError(
            f"ranges of {prob:.4g} of the runs need at least {least:,} runs; this posterior has "
            f"{counted(n_runs, run_dim)}. Fit with {run_dim}s={max(least, 100)}{or_lower}; rank() "
            "does without runs"
        )


def _group_notes(components: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """Say that places across groups of systems that never met mean nothing."""
    alarms = alarm_sentences((), None, components)
    if not alarms:
        return ()
    return (*alarms, "Ranks and clusters across groups mean nothing: compare within a group only.")


def _notes(shuffles: xr.Dataset, again: xr.Dataset | None, prob: float) -> tuple[str, ...]:
    n_shuffles = shuffles.sizes["shuffle"]
    first = (
        f"mean, sigma: mean over {n_shuffles} random orders of the comparisons; by order: standard "
        "deviation over them."
    )
    if again is not None:
        ranges = (
            f"ranks: {prob:.0%} of {again.sizes['resample']} runs on "
            f"{again.attrs.get('unit', 'comparisons')} drawn with replacement."
        )
    else:
        ranges = (
            f"ranks: {prob:.0%} of the {n_shuffles} orders of the same comparisons. This is only "
            "what the order does; for what the data leave open, fit with resamples=."
        )
    notes = [
        first,
        ranges,
        "Clusters: a new one starts where no range above the line overlaps a range below it.",
        "TrueSkill is an approximation; Thurstone's model is the exact one.",
    ]
    # A posterior that was saved before engines were noted does not say.
    engine = shuffles.attrs.get("engine")
    if engine is not None:
        notes.append(_BY_ENGINE[engine])
    return tuple(notes)


_BY_ENGINE = {
    "package": "Updates by the package trueskill (engine='package').",
    "compiled": "Updates by the compiled engine (engine='compiled'), which agrees with the package "
    "trueskill.",
}
