"""Log likelihood of comparisons without ties at many points, without derivatives.

Importance weights ask for nothing else. Cells stay in the fastest memory while all points pass, and
Python is called once: half the time of the kernel point by point.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import numba
import numpy as np

from bayeseval.families._declaration import FloatArray, IntArray, PredictorCells
from bayeseval.families.engine.numeric import BLOCK, exp, log1p


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _decided(
    index: IntArray,
    weight: FloatArray,
    answer: FloatArray,
    count: FloatArray,
    criterion: IntArray,
    position: FloatArray,
    effects: FloatArray,
    out: FloatArray,
) -> None:
    """Add -n_lost |e| - n log(1 + exp(-|e|)) of every cell, e the difference of the systems."""
    n_cells = count.size
    e, win, loss = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    for start in range(0, n_cells, BLOCK):
        n = min(BLOCK, n_cells - start)
        part = slice(start, start + n)
        counts, wins, losses = count[part], answer[0, part], answer[1, part]
        of_criterion = criterion[part]
        for j in range(n):
            win[j] = counts[j] * wins[j]
            loss[j] = counts[j] * losses[j]
        for k in range(effects.shape[0]):
            own, first = effects[k], position[k]
            for j in range(n):
                e[j] = first[of_criterion[j]]
            for t in range(index.shape[0]):
                at, weights = index[t, part], weight[t, part]
                for j in range(n):
                    e[j] += weights[j] * own[at[j]]
            total = 0.0
            for j in range(n):
                size = abs(e[j])
                against = loss[j] if e[j] > 0.0 else win[j]
                total += against * size + (win[j] + loss[j]) * log1p(exp(-size))
            out[k] -= total


def decided_log_likelihoods(
    cells: PredictorCells, effects: FloatArray, scalars: FloatArray
) -> FloatArray:
    """Return the log likelihood under the logistic model without ties, dims (point,).

    Parameters
    ----------
    cells
        The collapsed judgements.
    effects
        All effects, dims (point, effect).
    scalars
        The effect of position where there is one, dims (point, criterion, scalar).
    """
    position = np.ascontiguousarray(scalars[:, :, 0]) if scalars.shape[2] else None
    if position is None:
        position = np.zeros(scalars.shape[:2])
    out = np.zeros(len(effects))
    _decided(
        cells.index,
        cells.weight,
        cells.answer,
        cells.count,
        cells.criterion,
        position,
        np.ascontiguousarray(effects),
        out,
    )
    return out
