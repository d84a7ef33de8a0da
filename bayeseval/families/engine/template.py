"""The text of a kernel's module, around the functions that are printed of its formula."""

MODULE = '''"""{about}.

Made from ``{made_from}``, by differentiating the formula there.
"""

import math

import numba
import numpy as np

{imports}
from bayeseval.families._{frame}_kernel import {frame}_forward, {frame}_reverse
from bayeseval.families._predictor_kernel import ROWS, n_cells, predicted, predicted_reverse
from bayeseval.families.engine.numeric import *

SCALARS = {scalars}
CONSTANTS = {constants}
ANSWERS_READ = {n_read}


{functions}@numba.njit(cache=True, nogil=True, error_model="numpy")
def kernel(
    predictors, answer, criterion, scalars, options, log_p, predictors_bar, scalars_bar, count
):
    """Fill log probabilities of answers and slopes; add those by the scalars."""
{room}    start = 0
    while start < count.size:
        q, stop = criterion[start], run_end(criterion, start, scalars.shape[0])
{calls}
        start = stop


def log_density(n, x, gradient, value, data):
    """Fill log density and gradient of the model with this kernel."""
    forward = {frame}_forward(n, x, data)
    for begin in range(0, n_cells(data), ROWS):
        given = predicted(data, begin, forward[0])
        kernel(*given)
        predicted_reverse(data, begin, forward[0], given)
    return {frame}_reverse(n, x, gradient, value, data, forward)
'''
