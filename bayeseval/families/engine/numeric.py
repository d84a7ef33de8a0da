"""Elementary functions of one number, without branch or call: loops over them are vectorised.

The library's functions are a call for every element. These work on the bits of the numbers, are
put in place where they are called, and keep their own rules of arithmetic there: a caller that may
reorder its sums does not reorder the steps of an exponential.
"""

# Numba gives the functions of this module types that Python's do not have.
# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from bayeseval.families._declaration import FloatArray, IntArray

BLOCK = 512
"""Rows at a time: what a kernel needs of them stays in fast memory, and a block's start is paid."""

# exp(x) = 2^n exp(r): n rounds x / ln 2, and ln 2 is split so that r is exact (fdlibm's e_exp.c).
_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_ROUND = 1.5 * 2.0**52
_EXPONENT_BIAS = np.int64(1023)
_LEAST_EXPONENT, _MOST_EXPONENT = -709.0, 709.0
# log(x) = k ln 2 + log(m) with m from √½ to √2, and log(m) = 2 artanh((m - 1)/(m + 1)).
_ROOT_HALF = np.int64(np.float64(math.sqrt(0.5)).view(np.int64))
_ONE = np.int64(np.float64(1.0).view(np.int64))
_MANTISSA = np.int64(2**52 - 1)
_MANTISSA_BITS = np.int64(52)
_TWICE_BIAS = np.int64(2046 << 52)
# The bits of 2^52 with a whole number below 2^52 in the mantissa are 2^52 plus that number.
_TWO_52 = 2.0**52
_WHOLE = np.int64(np.float64(_TWO_52).view(np.int64))


@intrinsic
def bits_of(_typingctx: Any, x: Any) -> Any:
    """Return the bits of a number as an integer."""
    del x

    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), emit


@intrinsic
def from_bits(_typingctx: Any, x: Any) -> Any:
    """Return the number that has these bits."""
    del x

    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), emit


@intrinsic
def add(_typingctx: Any, total: Any, x: Any) -> Any:
    """Return a sum whose order is free, which is what lets a loop that sums be vectorised."""
    del total, x

    def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fadd(*arguments, flags=("reassoc",))

    return types.float64(types.float64, types.float64), emit


def _inlined(function: Callable[..., Any]) -> Any:
    """Compile a function to be put in place by LLVM, with its own rules of arithmetic."""
    return numba.njit(forceinline=True, nogil=True, error_model="numpy", fastmath={"contract"})(
        function
    )


@_inlined
def exp(x: float) -> float:
    """Return the exponential; relative error 4e-16, 0 below e^-709, and no more than e^709.

    Adding 1.5·2^52 rounds to a whole number and leaves it in the low bits, from where it is shifted
    into the exponent of 2^n; at n = -1023 that leaves 0. The polynomial is Taylor's, written out: a
    loop over coefficients inside one over rows would not be vectorised.
    """
    x = min(max(x, _LEAST_EXPONENT), _MOST_EXPONENT)
    rounded = x * _LOG2_E + _ROUND
    n = rounded - _ROUND
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    p = r / 479001600.0 + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    return p * from_bits((bits_of(rounded) + _EXPONENT_BIAS) << _MANTISSA_BITS)


@_inlined
def log_of_sum(x: float, rest: float) -> float:
    """Return log(x + rest), the rest no more than what rounding took from x."""
    shifted = bits_of(x) + (_ONE - _ROOT_HALF)
    k = from_bits((shifted >> _MANTISSA_BITS) | _WHOLE) - (_TWO_52 + 1023.0)
    m = from_bits((shifted & _MANTISSA) + _ROOT_HALF)
    # The rest times 2^-k, which is what m lacks.
    lacks = rest * from_bits(_TWICE_BIAS - (shifted & ~_MANTISSA))
    s = ((m - 1.0) + lacks) / (m + 1.0)
    z = s * s
    p = z * (2.0 / 19.0) + 2.0 / 17.0
    p = p * z + 2.0 / 15.0
    p = p * z + 2.0 / 13.0
    p = p * z + 2.0 / 11.0
    p = p * z + 2.0 / 9.0
    p = p * z + 2.0 / 7.0
    p = p * z + 2.0 / 5.0
    p = p * z + 2.0 / 3.0
    p = p * z + 2.0
    return k * _LN2_HIGH + (s * p + k * _LN2_LOW)


@_inlined
def log(x: float) -> float:
    """Return the logarithm of a number from 1e-300 to 1e300; relative error 4e-16."""
    return log_of_sum(x, 0.0)


@_inlined
def log1p(x: float) -> float:
    """Return log(1 + x) for x from above -1 to 1e300; relative error 6e-16."""
    total = 1.0 + x
    return log_of_sum(total, x - (total - 1.0))


@numba.njit(nogil=True, error_model="numpy")
def log1mexp(x: float) -> float:
    """Return log(1 - exp(x)) for x < 0, for what all rows share."""
    return math.log(-math.expm1(x)) if x > -0.7 else math.log1p(-math.exp(x))


@_inlined
def sign(x: float) -> float:
    """Return 1 for a positive number, and -1 for another."""
    return 1.0 if x > 0.0 else -1.0


@_inlined
def sigmoid(x: float) -> float:
    """Return 1 / (1 + exp(-x)), all digits in both tails."""
    small = exp(-abs(x))
    return (1.0 if x > 0.0 else small) / (1.0 + small)


@_inlined
def softplus(x: float) -> float:
    """Return log(1 + exp(x)), all digits in both tails."""
    return max(x, 0.0) + log1p(exp(-abs(x)))


@numba.njit(nogil=True, error_model="numpy")
def run_end(criterion: IntArray, start: int, n_criteria: int) -> int:
    """Return where the rows of the criterion at ``start`` end."""
    if n_criteria == 1:
        return criterion.size
    stop = start + 1
    while stop < criterion.size and criterion[stop] == criterion[start]:
        stop += 1
    return stop


@numba.njit(nogil=True, error_model="numpy")
def rows_between(start: int, stop: int, room: IntArray) -> IntArray:
    """Return the rows from ``start`` to before ``stop``."""
    for j in range(stop - start):
        room[j] = start + j
    return room[: stop - start]


@numba.njit(nogil=True, error_model="numpy")
def rows_of_kind(
    kind: FloatArray, start: int, stop: int, one: float, other: float, room: IntArray
) -> IntArray:
    """Return the rows whose answer is of one of two kinds.

    Counted first, which is vectorised: mostly all are of a kind, or none. What is left is without a
    branch: the kind of an answer is as good as random to the processor.
    """
    n = 0
    for j in range(start, stop):
        n += (kind[j] == one) | (kind[j] == other)
    if n == 0:
        return room[:0]
    if n == stop - start:
        return rows_between(start, stop, room)
    n = 0
    for j in range(start, stop):
        room[n] = j
        n += (kind[j] == one) | (kind[j] == other)
    return room[:n]


@numba.njit(forceinline=True, nogil=True, error_model="numpy")
def _are_neighbours(rows: IntArray) -> bool:
    return rows[rows.size - 1] - rows[0] == rows.size - 1


@numba.njit(forceinline=True, nogil=True, error_model="numpy")
def taken(values: FloatArray, rows: IntArray, room: FloatArray) -> FloatArray:
    """Return the values of rows close together: as they stand, or copied to ``room``."""
    if _are_neighbours(rows):
        return values[rows[0] : rows[0] + rows.size]
    for j in range(rows.size):
        room[j] = values[rows[j]]
    return room[: rows.size]


@numba.njit(forceinline=True, nogil=True, error_model="numpy")
def room_for(values: FloatArray, rows: IntArray, room: FloatArray) -> FloatArray:
    """Return where to write what is found for rows: where it belongs, or ``room``."""
    if _are_neighbours(rows):
        return values[rows[0] : rows[0] + rows.size]
    return room[: rows.size]


@numba.njit(forceinline=True, nogil=True, error_model="numpy")
def put(values: FloatArray, rows: IntArray, found: FloatArray) -> None:
    """Take to its rows what stands in the room that :func:`room_for` gave."""
    if not _are_neighbours(rows):
        for j in range(rows.size):
            values[rows[j]] = found[j]
