"""Judgements whose rows have counts, one a row."""

from dataclasses import fields, replace

import numpy as np

from bayeseval.errors import JudgementError
from bayeseval.judgements._table import Judgements

# A column of so many numbers takes 8 GB, and every function needs several.
MOST_EXPANDED = 10**9


def expanded(judgements: Judgements, rows: np.ndarray) -> np.ndarray:
    """Return the rows, each as often as it counts; refuse what fits into no memory.

    Parameters
    ----------
    judgements : Judgements
        Any table.
    rows : numpy.ndarray
        Rows of it.

    Returns
    -------
    numpy.ndarray
        The rows in their order.
    """
    counts = judgements.counts[rows]
    if (total := int(counts.sum())) > MOST_EXPANDED:
        most = int(rows[counts.argmax()])
        raise JudgementError(
            f"the counts add up to {total:,} judgements, and what is asked for goes through them "
            f"one by one, which no memory holds. The largest is {counts.max():,}, in row "
            f"{most + 1:,} of the table; correct it, or use be.fit, which models counts as they are"
        )
    return np.repeat(rows, counts)


def one_a_row[J: Judgements](judgements: J) -> J:
    """Return the same judgements with a row for each, where rows have counts.

    Parameters
    ----------
    judgements : Judgements
        Any table.

    Returns
    -------
    Judgements
        In the order of the rows.
    """
    if (judgements.counts == 1).all():
        return judgements
    rows = expanded(judgements, np.arange(judgements.n_rows))
    arrays = {
        setting.name: value[rows]
        for setting in fields(judgements)
        if isinstance(value := getattr(judgements, setting.name), np.ndarray)
    }
    arrays["counts"] = np.ones(rows.size, dtype=np.int64)
    return replace(
        judgements,
        factors=tuple(replace(f, codes=f.codes[rows]) for f in judgements.factors),
        attributes={name: values[rows] for name, values in judgements.attributes.items()},
        **arrays,
    )
