"""Log probability of ordered categories with its gradient, in one pass over collapsed cells.

For a cell in category k the answer has probability p = Φ(h) - Φ(l), with h and l the two
thresholds around k, seen from the latent answer. The pair is mirrored so that the nearer end is
h; then, with M the Mills ratio (1 - Φ)/φ,

    p = φ(h) (M(-h) - M(-l) exp((h² - l²)/2))                    for h <= 0,
    p = 1 - φ(h) M(h) - φ(l) M(-l)                               for h > 0,

so that nothing underflows: the log of a probability as small as e^-10000 keeps full precision.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math

import numba
import numpy as np

from bayeseval.families._block_math import BLOCK, exponentials, logarithms
from bayeseval.families._declaration import FloatArray

# Chebyshev interpolation of M(z)(1 + z) in t = (z - 4)/(z + 4), computed with 40 digits and
# rewritten in powers of t, lowest first; relative error 2e-15 on [0, inf) against erfcx.
_MILLS = (
    1.1832619145678034,
    -0.24239967052181807,
    0.0350918802347507,
    0.07169048120230266,
    -0.08070800967927583,
    0.04495912905478871,
    -0.012539103614686712,
    -0.0007159506400916788,
    0.001741848705711201,
    -0.00023670351432165802,
    -0.0002202151239452168,
    5.327407666066447e-05,
    3.4156978298102314e-05,
    -8.624671592868153e-06,
    -6.5485581782409055e-06,
    1.0510235274978649e-06,
    1.3825460487465702e-06,
    -3.819456276829222e-08,
    -2.7775009946522474e-07,
    -2.0416885024590746e-08,
    4.433762930905565e-08,
    3.9442427438015304e-09,
    -3.986305927102442e-09,
)
_SQRT_2PI = math.sqrt(2.0 * math.pi)
_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
# Beyond the outermost thresholds: far enough that the end never counts, small enough to square.
OPEN_END = 1e10
_NARROW = 1e-3


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract", "nsz"})
def mills_ratios(z: FloatArray, out: FloatArray, size: int) -> None:
    """Fill (1 - Φ(z))/φ(z) for z >= 0."""
    for j in range(size):
        t = (z[j] - 4.0) / (z[j] + 4.0)
        value = _MILLS[22]
        for i in range(21, -1, -1):
            value = value * t + _MILLS[i]
        out[j] = value / (1.0 + z[j])


@numba.njit(nogil=True, error_model="numpy")
def _ends(
    lower: FloatArray,
    upper: FloatArray,
    near: FloatArray,
    far: FloatArray,
    near_factor: FloatArray,
    far_factor: FloatArray,
    size: int,
) -> None:
    """Fill both ends' distances from the centre and the logs of their factors."""
    for j in range(size):
        mirrored = lower[j] + upper[j] > 0.0
        h = -lower[j] if mirrored else upper[j]
        l = -upper[j] if mirrored else lower[j]  # noqa: E741
        near[j] = abs(h)
        far[j] = -l
        near_factor[j] = -0.5 * h * h if h > 0.0 else 0.0
        far_factor[j] = -0.5 * l * l if h > 0.0 else 0.5 * (h - l) * (h + l)


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract", "nsz"})
def _derivatives(
    lower: FloatArray,
    upper: FloatArray,
    near_mills: FloatArray,
    far_mills: FloatArray,
    near_factor: FloatArray,
    far_factor: FloatArray,
    scaled: FloatArray,
    size: int,
) -> None:
    """Fill the scaled probability; put the derivatives by lower and upper over the Mills ratios."""
    for j in range(size):
        mirrored = lower[j] + upper[j] > 0.0
        h = -lower[j] if mirrored else upper[j]
        by_factor = near_mills[j] * near_factor[j]
        scaled[j] = (_SQRT_2PI - by_factor if h > 0.0 else by_factor) - (
            far_mills[j] * far_factor[j]
        )
        by_near = near_factor[j] / scaled[j]
        by_far = -far_factor[j] / scaled[j]
        # What the near end's own density takes out of the logarithm.
        near_factor[j] = 0.0 if h > 0.0 else 0.5 * h * h
        near_mills[j] = -by_near if mirrored else by_far
        far_mills[j] = -by_far if mirrored else by_near


@numba.njit(nogil=True, error_model="numpy")
def interval_terms(
    lower: FloatArray,
    upper: FloatArray,
    log_p: FloatArray,
    by_lower: FloatArray,
    by_upper: FloatArray,
    work: FloatArray,
    size: int,
) -> None:
    """Fill log(Φ(upper) - Φ(lower)) and its derivatives by lower and upper.

    Each step is a loop of its own over separate arrays: that is what the compiler vectorises.

    Parameters
    ----------
    lower, upper
        Ends, lower below upper; an open end is ``OPEN_END`` with its sign.
    log_p, by_lower, by_upper
        Results.
    work
        Working space, dims (4, at least size).
    size
        Number of cells.
    """
    near, far, near_factor, far_factor = work[0], work[1], work[2], work[3]
    _ends(lower, upper, near, far, near_factor, far_factor, size)
    mills_ratios(near, by_lower, size)
    mills_ratios(far, by_upper, size)
    exponentials(near_factor, near, size)
    exponentials(far_factor, near, size)
    _derivatives(lower, upper, by_lower, by_upper, near_factor, far_factor, log_p, size)
    logarithms(log_p, near, size)
    for j in range(size):
        log_p[j] -= _LOG_SQRT_2PI + near_factor[j]
    # Counted first, which is vectorised: narrow cells are rare.
    n_narrow = 0
    for j in range(size):
        is_narrow = (upper[j] - lower[j]) * (1.0 + 0.5 * abs(lower[j] + upper[j])) < _NARROW
        n_narrow += is_narrow
    if n_narrow == 0:
        return
    for j in range(size):
        width = upper[j] - lower[j]
        middle = 0.5 * (lower[j] + upper[j])
        if width * (1.0 + abs(middle)) < _NARROW:
            # Here the difference of two tails loses digits: density at the middle times width,
            # with the next term of the series.
            curvature = 1.0 + (middle * middle - 1.0) * width * width / 24.0
            log_p[j] = math.log(width * curvature) - 0.5 * middle * middle - _LOG_SQRT_2PI
            by_lower[j] = -math.exp(0.25 * width * (lower[j] + middle)) / (width * curvature)
            by_upper[j] = math.exp(-0.25 * width * (upper[j] + middle)) / (width * curvature)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def ordinal_log_probability(lower: FloatArray, upper: FloatArray, out: FloatArray) -> None:
    """Fill ``out`` with log(Φ(upper) - Φ(lower)), element by element, tail-safe."""
    by_lower = np.empty(BLOCK)
    by_upper = np.empty(BLOCK)
    work = np.empty((4, BLOCK))
    for start in range(0, out.size, BLOCK):
        size = min(BLOCK, out.size - start)
        part = slice(start, start + size)
        low = np.maximum(lower[part], -OPEN_END)
        high = np.minimum(upper[part], OPEN_END)
        interval_terms(low, high, out[part], by_lower, by_upper, work, size)
