"""Ranks and contrasts of systems, read from the posterior contract alone."""

from bayeseval.comparison.contrasts import Comparison, compare
from bayeseval.comparison.ranks import rank
from bayeseval.ranking import Ranking

__all__ = ["Comparison", "Ranking", "compare", "rank"]
