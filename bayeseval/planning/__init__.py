"""Planning: what to collect next, from the posterior contract alone."""

from bayeseval.planning.pairs import NextPairs, next_pairs

__all__ = ["NextPairs", "next_pairs"]
