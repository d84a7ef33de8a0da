r"""The random-intercept model by profile likelihood, with Satterthwaite's degrees of freedom.

.. math:: y = X\beta + Zu + \varepsilon,\quad u \sim N(0, \theta\sigma^2),\quad
    \varepsilon \sim N(0, \sigma^2)

Given the ratio :math:`\theta` of the two variances everything else has a closed form, and only sums
by block are needed: one bounded search over :math:`[0, \infty)` finds the maximum, at the border
too, where general optimisers of mixed models return infinite likelihoods.
"""

from dataclasses import dataclass

import numpy as np

from bayeseval.errors import DesignError

# Ratios of variances at which the search looks first; between them the profile is smooth. It may
# have two maxima, one of them 0, so that a search without a grid can end in the lower.
GRID = np.concatenate([[0.0], np.geomspace(1e-6, 1e6, 61)])


def _by_block(design: np.ndarray, block: np.ndarray) -> np.ndarray:
    sums = np.zeros((int(block.max()) + 1, design.shape[1]))
    np.add.at(sums, block, design)
    return sums


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """What the likelihood needs of the data: sums over rows, and by block.

    Answers are residuals of least squares, so that nothing is lost by subtracting large squares.
    """

    n: int
    size: np.ndarray
    xx: np.ndarray
    xy: np.ndarray
    yy: float
    x: np.ndarray
    y: np.ndarray
    least_squares: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray, design: np.ndarray, block: np.ndarray) -> "Sums":
        """Sum up answers (row), design (row, coefficient) and codes of blocks (row)."""
        first = np.linalg.lstsq(design, values, rcond=None)[0]
        rest = values - design @ first
        n_blocks = int(block.max()) + 1
        return cls(
            n=len(values),
            size=np.bincount(block, minlength=n_blocks).astype(float),
            xx=design.T @ design,
            xy=design.T @ rest,
            yy=float(rest @ rest),
            x=_by_block(design, block),
            y=np.bincount(block, weights=rest, minlength=n_blocks),
            least_squares=first,
        )


@dataclass(frozen=True, slots=True, eq=False)
class MixedFit:
    """The model at its best ratio of variances.

    Parameters
    ----------
    log_likelihood : float
        Maximum of the (restricted) log likelihood.
    coefficients, covariance : numpy.ndarray
        Generalised least squares.
    ratio, variance : float
        Variance of blocks over that of the residuals; variance of the residuals.
    by_ratio : numpy.ndarray
        Derivative of the covariance by the ratio.
    spread : numpy.ndarray
        Covariance (2, 2) of the estimates of ratio and variance.
    """

    log_likelihood: float
    coefficients: np.ndarray
    covariance: np.ndarray
    ratio: float
    variance: float
    by_ratio: np.ndarray
    spread: np.ndarray

    @property
    def sd_block(self) -> float:
        """Standard deviation of the blocks."""
        return float(np.sqrt(self.ratio * self.variance))

    @property
    def sd_residual(self) -> float:
        """Standard deviation of the residuals."""
        return float(np.sqrt(self.variance))

    def contrast(self, weights: np.ndarray) -> tuple[float, float, float]:
        """Return a contrast of the coefficients, its standard error and degrees of freedom."""
        variance = float(weights @ self.covariance @ weights)
        slope = np.array(
            [weights @ self.by_ratio @ weights, variance / self.variance]
        )  # by the ratio, and by the variance of the residuals
        spread = float(slope @ self.spread @ slope)
        return (
            float(weights @ self.coefficients),
            float(np.sqrt(variance)),
            2 * variance**2 / spread,
        )

    def all_alike(self, k: int) -> tuple[float, int, float]:
        """Return F of the first k coefficients alike, and its degrees of freedom.

        Those of the denominator by Fai and Cornelius (1996), as lmerTest has them.
        """
        unit = np.eye(len(self.coefficients))
        contrasts = unit[1:k] - unit[:1]
        root, axes = np.linalg.eigh(contrasts @ self.covariance @ contrasts.T)
        turned = axes.T @ contrasts
        ratio = float(((turned @ self.coefficients) ** 2 / root).mean())
        df = np.array([self.contrast(row)[2] for row in turned])
        if k == 2:
            return ratio, 1, float(df[0])
        if (df <= 2).any():
            return ratio, k - 1, 2.0
        if np.ptp(df) < 1e-8 * df.mean():
            return ratio, k - 1, float(df.mean())
        expected = float((df / (df - 2)).sum())
        return ratio, k - 1, 2 * expected / (expected - (k - 1))


def dummies(codes: np.ndarray) -> np.ndarray:
    """Return a column a code that occurs."""
    return (codes[:, None] == np.unique(codes)).astype(float)


def additive(level: np.ndarray, stratum: np.ndarray | None, *, factor: str) -> np.ndarray:
    """Return the design of a factor beside strata: a column a level, then those of the strata.

    Parameters
    ----------
    level : numpy.ndarray of int
        Codes of the factor.
    stratum : numpy.ndarray of int or None
        Codes of the levels of the moderators, within which the factor is compared.
    factor : str
        Its name, for the message.

    Raises
    ------
    DesignError
        If no chain of strata connects the levels.
    """
    design = dummies(level)
    if stratum is None:
        return design
    beside = dummies(stratum)[:, 1:]
    both = np.hstack([design, beside])
    if np.linalg.matrix_rank(both) < both.shape[1]:
        raise DesignError(
            f"no chain of levels of the moderators connects the {factor}s: they cannot be compared "
            "within levels. Use by= for one result a level, or filter the judgements."
        )
    return both


def checked_design(
    values: np.ndarray, design: np.ndarray, block: np.ndarray, *, what: str, factor: str
) -> None:
    """Refuse what a random intercept cannot be estimated from.

    Parameters
    ----------
    values, design, block : numpy.ndarray
        Answers, design, and codes of blocks, by row.
    what, factor : str
        What a block is ("annotator"), and what is compared ("system"), for the messages.
    """
    if np.ptp(values) == 0:
        raise DesignError("all answers are the same: a mixed model has nothing to explain.")
    size = np.bincount(block)
    inside = design - (_by_block(design, block) / size[:, None])[block]
    own = values - (np.bincount(block, weights=values) / size)[block]
    coefficients, _, rank, _ = np.linalg.lstsq(inside, own, rcond=1e-10)
    rest = float(((own - inside @ coefficients) ** 2).sum())
    if len(values) - len(size) - rank < 1 or rest <= 1e-20 * float((values**2).sum()):
        raise DesignError(
            f"a mixed model tells {what}s' effects from noise by answers that differ within "
            f"{what}s; the {len(values):,} answers by {len(size):,} {what}s leave nothing within "
            f"them that {factor}s do not explain. Collect several answers of each {what}, or take "
            "answers as independent: rating_tests(pair_by='none') or anova without within."
        )
    if len(size) + rank - design.shape[1] < 1:
        raise DesignError(
            f"every {factor} has answers by one {what} of its own: {factor}s cannot be told from "
            f"{what}s. Collect answers by several {what}s for each {factor}."
        )


def fit_mixed(values: np.ndarray, design: np.ndarray, block: np.ndarray, *, reml: bool) -> MixedFit:
    """Maximise the likelihood, or the restricted one, over the ratio of variances on [0, ∞).

    Parameters
    ----------
    values : numpy.ndarray of float
        Answers.
    design : numpy.ndarray of float
        Columns of full rank.
    block : numpy.ndarray of int
        Codes 0 ….
    reml : bool
        Restricted maximum likelihood.
    """
    from scipy.optimize import minimize_scalar

    sums = Sums.of(values, design, block)
    heights = np.array([_profile(sums, ratio, reml=reml) for ratio in GRID])
    best = int(heights.argmax())
    low, high = GRID[max(best - 1, 0)], GRID[min(best + 1, len(GRID) - 1)]
    ratio = float(GRID[best])
    # On the scale of the logarithm, on which the grid is even; 0 is compared with at the end.
    found = minimize_scalar(
        lambda log_ratio: -_profile(sums, float(np.exp(log_ratio)), reml=reml),
        bounds=(np.log(max(low, 1e-12)), np.log(high)),
        method="bounded",
        options={"xatol": 1e-10},
    )
    if -found.fun > heights[best]:
        ratio = float(np.exp(found.x))
    return _at(sums, ratio, reml=reml)


def _normal_equations(sums: Sums, ratio: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Return X'V⁻¹X, the coefficients (beyond least squares) and the weighted sum of squares."""
    weight = ratio / (1 + sums.size * ratio)
    matrix = sums.xx - sums.x.T @ (weight[:, None] * sums.x)
    side = sums.xy - sums.x.T @ (weight * sums.y)
    beyond = np.linalg.solve(matrix, side)
    return matrix, beyond, float(sums.yy - weight @ sums.y**2 - side @ beyond)


def _profile(sums: Sums, ratio: float, *, reml: bool) -> float:
    matrix, _, squares = _normal_equations(sums, ratio)
    df = sums.n - (len(matrix) if reml else 0)
    height = df * (np.log(2 * np.pi * squares / df) + 1) + np.log1p(sums.size * ratio).sum()
    return float(-(height + (np.linalg.slogdet(matrix)[1] if reml else 0.0)) / 2)


def _at(sums: Sums, ratio: float, *, reml: bool) -> MixedFit:
    matrix, beyond, squares = _normal_equations(sums, ratio)
    df = sums.n - (len(matrix) if reml else 0)
    variance = squares / df
    inverse = np.linalg.inv(matrix)
    shrunk = 1 + sums.size * ratio
    # First and second derivative of the weights by the ratio, and what follows from them.
    first, second = shrunk**-2, -2 * sums.size * shrunk**-3
    of_matrix = sums.x.T @ (first[:, None] * sums.x)
    left = sums.y - sums.x @ beyond
    pull = inverse @ (sums.x.T @ (first * left))
    turn = inverse @ of_matrix
    slope = -first @ left**2
    bend = -second @ left**2 - 2 * (first * left) @ (sums.x @ pull)
    curve = ((sums.size / shrunk) ** 2).sum() - bend / variance
    if reml:
        curve += np.trace(inverse @ (sums.x.T @ (second[:, None] * sums.x))) + (turn * turn.T).sum()
    information = np.array(
        [[-curve / 2, -slope / (2 * variance**2)], [0.0, df / (2 * variance**2)]]
    )
    information[1, 0] = information[0, 1]
    return MixedFit(
        log_likelihood=_profile(sums, ratio, reml=reml),
        coefficients=sums.least_squares + beyond,
        covariance=variance * inverse,
        ratio=ratio,
        variance=variance,
        by_ratio=variance * turn @ inverse,
        spread=_spread(information, ratio, variance, df),
    )


def _spread(observed: np.ndarray, ratio: float, variance: float, df: int) -> np.ndarray:
    """Return the covariance of the estimates of ratio and variance: inverse observed information.

    At the border the slope is not zero and the curvature says nothing. The model is then least
    squares with its degrees of freedom, as in lmerTest.
    """
    if ratio > 0 and observed[0, 0] > 0 and np.linalg.det(observed) > 0:
        return np.linalg.inv(observed)
    return np.diag([0.0, 2 * variance**2 / df])
