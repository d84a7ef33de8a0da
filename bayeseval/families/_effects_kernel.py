"""Gaussian blocks of effects: from sampler coordinates to effects, and gradients back.

A block is seven integers and a prior scale; see ``_layout.EffectTables``. Its density is that of
the PyMC model (``_builder``) with every Jacobian included. Four changes of coordinates keep what
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

Nested blocks. Where judgements say much, they hold the sum of a quality and its deviation in a
group, or of an item's difficulty and its interactions, and neither alone: a narrow ridge. So the
score of a finer effect is the one that remains when the coarser effects that enter the same answers
(its parents) have had their say, g minus i times their sum. What the sampler sees of the
finer effect is then independent of them wherever the likelihood is about normal. Where the data say
little of the finer effects the ridge is broad, and likelihoods are less like a normal over its
width: there the finer effects are sampled as if they had no parents.

Rotation. Along its last dimension a row of w is sampled in rotated coordinates: n - 1 values that
PyMC's ZeroSumTransform maps to deviations from the mean, and last the mean times the root of n
(absent where the row sums to zero). The rotation is orthonormal. The data say much about
deviations and little about the mean, which trades off against the location of the response; kept
apart, each gets its own step size.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math
from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from bayeseval.families._callback import float_rows, floats, long_rows, longs
from bayeseval.families._declaration import FloatArray

LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_LOG_HALF_NORMAL = 0.5 * math.log(2.0 / math.pi)

type IndexTable = npt.NDArray[np.int64]
"""Dims (block, field): start of the sds, start of the values, criteria, rows, length,
zero sum, start among the effects. Blocks stand in the declaration's order."""


class EffectTables(NamedTuple):
    """The blocks as the kernels read them.

    Parameters
    ----------
    blocks
        Seven integers a block.
    order
        The blocks, parents before the finer ones.
    scales
        A block's prior scale and its bends, dims (block, 1 + criterion).
    score
        Score of every effect, dims (effect,).
    information
        Information of every effect, dims (effect,).
    parents
        Positions of every effect's parents, -1 for none, dims (parent, effect).
    shares
        What a parent counts in units of the finer effect, dims (parent, block).
    basis_start
        Where a block's bases begin, -1 where its rows are rotated.
    bases
        Directions of every row of such blocks, each dims (level, direction), orthonormal. Score and
        information of such a row are those of its directions, in its first places.
    """

    blocks: IndexTable
    order: npt.NDArray[np.int64]
    scales: FloatArray
    score: FloatArray
    information: FloatArray
    parents: npt.NDArray[np.int64]
    shares: FloatArray
    basis_start: npt.NDArray[np.int64]
    bases: FloatArray


@numba.njit(inline="always")
def effect_tables_of(table: npt.NDArray[np.int64]) -> EffectTables:
    """Return the blocks from the first slots of a density's tables."""
    return EffectTables(
        long_rows(table, 0),
        longs(table, 1),
        float_rows(table, 2),
        floats(table, 3),
        floats(table, 4),
        long_rows(table, 5),
        float_rows(table, 6),
        longs(table, 7),
        floats(table, 8),
    )


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
def _turn(value: FloatArray, length: int, turned: FloatArray) -> None:
    """Fill ``turned`` (level,) from the rotated coordinates of a row; one fewer sum to zero."""
    root = math.sqrt(length)
    row_sum = 0.0
    for j in range(value.size):
        row_sum += value[j]
    mean = 0.0
    if value.size == length:
        mean = value[length - 1] / root
        row_sum -= value[length - 1]
    shift = mean - row_sum / (root + length)
    for j in range(length - 1):
        turned[j] = value[j] + shift
    turned[length - 1] = mean - row_sum / root


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _from_parents(
    tables: EffectTables, block: int, begin: int, length: int, effects: FloatArray, row: FloatArray
) -> bool:
    """Fill ``row`` with what a row's parents add up to; return whether it has any."""
    parents = tables.parents
    some = False
    for k in range(parents.shape[0]):
        if parents[k, begin] < 0:
            continue
        share = tables.shares[k, block]
        for j in range(length):
            value = share * effects[parents[k, begin + j]]
            row[j] = row[j] + value if some else value
        some = True
    if some and tables.blocks[block, 5]:
        mean = 0.0
        for j in range(length):
            mean += row[j]
        mean /= length
        for j in range(length):
            row[j] -= mean
    return some


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _to_parents(
    tables: EffectTables,
    block: int,
    begin: int,
    length: int,
    row_bar: FloatArray,
    effects_bar: FloatArray,
) -> None:
    """Add to the gradient of a row's parents what their sum passes back."""
    parents = tables.parents
    mean = 0.0
    if tables.blocks[block, 5]:
        for j in range(length):
            mean += row_bar[j]
        mean /= length
    for k in range(parents.shape[0]):
        if parents[k, begin] < 0:
            continue
        share = tables.shares[k, block]
        for j in range(length):
            effects_bar[parents[k, begin + j]] += share * (row_bar[j] - mean)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _basis_of(tables: EffectTables, block: int, row: int, length: int, width: int) -> FloatArray:
    """Return the directions of a row, dims (level, direction)."""
    begin = tables.basis_start[block] + row * length * width
    return tables.bases[begin : begin + length * width].reshape(length, width)


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _to_directions(basis: FloatArray, levels: FloatArray, along: FloatArray) -> None:
    """Fill the components of a row along its directions."""
    length, width = basis.shape
    along[:width] = 0.0
    for j in range(length):
        for k in range(width):
            along[k] += basis[j, k] * levels[j]


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _to_levels(basis: FloatArray, along: FloatArray, levels: FloatArray) -> None:
    """Fill the levels of a row from its components along its directions."""
    length, width = basis.shape
    for j in range(length):
        total = 0.0
        for k in range(width):
            total += basis[j, k] * along[k]
        levels[j] = total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _standardised(
    tables: EffectTables,
    begin: int,
    own: float,
    value: FloatArray,
    scores: FloatArray,
    along: FloatArray,
) -> None:
    """Fill score and standardised value along each direction of a row.

    Before, ``scores`` holds the components of what its parents add up to.
    """
    for k in range(value.size):
        i = tables.information[begin + k]
        scores[k] = tables.score[begin + k] - i * scores[k]
        v = 1.0 / (1.0 + own * own * i)
        along[k] = math.sqrt(v) * value[k] + own * scores[k] * v


@numba.njit(cache=True, nogil=True, error_model="numpy")
def effects_forward(x: FloatArray, tables: EffectTables, effects: FloatArray) -> float:
    """Fill ``effects`` from the sampler's coordinates and return their log prior density."""
    blocks, scales, information = tables.blocks, tables.scales, tables.information
    total = 0.0
    for e in tables.order:
        sd_start, start, n_criteria, n_rows, length, zero_sum, out = blocks[e]
        width = length - zero_sum
        share = width / length
        of_parents = np.zeros(length)
        scores = np.empty(length)
        along = np.empty(length)
        turned = np.empty(length)
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
                begin = out + r * length
                some = _from_parents(tables, e, begin, length, effects, of_parents)
                if tables.basis_start[e] >= 0:
                    basis = _basis_of(tables, e, r, length, width)
                    scores[:] = 0.0
                    if some:
                        _to_directions(basis, of_parents, scores)
                    _standardised(tables, begin, own, value, scores, along)
                    _to_levels(basis, along, turned)
                    for j in range(length):
                        effects[begin + j] = own * turned[j]
                    for k in range(width):
                        squares += along[k] * along[k]
                        total -= 0.5 * math.log1p(own * own * information[begin + k])
                    continue
                _turn(value, length, turned)
                for j in range(length):
                    i, g = information[begin + j], tables.score[begin + j]
                    if some:
                        g -= i * of_parents[j]
                    v = 1.0 / (1.0 + own * own * i)
                    z = math.sqrt(v) * turned[j] + own * g * v
                    effects[begin + j] = own * z
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
    tables: EffectTables,
    effects: FloatArray,
    effects_bar: FloatArray,
    gradient: FloatArray,
) -> None:
    """Add to ``gradient`` what the effects' gradient and their prior contribute.

    ``effects_bar`` takes up what finer effects pass back to their parents.
    """
    blocks, scales, information = tables.blocks, tables.scales, tables.information
    for e in tables.order[::-1]:
        sd_start, start, n_criteria, n_rows, length, zero_sum, out = blocks[e]
        width = length - zero_sum
        share = width / length
        root = math.sqrt(length)
        of_parents = np.zeros(length)
        parents_bar = np.empty(length)
        along_bar = np.empty(length)
        scores = np.empty(length)
        along = np.empty(length)
        turned = np.empty(length)
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
                begin = out + r * length
                some = _from_parents(tables, e, begin, length, effects, of_parents)
                if tables.basis_start[e] >= 0:
                    basis = _basis_of(tables, e, r, length, width)
                    scores[:] = 0.0
                    if some:
                        _to_directions(basis, of_parents, scores)
                    _standardised(tables, begin, own, value, scores, along)
                    _to_directions(basis, effects_bar[begin : begin + length], along_bar)
                    for k in range(width):
                        i, g, bar = information[begin + k], scores[k], along_bar[k]
                        v = 1.0 / (1.0 + own * own * i)
                        factor = math.sqrt(v)
                        by_own += bar * along[k]
                        bar = own * bar - along[k]
                        slope[k] += factor * bar
                        by_own += bar * (g * v * (2.0 * v - 1.0) - own * i * v * factor * value[k])
                        by_own -= own * i * v
                        along_bar[k] = -i * own * v * bar
                    if some:
                        _to_levels(basis, along_bar, turned_bar)
                        _to_parents(tables, e, begin, length, turned_bar, effects_bar)
                    continue
                _turn(value, length, turned)
                bar_sum = 0.0
                for j in range(length):
                    i, g = information[begin + j], tables.score[begin + j]
                    bar = effects_bar[begin + j]
                    if some:
                        g -= i * of_parents[j]
                    v = 1.0 / (1.0 + own * own * i)
                    factor = math.sqrt(v)
                    z = factor * turned[j] + own * g * v
                    z_bar = own * bar - z
                    turned_bar[j] = factor * z_bar
                    parents_bar[j] = -i * own * v * z_bar
                    by_z = g * v * (2.0 * v - 1.0) - own * i * v * factor * turned[j]
                    by_own += bar * z + z_bar * by_z - share * own * i * v
                    bar_sum += turned_bar[j]
                if some:
                    _to_parents(tables, e, begin, length, parents_bar, effects_bar)
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
