"""What every family offers, and the records in which it describes itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import xarray as xr

from bayeseval._tables import Column, Table
from bayeseval._text import escape_html
from bayeseval.families._declaration import Declaration, Effect, FloatArray
from bayeseval.families._layout import Geometry
from bayeseval.judgements import Judgements


@dataclass(frozen=True)
class PriorText:
    """One prior in words.

    Parameters
    ----------
    parameter : str
        Name in the posterior.
    prior : str
        The distribution, as printed.
    meaning : str
        What the parameter is and what the prior implies, for a reader without statistics.
    settings : tuple of str
        Settings of the family that the prior is made of, where its name does not say which.
    default : str
        Where the prior is not the family's default: those settings as they are by default.
    """

    parameter: str
    prior: str
    meaning: str
    settings: tuple[str, ...] = ()
    default: str = ""

    @property
    def explained(self) -> str:
        """The meaning, and that the prior is not the default where it is not."""
        return self.meaning + (f" [not the default, {self.default}]" if self.default else "")


@dataclass(frozen=True)
class ModelText:
    """A model in words and formulas.

    Parameters
    ----------
    words : tuple of str
        Sentences.
    formulas : tuple of str
        Formulas in plain Unicode.
    priors : tuple of PriorText
        Priors of all parameters in the model.
    left_out : dict of str to str
        Effects that are not in the model, each with the reason.
    """

    words: tuple[str, ...]
    formulas: tuple[str, ...]
    priors: tuple[PriorText, ...]
    left_out: dict[str, str]

    def __str__(self) -> str:
        lines = [*self.words, "", *(f"    {formula}" for formula in self.formulas), "", "Priors"]
        width = max((len(text.parameter) for text in self.priors), default=0)
        span = max((len(text.prior) for text in self.priors), default=0)
        lines += [
            f"    {text.parameter:<{width}}  {text.prior:<{span}}  {text.explained}"
            for text in self.priors
        ]
        if self.left_out:
            lines += ["", "Left out"]
            lines += [f"    {name}: {reason}" for name, reason in self.left_out.items()]
        return "\n".join(lines)

    def tables(self) -> list[Table]:
        """Return the priors, and the effects that are not in the model, as they are printed.

        Returns
        -------
        list of Table
            Headings and formatted cells; no table that would be empty.
        """
        tables = []
        if self.priors:
            columns = (
                Column("parameter", tuple(prior.parameter for prior in self.priors), "text"),
                Column("prior", tuple(prior.prior for prior in self.priors), "text"),
                Column("meaning", tuple(prior.explained for prior in self.priors), "text"),
            )
            tables.append(Table("Priors", columns))
        if self.left_out:
            columns = (
                Column("effect", tuple(self.left_out), "text"),
                Column("why not", tuple(self.left_out.values()), "text"),
            )
            tables.append(Table("Effects that are not in the model", columns))
        return tables

    def _repr_html_(self) -> str:
        words = [f"<p>{escape_html(sentence)}</p>" for sentence in self.words]
        formulas = "\n".join(map(escape_html, self.formulas))
        tables = [table.html() for table in self.tables()]
        return "\n".join([*words, f"<pre>{formulas}</pre>", *tables])


@dataclass(frozen=True)
class Estimand:
    """A readable quantity of a family.

    Parameters
    ----------
    name : str
        Name that ``posterior.estimand`` takes.
    title : str
        Heading of a table.
    description : str
        One sentence for the reader.
    unit : str
        Unit, such as "rating points".
    bounds : tuple of float or None
        Range of possible values.
    dims : tuple of str
        Dimensions beside chain, draw and criterion, so that nobody computes a quantity to learn
        what shape it has.
    """

    name: str
    title: str
    description: str
    unit: str
    bounds: tuple[float, float] | None
    dims: tuple[str, ...] = ("system",)


OUTCOME_PROBABILITY = Estimand(
    "outcome_probability",
    "Probability of win, tie and loss",
    "the chance that one new comparison with system_b is won, tied or lost",
    "probability",
    (0.0, 1.0),
    dims=("system", "system_b", "outcome"),
)
INCOHERENCE = Estimand(
    "incoherence",
    "Incoherence",
    "by how much the probabilities stated in both directions of a pair exceed one together",
    "probability",
    (-1.0, 1.0),
    dims=("system", "system_b"),
)


class ModelledFamily(Protocol):
    """What comparing and reporting need of a family, however its draws are made."""

    name: ClassVar[str]
    protocol: ClassVar[str]
    title: ClassVar[str]
    win_title: ClassVar[str]
    quality_scale: ClassVar[str]

    def declare(self, judgements: Judgements) -> Declaration[Any]:
        """Turn the family into a model of these judgements' design."""
        ...

    def describe(self, declaration: Declaration[Any]) -> ModelText:
        """Describe a declared model in words, formulas and priors."""
        ...

    def estimands(self, declaration: Declaration[Any]) -> Mapping[str, Estimand]:
        """List the family's readable quantities."""
        ...

    def estimate(
        self,
        name: str,
        declaration: Declaration[Any],
        posterior: xr.Dataset,
        *,
        population: str | None,
        by: str | None,
    ) -> xr.DataArray:
        """Compute one readable quantity, or ``win_probability``, from the draws."""
        ...

    def predict(
        self,
        declaration: Declaration[Any],
        judgements: Judgements,
        draws: xr.Dataset,
        rng: np.random.Generator,
    ) -> npt.NDArray[Any]:
        """Draw an answer for every row of the judgements, dims (sample, row)."""
        ...

    def log_likelihood(
        self, declaration: Declaration[Any], judgements: Judgements, draws: xr.Dataset
    ) -> FloatArray:
        """Return the log probability of every row's answer, dims (sample, row)."""
        ...


class Family(ModelledFamily, Protocol):
    """A family of models for one protocol.

    A family declares its model; building, sampling, comparing and reporting are done by others
    from the declaration and from the posterior contract.
    """

    def cells(self, declaration: Declaration[Any], judgements: Judgements) -> Any:
        """Collapse judgements that the model cannot tell apart."""
        ...

    def density(
        self, declaration: Declaration[Any], cells: Any, geometry: Geometry | None = None
    ) -> Any:
        """Return the compiled log density, or None where there is none for this declaration."""
        ...

    def start(
        self, declaration: Declaration[Any], cells: Any, rng: np.random.Generator
    ) -> FloatArray:
        """Return a point of the sampler's space to start a chain from."""
        ...

    def constrained(
        self,
        declaration: Declaration[Any],
        draws: FloatArray,
        geometry: Geometry | None = None,
    ) -> dict[str, FloatArray]:
        """Take the sampler's vectors apart into named values on their natural scales."""
        ...

    def location(
        self, declaration: Declaration[Any], effect: Effect, values: dict[str, FloatArray]
    ) -> FloatArray:
        """Return the location that an effect's mean can move with, dims (…, criterion)."""
        ...

    def location_information(self, declaration: Declaration[Any], effect: Effect) -> float:
        """Return what the prior knows of that location: one over a variance."""
        ...

    def posterior_dataset(
        self, declaration: Declaration[Any], values: dict[str, FloatArray]
    ) -> xr.Dataset:
        """Return every parameter under its name in the posterior contract."""
        ...


@dataclass(frozen=True, kw_only=True)
class DirectDraws:
    """What a family returns that draws by itself.

    Parameters
    ----------
    posterior : xarray.Dataset
        Every quantity under its name in the posterior contract; dims (chain, draw, ...). Draws
        are independent; chains are only their container.
    approximate : str or None
        What kind of approximation this is, in words; None for draws from the posterior itself.
    groups : mapping of str to xarray.Dataset
        Further groups for the posterior's DataTree.
    method : str
        How the draws were made, in a few words.
    packages : tuple of str
        Packages besides NumPy whose versions matter.
    """

    posterior: xr.Dataset
    approximate: str | None
    groups: Mapping[str, xr.Dataset] = field(default_factory=dict)
    method: str = "independent draws"
    packages: tuple[str, ...] = ()


@runtime_checkable
class DirectFamily(ModelledFamily, Protocol):
    """A family that draws by itself, without a sampler."""

    direct: ClassVar[bool]

    def draw(
        self,
        declaration: Declaration[Any],
        judgements: Judgements,
        *,
        draws: int,
        chains: int,
        rng: np.random.Generator,
    ) -> DirectDraws:
        """Return independent draws of everything that the posterior contract names."""
        ...
