"""HUSE of fewer texts, and of fewer judgements of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from bayeseval._checks import generator, shown, some, whole_number
from bayeseval._records import Record, Shown
from bayeseval.errors import DesignError
from bayeseval.huse._canvas import canvas
from bayeseval.huse._measures import (
    MEASURES,
    TIE_RULES,
    TieRule,
    as_floats,
    checked_rule,
    features_of,
    measures_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HUSEStability(Record):
    """How HUSE moves when fewer texts, or fewer judgements of each, are used.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`; columns as in `huse_stability`.
    """

    def plot(self, axes: "Axes | None" = None, *, measure: str = "HUSE") -> "Figure":
        """Plot mean and spread over the number of texts, one line a number of judgements.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Where to draw; a new figure where left out.
        measure : str
            "HUSE", "HUSE-Q" or "HUSE-D".

        Returns
        -------
        matplotlib.figure.Figure
            The figure; bars are one standard deviation of the subsamples.
        """
        figure, axes = canvas(axes)
        chosen = self.table[self.table["measure"] == measure]
        for index, (number, line) in enumerate(chosen.groupby("n_annotators")):
            axes.errorbar(
                line["n_texts"],
                line["mean"],
                yerr=line["sd"],
                capsize=3,
                color=f"C{index}",
                marker="os^Dvx"[index % 6],
                label=str(number),
            )
        axes.set_xlabel("texts")
        axes.set_ylabel(measure)
        axes.legend(title="judgements a text")
        return figure


def huse_stability(
    *,
    log_probability: npt.ArrayLike,
    length: npt.ArrayLike,
    ratings: npt.ArrayLike,
    is_model: npt.ArrayLike,
    n_texts: Sequence[int] | None = None,
    n_annotators: Sequence[int] | None = None,
    n_repeats: int = 50,
    k: int = 16,
    ties: TieRule = "paper",
    random_seed: int | None = None,
) -> HUSEStability:
    """Recompute HUSE from subsamples of texts and of judgements (Figure 5 of the paper).

    Parameters
    ----------
    log_probability, length, is_model : array, one a text
        As in `huse`.
    ratings : array of float, texts × judgements
        The single judgements of each text; NaN where missing.
    n_texts : sequence of int, optional
        Numbers of texts, half of each source; by default a quarter, half, three quarters, all.
    n_annotators : sequence of int, optional
        Numbers of judgements drawn for each text; by default about a quarter, half, all.
    n_repeats : int
        Subsamples of each size, drawn without replacement.
    k, ties
        As in `huse`; k is not scaled with the number of texts.
    random_seed : int, optional
        Seed.

    Returns
    -------
    HUSEStability
        One row a size and measure, with the columns ``n_texts``, ``n_annotators``, ``measure``,
        ``mean``, ``sd``, ``lower``, ``upper`` (5 % and 95 % of the subsamples), ``n_repeats``.

    Raises
    ------
    DesignError
        As in `huse`; or a size is larger than what there is.
    """
    ties = checked_rule(ties)
    n_repeats = whole_number(n_repeats, "n_repeats", least=1)
    n_texts, n_annotators = _sizes(n_texts, "n_texts"), _sizes(n_annotators, "n_annotators")
    matrix = as_floats(ratings, "ratings")
    if matrix.ndim != 2:
        raise DesignError(f"ratings must be texts × judgements; found shape {matrix.shape}.")
    there = np.isfinite(matrix)
    if not there.any(axis=1).all():
        empty = np.flatnonzero(~there.any(axis=1))
        raise DesignError(f"text {some(empty.tolist())} (counted from 0) has no judgement.")
    means = np.nanmean(matrix, axis=1)
    per_token, _, model = features_of(log_probability, length, means, is_model, k)
    fewest, smaller = int(there.sum(axis=1).min()), int(min(model.sum(), (~model).sum()))
    texts = sorted(set(n_texts or (2 * (smaller * q // 4) for q in (1, 2, 3, 4))))
    annotators = sorted(set(n_annotators or (max(1, fewest * q // 4) for q in (1, 2, 4))))
    texts = texts if n_texts else [size for size in texts if size > k + 1]
    if not texts or texts[-1] > 2 * smaller or texts[0] < k + 2 or texts[0] < 2:
        raise DesignError(
            f"n_texts must lie between {k + 2} (k + 2) and {2 * smaller} (twice the smaller "
            f"source); got {texts}"
        )
    if annotators[0] < 1 or annotators[-1] > fewest:
        raise DesignError(
            f"n_annotators must lie between 1 and {fewest}, the fewest judgements that a text has; "
            f"got {annotators}"
        )
    rng = generator(random_seed)
    sources = np.flatnonzero(~model), np.flatnonzero(model)
    rows = []
    for size in texts:
        for number in annotators:
            values = []
            for _ in range(n_repeats):
                chosen = np.concatenate(
                    [rng.choice(rows_of, size=size // 2, replace=False) for rows_of in sources]
                )
                # The smallest of random keys: a draw without replacement in every row at once.
                keys = np.where(there[chosen], rng.random((len(chosen), matrix.shape[1])), np.inf)
                picked = np.argpartition(keys, number - 1, axis=1)[:, :number]
                judged = np.take_along_axis(matrix[chosen], picked, axis=1).mean(axis=1)
                values.append(measures_of(per_token[chosen], judged, model[chosen], k, ties)[0])
            drawn = np.array(values)
            low, high = np.quantile(drawn, [0.05, 0.95], axis=0)
            rows += [
                {
                    "n_texts": size,
                    "n_annotators": number,
                    "measure": measure,
                    "mean": float(drawn[:, index].mean()),
                    "sd": float(drawn[:, index].std(ddof=1)) if n_repeats > 1 else float("nan"),
                    "lower": float(low[index]),
                    "upper": float(high[index]),
                    "n_repeats": n_repeats,
                }
                for index, measure in enumerate(MEASURES)
            ]
    return HUSEStability(
        table=pd.DataFrame(rows),
        title="HUSE of subsamples",
        notes=(f"{n_repeats} subsamples of each size; k = {k}; ties: {TIE_RULES[ties]}.",),
        shown=(
            Shown("n_texts", "texts", "count"),
            Shown("n_annotators", "judgements a text", "count"),
            Shown("measure", "measure", "text"),
            Shown("mean", "mean"),
            Shown("sd", "SD"),
            Shown(("lower", "upper"), "5 % to 95 %"),
        ),
    )


def _sizes(given: Sequence[int] | None, name: str) -> list[int]:
    if given is None:
        return []
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise DesignError(f"{name} must be a list of whole numbers; found {shown(given)}.")
    return [whole_number(size, name, least=1) for size in given]
