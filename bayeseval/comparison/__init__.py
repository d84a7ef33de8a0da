"""Ranks and contrasts of systems, read from the posterior contract alone; the tests beside them."""

from bayeseval.comparison.beside import SideBySide, side_by_side
from bayeseval.comparison.campaign import TrueSkillRanking, trueskill_ranking
from bayeseval.comparison.contrasts import Comparison, compare
from bayeseval.comparison.models import ModelComparison, compare_models
from bayeseval.comparison.pairwise import EloRatings, Intransitivity, elo, intransitivity
from bayeseval.comparison.posteriors import PosteriorsCompared, compare_posteriors
from bayeseval.comparison.ranks import rank
from bayeseval.comparison.sources import Variation, variation
from bayeseval.comparison.variation import VarianceShares, variance_shares
from bayeseval.ranking import Ranking

__all__ = [
    "Comparison",
    "EloRatings",
    "Intransitivity",
    "ModelComparison",
    "PosteriorsCompared",
    "Ranking",
    "SideBySide",
    "TrueSkillRanking",
    "VarianceShares",
    "Variation",
    "compare",
    "compare_models",
    "compare_posteriors",
    "elo",
    "intransitivity",
    "rank",
    "side_by_side",
    "trueskill_ranking",
    "variance_shares",
    "variation",
]
