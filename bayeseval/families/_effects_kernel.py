"""Gaussian blocks of effects: from sampler coordinates to effects, and gradients back.

A block is seven integers, a prior scale and a degree of centring; see ``_layout.block_table``. Its
density is that of the PyMC model (``_builder``) with every Jacobian included.

Along its last dimension a row of effects is sampled in rotated coordinates: n - 1 values that
PyMC's ZeroSumTransform maps to deviations from the mean, and last the mean times the root of n
(absent where the row sums to zero). The rotation is orthonormal, so a normal prior looks the same
in both. The data say much about deviations and little about the mean, which trades off against the
location of the response; kept apart, each gets its own step size.

Where effects are standardised (centring 0) their standard deviation is sampled with a sign: a
normal value p whose absolute value is the standard deviation, and effects p z. Nothing changes when
p and z change sign together, and a standard deviation near zero, which has no end on the log scale,
lies in the middle of a smooth density.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math

import numba
import numpy as np
import numpy.typing as npt

from bayeseval.families._declaration import FloatArray

LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_LOG_HALF_NORMAL = 0.5 * math.log(2.0 / math.pi)

type IndexTable = npt.NDArray[np.int64]
"""Dims (block, field): start of the sds, start of the values, criteria, rows, length,
zero sum, start among the effects."""


@numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
def half_normal_log(log_value: float, scale: float) -> float:
    """Log density of exp(log_value) under a half-normal prior, Jacobian included."""
    ratio = math.exp(log_value) / scale
    return _LOG_HALF_NORMAL - math.log(scale) - 0.5 * ratio * ratio + log_value


@numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
def half_normal_slope(log_value: float, scale: float) -> float:
    """Differentiate :func:`half_normal_log` by log_value."""
    ratio = math.exp(log_value) / scale
    return 1.0 - ratio * ratio


@numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
def signed_normal_log(value: float, scale: float) -> float:
    """Log density of a standard deviation with a sign: half a half-normal on either side."""
    return -0.5 * (value / scale) ** 2 - math.log(scale) - LOG_SQRT_2PI


@numba.njit(cache=True, nogil=True, error_model="numpy")
def effects_forward(
    x: FloatArray, blocks: IndexTable, priors: FloatArray, effects: FloatArray
) -> float:
    """Fill ``effects`` from the sampler's coordinates and return their log prior density."""
    total = 0.0
    for e in range(blocks.shape[0]):
        sd_start, start, n_criteria, n_rows, length, zero_sum, out = blocks[e]
        scale, centring = priors[e]
        width = length - zero_sum
        root = math.sqrt(length)
        for c in range(n_criteria):
            own = x[sd_start + c]
            if centring == 0.0:
                total += signed_normal_log(own, scale)
                factor = own
            else:
                total += half_normal_log(own, scale)
                factor = math.exp((1.0 - centring) * own)
            squares = 0.0
            for r in range(c * n_rows, (c + 1) * n_rows):
                value = x[start + r * width : start + (r + 1) * width]
                effect = effects[out + r * length : out + (r + 1) * length]
                row_sum = 0.0
                for j in range(width):
                    squares += value[j] * value[j]
                    row_sum += value[j]
                mean = 0.0
                if not zero_sum:
                    mean = value[length - 1] / root
                    row_sum -= value[length - 1]
                shift = mean - row_sum / (root + length)
                for j in range(length - 1):
                    effect[j] = factor * (value[j] + shift)
                effect[length - 1] = factor * (mean - row_sum / root)
            n_values = n_rows * width
            total -= 0.5 * squares * math.exp(-2.0 * centring * own)
            total -= n_values * (centring * own + LOG_SQRT_2PI)
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def effects_reverse(
    x: FloatArray,
    blocks: IndexTable,
    priors: FloatArray,
    effects: FloatArray,
    effects_bar: FloatArray,
    gradient: FloatArray,
) -> None:
    """Add to ``gradient`` what the effects' gradient and their prior contribute."""
    for e in range(blocks.shape[0]):
        sd_start, start, n_criteria, n_rows, length, zero_sum, out = blocks[e]
        scale, centring = priors[e]
        width = length - zero_sum
        root = math.sqrt(length)
        for c in range(n_criteria):
            own = x[sd_start + c]
            if centring == 0.0:
                factor = own
                precision = 1.0
                by_own = -own / (scale * scale)
            else:
                factor = math.exp((1.0 - centring) * own)
                precision = math.exp(-2.0 * centring * own)
                by_own = half_normal_slope(own, scale)
            for r in range(c * n_rows, (c + 1) * n_rows):
                value = x[start + r * width : start + (r + 1) * width]
                slope = gradient[start + r * width : start + (r + 1) * width]
                effect = effects[out + r * length : out + (r + 1) * length]
                bar = effects_bar[out + r * length : out + (r + 1) * length]
                bar_sum = 0.0
                for j in range(length - 1):
                    bar_sum += bar[j]
                shift = bar_sum / (root + length) + bar[length - 1] / root
                for j in range(length - 1):
                    slope[j] += factor * (bar[j] - shift) - value[j] * precision
                if not zero_sum:
                    j = length - 1
                    slope[j] += factor * (bar_sum + bar[j]) / root - value[j] * precision
                inner = 0.0
                if centring == 0.0:
                    for j in range(length - 1):
                        inner += value[j] * (bar[j] - shift)
                    if not zero_sum:
                        inner += value[length - 1] * (bar_sum + bar[length - 1]) / root
                    by_own += inner
                else:
                    for j in range(length):
                        inner += bar[j] * effect[j]
                    by_own += (1.0 - centring) * inner
                    for j in range(width):
                        by_own += centring * value[j] * value[j] * precision
            by_own -= centring * n_rows * width
            gradient[sd_start + c] += by_own


@numba.njit(cache=True, nogil=True, error_model="numpy")
def effect_means(
    x: FloatArray,
    blocks: IndexTable,
    priors: FloatArray,
    sign: FloatArray,
    means: FloatArray,
) -> None:
    """Fill ``means`` (criterion,) with the signed sum of the effects' means over their levels.

    A constant can move between the mean of an effect and the location of the response without any
    change to the answers. Sampling the location with the effects' means taken out removes this
    ridge; effects that sum to zero have no part in it.
    """
    means[:] = 0.0
    for e in range(blocks.shape[0]):
        sd_start, start, n_criteria, n_rows, length, zero_sum, _ = blocks[e]
        centring = priors[e, 1]
        if zero_sum:
            continue
        for c in range(n_criteria):
            own = x[sd_start + c]
            factor = own if centring == 0.0 else math.exp((1.0 - centring) * own)
            weight = sign[e] * factor / (n_rows * math.sqrt(length))
            for r in range(c * n_rows, (c + 1) * n_rows):
                means[c] += weight * x[start + (r + 1) * length - 1]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def effect_means_reverse(
    x: FloatArray,
    blocks: IndexTable,
    priors: FloatArray,
    sign: FloatArray,
    means_bar: FloatArray,
    gradient: FloatArray,
) -> None:
    """Add to ``gradient`` what the means pass back."""
    for e in range(blocks.shape[0]):
        sd_start, start, n_criteria, n_rows, length, zero_sum, _ = blocks[e]
        centring = priors[e, 1]
        if zero_sum:
            continue
        for c in range(n_criteria):
            own = x[sd_start + c]
            factor = own if centring == 0.0 else math.exp((1.0 - centring) * own)
            by_own = 1.0 if centring == 0.0 else (1.0 - centring) * factor
            weight = sign[e] * means_bar[c] / (n_rows * math.sqrt(length))
            for r in range(c * n_rows, (c + 1) * n_rows):
                last = start + (r + 1) * length - 1
                gradient[last] += weight * factor
                gradient[sd_start + c] += weight * by_own * x[last]
