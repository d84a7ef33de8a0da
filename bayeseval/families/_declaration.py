"""What a family declares, as data: Gaussian effects, a response, and the cells it is evaluated on.

Nothing here knows a sampler. The PyMC builder (``_builder``) and the compiled density
(``_predictors``) read the same declaration; that is how they can be compared point by point.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Effect:
    """One block of Gaussian effects with a common standard deviation.

    Parameters
    ----------
    name
        Name in the posterior; the standard deviation is called ``<name>_sd``.
    dims
        Dimensions without the criterion, such as ``("system",)`` or ``("system", "item")``.
    shape
        Sizes of ``dims``.
    sign
        +1 or -1: how the effect enters the latent answer.
    sd_scale
        Scale of the half-normal prior of the standard deviation.
    zero_sum
        Whether the effects sum to zero along the last dimension.
    centring
        What the sampler sees: the effects divided by their standard deviation to the power of
        1 - centring, so the effects themselves at 1 and standardised effects at 0. The model is
        the same; only its geometry differs.
    correlated
        Whether the effects of different criteria are correlated, with an LKJ prior.
    enters
        What the effect is a part of: the latent answer, or something of the response's own such as
        the gaps between thresholds. Only parts of the same vary around one another.
    around
        Where the response has linear predictors, the parameter that the effects vary around: the
        mean of effects that sum to zero, for others the level of an average answer.
    """

    name: str
    dims: tuple[str, ...]
    shape: tuple[int, ...]
    sign: int
    sd_scale: float
    zero_sum: bool = False
    centring: float = 0.0
    correlated: bool = False
    enters: str = "answer"
    around: str = ""

    @property
    def size(self) -> int:
        """Number of effects of one criterion."""
        return int(np.prod(self.shape))

    @property
    def free_size(self) -> int:
        """Number of free parameters of one criterion: one fewer a row when rows sum to zero."""
        return self.size // self.shape[-1] * (self.shape[-1] - 1) if self.zero_sum else self.size


@dataclass(frozen=True, kw_only=True)
class Prior:
    """Prior of one parameter of a response.

    Parameters
    ----------
    kind
        "normal" with mean ``a`` and standard deviation ``b``; "half_normal" with scale ``a``;
        "beta" with ``a`` and ``b``; "gamma" with shape ``a`` and rate ``b``. The sampler sees the
        value itself, its log, its logit, or its log.
    a, b
        Parameters of the prior.
    """

    kind: Literal["normal", "half_normal", "beta", "gamma"]
    a: float
    b: float = 0.0

    def __str__(self) -> str:
        name = self.kind.replace("_", "-")
        return (
            f"{name}({self.a:g})"
            if self.kind == "half_normal"
            else f"{name}({self.a:g}, {self.b:g})"
        )


@dataclass(frozen=True, kw_only=True)
class Scalar:
    """A parameter of a response that has one value for each criterion.

    Parameters
    ----------
    name
        Name in the posterior.
    prior
        Its prior.
    meaning
        What it is, for a reader without statistics.
    """

    name: str
    prior: Prior
    meaning: str = ""


@dataclass(frozen=True)
class Term:
    """How an effect enters a linear predictor of the response.

    Parameters
    ----------
    effect
        Name of the effect.
    columns
        For each dimension of the effect, the factor of the judgements (or the name of further
        codes) that says which level a judgement has: quality enters a comparison once by
        ``("system_a",)`` and once, with weight -1, by ``("system_b",)``.
    predictor
        Which linear predictor: 0 is the location, the others are the response's own.
    weight
        What the effect is multiplied by, or the name of a weight by row.
    """

    effect: str
    columns: tuple[str, ...]
    predictor: int = 0
    weight: float | str = 1.0


@dataclass(frozen=True, kw_only=True)
class PredictorCells:
    """Judgements that share every index, weight and answer, counted once.

    Parameters
    ----------
    index
        Position among the levels (``Declaration.levels``), dims (term, cell), counted through the
        criteria.
    weight
        What the term's effect is multiplied by, dims (term, cell).
    answer
        The answer in the response's own coding, dims (column, cell).
    criterion
        Position of the cell's criterion.
    count
        Number of judgements in the cell.
    row_cell
        The cell of each row of the judgements, to carry a value by cell back to the rows.
    """

    index: IntArray
    weight: FloatArray
    answer: FloatArray
    criterion: IntArray
    count: FloatArray
    row_cell: IntArray = field(repr=False)

    @property
    def n_cells(self) -> int:
        """Number of distinct cells."""
        return self.count.size

    @property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What a model reads of the cells, by the names of its data."""
        return {
            "cell_index": self.index,
            "cell_weight": self.weight,
            "cell_answer": self.answer,
            "cell_criterion": self.criterion,
            "cell_count": self.count,
        }


class Response(Protocol):
    """The part of a declaration that turns latent answers into the answers people gave."""

    @property
    def kind(self) -> str:
        """Which density evaluates the answers."""
        ...

    @property
    def parameter_shapes(self) -> dict[str, tuple[int, ...]]:
        """Unconstrained parameters of one criterion, in the sampler's order."""
        ...


class PredictorResponse(Response, Protocol):
    """A response whose answers depend on linear predictors and a few parameters."""

    @property
    def n_predictors(self) -> int:
        """Number of linear predictors."""
        ...

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Parameters, in the order in which the kernel reads them."""
        ...

    @property
    def options(self) -> FloatArray:
        """Fixed numbers that the kernel reads."""
        ...

    @property
    def kernel(self) -> Any:
        """The compiled log density of the answers; see ``_predictor_density``."""
        ...

    @property
    def n_answers_read(self) -> int:
        """How many columns of the answer the kernel reads."""
        ...

    @property
    def log_density(self) -> Callable[..., int]:
        """The log density of the model with that kernel, not yet compiled; see ``_callback``."""
        ...


class ResponseWithFormula(PredictorResponse, Protocol):
    """A response of which PyMC has the formula too."""

    def log_probability(self, predictors: Any, scalars: Any, answer: Any) -> Any:
        """Return the log probability of one judgement of every cell, in PyTensor."""
        ...


@dataclass(frozen=True, kw_only=True)
class Declaration[R: Response]:
    """A model for a given design: effects, response, labels, and what was left out.

    Parameters
    ----------
    family
        Name of the family.
    coords
        Labels of every dimension.
    has_criterion
        Whether every parameter has a value for each criterion.
    effects
        Blocks of Gaussian effects, in the order in which the cells index them.
    response
        The family's response.
    left_out
        Effects that are not in the model, each with the reason in words.
    correlation_shape
        Shape of the LKJ prior of the correlations between criteria.
    terms
        How the effects enter the linear predictors of a response that has such.
    components
        Groups of systems that comparisons link; with more than one, a difference between groups is
        the prior's.
    design_notes
        What the design leaves uncertain about every difference between systems, in words.
    """

    family: str
    coords: Mapping[str, tuple[str, ...]]
    has_criterion: bool
    effects: tuple[Effect, ...]
    response: R
    left_out: Mapping[str, str]
    correlation_shape: float = 2.0
    terms: tuple[Term, ...] = ()
    components: tuple[tuple[str, ...], ...] = ()
    design_notes: tuple[str, ...] = ()

    @property
    def n_criteria(self) -> int:
        """Number of criteria; 1 where the judgements have no criterion."""
        return len(self.coords["criterion"]) if self.has_criterion else 1

    @property
    def blocks(self) -> tuple[Effect, ...]:
        """All Gaussian blocks: the effects, and those of the response's own, if it has some."""
        own: tuple[Effect, ...] = getattr(self.response, "own_effects", ())
        return (*self.effects, *own)

    @property
    def root(self) -> Effect | None:
        """What a block of the response's own varies around and is no Gaussian block itself."""
        return getattr(self.response, "root", None)

    @property
    def derived(self) -> Effect | None:
        """What the response makes of its parameters and effects, and terms name: thresholds."""
        return getattr(self.response, "derived", None)

    @property
    def levels(self) -> tuple[Effect, ...]:
        """All that terms may name, in the order of the levels that cells point to."""
        others = (self.root, self.derived)
        return (*self.blocks, *(block for block in others if block is not None))

    @property
    def location_sign(self) -> int:
        """1 where effects add to the parameter they vary around, -1 where they are held to it."""
        return getattr(self.response, "location_sign", 1)

    def effect(self, name: str) -> Effect | None:
        """Return the effect called ``name``, or None where the model has none."""
        return next((effect for effect in self.effects if effect.name == name), None)

    def level(self, name: str) -> Effect:
        """Return what a term names."""
        return next(block for block in self.levels if block.name == name)

    @property
    def is_correlated(self) -> bool:
        """Whether any effect is correlated between criteria."""
        return any(effect.correlated for effect in self.effects)
