"""Combinations of codes, numbered by hashing: many times faster than sorting."""

from collections.abc import Sequence

import numpy as np
import pandas as pd


def cells(codes: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the first row of each distinct combination, and every row's combination.

    Combinations are numbered in the order in which they first occur.
    """
    cell = np.zeros(len(codes[0]), dtype=np.int64)
    for code in codes:
        if code.dtype.kind == "f":
            code = pd.factorize(code)[0]
        # Renumbered at every step, so that no product of sizes can overflow.
        joint = cell * (int(code.max(initial=0)) + 1) + code
        cell = pd.factorize(joint)[0]
    seen = np.maximum.accumulate(cell) if len(cell) else cell
    first = np.flatnonzero(np.diff(seen, prepend=-1) > 0)
    return first, cell
