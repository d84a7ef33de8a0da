"""Plots and the report, made from the posterior contract alone."""

from bayeseval.reporting.page import report
from bayeseval.reporting.plots import (
    plot_comparison,
    plot_filter_effect,
    plot_predictive,
    plot_rank_distribution,
    plot_ranking,
    plot_thresholds,
    plot_win_probability,
)

__all__ = [
    "plot_comparison",
    "plot_filter_effect",
    "plot_predictive",
    "plot_rank_distribution",
    "plot_ranking",
    "plot_thresholds",
    "plot_win_probability",
    "report",
]
