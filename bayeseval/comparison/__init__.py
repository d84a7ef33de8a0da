"""Ranks and contrasts of systems, read from the posterior contract alone; the tests beside them."""

from bayeseval.comparison.beside import SideBySide, side_by_side
from bayeseval.comparison.campaign import TrueSkillRanking, trueskill_ranking
from bayeseval.comparison.contrasts import Comparison, compare
from bayeseval.comparison.posteriors import PosteriorsCompared, compare_posteriors
from bayeseval.comparison.ranks import rank
from bayeseval.ranking import Ranking

__all__ = [
    "Comparison",
    "PosteriorsCompared",
    "Ranking",
    "SideBySide",
    "TrueSkillRanking",
    "compare",
    "compare_posteriors",
    "rank",
    "side_by_side",
    "trueskill_ranking",
]
