"""Gaussian blocks of effects: from sampler coordinates to effects, and gradients back.

A block is eight integers and a prior scale; see ``_layout.EffectTables``. Its density is that of
the PyMC model (``_builder``) with every Jacobian included. Five changes of coordinates keep what
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
width: there the finer effects are sampled as if they had no parents. Annotators' log gaps between
thresholds vary around the population's, which are no such block: their values, the root, stand
behind the effects.

Location. A constant can move between the mean of an effect and the location of a response without
any change to the answers. The sampler's location has the means of such effects taken out; of their
means the data say nothing then, but the prior of the location does, which weighs where few levels
vary widely. What the data say moves only the deviations from the mean of the block, and what that
prior says its mean. With D the roots of the variances of the N levels, d that of the mean, the map
is w to D w minus its mean plus d times the mean of w, whose volume is det D times the mean of 1 / D
times d.

Rotation. Along its last dimension a row of w is sampled in rotated coordinates: n - 1 values that
PyMC's ZeroSumTransform maps to deviations from the mean, and last the mean times the root of n
(absent where the row sums to zero). The rotation is orthonormal. The data say much about
deviations and little about the mean, which trades off against the location of the response; kept
apart, each gets its own step size. Rows whose levels are not known equally well, or share
judgements, have directions of their own instead, in which their information is diagonal.
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
zero sum, start among the effects, whether its mean moves with the location. Blocks stand in the
declaration's order."""


class EffectTables(NamedTuple):
    """The blocks as the kernels read them.

    Parameters
    ----------
    blocks
        Eight integers a block.
    order
        The blocks, parents before the finer ones.
    scales
        A block's prior scale, its bends, and the information and score of its mean where it moves
        with the location, dims (block, 1 + 3 criterion).
    score
        Score of every effect, dims (effect,).
    information
        Information of every effect, dims (effect,).
    parents
        Positions of every effect's parents, -1 for none, dims (parent, effect).
    parent_block
        The parents' blocks, -1 for the root, dims (parent, block).
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
    parent_block: npt.NDArray[np.int64]
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
        long_rows(table, 6),
        float_rows(table, 7),
        longs(table, 8),
        floats(table, 9),
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
    tables: EffectTables,
    block: int,
    criterion: int,
    begin: int,
    length: int,
    effects: FloatArray,
    means: FloatArray,
    row: FloatArray,
) -> bool:
    """Fill ``row`` with what a row's parents add up to; return whether it has any."""
    parents = tables.parents
    some = False
    for k in range(parents.shape[0]):
        if parents[k, begin] < 0:
            continue
        share, whose = tables.shares[k, block], tables.parent_block[k, block]
        # Answers never see the mean of a block that moves with the location.
        mean = share * means[whose, criterion] if whose >= 0 else 0.0
        for j in range(length):
            value = share * effects[parents[k, begin + j]] - mean
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
    criterion: int,
    begin: int,
    length: int,
    row_bar: FloatArray,
    means_bar: FloatArray,
    effects_bar: FloatArray,
) -> None:
    """Add to the gradient of a row's parents what their sum passes back."""
    parents = tables.parents
    total = 0.0
    for j in range(length):
        total += row_bar[j]
    if tables.blocks[block, 5]:
        for j in range(length):
            row_bar[j] -= total / length
        total = 0.0
    for k in range(parents.shape[0]):
        if parents[k, begin] < 0:
            continue
        share, whose = tables.shares[k, block], tables.parent_block[k, block]
        if whose >= 0:
            means_bar[whose, criterion] -= share * total
        for j in range(length):
            effects_bar[parents[k, begin + j]] += share * row_bar[j]


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _to_directions(
    bases: FloatArray, length: int, width: int, levels: FloatArray, along: FloatArray
) -> None:
    """Fill the components of rows along their directions, which stand first in each row.

    Rows are often of three or four levels: indices cost less there than views of each row.
    """
    for r in range(levels.size // length):
        begin, basis = r * length, r * length * width
        for k in range(length):
            along[begin + k] = 0.0
        for j in range(length):
            value = levels[begin + j]
            for k in range(width):
                along[begin + k] += bases[basis + j * width + k] * value


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _to_levels(
    bases: FloatArray, length: int, width: int, along: FloatArray, levels: FloatArray
) -> None:
    """Fill the levels of rows from their components along their directions."""
    for r in range(levels.size // length):
        begin, basis = r * length, r * length * width
        for j in range(length):
            total = 0.0
            for k in range(width):
                total += bases[basis + j * width + k] * along[begin + k]
            levels[begin + j] = total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _bases_of(tables: EffectTables, block: int, criterion: int) -> FloatArray:
    """Return the directions of a block's rows for one criterion, flat; empty where it has none."""
    _, _, _, n_rows, length, zero_sum, _, _ = tables.blocks[block]
    if tables.basis_start[block] < 0:
        return tables.bases[:0]
    size = n_rows * length * (length - zero_sum)
    begin = tables.basis_start[block] + criterion * size
    return tables.bases[begin : begin + size]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _has_parents(tables: EffectTables, block: int) -> bool:
    first = tables.blocks[block, 6]
    for k in range(tables.parents.shape[0]):  # noqa: SIM110
        if tables.parents[k, first] >= 0:
            return True
    return False


@numba.njit(cache=True, nogil=True, error_model="numpy")
def effects_forward(
    x: FloatArray,
    tables: EffectTables,
    effects: FloatArray,
    means: FloatArray,
    state: FloatArray,
) -> float:
    """Fill the effects from the sampler's coordinates and return their log prior density.

    Parameters
    ----------
    x
        A point of the sampler's space.
    tables
        The blocks.
    effects
        Result, dims (effect,); behind the blocks it has the values of the root.
    means
        Result: the mean of each block that moves with the location, else 0, dims
        (block, criterion).
    state
        What :func:`effects_reverse` needs again, dims (4, effect): of every level, or of every
        direction of a row that has such, its score, root of the variance, sampled value, and
        standardised value.
    """
    blocks, scales, information = tables.blocks, tables.scales, tables.information
    score, factor, turned, z = state[0], state[1], state[2], state[3]
    means[:] = 0.0
    total = 0.0
    for e in tables.order:
        sd_start, start, n_criteria, n_rows, length, zero_sum, out, moves = blocks[e]
        width = length - zero_sum
        size = n_rows * length
        nested = _has_parents(tables, e)
        of_parents = np.empty(size if nested else 0)
        for c in range(n_criteria):
            bend = scales[e, 1 + c]
            own = x[sd_start + c]
            if bend > 0.0:
                total += math.log(bend * math.cosh(own))
                own = bend * math.sinh(own)
            total += signed_normal_log(own, scales[e, 0])
            first, last = out + c * size, out + (c + 1) * size
            values = x[start + c * n_rows * width : start + (c + 1) * n_rows * width]
            bases = _bases_of(tables, e, c)
            if bases.size:
                for r in range(n_rows):
                    for k in range(width):
                        turned[first + r * length + k] = values[r * width + k]
                    for k in range(width, length):
                        turned[first + r * length + k] = 0.0
            else:
                for r in range(n_rows):
                    begin = first + r * length
                    _turn(values[r * width : (r + 1) * width], length, turned[begin:])
            score[first:last] = tables.score[first:last]
            if nested:
                for r in range(n_rows):
                    row = of_parents[r * length : (r + 1) * length]
                    _from_parents(tables, e, c, first + r * length, length, effects, means, row)
                # The space of the effects is free until they are filled below.
                own_share = effects[first:last]
                if bases.size:
                    _to_directions(bases, length, width, of_parents, own_share)
                else:
                    own_share[:] = of_parents
                for j in range(first, last):
                    score[j] -= information[j] * effects[j]
            for j in range(first, last):
                root = 1.0 / math.sqrt(1.0 + own * own * information[j])
                factor[j] = root
                z[j] = root * (turned[j] + own * score[j] * root)
            if moves:
                mean_turned, mean_z, spread = 0.0, 0.0, 0.0
                for j in range(first, last):
                    mean_turned += turned[j]
                    mean_z += z[j]
                    spread += 1.0 / factor[j]
                known = scales[e, 1 + n_criteria + c] / size
                of_score = scales[e, 1 + 2 * n_criteria + c] / size
                root = 1.0 / math.sqrt(1.0 + own * own * known)
                mean = root * (mean_turned / size + own * of_score * root)
                shift = mean - mean_z / size
                for j in range(first, last):
                    z[j] += shift
                means[e, c] = own * mean
                total += math.log(root * spread / size)
            squares = _sum_of_squares(z[first:last])
            total -= 0.5 * squares + n_rows * width * LOG_SQRT_2PI
            share = 1.0 if bases.size else width / length
            total += share * _log_product(factor[first:last])
            if bases.size:
                _to_levels(bases, length, width, z[first:last], effects[first:last])
                for j in range(first, last):
                    effects[j] *= own
            else:
                for j in range(first, last):
                    effects[j] = own * z[j]
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _sum_of_squares(values: FloatArray) -> float:
    total = 0.0
    for value in values:
        total += value * value
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _log_product(values: FloatArray) -> float:
    """Return the sum of the logarithms of numbers up to 1: one logarithm for many of them."""
    total, product = 0.0, 1.0
    for value in values:
        product *= value
        if product < 1e-150:
            total += math.log(product)
            product = 1.0
    return total + math.log(product)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def effects_reverse(
    x: FloatArray,
    tables: EffectTables,
    state: FloatArray,
    means_bar: FloatArray,
    effects_bar: FloatArray,
    gradient: FloatArray,
) -> None:
    """Add to ``gradient`` what the effects' gradient and their prior contribute.

    ``effects_bar`` and ``means_bar``, the gradients by the effects and by the means of blocks, take
    up what finer effects pass back to their parents.
    """
    blocks, scales, information = tables.blocks, tables.scales, tables.information
    score, factor, turned, z = state[0], state[1], state[2], state[3]
    for e in tables.order[::-1]:
        sd_start, start, n_criteria, n_rows, length, zero_sum, out, moves = blocks[e]
        width = length - zero_sum
        root = math.sqrt(length)
        size = n_rows * length
        nested = _has_parents(tables, e)
        bar, score_bar, turned_bar = np.empty(size), np.empty(size), np.empty(size)
        for c in range(n_criteria):
            bend = scales[e, 1 + c]
            own = x[sd_start + c]
            if bend > 0.0:
                own = bend * math.sinh(own)
            by_own = -own / (scales[e, 0] * scales[e, 0])
            first, last = out + c * size, out + (c + 1) * size
            bases = _bases_of(tables, e, c)
            share = 1.0 if bases.size else width / length
            of_mean, back_mean, to_turned = 0.0, 0.0, 0.0
            if moves:
                of_mean = means_bar[e, c] / size
                spread, by_spread, mean_turned = 0.0, 0.0, 0.0
                for j in range(first, last):
                    mean_turned += turned[j] / size
                    back_mean += own * (effects_bar[j] + of_mean) - z[j]
                    spread += 1.0 / factor[j]
                    by_spread += own * information[j] * factor[j]
                known = scales[e, 1 + n_criteria + c] / size
                of_score = scales[e, 1 + 2 * n_criteria + c] / size
                v = 1.0 / (1.0 + own * own * known)
                of_root = math.sqrt(v)
                by_mean = of_score * v * (2.0 * v - 1.0) - own * known * v * of_root * mean_turned
                by_own += by_spread / spread + back_mean * by_mean - own * known * v
                back_mean /= size
                to_turned = of_root * back_mean
            if bases.size:
                _to_directions(bases, length, width, effects_bar[first:last], bar)
            else:
                bar[:] = effects_bar[first:last]
            by_own += _levels_reverse(
                own,
                share,
                of_mean,
                back_mean,
                to_turned,
                bar,
                information[first:last],
                score[first:last],
                factor[first:last],
                turned[first:last],
                z[first:last],
                turned_bar,
                score_bar,
            )
            if nested:
                if bases.size:
                    _to_levels(bases, length, width, score_bar, bar)
                else:
                    bar[:] = score_bar
                for r in range(n_rows):
                    row = bar[r * length : (r + 1) * length]
                    begin = first + r * length
                    _to_parents(tables, e, c, begin, length, row, means_bar, effects_bar)
            values_bar = gradient[start + c * n_rows * width : start + (c + 1) * n_rows * width]
            for r in range(n_rows):
                begin, at = r * length, r * width
                if bases.size:
                    for k in range(width):
                        values_bar[at + k] += turned_bar[begin + k]
                    continue
                bar_sum = 0.0
                for j in range(length - 1):
                    bar_sum += turned_bar[begin + j]
                end = turned_bar[begin + length - 1]
                back = bar_sum / (root + length) + end / root
                for j in range(length - 1):
                    values_bar[at + j] += turned_bar[begin + j] - back
                if not zero_sum:
                    values_bar[at + length - 1] += (bar_sum + end) / root
            if bend > 0.0:
                by_own *= bend * math.cosh(x[sd_start + c])
                by_own += math.tanh(x[sd_start + c])
            gradient[sd_start + c] += by_own


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _levels_reverse(
    own: float,
    share: float,
    of_mean: float,
    back_mean: float,
    to_turned: float,
    levels_bar: FloatArray,
    information: FloatArray,
    score: FloatArray,
    factor: FloatArray,
    turned: FloatArray,
    z: FloatArray,
    turned_bar: FloatArray,
    score_bar: FloatArray,
) -> float:
    """Fill the gradients by levels' sampled values and scores; return that by their sd."""
    by_own = 0.0
    for j in range(levels_bar.size):
        i, g, root = information[j], score[j], factor[j]
        v = root * root
        bar = levels_bar[j] + of_mean
        back = own * bar - z[j] - back_mean
        turned_bar[j] = root * back + to_turned
        score_bar[j] = -i * own * v * back
        by_z = g * v * (2.0 * v - 1.0) - own * i * v * root * turned[j]
        by_own += bar * z[j] + back * by_z - share * own * i * v
    return by_own
