"""Judgements whose rows have counts, one a row."""

from dataclasses import fields, replace

import numpy as np

from bayeseval.judgements._table import Judgements


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
    rows = np.repeat(np.arange(judgements.n_rows), judgements.counts)
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
