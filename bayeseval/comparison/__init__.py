"""Ranks and contrasts of systems, read from the posterior contract alone; the tests beside them."""

from bayeseval.comparison.beside import SideBySide, side_by_side
from bayeseval.comparison.campaign import TrueSkillRanking, trueskill_ranking
from bayeseval.comparison.contrasts import Comparison, compare
from bayeseval.comparison.ranks import rank
from bayeseval.ranking import Ranking

__all__ = [
    "Comparison",
    "Ranking",
    "SideBySide",
    "TrueSkillRanking",
    "compare",
    "rank",
    "side_by_side",
    "trueskill_ranking",
]
