"""HUSE, HUSE-Q and HUSE-D of one system, with the interval of texts and judgements."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from bayeseval._checks import generator, some, whole_number
from bayeseval._records import Record, Shown
from bayeseval.errors import DesignError
from bayeseval.huse._canvas import canvas
from bayeseval.huse._measures import (
    MEASURES,
    TIE_RULES,
    TieRule,
    checked_rule,
    features_of,
    measures_of,
    resampled,
    votes_of,
)
from bayeseval.settings import resolve_ci

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = (
    Shown("measure", "measure", "text"),
    Shown("value", "value"),
    Shown("sd", "SD"),
    Shown(("lower", "upper"), "interval"),
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HUSE(Record):
    """HUSE, HUSE-Q and HUSE-D of one system.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`; columns as in `huse`.
    features : pandas.DataFrame
        One row a text: ``log_probability`` (a token), ``judgement`` (mean; its posterior mean where
        draws were given), ``is_model``, ``mistaken`` (share of errors of the left-out text).
    draws : pandas.DataFrame
        One row a draw or resample, with the columns of the three measures; empty without.
    k : int
        Number of neighbours.
    ties : str
        Rule for ties of distances and votes.
    """

    features: pd.DataFrame
    draws: pd.DataFrame
    k: int
    ties: TieRule

    def value(self, measure: str) -> float:
        """Return one of the measures.

        Parameters
        ----------
        measure : str
            "HUSE", "HUSE-Q" or "HUSE-D".

        Returns
        -------
        float
            Its value.
        """
        if measure not in MEASURES:
            raise DesignError(f"measure must be one of {some(MEASURES)}; got {measure!r}")
        return float(self.table.set_index("measure").loc[measure, "value"])  # type: ignore[arg-type]

    @property
    def huse(self) -> float:
        """Twice the leave-one-out error of the classifier on both features."""
        return self.value("HUSE")

    @property
    def huse_q(self) -> float:
        """The same on the judgement alone: quality."""
        return self.value("HUSE-Q")

    @property
    def huse_d(self) -> float:
        """1 + HUSE − HUSE-Q: diversity."""
        return self.value("HUSE-D")

    def by_k(self, ks: Iterable[int] = (1, 2, 4, 8, 16, 32)) -> Record:
        """Compute the measures for other numbers of neighbours.

        Parameters
        ----------
        ks : iterable of int
            Numbers of neighbours; those that leave no text out are skipped.

        Returns
        -------
        Record
            One row a number, with the columns ``k``, ``error`` (of the classifier on both features,
            leave-one-out), ``HUSE``, ``HUSE-Q``, ``HUSE-D``.

        Raises
        ------
        DesignError
            If no number is from 1 to the number of texts minus 2.
        """
        columns = ("log_probability", "judgement", "is_model")
        per_token, judged, model = (self.features[name].to_numpy() for name in columns)
        model = model.astype(bool)
        usable = sorted({int(k) for k in ks if 1 <= k < len(model) - 1})
        if not usable:
            raise DesignError(f"k must be from 1 to {len(model) - 2} for {len(model)} texts.")
        rows = []
        for k in usable:
            values = measures_of(per_token, judged, model, k, self.ties)[0]
            rows.append(
                {"k": k, "error": values[0] / 2, **dict(zip(MEASURES, values, strict=True))}
            )
        return Record(
            table=pd.DataFrame(rows),
            title="HUSE by the number of neighbours",
            notes=(f"Error: leave-one-out, on both features; ties: {TIE_RULES[self.ties]}.",),
            shown=(Shown("k", "k", "count"), *(Shown(name, name) for name in ("error", *MEASURES))),
        )

    def plot(self, axes: "Axes | None" = None, *, resolution: int = 150) -> "Figure":
        """Plot the texts in the plane of both features, with the regions of the decision.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Where to draw; a new figure where left out.
        resolution : int
            Points of the grid of the regions, each way.

        Returns
        -------
        matplotlib.figure.Figure
            The figure; shading marks where the k nearest texts say that a text is the model's.
        """
        figure, axes = canvas(axes)
        x = self.features["log_probability"].to_numpy()
        y = self.features["judgement"].to_numpy()
        model = self.features["is_model"].to_numpy(dtype=bool)
        sd = np.array([x.std(), y.std()])
        pad = 0.05 * np.array([np.ptp(x), np.ptp(y)])
        grid_x, grid_y = np.meshgrid(
            np.linspace(x.min() - pad[0], x.max() + pad[0], resolution),
            np.linspace(y.min() - pad[1], y.max() + pad[1], resolution),
        )
        points = np.stack([grid_x.ravel(), grid_y.ravel()], axis=1) / sd
        texts = np.stack([x, y], axis=1) / sd
        distances = np.sqrt(((points[:, None] - texts) ** 2).sum(axis=2))
        says_model = votes_of(distances, model, self.k, "paper") > 0
        axes.contourf(
            grid_x,
            grid_y,
            says_model.reshape(grid_x.shape).astype(float),
            levels=[-0.5, 0.5, 1.5],
            colors=["#dbe7f3", "#f8ddc8"],
        )
        for of_model, label, mark, colour in (
            (False, "human", "o", "#1f5a8a"),
            (True, "model", "^", "#b3530b"),
        ):
            rows = model == of_model
            axes.scatter(x[rows], y[rows], s=16, marker=mark, color=colour, label=label)
        axes.set_xlabel("log probability a token, under the model")
        axes.set_ylabel("mean human judgement")
        axes.set_title(f"HUSE {self.huse:.2f}, HUSE-Q {self.huse_q:.2f}, HUSE-D {self.huse_d:.2f}")
        axes.legend(title="text by")
        return figure


def huse(
    *,
    log_probability: npt.ArrayLike,
    length: npt.ArrayLike,
    judgement: npt.ArrayLike,
    is_model: npt.ArrayLike,
    k: int = 16,
    ties: TieRule = "paper",
    n_resamples: int = 0,
    ci_prob: float | None = None,
    random_seed: int | None = None,
) -> HUSE:
    r"""Compute HUSE, HUSE-Q and HUSE-D.

    HUSE is twice the leave-one-out error of a k-nearest-neighbour classifier that tells the model's
    texts from human ones by (log probability under the model / length, mean human judgement), both
    divided by their standard deviation: 1 where nobody could tell them apart, 0 where anybody
    could. HUSE-Q uses the judgement alone (quality), and HUSE-D = 1 + HUSE − HUSE-Q (diversity). An
    error above one half makes values above 1 possible.

    Parameters
    ----------
    log_probability : array of float, one a text
        Log probability of the whole text under the model.
    length : array of float, one a text
        Its length in tokens.
    judgement : array of float, one a text, or draws × texts
        Mean human judgement of the text. Draws of it from a fitted model (an xarray.DataArray with
        the dims ``text`` and ``draw``, or ``chain`` and ``draw``; or an array with draws first)
        give the posterior of HUSE.
    is_model : array of bool, one a text
        Whether the text is the model's, as against a human reference.
    k : int
        Number of neighbours.
    ties : {"paper", "vote_model", "vote_half", "tolerance", "sklearn"}
        What happens to ties of distances and of votes, of which mean judgements have many;
        "sklearn" needs ``pip install 'bayeseval[huse]'``.
        ``"paper"`` reproduces the published figures: every text at the k-th smallest distance (as
        floating-point numbers compare) is a neighbour, and a split vote says human. The others
        show how much hangs on that rule.
    n_resamples : int
        Bootstrap resamples of texts, within the model's and within the human ones; copies of one
        text are left out together. With draws of the judgement each resample takes one of them, so
        that judgements and classifier are uncertain both.
    ci_prob : float, optional
        Probability of the intervals; `bayeseval.settings.ci_prob` where left out.
    random_seed : int, optional
        Seed of the bootstrap.

    Returns
    -------
    HUSE
        Three rows, with the columns ``measure``, ``value`` (posterior mean where draws were
        given), ``sd``, ``lower``, ``upper`` (over draws or resamples; NaN without), ``n_texts``.
        ``features`` and ``draws`` hold the texts and the distribution, ``plot()`` the plane, and
        ``by_k()`` the error for other numbers of neighbours. Resamples hold fewer distinct
        neighbours and err more than the study: the mean difference is taken off, and noted.

    Raises
    ------
    DesignError
        If lengths differ, a number is missing, one of the sources is missing, there are too few
        texts for k, or all judgements are the same.

    References
    ----------
    Hashimoto, T., Zhang, H., & Liang, P. (2019). Unifying human and statistical evaluation for
    natural language generation. NAACL. https://doi.org/10.18653/v1/N19-1169
    """
    prob, _ = resolve_ci(ci_prob)
    n_resamples = whole_number(n_resamples, "n_resamples", least=0)
    ties = checked_rule(ties)
    per_token, judged, model = features_of(log_probability, length, judgement, is_model, k)
    posterior = judged.ndim == 2
    rng = generator(random_seed)
    if posterior:
        each = [measures_of(per_token, row, model, k, ties) for row in judged]
        values = np.array([row[0] for row in each])
        estimate = values.mean(axis=0)
        mistaken = np.mean([row[1] for row in each], axis=0)
    else:
        estimate, mistaken = measures_of(per_token, judged, model, k, ties)
        values = np.empty((0, 3))
    bias = np.zeros(3)
    if n_resamples:
        values, bias = _over_texts(
            per_token,
            np.atleast_2d(judged),
            model,
            k,
            ties,
            n_resamples,
            rng,
            estimates=values if posterior else estimate[None],
        )
    draws = pd.DataFrame(values, columns=list(MEASURES))
    tail = (1 - prob) / 2
    spread = len(values) > 1
    nothing = np.full(3, np.nan)
    lower, upper = np.quantile(values, [tail, 1 - tail], axis=0) if spread else (nothing, nothing)
    table = pd.DataFrame(
        {
            "measure": list(MEASURES),
            "value": estimate,
            "sd": values.std(axis=0, ddof=1) if spread else nothing,
            "lower": lower,
            "upper": upper,
            "n_texts": len(model),
        }
    )
    features = pd.DataFrame(
        {
            "log_probability": per_token,
            "judgement": judged.mean(axis=0) if posterior else judged,
            "is_model": model,
            "mistaken": mistaken,
        }
    )
    return HUSE(
        table=table,
        title=f"HUSE of {int(model.sum())} generated and {int((~model).sum())} human texts",
        notes=tuple(_notes(model, k, ties, prob, len(values), bias, posterior=posterior)),
        shown=SHOWN,
        features=features,
        draws=draws if spread else draws.iloc[:0],
        k=k,
        ties=ties,
    )


def _over_texts(
    per_token: np.ndarray,
    judged: np.ndarray,
    model: np.ndarray,
    k: int,
    ties: TieRule,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    estimates: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Resample texts, each time with one draw of the judgements; return draws and their bias.

    A resample holds fewer distinct neighbours, so that its classifier errs more than that of the
    study: by .07 with 120 texts. Its mean distance from the study's own value is taken off.
    """
    draw = rng.permutation(np.arange(n_resamples) % len(judged))
    found = np.empty((n_resamples, 3))
    for row, one in enumerate(draw):
        texts = resampled(model, rng)
        found[row] = measures_of(
            per_token[texts], judged[one][texts], model[texts], k, ties, texts
        )[0]
    bias = (found - estimates[draw]).mean(axis=0)
    return found - bias, bias


def _notes(
    model: np.ndarray,
    k: int,
    ties: TieRule,
    prob: float,
    n_draws: int,
    bias: np.ndarray,
    *,
    posterior: bool,
) -> list[str]:
    notes = [
        (
            "HUSE: twice the leave-one-out error on log p / length and judgement (1 = cannot be "
            "told apart); HUSE-Q: on the judgement alone; HUSE-D = 1 + HUSE − HUSE-Q. "
            f"k = {k}; ties: {TIE_RULES[ties]}."
        )
    ]
    over = [
        *(["texts"] if bias.any() else []),
        *(["draws of the judgements"] if posterior else []),
    ]
    if over and n_draws > 1:
        notes.append(
            f"Interval: {100 * prob:.10g} %, over {' and '.join(over)}, {n_draws:,} in all."
        )
    if bias.any():
        notes.append(
            f"Resamples hold fewer distinct neighbours and err more (HUSE {bias[0]:+.3f}); that is "
            "taken off."
        )
    elif posterior:
        notes.append("Texts, and with them the classifier, are taken as given: see n_resamples=.")
    if abs(2 * model.mean() - 1) > 0.05:
        notes.append(
            f"{model.mean():.0%} of the texts are the model's: HUSE supposes as many of each."
        )
    return notes
