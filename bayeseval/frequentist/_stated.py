"""What tests of stated probabilities and of strengths share: units, directions, one-sample t."""

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from bayeseval._checks import nearest, shown, some
from bayeseval._records import Shown
from bayeseval._slices import Slice
from bayeseval._units import compact
from bayeseval.errors import DesignError, JudgementError
from bayeseval.frequentist.welch import welch_from_summary
from bayeseval.judgements import Judgements, SPAJudgements, StrengthJudgements

type Unit = Literal["auto", "annotator", "item", "judgement"]
type Groups = dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]

SHOWN = (
    Shown("system_a", "A", "label"),
    Shown("system_b", "B", "label"),
    Shown("n", "n", "count"),
    Shown("mean", "mean P"),
    Shown("sd", "SD"),
    Shown(("lower", "upper"), "interval"),
    Shown("t", "t", decimals=2),
    Shown("p_corrected", "p corr.", "p"),
    Shown("verdict", "verdict", "text"),
)


def chosen_unit(judgements: SPAJudgements | StrengthJudgements, unit: Unit) -> Unit:
    """Return what makes one value: annotators where there are two, else items, else rows."""
    if unit not in ("auto", "annotator", "item", "judgement"):
        raise JudgementError(
            f"unit must be 'auto', 'annotator', 'item' or 'judgement'; got {unit!r}"
        )
    if unit == "auto":
        for name in ("annotator", "item"):
            if judgements.has(name) and len(judgements.labels(name)) > 1:
                return name
        return "judgement"
    if unit != "judgement" and not judgements.has(unit):
        raise DesignError(f"unit={unit!r} needs the {unit} of every judgement, which is not there.")
    return unit


def unit_words(unit: Unit) -> str:
    """Say what one value of a test is."""
    return "one judgement" if unit == "judgement" else f"the mean answer by one {unit}"


def pair_labels(judgements: Judgements, pair: tuple[int, int]) -> dict[str, str]:
    """Return the columns that name the two systems of a pair."""
    return {"system_a": judgements.systems[pair[0]], "system_b": judgements.systems[pair[1]]}


def by_direction(
    judgements: SPAJudgements | StrengthJudgements, piece: Slice, unit: Unit
) -> Groups:
    """Return for each ordered pair the codes of its units and their mean answers."""
    a, b = (judgements.codes(name)[piece.rows] for name in ("system_a", "system_b"))
    own = np.arange(len(piece.rows)) if unit == "judgement" else judgements.codes(unit)[piece.rows]
    answers = judgements.answers[piece.rows]
    direction, pairs = compact([a, b])
    groups: Groups = {}
    for index, (first, second) in enumerate(pairs.tolist()):
        rows = direction == index
        units, position = np.unique(own[rows], return_inverse=True)
        means = np.bincount(position, weights=answers[rows]) / np.bincount(position)
        groups[first, second] = (units, means)
    return groups


def both_directions(groups: Groups, whole: float) -> Groups:
    """Bring both directions to one: x of B against A is whole − x of A against B."""
    pooled: Groups = {}
    for a, b in groups:
        if (b, a) in pooled or (a, b) in pooled:
            continue
        units, means = groups[a, b]
        if (b, a) in groups:
            other_units, other = groups[b, a]
            units = np.concatenate([units, other_units])
            means = np.concatenate([means, whole - other])
        keys, position = np.unique(units, return_inverse=True)
        pooled[a, b] = (keys, np.bincount(position, weights=means) / np.bincount(position))
    return pooled


def family(
    groups: Groups,
    pairs: Sequence[tuple[str, str]] | None,
    systems: Sequence[str],
    *,
    whole: float | None,
) -> Groups:
    """Keep the pairs that make one family of tests, in their order and turned as they are named.

    Parameters
    ----------
    groups : dict
        Answers by pair of codes.
    pairs : sequence of (str, str) or None
        The family; all of the groups where left out.
    systems : sequence of str
        Labels of the codes.
    whole : float or None
        x of B against A is whole − x of A against B; None where directions stay apart.
    """
    if pairs is None:
        return groups
    chosen: Groups = {}
    for pair in pairs if isinstance(pairs, Iterable) else [pairs]:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise JudgementError(f"pairs= must be a list of pairs (A, B); found {shown(pair)}.")
        for label in pair:
            if label not in systems:
                meant = nearest(label, systems)
                raise JudgementError(
                    f"there is no system {label!r}; there are {some(systems)}"
                    + (f". Did you mean {meant!r}?" if meant else "")
                )
        a, b = (list(systems).index(label) for label in pair)
        if (a, b) in groups:
            chosen[a, b] = groups[a, b]
        elif whole is not None and (b, a) in groups:
            units, means = groups[b, a]
            chosen[a, b] = (units, whole - means)
        else:
            raise DesignError(
                f"pairs= names {pair[0]!r} against {pair[1]!r}, which nobody was asked"
                + (
                    " in this direction; directions='pooled' takes both as one."
                    if (b, a) in groups
                    else "."
                )
            )
    if not chosen:
        raise DesignError("pairs= is empty: there is nothing to test.")
    return chosen


def one_sample(
    values: np.ndarray, null: float, prob: float, bounds: tuple[float, float]
) -> dict[str, object]:
    """Return the two-sided t-test and interval of a mean; without variation, why not.

    The interval is cut where no mean can be.
    """
    from scipy.stats import ttest_rel

    n = len(values)
    sd = float(values.std(ddof=1)) if n > 1 else float("nan")
    row = {"n": n, "estimate": float(values.mean()), "sd": sd}
    undefined = {"lower": np.nan, "upper": np.nan, "t": np.nan, "df": np.nan, "p": np.nan}
    if n < 2:
        return {**row, **undefined, "note": "One value alone: t is not defined."}
    if np.ptp(values) <= 1e-12:
        return {**row, **undefined, "note": "All values are the same (SD 0): t is not defined."}
    result = ttest_rel(values, np.full(n, null))
    ends = result.confidence_interval(prob)
    return {
        **row,
        # SciPy's interval is of the difference from the null.
        "lower": max(float(ends.low) + null, bounds[0]),
        "upper": min(float(ends.high) + null, bounds[1]),
        "t": float(result.statistic),
        "df": float(result.df),
        "p": float(result.pvalue),
        "note": "",
    }


def mirror(groups: Groups, a: int, b: int, prob: float) -> dict[str, object]:
    """Test whether P[A≻B] and P[B≻A] add up to one, on average."""
    (units, forward), (others, backward) = groups[a, b], groups[b, a]
    _, left, right = np.intersect1d(units, others, return_indices=True)
    if len(left) > 1:
        row = one_sample(forward[left] + backward[right] - 1, 0.0, prob, (-1.0, 1.0))
        del row["sd"]
        return {"test": "paired t", **row}
    reverse = 1 - backward
    welch = welch_from_summary(
        mean_a=forward.mean(), sd_a=_sd(forward), n_a=len(forward),
        mean_b=reverse.mean(), sd_b=_sd(reverse), n_b=len(reverse),
        ci_prob=prob,
    ).table.iloc[0]  # fmt: skip
    return {
        "test": "Welch t",
        "n": len(forward) + len(backward),
        "estimate": float(welch["estimate"]),
        **{name: float(welch[name]) for name in ("lower", "upper", "t", "df", "p")},
        "note": "" if np.isfinite(welch["t"]) else "Too few values, or none that vary: no test.",
    }


def _sd(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")
