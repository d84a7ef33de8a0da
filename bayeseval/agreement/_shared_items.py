"""Whether units of agreement share an item, so that they are not independent of one another."""

from collections.abc import Sequence

import numpy as np

from bayeseval.judgements import Judgements

# Of four items with three systems each, intervals that take the twelve units as independent hold
# the truth in .7 to .9 of simulated tables (docs/benchmarks/classical.md).
FEW_ITEMS = 30


def note_on_shared_items(judgements: Judgements, factors: Sequence[str]) -> list[str]:
    """Say that an interval takes units of few shared items as independent, where it does.

    Parameters
    ----------
    judgements : Judgements
        Any table.
    factors : sequence of str
        What makes a unit.
    """
    if "item" not in factors:
        return []
    item = judgements.codes("item")
    others = np.stack([judgements.codes(name) for name in factors], axis=1)
    n_items, n_units = len(np.unique(item)), len(np.unique(others, axis=0))
    if n_items == n_units or n_items >= FEW_ITEMS:
        return []
    said = (
        f"Intervals take the units as independent, though {n_units:,} units share {n_items} items: "
        "where items differ, they are too narrow."
    )
    return [said]
