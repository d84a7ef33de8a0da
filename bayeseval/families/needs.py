"""What effects need of a design. Each requirement names what is missing."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bayeseval.judgements import Judgements
from bayeseval.judgements.identify import Identification


@dataclass(frozen=True)
class Facts:
    """Judgements and what their design identifies.

    Parameters
    ----------
    judgements
        The table.
    design
        As `identify` returns it.
    """

    judgements: Judgements
    design: Identification

    def levels(self, dim: str) -> int:
        """Return how many labels a factor has; 0 where the table has no such factor."""
        return len(self.judgements.labels(dim)) if self.judgements.has(dim) else 0


type Requirement = Callable[[Facts], str | None]
"""Returns None where a design meets it, and otherwise says in words what is missing."""


def identities(facts: Facts) -> str | None:
    """Ask for annotators with names."""
    known = facts.judgements.has("annotator")
    return None if known else "the judgements have no annotator identities"


def several_annotators(facts: Facts) -> str | None:
    """Ask for two annotators."""
    return None if facts.levels("annotator") > 1 else "there is one annotator"


def items_named(facts: Facts) -> str | None:
    """Ask for items."""
    return None if facts.judgements.has("item") else "no item column was named"


def several_items(facts: Facts) -> str | None:
    """Ask for two items."""
    return None if facts.levels("item") > 1 else "all judgements are of one item"


def several_systems(facts: Facts) -> str | None:
    """Ask for two systems."""
    return None if facts.design.n_systems > 1 else "there is one system"


def items_judged_repeatedly(facts: Facts) -> str | None:
    """Ask for items that were judged more than once."""
    return None if facts.design.items_judged_repeatedly else "every item was judged once"


def items_shared(facts: Facts) -> str | None:
    """Ask for items that were judged with several systems."""
    shared = facts.design.items_shared_by_systems
    return None if shared else "no item was judged with two systems"


def outputs_judged_repeatedly(facts: Facts) -> str | None:
    """Ask for outputs that were judged more than once."""
    return None if facts.design.outputs_judged_repeatedly else "every output was judged once"


_MANY_OUTPUTS = 2_000
"""Outputs from which their effects cost minutes: 13,230 of them took over 25 (two cores)."""

_JUDGEMENTS_AN_OUTPUT = 1.5
"""Judgements an output from which more than a few repeats tell so many effects from noise."""


def many_outputs_repeated(facts: Facts) -> str | None:
    """Ask, of very many outputs, for repeated judgements of most."""
    table = facts.judgements
    factors = [name for name in ("criterion", "system", "item") if table.has(name)]
    n_outputs = len(np.unique(np.stack([table.codes(name) for name in factors]), axis=1).T)
    if n_outputs <= _MANY_OUTPUTS or table.n_judgements >= _JUDGEMENTS_AN_OUTPUT * n_outputs:
        return None
    return (
        f"{n_outputs:,} outputs share {table.n_judgements:,} judgements, so few are judged twice "
        "that what is an output's own counts as noise; ask for effects={'interaction': True} if "
        "you want to wait"
    )


def systems_judged_repeatedly(facts: Facts) -> str | None:
    """Ask for annotators who judged a system more than once."""
    repeated = facts.design.annotators_repeat_systems
    return None if repeated else "no annotator judged the same system twice"


def annotators_judge_repeatedly(facts: Facts) -> str | None:
    """Ask for annotators who answered more than once."""
    return None if facts.design.annotators_judge_repeatedly else "no annotator answered twice"


def several_comparisons(facts: Facts) -> str | None:
    """Ask for annotators who compared different outputs: two pairs, or a pair on two items.

    Otherwise an annotator has one difference of qualities, and a factor of that cannot be told from
    the annotator's taste.
    """
    table = facts.judgements
    if not table.has("annotator"):
        return None
    sides = np.sort([table.codes(name) for name in table.system_factors], axis=0)
    within = [table.codes(name) for name in ("annotator", "criterion") if table.has(name)]
    among = [table.codes(name) for name in ("item", *table.moderators) if table.has(name)]
    of, compared = (
        np.unique(np.stack(codes), axis=1).shape[1] for codes in (within, [*within, *among, *sides])
    )
    return None if compared > of else "no annotator compared two different pairs"


def levels_of(moderator: str) -> Requirement:
    """Ask for two levels of a moderator."""

    def requirement(facts: Facts) -> str | None:
        return None if facts.levels(moderator) > 1 else f"{moderator!r} has one level"

    return requirement


def at_most(n: int, *dims: str, ask: str) -> Requirement:
    """Ask for no more than n effects by some dims; ``ask`` is how a user asks for more."""

    def requirement(facts: Facts) -> str | None:
        size = 1
        for dim in dims:
            size *= facts.levels("system_a" if dim == "system" and paired(facts) else dim)
        if size <= n:
            return None
        what = " × ".join(f"{dim}s" for dim in dims)
        return f"{size:,} {what} are many; ask for {ask} if you want to wait"

    return requirement


ONLY_ON_REQUEST = "only on request"


def paired(facts: Facts) -> bool:
    """Say whether judgements are about two systems."""
    return facts.judgements.is_paired


def on_request(facts: Facts) -> str | None:
    """Leave out what nobody asked for."""
    del facts
    return ONLY_ON_REQUEST


def order_known(facts: Facts) -> str | None:
    """Ask for an order of presentation."""
    known = facts.judgements.order_known
    return None if known else "pairs of a ranking have no order of presentation"


def order_told(facts: Facts) -> str | None:
    """Ask that no differences of quality look like an advantage of what is shown first."""
    if facts.design.order_identified:
        return None
    return (
        "every pair was shown in one order only, and differences of quality would explain any "
        "advantage of the first"
    )


def both_orders(facts: Facts) -> str | None:
    """Ask for a pair that was shown in both orders, where every pair has its own difference."""
    if facts.design.order_balance:
        return None
    return "every pair was shown in one order only, and has a difference of its own"


OF_ORDER = (order_told, both_orders)
"""What an advantage of the first place needs: who has one of these among its needs is one."""
