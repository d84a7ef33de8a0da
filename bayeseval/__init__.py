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
    from bayeseval.comparison import Comparison, compare, rank
    from bayeseval.families import OrdinalProbit
    from bayeseval.inference import Convergence, Posterior, fit, load
    from bayeseval.judgements import (
        Judgements,
        LikertJudgements,
        MagnitudeJudgements,
        PairwiseJudgements,
        SPAJudgements,
        StrengthJudgements,
        identify,
    )
    from bayeseval.ranking import Ranking
    from bayeseval.reporting import (
        plot_predictive,
        plot_rank_distribution,
        plot_ranking,
        plot_thresholds,
        plot_win_probability,
        report,
    )
    from bayeseval.simulate import simulate_likert

_LAZY = {
    "bayeseval.comparison": ("Comparison", "compare", "rank"),
    "bayeseval.families": ("OrdinalProbit",),
    "bayeseval.inference": ("Convergence", "Posterior", "fit", "load"),
    "bayeseval.judgements": (
        "Judgements",
        "LikertJudgements",
        "MagnitudeJudgements",
        "PairwiseJudgements",
        "SPAJudgements",
        "StrengthJudgements",
        "identify",
    ),
    "bayeseval.ranking": ("Ranking",),
    "bayeseval.reporting": (
        "plot_predictive",
        "plot_rank_distribution",
        "plot_ranking",
        "plot_thresholds",
        "plot_win_probability",
        "report",
    ),
    "bayeseval.simulate": ("simulate_likert",),
}
_HOME = {name: module for module, names in _LAZY.items() for name in names}

__all__ = [
    "BayesEvalError",
    "Comparison",
    "Convergence",
    "ConvergenceError",
    "ConvergenceWarning",
    "DesignError",
    "JudgementError",
    "Judgements",
    "LikertJudgements",
    "MagnitudeJudgements",
    "ModelError",
    "OrdinalProbit",
    "PairwiseJudgements",
    "Posterior",
    "Ranking",
    "SPAJudgements",
    "StrengthJudgements",
    "compare",
    "fit",
    "identify",
    "load",
    "plot_predictive",
    "plot_rank_distribution",
    "plot_ranking",
    "plot_thresholds",
    "plot_win_probability",
    "rank",
    "report",
    "settings",
    "simulate_likert",
]

__version__ = _version("bayeseval")


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
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
