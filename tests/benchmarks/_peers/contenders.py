"""Who is measured on what, and how far a contender's model is that of bayeseval."""

from dataclasses import dataclass

DRAWS = "draws"
"""A model whose posterior is to agree within Monte Carlo error."""
NEAR = "near"
"""The same likelihood, but a prior that differs or no posterior: to agree nearly."""
OTHER = "other"
"""Another model, or another scale of scores."""


@dataclass(frozen=True)
class Contender:
    """One row of a table.

    Attributes
    ----------
    name
        As the table shows it.
    program
        What has to be installed: a Python package, or brms.
    target
        Module and function below ``tests.benchmarks._peers``, or an R script beside them.
    likeness
        How far its model is that of bayeseval: `DRAWS`, `NEAR` or `OTHER`.
    about
        What the model is, where it is not that of bayeseval; or what is special about the run.
    cached
        Whether it keeps compiled code on disk, so that a second process is quicker.
    beside
        Contender that its likeness is to, where that is not the first.
    """

    name: str
    program: str
    target: str
    likeness: str = DRAWS
    about: str = ""
    cached: bool = False
    beside: str = ""


_JIT = "NumPyro compiles within its first steps, so that its sampling includes compiling"
_NOT_ZERO_SUM = (
    "the same likelihood and priors, but annotators' effects do not sum to zero; scores are put on "
    "the scale of the mean annotator"
)

_SCALED = "bayeseval, shift and scale"

LIKERT = (
    Contender("bayeseval", "bayeseval", "likert:bayeseval", cached=True),
    Contender(
        _SCALED,
        "bayeseval",
        "likert:bayeseval_scaled",
        OTHER,
        "`thresholds='shifted', discrimination=True`: the smaller model that brms has too",
        cached=True,
    ),
    Contender("PyMC + nutpie", "pymc", "likert:pymc_nutpie", cached=True),
    Contender("PyMC NUTS", "pymc", "likert:pymc_nuts", cached=True),
    Contender("NumPyro", "numpyro", "likert:numpyro", about=_JIT),
    Contender(
        "Bambi + nutpie, shifted",
        "bambi",
        "likert:bambi",
        OTHER,
        "a smaller model: thresholds that annotators share and shift; Bambi has no others",
        cached=True,
    ),
    Contender(
        "brms, by annotator",
        "brms",
        "likert_free.R",
        OTHER,
        "`thres(gr = annotator)`: thresholds of each annotator's own, but not pooled",
    ),
    Contender(
        "brms, shift and scale",
        "brms",
        "likert_scaled.R",
        NEAR,
        "a smaller model: annotators shift and stretch the thresholds that they share; with a "
        "prior of the thresholds of its own, and effects that do not sum to zero",
        beside=_SCALED,
    ),
)

SPA = (
    Contender("bayeseval", "bayeseval", "spa:bayeseval", cached=True),
    Contender("PyMC + nutpie", "pymc", "spa:pymc_nutpie", cached=True),
    Contender("NumPyro", "numpyro", "spa:numpyro", about=_JIT),
    Contender(
        "brms, custom family", "brms", "spa.R", NEAR, f"ordered beta in Stan: {_NOT_ZERO_SUM}"
    ),
)

STRENGTH = (
    Contender("bayeseval", "bayeseval", "strength:bayeseval", cached=True),
    Contender("PyMC + nutpie", "pymc", "strength:pymc_nutpie", cached=True),
    Contender("NumPyro", "numpyro", "strength:numpyro", about=_JIT),
    Contender(
        "brms, student",
        "brms",
        "strength.R",
        NEAR,
        f"{_NOT_ZERO_SUM}, and its degrees of freedom are at least 1",
    ),
)

PAIRWISE = (
    Contender(
        "bayeseval, Laplace",
        "bayeseval",
        "pairwise:bayeseval_laplace",
        about="a normal approximation that importance weights correct and judge",
        cached=True,
    ),
    Contender("bayeseval, NUTS", "bayeseval", "pairwise:bayeseval_nuts", cached=True),
    Contender(
        "arena-rank",
        "arena-rank",
        "pairwise:arena_rank",
        NEAR,
        "maximum likelihood with sandwich intervals; no posterior",
    ),
    Contender(
        "evalica, bootstrap",
        "evalica",
        "pairwise:evalica_bootstrap",
        NEAR,
        "maximum likelihood, intervals from 1000 resamples of the votes",
    ),
    Contender(
        "evalica",
        "evalica",
        "pairwise:evalica_point",
        NEAR,
        "maximum likelihood, no interval",
    ),
    Contender(
        "choix",
        "choix",
        "pairwise:choix_point",
        NEAR,
        "maximum likelihood (I-LSR on the matrix of wins), no interval",
    ),
    Contender(
        "openskill",
        "openskill",
        "pairwise:openskill_point",
        OTHER,
        "ratings updated vote by vote, on a scale of their own; no interval is compared",
    ),
)

CONTENDERS = {"likert": LIKERT, "spa": SPA, "strength": STRENGTH, "pairwise": PAIRWISE}
