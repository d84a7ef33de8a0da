"""Means, classical tests and rankings: what the field publishes beside a posterior."""

from bayeseval.frequentist.blocks import friedman
from bayeseval.frequentist.bootstrap import BootstrapRanking, bootstrap_ranking
from bayeseval.frequentist.boxes import box_tests
from bayeseval.frequentist.bradley_terry import BradleyTerryML, bradley_terry_ml
from bayeseval.frequentist.means import rating_means
from bayeseval.frequentist.mixed import mixed_model
from bayeseval.frequentist.power import PowerCurve, rating_power, spa_power
from bayeseval.frequentist.quasi import quasi_variances
from bayeseval.frequentist.ratings import rating_tests
from bayeseval.frequentist.spa import SPATest, spa_test
from bayeseval.frequentist.spa_filter import FilterEffect, filter_effect
from bayeseval.frequentist.strength import strength_test
from bayeseval.frequentist.tukey import TukeyPairs, tukey
from bayeseval.frequentist.variance import anova, anova_from_summary, design_counts
from bayeseval.frequentist.welch import welch_from_summary
from bayeseval.frequentist.wins import win_rates

__all__ = [
    "BootstrapRanking",
    "BradleyTerryML",
    "FilterEffect",
    "PowerCurve",
    "SPATest",
    "TukeyPairs",
    "anova",
    "anova_from_summary",
    "bootstrap_ranking",
    "box_tests",
    "bradley_terry_ml",
    "design_counts",
    "filter_effect",
    "friedman",
    "mixed_model",
    "quasi_variances",
    "rating_means",
    "rating_power",
    "rating_tests",
    "spa_power",
    "spa_test",
    "strength_test",
    "tukey",
    "welch_from_summary",
    "win_rates",
]
