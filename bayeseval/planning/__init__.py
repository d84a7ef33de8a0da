"""Planning: how large a study has to be, and what to collect next."""

from bayeseval.planning.goals import Decided, Equivalent, Goal, OrderOfTop, Width
from bayeseval.planning.pairs import NextPairs, next_pairs
from bayeseval.planning.plan import Plan, plan

__all__ = [
    "Decided",
    "Equivalent",
    "Goal",
    "NextPairs",
    "OrderOfTop",
    "Plan",
    "Width",
    "next_pairs",
    "plan",
]
