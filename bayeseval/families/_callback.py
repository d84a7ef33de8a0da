"""Densities as C functions: called without Python, by any thread, on tables given by address.

A kernel module has one plain function of the signature :data:`LOG_DENSITY`,

    def log_density(n, x, gradient, value, data):
        forward = predictor_forward(n, x, data)
        for begin in range(0, n_cells(data), ROWS):
            given = predicted(data, begin, forward[0])
            kernel(*given)
            predicted_reverse(data, begin, forward[0], given)
        return predictor_reverse(n, x, gradient, value, data, forward)

which :func:`compiled_callback` compiles once and keeps on disk. (A kernel that is handed over as an
argument is an address within the process, and Numba would not keep the result.) It reads its
tables through ``data``, the address of a :class:`Tables`. The sampler calls it by its address and
Python through :class:`CallbackDensity`: both run the same machine code.
"""

# Numba gives the functions of this module types that the stubs of NumPy do not know.
# pyright: reportArgumentType=false, reportReturnType=false, reportAttributeAccessIssue=false
# pyright: reportCallIssue=false

import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bayeseval.families._damaged_cache import naming_the_cache
from bayeseval.families._declaration import FloatArray

LOG_DENSITY = types.int64(
    types.uint64,
    types.CPointer(types.float64),
    types.CPointer(types.float64),
    types.CPointer(types.float64),
    types.voidptr,
)
"""Length of the point, the point, room for the gradient, room for the value, tables; returns 0, or
a positive number where value or gradient is not finite. That is what nutpie calls."""

_BY_ADDRESS = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_uint64, *[ctypes.c_void_p] * 4)
_NOT_FINITE = 3
_SLOTS = 40


@cache
def compiled_callback(function: Callable[..., Any]) -> Any:
    """Compile a function of the signature ``LOG_DENSITY``, or load it from Numba's cache."""
    with naming_the_cache():
        return numba.cfunc(LOG_DENSITY, cache=True, error_model="numpy")(function)


def _identity(n: int, n_out: int, x: Any, out: Any, _data: Any) -> int:
    """Copy a point."""
    if n != n_out:
        return -1
    for j in range(n):
        out[j] = x[j]
    return 0


@cache
def identity_callback() -> Any:
    """Return the C function with which nutpie turns a point into what is stored: itself."""
    signature = types.int64(
        types.uint64,
        types.uint64,
        types.CPointer(types.float64),
        types.CPointer(types.float64),
        types.voidptr,
    )
    return numba.cfunc(signature, cache=True)(_identity)


@intrinsic
def _pointer(typingctx: Any, address: Any) -> Any:
    """Take an integer for an address."""
    del typingctx

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), codegen


@numba.njit(inline="always")
def table_of(data: Any) -> Any:
    """Return addresses and shapes, dims (slot, 3)."""
    return numba.carray(data, (_SLOTS, 3), np.int64)


@numba.njit(inline="always")
def floats(table: Any, slot: int) -> Any:
    """Return the vector in a slot."""
    return numba.carray(_pointer(table[slot, 0]), (table[slot, 1],), np.float64)


@numba.njit(inline="always")
def float_rows(table: Any, slot: int) -> Any:
    """Return the matrix in a slot."""
    return numba.carray(_pointer(table[slot, 0]), (table[slot, 1], table[slot, 2]), np.float64)


@numba.njit(inline="always")
def longs(table: Any, slot: int) -> Any:
    """Return the vector of 64-bit integers in a slot."""
    return numba.carray(_pointer(table[slot, 0]), (table[slot, 1],), np.int64)


@numba.njit(inline="always")
def long_rows(table: Any, slot: int) -> Any:
    """Return the matrix of 64-bit integers in a slot."""
    return numba.carray(_pointer(table[slot, 0]), (table[slot, 1], table[slot, 2]), np.int64)


@numba.njit(inline="always")
def integers(table: Any, slot: int) -> Any:
    """Return the vector of 32-bit integers in a slot."""
    return numba.carray(_pointer(table[slot, 0]), (table[slot, 1],), np.int32)


@numba.njit(inline="always")
def integer_rows(table: Any, slot: int) -> Any:
    """Return the matrix of 32-bit integers in a slot."""
    return numba.carray(_pointer(table[slot, 0]), (table[slot, 1], table[slot, 2]), np.int32)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def finish(total: float, gradient: FloatArray, value: Any) -> int:
    """Store the log density, and return what a ``LOG_DENSITY`` returns."""
    numba.carray(value, (1,))[0] = total
    finite = math.isfinite(total)
    for slope in gradient:
        finite &= math.isfinite(slope)
    return 0 if finite else _NOT_FINITE


class Tables:
    """Arrays by their addresses, kept alive.

    Parameters
    ----------
    arrays
        What the density reads, in the order of its slots; vectors or matrices of float64, int64 or
        int32.
    """

    def __init__(self, arrays: Sequence[npt.NDArray[Any]]) -> None:
        if len(arrays) > _SLOTS:
            raise ValueError(f"{len(arrays)} arrays for {_SLOTS} slots")
        self._arrays = [np.ascontiguousarray(array) for array in arrays]
        self.addresses = np.zeros((_SLOTS, 3), dtype=np.int64)
        for slot, array in enumerate(self._arrays):
            self.addresses[slot] = (array.ctypes.data, *(*array.shape, 1)[:2])

    def put(self, arrays: Mapping[int, npt.NDArray[Any]]) -> "Tables":
        """Return the same tables with other arrays in some slots."""
        return Tables([arrays.get(slot, array) for slot, array in enumerate(self._arrays)])


class CallbackDensity:
    """A log density with gradient that is a C function; any number of threads may call it.

    Parameters
    ----------
    function
        Of the signature ``LOG_DENSITY``.
    tables
        What it reads.
    n_parameters
        Length of a point.
    offset
        Slot of what is added to the effects, none where it is empty; the next is that of the log
        likelihood's slopes by them, which are stored unless it is empty.
    """

    def __init__(
        self, function: Callable[..., Any], tables: Tables, n_parameters: int, *, offset: int
    ) -> None:
        self.callback = compiled_callback(function)
        self._call = _BY_ADDRESS(self.callback.address)
        self.tables = tables
        self.n_parameters = n_parameters
        self._offset = offset

    def __call__(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Return the log density and its gradient in the sampler's coordinates."""
        return self.evaluated(x, self.tables)

    def evaluated(self, x: FloatArray, tables: Tables) -> tuple[float, FloatArray]:
        """Return the log density and its gradient with other tables."""
        x = np.ascontiguousarray(x, dtype=np.float64)
        if x.shape != (self.n_parameters,):
            raise ValueError(f"a point has {self.n_parameters} numbers, found shape {x.shape}")
        gradient, value = np.empty(self.n_parameters), np.empty(1)
        addresses = (array.ctypes.data for array in (x, gradient, value, tables.addresses))
        self._call(self.n_parameters, *addresses)
        return float(value[0]), gradient

    def effect_slopes(self, x: FloatArray, offset: FloatArray) -> FloatArray:
        """Differentiate the log likelihood by every effect, at ``x`` with the effects moved.

        Parameters
        ----------
        x
            A point of the sampler's space.
        offset
            What to add to the effects there, dims (effect,), all else unchanged.
        """
        slopes = np.empty_like(offset)
        self.evaluated(x, self.tables.put({self._offset: offset, self._offset + 1: slopes}))
        return slopes
