"""From the mean squares of a complete table to six intraclass correlations and their intervals."""

from dataclasses import dataclass

import numpy as np

from bayeseval.agreement._shared_items import BetweenUnits

FORMS = (
    ("ICC(1,1)", "ICC(1)", "one-way", "agreement"),
    ("ICC(2,1)", "ICC(A,1)", "two-way random", "agreement"),
    ("ICC(3,1)", "ICC(C,1)", "two-way mixed", "consistency"),
    ("ICC(1,k)", "ICC(k)", "one-way", "agreement"),
    ("ICC(2,k)", "ICC(A,k)", "two-way random", "agreement"),
    ("ICC(3,k)", "ICC(C,k)", "two-way mixed", "consistency"),
)

# Shares of the sum of squares below this are rounding: of equal decimals, differences have some.
ROUNDING = 1e-12
NO_ERROR = "Judgements do not disagree at all: there is no variation for an interval or a test."


@dataclass(frozen=True, slots=True)
class _MeanSquares:
    """Mean squares of a table targets × raters; what is zero but for rounding is zero.

    ``of_items`` is that between targets, had each an item of its own.
    """

    n: int
    k: int
    between: float
    rater: float
    within: float
    residual: float
    of_items: BetweenUnits

    @classmethod
    def of(cls, matrix: np.ndarray, item: np.ndarray) -> "_MeanSquares":
        n, k = matrix.shape
        grand, by_target, by_rater = matrix.mean(), matrix.mean(axis=1), matrix.mean(axis=0)
        sums = (
            k * ((by_target - grand) ** 2).sum(),
            n * ((by_rater - grand) ** 2).sum(),
            ((matrix - by_target[:, None]) ** 2).sum(),
            ((matrix - by_target[:, None] - by_rater + grand) ** 2).sum(),
        )
        smallest = ROUNDING * ((matrix - grand) ** 2).sum()
        df = n - 1, k - 1, n * (k - 1), (n - 1) * (k - 1)
        squares = [float(s / d) if s > smallest else 0.0 for s, d in zip(sums, df, strict=True)]
        return cls(n, k, *squares, of_items=_between(k, by_target, item, squares[0]))


def _between(k: int, mean: np.ndarray, item: np.ndarray, plain: float) -> BetweenUnits:
    """Return the mean square between targets of one item each, from targets' means by item."""
    size = np.bincount(item)
    n, n_items = len(mean), len(size)
    if n_items == n:
        return BetweenUnits((plain,), (n - 1,))
    centre = np.bincount(item, weights=mean) / size
    of_item = k * float((size * (centre - mean.mean()) ** 2).sum()) / (n_items - 1)
    within = k * float(((mean - centre[item]) ** 2).sum()) / (n - n_items)
    each = (n - float((size**2).sum()) / n) / (n_items - 1)
    return BetweenUnits.of(of_item, within, each, n_items - 1, n - n_items)


def forms_of(matrix: np.ndarray, item: np.ndarray, prob: float) -> list[dict[str, object]]:
    """Return the six forms of a table targets × raters, each with interval and test."""
    from scipy.stats import f as f_distribution

    ms = _MeanSquares.of(matrix, item)
    n, k = ms.n, ms.k
    spread = ms.rater - ms.residual
    ratios = [
        (ms.between - ms.within, ms.between + (k - 1) * ms.within),
        (ms.between - ms.residual, ms.between + (k - 1) * ms.residual + k * spread / n),
        (ms.between - ms.residual, ms.between + (k - 1) * ms.residual),
        (ms.between - ms.within, ms.between),
        (ms.between - ms.residual, ms.between + spread / n),
        (ms.between - ms.residual, ms.between),
    ]
    total = ms.between + ms.rater + ms.within
    rows: list[dict[str, object]] = []
    for index, (form, name, model, definition) in enumerate(FORMS):
        top, bottom = ratios[index]
        one_way = model == "one-way"
        error = ms.within if one_way else ms.residual
        df1, df2 = n - 1, n * (k - 1) if one_way else (n - 1) * (k - 1)
        value = lower = upper = ratio = p = float("nan")
        if error > 0:
            ratio = ms.between / error
            p = float(f_distribution.sf(ratio, df1, df2))
        if total == 0:
            note = "All judgements are the same: no ICC is defined."
        elif bottom <= ROUNDING * total:
            note = f"{form} is not defined: {_why(index, ms)}."
        else:
            value, note = top / bottom, ""
            low, high = _interval(index, ms, prob) if error > 0 else (value, np.nan)
            if ms.of_items.shared:
                # Its mean square is another than the estimate's.
                low, high = min(low, value), max(high, value)
            # Approximate ends are not sure to lie on either side of the estimate.
            if low <= value <= high <= 1 and low < high - ROUNDING:
                lower, upper = low, high
            else:
                note = NO_ERROR if error == 0 else f"{form} has no interval: {_outside(index)}."
        rows.append(
            {
                "form": form,
                "name": name,
                "model": model,
                "definition": definition,
                "raters": "single" if index < 3 else f"mean of {k}",
                "icc": value,
                "lower": lower,
                "upper": upper,
                "F": ratio,
                "df1": df1,
                "df2": df2,
                "p": p,
                "n_targets": n,
                "n_raters": k,
                "note": note,
            }
        )
    return rows


def _why(index: int, ms: _MeanSquares) -> str:
    """Say what makes the denominator of a form zero or negative."""
    if index == 1:
        return "the estimated variance of one answer is not above 0"
    if ms.between == 0:
        return "all targets have the same mean"
    return (
        "targets and raters differ less than disagreement alone would make them, so that the "
        "estimated variance of a mean answer is not above 0"
    )


def _outside(index: int) -> str:
    if index in (1, 4):
        return "its approximation (McGraw & Wong) does not hold for these mean squares"
    return "the F distribution gives none for these mean squares"


def _interval(index: int, ms: _MeanSquares, prob: float) -> tuple[float, float]:
    """Return the ends of a form's interval; NaN where a formula has no value."""
    n, k = ms.n, ms.k
    df_residual = (n - 1) * (k - 1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if index in (1, 4):
            ends = _two_way_shared(ms, prob) if ms.of_items.shared else _two_way(ms, prob)
            if index == 1:
                return ends
            # Below −1/(k − 1) a mean of k would have a negative variance.
            low, up = (k * e / (1 + (k - 1) * e) if e > -1 / (k - 1) else np.nan for e in ends)
            return low, up
        error, df2 = (ms.within, n * (k - 1)) if index in (0, 3) else (ms.residual, df_residual)
        low, up = np.array(ms.of_items.ratio(error, df2, prob))
        if index < 3:
            return float((low - 1) / (low + k - 1)), float((up - 1) / (up + k - 1))
        return float(1 - 1 / low), float(1 - 1 / up)


def _two_way(ms: _MeanSquares, prob: float) -> tuple[float, float]:
    """Return McGraw and Wong's interval of ICC(2,1)."""
    from scipy.stats import f as f_distribution

    n, k, high = ms.n, ms.k, 0.5 + prob / 2
    df1, df_residual = n - 1, (n - 1) * (k - 1)
    residual, rater, between = np.array([ms.residual, ms.rater, ms.between])
    rho = (between - residual) / (between + (k - 1) * residual + k * (rater - residual) / n)
    fj = rater / residual
    top = df_residual * (k * rho * fj + n * (1 + (k - 1) * rho) - k * rho) ** 2
    bottom = df1 * k**2 * rho**2 * fj**2 + (n * (1 + (k - 1) * rho) - k * rho) ** 2
    df_two = top / bottom
    f_up = f_distribution.ppf(high, df1, df_two)
    f_low = f_distribution.ppf(high, df_two, df1)
    spread = k * rater + (k * n - k - n) * residual
    low = n * (between - f_up * residual) / (f_up * spread + n * between)
    up = n * (f_low * between - residual) / (spread + n * f_low * between)
    return float(low), float(up)


def _two_way_shared(ms: _MeanSquares, prob: float) -> tuple[float, float]:
    """Return the interval of ICC(2,1) of targets that share items."""
    n, k, tail = ms.n, ms.k, (1 - prob) / 2
    others, df = (ms.rater, ms.residual), (k - 1, (n - 1) * (k - 1))
    between, rater, residual = ms.of_items.expected(others, df)
    one_answer = between + (k - 1) * residual + k * (rater - residual) / n
    low, up = np.quantile((between - residual) / one_answer, [tail, 1 - tail])
    return float(low), float(up)
