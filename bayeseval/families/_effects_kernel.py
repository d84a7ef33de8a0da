"""Gaussian blocks of effects: from sampler coordinates to effects, and gradients back.

A block is seven integers and a prior scale; see ``_layout.EffectTables``. Its density is that of
the PyMC model (``_builder``) with every Jacobian included. Three changes of coordinates keep what
the sampler sees near a standard normal, whatever the data say:

Signs. A standard deviation is sampled with a sign: a normal value s whose absolute value is the
standard deviation, and effects u = s z. Nothing changes when s and z change sign together, and a
standard deviation near zero, which has no end on the log scale, lies in the middle of a smooth
density. Where the data keep it away from zero its left tail is steep, and a logarithm suits it
better: the sampler sees p in s = k sinh p, linear where s is below the bend k, logarithmic beyond.

What the data say. Where the log likelihood of an effect is about that of a normal observation, with
score g at zero and information i, its standardised value given s is normal with mean s g v and
variance v = 1 / (1 + s² i). The sampler sees w in z = √v w + s g v, so that w is near a standard
normal whatever s is: the non-centred form where the data say nothing (i = 0), the centred one
where they say much (s² i large), and without the ridge between a small s and the z of many weakly
informed levels. Score and information are any numbers (``inference/_geometry`` finds good ones);
they change the shape that the sampler meets, never the posterior.

Rotation. Along its last dimension a row of w is sampled in rotated coordinates: n - 1 values that
PyMC's ZeroSumTransform maps to deviations from the mean, and last the mean times the root of n
(absent where the row sums to zero). The rotation is orthonormal. The data say much about
deviations and little about the mean, which trades off against the location of the response; kept
apart, each gets its own step size.
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
    x: FloatArray,
    blocks: IndexTable,
    scales: FloatArray,
    score: FloatArray,
    information: FloatArray,
    effects: FloatArray,
) -> float:
    """Fill ``effects`` from the sampler's coordinates and return their log prior density."""
    total = 0.0
    for e in range(blocks.shape[0]):
        sd_start, start, n_criteria, n_rows, length, zero_sum, out = blocks[e]
        width = length - zero_sum
        share = width / length
        root = math.sqrt(length)
        for c in range(n_criteria):
            bend = scales[e, 1 + c]
            own = x[sd_start + c]
            if bend > 0.0:
                total += math.log(bend * math.cosh(own))
                own = bend * math.sinh(own)
            total += signed_normal_log(own, scales[e, 0])
            squares = 0.0
            log_factor = 0.0
            product = 1.0
            for r in range(c * n_rows, (c + 1) * n_rows):
                value = x[start + r * width : start + (r + 1) * width]
                row_sum = 0.0
                for j in range(width):
                    row_sum += value[j]
                mean = 0.0
                if not zero_sum:
                    mean = value[length - 1] / root
                    row_sum -= value[length - 1]
                shift = mean - row_sum / (root + length)
                for j in range(length):
                    at = out + r * length + j
                    turned = value[j] + shift if j < length - 1 else mean - row_sum / root
                    v = 1.0 / (1.0 + own * own * information[at])
                    z = math.sqrt(v) * turned + own * score[at] * v
                    effects[at] = own * z
                    squares += z * z
                    # One logarithm for many levels: it is the slowest step here.
                    product *= v
                    if product < 1e-150:
                        log_factor += math.log(product)
                        product = 1.0
            log_factor += math.log(product)
            total += 0.5 * (share * log_factor - squares) - n_rows * width * LOG_SQRT_2PI
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def effects_reverse(
    x: FloatArray,
    blocks: IndexTable,
    scales: FloatArray,
    score: FloatArray,
    information: FloatArray,
    effects_bar: FloatArray,
    gradient: FloatArray,
) -> None:
    """Add to ``gradient`` what the effects' gradient and their prior contribute."""
    for e in range(blocks.shape[0]):
        sd_start, start, n_criteria, n_rows, length, zero_sum, out = blocks[e]
        width = length - zero_sum
        share = width / length
        root = math.sqrt(length)
        turned_bar = np.empty(length)
        for c in range(n_criteria):
            bend = scales[e, 1 + c]
            own = x[sd_start + c]
            if bend > 0.0:
                own = bend * math.sinh(own)
            by_own = -own / (scales[e, 0] * scales[e, 0])
            for r in range(c * n_rows, (c + 1) * n_rows):
                value = x[start + r * width : start + (r + 1) * width]
                slope = gradient[start + r * width : start + (r + 1) * width]
                row_sum = 0.0
                for j in range(width):
                    row_sum += value[j]
                mean = 0.0
                if not zero_sum:
                    mean = value[length - 1] / root
                    row_sum -= value[length - 1]
                shift = mean - row_sum / (root + length)
                bar_sum = 0.0
                for j in range(length):
                    at = out + r * length + j
                    turned = value[j] + shift if j < length - 1 else mean - row_sum / root
                    i, g = information[at], score[at]
                    v = 1.0 / (1.0 + own * own * i)
                    factor = math.sqrt(v)
                    z = factor * turned + own * g * v
                    z_bar = own * effects_bar[at] - z
                    turned_bar[j] = factor * z_bar
                    by_z = g * v * (2.0 * v - 1.0) - own * i * v * factor * turned
                    by_own += effects_bar[at] * z + z_bar * by_z - share * own * i * v
                    bar_sum += turned_bar[j]
                last = turned_bar[length - 1]
                bar_sum -= last
                back = bar_sum / (root + length) + last / root
                for j in range(length - 1):
                    slope[j] += turned_bar[j] - back
                if not zero_sum:
                    slope[length - 1] += (bar_sum + last) / root
            if bend > 0.0:
                by_own *= bend * math.cosh(x[sd_start + c])
                by_own += math.tanh(x[sd_start + c])
            gradient[sd_start + c] += by_own


@numba.njit(cache=True, nogil=True, error_model="numpy")
def effect_means(
    blocks: IndexTable, sign: FloatArray, effects: FloatArray, means: FloatArray
) -> None:
    """Fill ``means`` (criterion,) with the signed sum of the effects' means over their levels.

    A constant can move between the mean of an effect and the location of the response without any
    change to the answers. Sampling the location with the effects' means taken out removes this
    ridge; effects that sum to zero have no part in it.
    """
    means[:] = 0.0
    for e in range(blocks.shape[0]):
        _, _, n_criteria, n_rows, length, zero_sum, out = blocks[e]
        if zero_sum:
            continue
        size = n_rows * length
        for c in range(n_criteria):
            total = 0.0
            for at in range(out + c * size, out + (c + 1) * size):
                total += effects[at]
            means[c] += sign[e] * total / size


@numba.njit(cache=True, nogil=True, error_model="numpy")
def effect_means_reverse(
    blocks: IndexTable, sign: FloatArray, means_bar: FloatArray, effects_bar: FloatArray
) -> None:
    """Add to the effects' gradient what the means pass back."""
    for e in range(blocks.shape[0]):
        _, _, n_criteria, n_rows, length, zero_sum, out = blocks[e]
        if zero_sum:
            continue
        size = n_rows * length
        for c in range(n_criteria):
            weight = sign[e] * means_bar[c] / size
            for at in range(out + c * size, out + (c + 1) * size):
                effects_bar[at] += weight
