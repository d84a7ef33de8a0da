"""Figures of a posterior ranking, one kind a module: each returns a figure and shows nothing."""

from bayeseval.reporting.plots.filters import plot_filter_effect
from bayeseval.reporting.plots.pairs import plot_comparison
from bayeseval.reporting.plots.predictive import plot_predictive
from bayeseval.reporting.plots.ranks import plot_rank_distribution, plot_ranking
from bayeseval.reporting.plots.thresholds import plot_thresholds
from bayeseval.reporting.plots.wins import plot_win_probability

__all__ = [
    "plot_comparison",
    "plot_filter_effect",
    "plot_predictive",
    "plot_rank_distribution",
    "plot_ranking",
    "plot_thresholds",
    "plot_win_probability",
]
