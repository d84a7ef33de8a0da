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

from bayeseval.families._block_math import inner_product
from bayeseval.families._callback import float_rows, floats, long_rows, longs
from bayeseval.families._declaration import FloatArray

WORKING_ROWS = 7
"""What :func:`effects_forward` and :func:`effects_reverse` need of every effect."""

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
def _turn(values: FloatArray, length: int, turned: FloatArray) -> None:
    """Fill rows of ``turned`` (level,) from their rotated coordinates; one fewer sum to zero."""
    root = math.sqrt(length)
    n_rows = turned.size // length
    width = values.size // n_rows
    for r in range(n_rows):
        own, row = values[r * width : (r + 1) * width], turned[r * length : (r + 1) * length]
        row_sum = 0.0
        for j in range(length - 1):
            row_sum += own[j]
        mean = own[length - 1] / root if width == length else 0.0
        shift = mean - row_sum / (root + length)
        for j in range(length - 1):
            row[j] = own[j] + shift
        row[length - 1] = mean - row_sum / root


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _turn_reverse(turned_bar: FloatArray, length: int, values_bar: FloatArray) -> None:
    """Add to the gradient by the rotated coordinates what the rows of :func:`_turn` pass back."""
    root = math.sqrt(length)
    n_rows = turned_bar.size // length
    width = values_bar.size // n_rows
    for r in range(n_rows):
        own = values_bar[r * width : (r + 1) * width]
        row = turned_bar[r * length : (r + 1) * length]
        row_sum = 0.0
        for j in range(length - 1):
            row_sum += row[j]
        back = row_sum / (root + length) + row[length - 1] / root
        for j in range(length - 1):
            own[j] += row[j] - back
        if width == length:
            own[length - 1] += (row_sum + row[length - 1]) / root


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _spread(values: FloatArray, length: int, rows: FloatArray) -> None:
    """Fill rows (level,) whose first places are the values, a few for each row."""
    if values.size == rows.size:
        for j in range(rows.size):
            rows[j] = values[j]
        return
    for j in range(rows.size):
        rows[j] = 0.0
    width = values.size // (rows.size // length)
    for r in range(rows.size // length):
        for k in range(width):
            rows[r * length + k] = values[r * width + k]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _spread_reverse(rows_bar: FloatArray, length: int, values_bar: FloatArray) -> None:
    """Add to the gradient by the values what the rows of :func:`_spread` pass back."""
    if values_bar.size == rows_bar.size:
        for j in range(rows_bar.size):
            values_bar[j] += rows_bar[j]
        return
    width = values_bar.size // (rows_bar.size // length)
    for r in range(rows_bar.size // length):
        for k in range(width):
            values_bar[r * width + k] += rows_bar[r * length + k]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _from_parents(
    tables: EffectTables,
    block: int,
    criterion: int,
    effects: FloatArray,
    means: FloatArray,
    out: FloatArray,
) -> None:
    """Fill ``out`` (level,) with what the parents of a block's levels add up to."""
    _, _, _, _, length, zero_sum, start, _ = tables.blocks[block]
    first = start + criterion * out.size
    for j in range(out.size):
        out[j] = 0.0
    for k in range(tables.parents.shape[0]):
        parents = tables.parents[k, first : first + out.size]
        if parents[0] < 0:
            continue
        share, whose = tables.shares[k, block], tables.parent_block[k, block]
        # Answers never see the mean of a block that moves with the location.
        mean = share * means[whose, criterion] if whose >= 0 else 0.0
        for j in range(out.size):
            out[j] += share * effects[parents[j]] - mean
    if zero_sum:
        _centre(out, length)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _centre(values: FloatArray, length: int) -> None:
    """Take the mean out of every row."""
    for r in range(values.size // length):
        row = values[r * length : (r + 1) * length]
        mean = row.sum() / length
        for j in range(length):
            row[j] -= mean


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _to_parents(
    tables: EffectTables,
    block: int,
    criterion: int,
    bar: FloatArray,
    means_bar: FloatArray,
    effects_bar: FloatArray,
) -> None:
    """Add to the gradient of the parents of a block's levels what their sum passes back."""
    _, _, _, _, length, zero_sum, start, _ = tables.blocks[block]
    first = start + criterion * bar.size
    total = 0.0
    if zero_sum:
        _centre(bar, length)
    else:
        total = bar.sum()
    for k in range(tables.parents.shape[0]):
        parents = tables.parents[k, first : first + bar.size]
        if parents[0] < 0:
            continue
        share, whose = tables.shares[k, block], tables.parent_block[k, block]
        if whose >= 0:
            means_bar[whose, criterion] -= share * total
        for j in range(bar.size):
            effects_bar[parents[j]] += share * bar[j]


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _to_directions(
    bases: FloatArray, length: int, width: int, levels: FloatArray, along: FloatArray
) -> None:
    """Fill the components of rows along their directions, which stand first in each row."""
    if length == 3 and width == 3:
        # An annotator's gaps on a scale of five points: of a known length the loops are unrolled.
        _rows_to_directions(bases, 3, 3, levels, along)
    else:
        _rows_to_directions(bases, length, width, levels, along)


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _rows_to_directions(
    bases: FloatArray, length: int, width: int, levels: FloatArray, along: FloatArray
) -> None:
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
    bases: FloatArray,
    length: int,
    width: int,
    factor: float,
    along: FloatArray,
    levels: FloatArray,
) -> None:
    """Fill the levels of rows, times a factor, from their components along their directions."""
    if length == 3 and width == 3:
        _rows_to_levels(bases, 3, 3, factor, along, levels)
    else:
        _rows_to_levels(bases, length, width, factor, along, levels)


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _rows_to_levels(
    bases: FloatArray,
    length: int,
    width: int,
    factor: float,
    along: FloatArray,
    levels: FloatArray,
) -> None:
    for r in range(levels.size // length):
        begin, basis = r * length, r * length * width
        for j in range(length):
            total = 0.0
            for k in range(width):
                total += bases[basis + j * width + k] * along[begin + k]
            levels[begin + j] = factor * total


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
    work: FloatArray,
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
    work
        What :func:`effects_reverse` needs again, dims (``WORKING_ROWS``, effect): of every level,
        or of every direction of a row that has such, its score, root of the variance, sampled
        value, and standardised value; and working space.
    """
    blocks, scales = tables.blocks, tables.scales
    means[:] = 0.0
    total = 0.0
    for e in tables.order:
        sd_start, start, n_criteria, n_rows, length, zero_sum, out, moves = blocks[e]
        width = length - zero_sum
        size = n_rows * length
        nested = _has_parents(tables, e)
        # A block without directions of its own has none of the bases.
        basis = max(tables.basis_start[e], 0)
        n_bases = size * width if tables.basis_start[e] >= 0 else 0
        for c in range(n_criteria):
            bend = scales[e, 1 + c]
            own = x[sd_start + c]
            if bend > 0.0:
                total += math.log(bend * math.cosh(own))
                own = bend * math.sinh(own)
            total += signed_normal_log(own, scales[e, 0])
            first, last = out + c * size, out + (c + 1) * size
            levels, information = effects[first:last], tables.information[first:last]
            score, factor = work[0, first:last], work[1, first:last]
            turned, z = work[2, first:last], work[3, first:last]
            values = x[start + c * n_rows * width : start + (c + 1) * n_rows * width]
            bases = tables.bases[basis + c * n_bases : basis + (c + 1) * n_bases]
            if n_bases:
                _spread(values, length, turned)
            else:
                _turn(values, length, turned)
            at_zero = tables.score[first:last]
            for j in range(size):
                score[j] = at_zero[j]
            if nested:
                # The space of the effects and of z is free until they are filled below.
                if n_bases:
                    _from_parents(tables, e, c, effects, means, z)
                    _to_directions(bases, length, width, z, levels)
                else:
                    _from_parents(tables, e, c, effects, means, levels)
                for j in range(size):
                    score[j] -= information[j] * levels[j]
            _standardise(own, information, score, turned, factor, z)
            if moves:
                mean_turned, mean_z, spread = _sums(turned, z, factor)
                known = scales[e, 1 + n_criteria + c] / size
                of_score = scales[e, 1 + 2 * n_criteria + c] / size
                root = 1.0 / math.sqrt(1.0 + own * own * known)
                mean = root * (mean_turned / size + own * of_score * root)
                shift = mean - mean_z / size
                for j in range(size):
                    z[j] += shift
                means[e, c] = own * mean
                total += math.log(root * spread / size)
            total -= 0.5 * inner_product(z, z) + n_rows * width * LOG_SQRT_2PI
            total += (1.0 if n_bases else width / length) * _log_product(factor)
            if n_bases:
                _to_levels(bases, length, width, own, z, levels)
            else:
                for j in range(size):
                    levels[j] = own * z[j]
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _standardise(
    own: float,
    information: FloatArray,
    score: FloatArray,
    turned: FloatArray,
    factor: FloatArray,
    z: FloatArray,
) -> None:
    """Fill the roots of the variances and the standardised values.

    The compiler vectorises loops that count from zero and fill one array each.
    """
    for j in range(z.size):
        factor[j] = 1.0 / math.sqrt(1.0 + own * own * information[j])
    for j in range(z.size):
        z[j] = factor[j] * (turned[j] + own * score[j] * factor[j])


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _sums(turned: FloatArray, z: FloatArray, factor: FloatArray) -> tuple[float, float, float]:
    """Return the sums of sampled and of standardised values, and of one over the factors."""
    of_turned, of_z, spread = 0.0, 0.0, 0.0
    for j in range(z.size):
        of_turned += turned[j]
        of_z += z[j]
        spread += 1.0 / factor[j]
    return of_turned, of_z, spread


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _log_product(values: FloatArray) -> float:
    """Return the sum of the logarithms of numbers from 1e-30 to 1: one logarithm for many."""
    total, product = 0.0, 1.0
    for j in range(0, values.size - 3, 4):
        product *= (values[j] * values[j + 1]) * (values[j + 2] * values[j + 3])
        if product < 1e-150:
            total += math.log(product)
            product = 1.0
    for j in range(values.size // 4 * 4, values.size):
        product *= values[j]
    return total + math.log(product)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def effects_reverse(
    x: FloatArray,
    tables: EffectTables,
    work: FloatArray,
    means_bar: FloatArray,
    effects_bar: FloatArray,
    gradient: FloatArray,
) -> None:
    """Add to ``gradient`` what the effects' gradient and their prior contribute.

    ``effects_bar`` and ``means_bar``, the gradients by the effects and by the means of blocks, take
    up what finer effects pass back to their parents.
    """
    blocks, scales = tables.blocks, tables.scales
    for e in tables.order[::-1]:
        sd_start, start, n_criteria, n_rows, length, zero_sum, out, moves = blocks[e]
        width = length - zero_sum
        size = n_rows * length
        nested = _has_parents(tables, e)
        # A block without directions of its own has none of the bases.
        basis = max(tables.basis_start[e], 0)
        n_bases = size * width if tables.basis_start[e] >= 0 else 0
        for c in range(n_criteria):
            bend = scales[e, 1 + c]
            own = x[sd_start + c]
            if bend > 0.0:
                own = bend * math.sinh(own)
            by_own = -own / (scales[e, 0] * scales[e, 0])
            first, last = out + c * size, out + (c + 1) * size
            levels_bar, information = effects_bar[first:last], tables.information[first:last]
            score, factor = work[0, first:last], work[1, first:last]
            turned, z = work[2, first:last], work[3, first:last]
            bar, score_bar, turned_bar = (
                work[4, first:last],
                work[5, first:last],
                work[6, first:last],
            )
            bases = tables.bases[basis + c * n_bases : basis + (c + 1) * n_bases]
            of_mean, back_mean, to_turned = 0.0, 0.0, 0.0
            if moves:
                of_mean = means_bar[e, c] / size
                mean_turned, _, spread = _sums(turned, z, factor)
                back_mean, by_spread = _sums_reverse(
                    own, of_mean, levels_bar, information, factor, z
                )
                known = scales[e, 1 + n_criteria + c] / size
                of_score = scales[e, 1 + 2 * n_criteria + c] / size
                v = 1.0 / (1.0 + own * own * known)
                of_root = math.sqrt(v)
                by_mean = of_score * v * (2.0 * v - 1.0)
                by_mean -= own * known * v * of_root * mean_turned / size
                by_own += by_spread / spread + back_mean * by_mean - own * known * v
                back_mean /= size
                to_turned = of_root * back_mean
            if n_bases:
                _to_directions(bases, length, width, levels_bar, bar)
            else:
                for j in range(size):
                    bar[j] = levels_bar[j]
            by_own += _levels_reverse(
                own,
                1.0 if n_bases else width / length,
                of_mean,
                back_mean,
                to_turned,
                bar,
                information,
                score,
                factor,
                turned,
                z,
                turned_bar,
                score_bar,
            )
            if nested:
                if n_bases:
                    _to_levels(bases, length, width, 1.0, score_bar, bar)
                    _to_parents(tables, e, c, bar, means_bar, effects_bar)
                else:
                    _to_parents(tables, e, c, score_bar, means_bar, effects_bar)
            values_bar = gradient[start + c * n_rows * width : start + (c + 1) * n_rows * width]
            if n_bases:
                _spread_reverse(turned_bar, length, values_bar)
            else:
                _turn_reverse(turned_bar, length, values_bar)
            if bend > 0.0:
                by_own *= bend * math.cosh(x[sd_start + c])
                by_own += math.tanh(x[sd_start + c])
            gradient[sd_start + c] += by_own


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _sums_reverse(
    own: float,
    of_mean: float,
    levels_bar: FloatArray,
    information: FloatArray,
    factor: FloatArray,
    z: FloatArray,
) -> tuple[float, float]:
    """Return sums of the gradients by standardised values, and of those of 1 / factor by the sd."""
    back, by_spread = 0.0, 0.0
    for j in range(z.size):
        back += own * (levels_bar[j] + of_mean) - z[j]
        by_spread += own * information[j] * factor[j]
    return back, by_spread


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
    # First the gradient by the standardised values.
    for j in range(z.size):
        turned_bar[j] = own * (levels_bar[j] + of_mean) - z[j] - back_mean
    for j in range(z.size):
        i, g, root, back = information[j], score[j], factor[j], turned_bar[j]
        v = root * root
        by_z = g * v * (2.0 * v - 1.0) - own * i * v * root * turned[j]
        by_own += (levels_bar[j] + of_mean) * z[j] + back * by_z - share * own * i * v
    for j in range(z.size):
        score_bar[j] = -information[j] * own * factor[j] * factor[j] * turned_bar[j]
    for j in range(z.size):
        turned_bar[j] = factor[j] * turned_bar[j] + to_turned
    return by_own
