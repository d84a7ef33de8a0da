"""Laplace's approximation, corrected and judged by Pareto-smoothed importance sampling.

The mode is found by Newton's method in centred coordinates (``families/_curvature``); the normal
with the curvature there is drawn from, and the ratio of the density to that normal weights the
draws (Vehtari, Simpson, Gelman, Yao & Gabry 2024, JMLR 25(72)). The shape k of the largest weights
says whether that can be trusted: below 0.7 the weights correct the draws, above it they cannot;
with few weights the limit is 1 - 1 / log10(their number).
"""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cho_solve, cholesky, solve_triangular

from bayeseval.families._curvature import CentredDensity
from bayeseval.families._declaration import Declaration, FloatArray, PredictorCells
from bayeseval.families._predictors import PredictorFamily
from bayeseval.inference._diagnoses import SMALLEST_ESS

MOST_COORDINATES = 6000
LARGEST_K = 0.7
LARGEST_K_AUTO = 0.5
_FIRST_STEPS = 20
_MOST_STEPS = 100
_LONGEST_STEP = 3.0
_NEAR = 1.0
_CLOSE = 1e-7
_LEAST_SD, _SMALL_SD = 1e-3, 0.1
# Weights are computed for so many draws that this many cells are evaluated: a few seconds. The
# number may not depend on the clock, or the same seed would give other draws.
_MOST_CELLS_WEIGHTED = 50_000_000
_WEIGHTS_THAT_JUDGE = 400
_DEGREES = 5.0


@dataclass(frozen=True)
class LaplaceDraws:
    """Draws of the corrected approximation.

    Parameters
    ----------
    values
        Named values, dims (chain, draw, criterion, …).
    k
        Shape of the largest importance weights; infinite where there is no mode.
    effective
        Effective number of draws by the weights.
    n_weighted
        Number of draws whose weight was computed.
    resampled
        Whether the draws were resampled by their weights.
    seconds
        Time by stage.
    """

    values: dict[str, FloatArray]
    k: float
    effective: float
    n_weighted: int
    resampled: bool
    seconds: dict[str, float]

    @property
    def largest_k(self) -> float:
        """Largest k at which so many weights can be trusted."""
        return min(LARGEST_K, 1.0 - 1.0 / math.log10(max(self.n_weighted, 11)))

    @property
    def is_close(self) -> bool:
        """Whether the posterior is so near the normal that no sampler is needed."""
        return self.k < min(LARGEST_K_AUTO, self.largest_k)


class NoMode(Exception):
    """There is no point that a normal could be put at; says why in words."""


def refusal(family: Any, declaration: Declaration[Any]) -> str | None:
    """Say why a model cannot be approximated; None where it can."""
    if declaration.derived is not None or not isinstance(family, PredictorFamily):
        return f"{declaration.family} has no curvature for it"
    if declaration.is_correlated:
        return "criteria are correlated"
    size = declaration.n_criteria * sum(effect.free_size + 1 for effect in declaration.effects)
    if size > MOST_COORDINATES:
        return (
            f"it has {size:,} parameters, and a covariance matrix is made for up to "
            f"{MOST_COORDINATES:,}"
        )
    return None


def laplace(
    declaration: Declaration[Any],
    cells: PredictorCells,
    *,
    draws: int,
    chains: int,
    cores: int,
    rng: np.random.Generator,
) -> LaplaceDraws:
    """Approximate the posterior of a declaration.

    Parameters
    ----------
    declaration
        The model.
    cells
        The collapsed judgements.
    draws, chains
        How many draws.
    cores
        Threads that compute weights.
    rng
        Source of the draws.

    Raises
    ------
    NoMode
        Where the density has no mode, as with a standard deviation that the data do not hold away
        from zero.
    """
    started = perf_counter()
    density = CentredDensity(declaration, cells)
    mode, factor = find_mode(density)
    found = perf_counter()
    n_draws = draws * chains
    # All draws, to be resampled; or, where that would take long, as many as judge the rest.
    all_affordable = n_draws * cells.n_cells <= _MOST_CELLS_WEIGHTED
    n_weighted = n_draws if all_affordable else min(_WEIGHTS_THAT_JUDGE, n_draws)
    x = rng.standard_normal((n_draws, density.size))
    # The factor's last coordinates are the response's parameters: few, and often with a long tail
    # on one side, which the tails of Student's t cover.
    free, tailed = slice(0, density.n_free), slice(density.n_free, density.size)
    x[:, tailed] = rng.standard_t(_DEGREES, size=x[:, tailed].shape)
    log_normal = -0.5 * np.square(x[:n_weighted, free]).sum(axis=1)
    log_tails = np.log1p(np.square(x[:n_weighted, tailed]) / _DEGREES).sum(axis=1)
    log_normal -= 0.5 * (_DEGREES + 1.0) * log_tails
    # In place: draws of many parameters fill much memory, and asking for it takes its time.
    x = solve_triangular(factor, x.T, trans=1, lower=True, overwrite_b=True, check_finite=False).T
    x += mode
    drawn = perf_counter()
    log_ratio = _log_densities(density, x[:n_weighted], cores) - log_normal
    k, weight = smoothed(log_ratio)
    resampled = n_weighted == n_draws
    if resampled:
        x = x[systematic(weight, n_draws, rng)]
    return LaplaceDraws(
        values=density.named(x.reshape(chains, draws, -1), rng),
        k=k,
        effective=float(1.0 / np.sum(weight**2)),
        n_weighted=n_weighted,
        resampled=resampled,
        seconds={
            "mode": found - started,
            "draw": drawn - found,
            "weigh": perf_counter() - drawn,
        },
    )


def laplace_problems(drawn: LaplaceDraws, n_draws: int) -> tuple[str, ...]:
    """Say what is wrong with an approximation, each with a remedy."""
    problems = []
    if not drawn.k < drawn.largest_k:
        problems.append(
            f"the posterior is too far from a normal: Pareto k of the importance weights is "
            f"{drawn.k:.2f}, wanted below {drawn.largest_k:.2f}. Sample instead: method='nuts'"
        )
    effective = drawn.effective / drawn.n_weighted * n_draws
    if effective < SMALLEST_ESS:
        problems.append(
            f"too few effective draws: {effective:.0f} of {n_draws:,}, wanted {SMALLEST_ESS}. Ask "
            f"for more draws, or sample: method='nuts'"
        )
    return tuple(problems)


def _log_densities(density: CentredDensity, x: FloatArray, cores: int) -> FloatArray:
    """Return the log density of every draw, up to a constant."""
    parts = np.array_split(x, cores)
    with ThreadPoolExecutor(cores) as pool:
        # Every call writes to working space of its own, so that threads can share the work.
        return np.concatenate(
            list(pool.map(lambda part: density.spawn().log_densities(part), parts))
        )


def find_mode(density: CentredDensity) -> tuple[FloatArray, FloatArray]:
    """Return the mode and the lower Cholesky factor of minus the Hessian there.

    Newton's method, with steps shortened until they lead upwards. It begins under standard
    deviations fixed at their prior scales: where all effects of a block are zero the density has a
    pole, and a start there would find nothing else.
    """
    # Beside a pole numbers leave their range; such points are refused.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        x, _ = _climb(density, density.start(), wide=True, most=_FIRST_STEPS)
        x, factor = _climb(density, x, wide=False, most=_MOST_STEPS)
    if factor is None:
        raise NoMode(f"Newton's method did not settle within {_MOST_STEPS} steps")
    return x, factor


def _climb(
    density: CentredDensity, x: FloatArray, *, wide: bool, most: int
) -> tuple[FloatArray, FloatArray | None]:
    """Return the highest point found; and, once it is the mode, the factor of its curvature."""
    value, gradient, precision = density.expansion(x, wide=wide)
    if not np.isfinite(precision).all():
        _refuse_pole(density, x, _SMALL_SD)
        raise NoMode("the curvature is not finite")
    for _ in range(most):
        factor, ridge = _factor(precision)
        direction = cho_solve((factor, True), gradient, check_finite=False)
        decrement = float(gradient @ direction)
        if decrement < (_NEAR if wide else _CLOSE) and ridge == 0.0:
            return x, factor
        # Far from the mode a step has the size of the prior at most.
        longest = max(
            (
                float(np.abs(direction[block.free]).max(initial=0.0)) / block.sd_scale
                for block in density.blocks
            ),
            default=0.0,
        )
        size = min(1.0, _LONGEST_STEP / max(longest, 1e-12))
        while True:
            moved = x + size * direction
            new = density.expansion(moved, wide=wide)
            needed = value + 1e-4 * size * decrement - 1e-9 * abs(value)
            if np.isfinite(new[0]) and np.isfinite(new[2]).all() and new[0] >= needed:
                break
            size *= 0.5
            if size < 1e-8:
                _refuse_pole(density, x, _SMALL_SD)
                raise NoMode("no step from the best point found leads upwards")
        x, (value, gradient, precision) = moved, new
        if not wide:
            _refuse_pole(density, x, _LEAST_SD)
    return x, None


def _refuse_pole(density: CentredDensity, x: FloatArray, smallest: float) -> None:
    """Refuse a point beside the pole of a block, where all its effects are zero.

    ``smallest`` is the standard deviation of the effects, in units of its prior scale.
    """
    for block in density.blocks:
        least = (smallest * block.sd_scale) ** 2
        if block.width and float(np.mean(x[block.free] ** 2)) < least:
            raise NoMode(
                f"the density is highest where {block.name} has no differences at all: the "
                "judgements say too little about its standard deviation"
            )


def _factor(precision: FloatArray) -> tuple[FloatArray, float]:
    """Return the Cholesky factor, with a ridge where the curvature is no maximum's."""
    ridge = 0.0
    diagonal = np.abs(np.diag(precision))
    for _ in range(40):
        try:
            lifted = precision if ridge == 0.0 else precision + np.diag(ridge * (diagonal + 1e-8))
            return cholesky(lifted, lower=True, check_finite=False), ridge
        except LinAlgError:
            ridge = max(10.0 * ridge, 1e-4)
    raise NoMode("the curvature is no maximum's")


def smoothed(log_ratio: FloatArray) -> tuple[float, FloatArray]:
    """Return the Pareto shape of the largest weights, and smoothed weights that sum to one."""
    if not np.isfinite(log_ratio).all():
        return np.inf, np.full(log_ratio.size, 1.0 / log_ratio.size)
    from arviz_stats.base import array_stats

    # ArviZ takes the log likelihood that leave-one-out divides by: minus the log weight.
    log_weight, k = array_stats.psislw(log_ratio.max() - log_ratio)
    weight = np.exp(np.asarray(log_weight) - np.max(log_weight))
    return float(k), weight / weight.sum()


def systematic(weight: FloatArray, n: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Draw positions in proportion to weights, each as nearly its share as whole numbers allow."""
    edges = (np.arange(n) + rng.random()) / n
    chosen = np.searchsorted(np.cumsum(weight), edges, side="right")
    return rng.permutation(np.minimum(chosen, weight.size - 1))
