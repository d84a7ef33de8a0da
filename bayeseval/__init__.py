"""Bayesian modelling of ratings: from human judgements to a posterior ranking.

The names below are the public interface. Tables, records and settings are imported at once; what
needs a sampler, ArviZ or Matplotlib is imported when it is first used, so that ``import bayeseval``
stays quick.
"""

import logging as _logging
import sys as _sys
from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING

from bayeseval.errors import (
    BayesEvalError,
    ConvergenceError,
    ConvergenceWarning,
    DesignError,
    JudgementError,
    ModelError,
)
from bayeseval.settings import settings

if TYPE_CHECKING:
    from bayeseval.agreement import (
        cohen_kappa,
        criteria_correlation,
        exact_agreement,
        fleiss_kappa,
        icc,
        kendalls_w,
        krippendorff_alpha,
        vote_agreement,
    )
    from bayeseval.comparison import (
        Comparison,
        SideBySide,
        compare,
        compare_models,
        compare_posteriors,
        elo,
        intransitivity,
        rank,
        side_by_side,
        trueskill_ranking,
        variance_shares,
        variation,
    )
    from bayeseval.families import (
        BayesianBootstrap,
        BradleyTerry,
        LogMagnitude,
        OrderedBeta,
        OrdinalProbit,
        PreferenceStrength,
        Thurstone,
        TrueSkill,
    )
    from bayeseval.frequentist import (
        anova,
        anova_from_summary,
        bootstrap_ranking,
        box_tests,
        bradley_terry_ml,
        design_counts,
        filter_effect,
        friedman,
        mixed_model,
        quasi_variances,
        rating_means,
        rating_power,
        rating_tests,
        spa_power,
        spa_test,
        strength_test,
        tukey,
        welch_from_summary,
        win_rates,
    )
    from bayeseval.huse import (
        huse_stability,
        huse_texts,
    )
    from bayeseval.inference import (
        Convergence,
        Posterior,
        fit,
        load,
    )
    from bayeseval.judgements import (
        Judgements,
        LikertJudgements,
        MagnitudeJudgements,
        PairwiseJudgements,
        SPAJudgements,
        StrengthJudgements,
        anonymise,
        filter_attention_checks,
        filter_first_submission,
        filter_incoherent,
        filter_where,
        filter_work_time,
        identify,
        join_annotators,
        mqm_scores,
        read,
        split_systems,
        to_counts,
        to_pairwise,
        work_times,
    )
    from bayeseval.planning import (
        Decided,
        Equivalent,
        OrderOfTop,
        Plan,
        Width,
        next_pairs,
        plan,
    )
    from bayeseval.ranking import (
        Ranking,
    )
    from bayeseval.reporting import (
        plot_comparison,
        plot_filter_effect,
        plot_predictive,
        plot_rank_distribution,
        plot_ranking,
        plot_thresholds,
        plot_win_probability,
        report,
    )
    from bayeseval.simulate import (
        simulate_likert,
        simulate_magnitude,
        simulate_pairwise,
        simulate_spa,
        simulate_strength,
    )

_LAZY = {
    "bayeseval.agreement": (
        "cohen_kappa", "criteria_correlation", "exact_agreement", "fleiss_kappa", "icc",
        "kendalls_w", "krippendorff_alpha", "vote_agreement",
    ),
    "bayeseval.comparison": (
        "Comparison", "SideBySide", "compare", "compare_models", "compare_posteriors", "elo",
        "intransitivity", "rank", "side_by_side", "trueskill_ranking", "variance_shares",
        "variation",
    ),
    "bayeseval.families": (
        "BayesianBootstrap", "BradleyTerry", "LogMagnitude", "OrderedBeta", "OrdinalProbit",
        "PreferenceStrength", "Thurstone", "TrueSkill",
    ),
    "bayeseval.frequentist": (
        "anova", "anova_from_summary", "bootstrap_ranking", "box_tests", "bradley_terry_ml",
        "design_counts",
        "filter_effect", "friedman", "mixed_model", "quasi_variances", "rating_means",
        "rating_power", "rating_tests", "spa_power", "spa_test", "strength_test", "tukey",
        "welch_from_summary", "win_rates",
    ),
    "bayeseval.huse": ("huse_stability", "huse_texts"),
    "bayeseval.inference": ("Convergence", "Posterior", "fit", "load"),
    "bayeseval.judgements": (
        "Judgements", "LikertJudgements", "MagnitudeJudgements", "PairwiseJudgements",
        "SPAJudgements", "StrengthJudgements", "anonymise", "filter_attention_checks",
        "filter_first_submission", "filter_incoherent", "filter_where", "filter_work_time",
        "identify", "join_annotators", "mqm_scores", "read", "split_systems", "to_counts",
        "to_pairwise", "work_times",
    ),
    "bayeseval.planning": (
        "Decided", "Equivalent", "OrderOfTop", "Plan", "Width", "next_pairs", "plan",
    ),
    "bayeseval.ranking": ("Ranking",),
    "bayeseval.reporting": (
        "plot_comparison", "plot_filter_effect", "plot_predictive", "plot_rank_distribution",
        "plot_ranking", "plot_thresholds", "plot_win_probability", "report",
    ),
    "bayeseval.simulate": (
        "simulate_likert", "simulate_magnitude", "simulate_pairwise", "simulate_spa",
        "simulate_strength",
    ),
}  # fmt: skip
_HOME = {name: module for module, names in _LAZY.items() for name in names}

__all__ = [
    "BayesEvalError", "BayesianBootstrap", "BradleyTerry", "Comparison", "Convergence",
    "ConvergenceError", "ConvergenceWarning", "Decided", "DesignError", "Equivalent",
    "JudgementError", "Judgements", "LikertJudgements", "LogMagnitude", "MagnitudeJudgements",
    "ModelError", "OrderOfTop", "OrderedBeta", "OrdinalProbit", "PairwiseJudgements", "Plan",
    "Posterior", "PreferenceStrength", "Ranking", "SPAJudgements", "SideBySide",
    "StrengthJudgements", "Thurstone", "TrueSkill", "Width", "anonymise", "anova",
    "anova_from_summary", "bootstrap_ranking", "box_tests", "bradley_terry_ml", "cohen_kappa",
    "compare", "compare_models", "compare_posteriors", "criteria_correlation", "design_counts",
    "elo", "exact_agreement", "filter_attention_checks", "filter_effect",
    "filter_first_submission", "filter_incoherent", "filter_where", "filter_work_time", "fit",
    "fleiss_kappa", "friedman", "huse_stability", "huse_texts", "icc", "identify",
    "intransitivity", "join_annotators", "kendalls_w", "krippendorff_alpha", "load",
    "mixed_model", "mqm_scores", "next_pairs", "plan", "plot_comparison", "plot_filter_effect",
    "plot_predictive", "plot_rank_distribution", "plot_ranking", "plot_thresholds",
    "plot_win_probability", "quasi_variances", "rank", "rating_means", "rating_power",
    "rating_tests", "read", "report", "settings", "side_by_side", "simulate_likert",
    "simulate_magnitude", "simulate_pairwise", "simulate_spa", "simulate_strength", "spa_power",
    "spa_test", "split_systems", "strength_test", "to_counts", "to_pairwise",
    "trueskill_ranking", "tukey", "variance_shares", "variation", "vote_agreement",
    "welch_from_summary", "win_rates", "work_times",
]  # fmt: skip

__version__ = _version("bayeseval")


def __getattr__(name: str) -> object:
    """Import a public name, or the module of that name, when it is first asked for."""
    if f"bayeseval.{name}" in _LAZY:
        return _import_module(f"bayeseval.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'bayeseval' has no attribute {name!r}")
    value = getattr(_import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def _say_what_happens() -> None:
    """Let the package's own messages reach people who have not set up logging."""
    logger = _logging.getLogger("bayeseval")
    if not logger.handlers:
        handler = _logging.StreamHandler(_sys.stderr)
        handler.setFormatter(_logging.Formatter("%(message)s"))
        logger.addHandler(handler)
        logger.setLevel(_logging.INFO)
        logger.propagate = False


_say_what_happens()
