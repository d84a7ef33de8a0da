"""Gaussian blocks of effects: from sampler coordinates to effects, and gradients back.

A block is eight integers and a prior scale; see ``_layout.block_table``. The density of a block
is that of the PyMC model (``_builder``) with every Jacobian included.

Along its last dimension a row of effects is sampled in rotated coordinates: n - 1 values that
PyMC's ZeroSumTransform maps to deviations from the mean, and last the mean times the root of n
(absent where the row sums to zero). The rotation is orthonormal, so a normal prior looks the same
in both. The data say much about deviations and little about the mean, which trades off against the
location of the response; kept apart, each gets its own step size.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

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
"""Dims (block, field): start of the log sds, start of the values, criteria, rows, length,
zero sum, centred, start among the effects."""


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


@numba.njit(cache=True, nogil=True, error_model="numpy")
def effects_forward(
    x: FloatArray, blocks: IndexTable, scales: FloatArray, effects: FloatArray
) -> float:
    """Fill ``effects`` from the sampler's coordinates and return their log prior density."""
    total = 0.0
    for e in range(blocks.shape[0]):
        sd_start, start, n_criteria, n_rows, length, zero_sum, centred, out = blocks[e]
        width = length - zero_sum
        root = math.sqrt(length)
        for c in range(n_criteria):
            log_sd = x[sd_start + c]
            sd = math.exp(log_sd)
            total += half_normal_log(log_sd, scales[e])
            factor = 1.0 if centred else sd
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
            if centred:
                total -= 0.5 * squares / (sd * sd) + n_values * log_sd
            else:
                total -= 0.5 * squares
            total -= n_values * LOG_SQRT_2PI
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def effects_reverse(
    x: FloatArray,
    blocks: IndexTable,
    scales: FloatArray,
    effects: FloatArray,
    effects_bar: FloatArray,
    gradient: FloatArray,
) -> None:
    """Add to ``gradient`` what the effects' gradient and their prior contribute."""
    for e in range(blocks.shape[0]):
        sd_start, start, n_criteria, n_rows, length, zero_sum, centred, out = blocks[e]
        width = length - zero_sum
        root = math.sqrt(length)
        for c in range(n_criteria):
            log_sd = x[sd_start + c]
            sd = math.exp(log_sd)
            factor = 1.0 if centred else sd
            precision = 1.0 / (sd * sd) if centred else 1.0
            by_log_sd = half_normal_slope(log_sd, scales[e])
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
                if centred:
                    for j in range(width):
                        by_log_sd += value[j] * value[j] * precision
                else:
                    for j in range(length):
                        by_log_sd += bar[j] * effect[j]
            if centred:
                by_log_sd -= n_rows * width
            gradient[sd_start + c] += by_log_sd


@numba.njit(cache=True, nogil=True, error_model="numpy")
def effect_means(x: FloatArray, blocks: IndexTable, sign: FloatArray, means: FloatArray) -> None:
    """Fill ``means`` (criterion,) with the signed sum of the effects' means over their levels.

    A constant can move between the mean of an effect and the location of the response without any
    change to the answers. Sampling the location with the effects' means taken out removes this
    ridge; effects that sum to zero have no part in it.
    """
    means[:] = 0.0
    for e in range(blocks.shape[0]):
        sd_start, start, n_criteria, n_rows, length, zero_sum, centred, _ = blocks[e]
        if zero_sum:
            continue
        for c in range(n_criteria):
            factor = 1.0 if centred else math.exp(x[sd_start + c])
            weight = sign[e] * factor / (n_rows * math.sqrt(length))
            for r in range(c * n_rows, (c + 1) * n_rows):
                means[c] += weight * x[start + (r + 1) * length - 1]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def effect_means_reverse(
    x: FloatArray,
    blocks: IndexTable,
    sign: FloatArray,
    means_bar: FloatArray,
    gradient: FloatArray,
) -> None:
    """Add to ``gradient`` what the means pass back."""
    for e in range(blocks.shape[0]):
        sd_start, start, n_criteria, n_rows, length, zero_sum, centred, _ = blocks[e]
        if zero_sum:
            continue
        for c in range(n_criteria):
            factor = 1.0 if centred else math.exp(x[sd_start + c])
            weight = sign[e] * factor * means_bar[c] / (n_rows * math.sqrt(length))
            for r in range(c * n_rows, (c + 1) * n_rows):
                last = start + (r + 1) * length - 1
                gradient[last] += weight
                if not centred:
                    gradient[sd_start + c] += weight * x[last]
