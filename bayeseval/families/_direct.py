"""What families share that draw by themselves, without a sampler and without a model in PyMC."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import xarray as xr

from bayeseval.errors import ModelError
from bayeseval.families._base import BaseFamily
from bayeseval.families._declaration import Declaration, FloatArray, Response
from bayeseval.families._family import DirectDraws, ModelText
from bayeseval.families._marginal import checked_population
from bayeseval.judgements import Judgements
from bayeseval.judgements._guards import order_notes
from bayeseval.judgements.identify import identify


class DrawsByItself[R: Response, J: Judgements](BaseFamily[R, J]):
    """Base of families that draw by themselves.

    A family adds its settings, ``declare`` (with `declaration_of`), ``draw``, ``describe``,
    ``estimands``, `quantity` and ``predict``.
    """

    direct: ClassVar[bool] = True

    def declaration_of(
        self,
        table: J,
        response: R,
        left_out: Mapping[str, str],
        *,
        dims: Mapping[str, tuple[str, ...]] | None = None,
        notes: Sequence[str] = (),
    ) -> Declaration[R]:
        """Return the declaration of a model without effects.

        Parameters
        ----------
        table : Judgements
            The judgements.
        response : Response
            The family's response.
        left_out : mapping of str to str
            What is left out besides moderators and links between groups, with the reasons.
        dims : mapping of str to tuple of str, optional
            Labels of dimensions besides system and criterion.
        notes : sequence of str
            What every answer has to be read with, besides what the design says.

        Returns
        -------
        Declaration
            The model.
        """
        design = identify(table)
        reason = f"{self.name} has no moderators; filter, and fit each level"
        without = dict.fromkeys(table.moderators, reason)
        coords = {"system": table.systems, **(dims or {})}
        if table.criteria is not None:
            coords["criterion"] = table.criteria
        return Declaration(
            family=self.name,
            coords=coords,
            has_criterion=table.criteria is not None,
            effects=(),
            response=response,
            left_out={**left_out, **without, **self.unlinked(design)},
            components=design.components,
            design_notes=(
                *design.design_notes,
                *order_notes(table, "qualities", f"{self.name} has no effect for it"),
                *notes,
            ),
        )

    def build(self, judgements: Judgements) -> Any:
        """Refuse: there is no model in PyMC.

        Parameters
        ----------
        judgements : Judgements
            Any table.

        Raises
        ------
        ModelError
            Always.
        """
        raise ModelError(
            f"{self.name} draws by itself, from no density that a sampler would need, so there is "
            f"no PyMC model of it; a family that has one for {judgements.protocol} judgements is "
            "the protocol's default, which fit() takes without family="
        )

    def draw(
        self,
        declaration: Declaration[R],
        judgements: Judgements,
        *,
        draws: int,
        chains: int,
        rng: np.random.Generator,
    ) -> DirectDraws:
        """Make the draws.

        Parameters
        ----------
        declaration : Declaration
            The model.
        judgements : Judgements
            The judgements that were declared.
        draws, chains : int
            How many draws.
        rng : numpy.random.Generator
            Source of all that is random.

        Returns
        -------
        DirectDraws
            Every quantity under its name in the posterior contract.
        """
        raise NotImplementedError

    def describe(self, declaration: Declaration[R] | Judgements | None = None) -> ModelText:
        """Describe the model in words, formulas and priors.

        Parameters
        ----------
        declaration : Declaration or Judgements, optional
            A model declared for judgements, or these.

        Returns
        -------
        ModelText
            Prints as text.
        """
        raise NotImplementedError

    def __str__(self) -> str:
        return f"{self.title}\n\n{self.describe()}"

    def estimate(
        self,
        name: str,
        declaration: Declaration[R],
        posterior: xr.Dataset,
        *,
        population: str | None = None,
        by: str | None = None,
    ) -> xr.DataArray:
        """Compute one readable quantity from the draws.

        All populations are the same, of whom none but those in the data are known; there are no
        moderators that ``by`` could name.
        """
        checked_population(population)
        if by is not None:
            raise ModelError(
                f"by={by!r} cannot be answered: {self.name} has no moderators; filter the "
                "judgements, and fit each level"
            )
        self._check_estimand(name, declaration)
        return self.quantity(name, declaration, posterior).rename(name)

    def quantity(
        self, name: str, declaration: Declaration[R], posterior: xr.Dataset
    ) -> xr.DataArray:
        """Compute a quantity of those that there are.

        Parameters
        ----------
        name : str
            ``win_probability``, or one of the estimands.
        declaration : Declaration
            The model.
        posterior : xarray.Dataset
            The draws.

        Returns
        -------
        xarray.DataArray
            Dims chain, draw, (criterion,) and those of the quantity.
        """
        raise NotImplementedError

    def log_likelihood(
        self, declaration: Declaration[R], judgements: Judgements, draws: xr.Dataset
    ) -> FloatArray:
        """Return the log probability of every row's answer.

        Parameters
        ----------
        declaration : Declaration
            The model.
        judgements : Judgements
            Rows to evaluate; their labels are those of the fit.
        draws : xarray.Dataset
            Draws along a dim ``sample``.

        Returns
        -------
        numpy.ndarray
            Dims (sample, row).

        Raises
        ------
        ModelError
            Where the family has no likelihood.
        """
        del declaration, judgements, draws
        raise ModelError(f"{self.name} has no likelihood, so that it cannot be compared by one")


def by_criterion(table: Judgements) -> list[npt.NDArray[np.intp]]:
    """Return the rows of every criterion; all rows where there is none."""
    if table.criteria is None:
        return [np.arange(table.n_rows)]
    codes = table.codes("criterion")
    return [np.flatnonzero(codes == k) for k in range(len(table.criteria))]


def labelled(
    declaration: Declaration[Any],
    lead: tuple[str, ...],
    values: Mapping[str, tuple[str, FloatArray]],
) -> xr.Dataset:
    """Put arrays with dims (*lead, criterion, last), each with its last dim, under their labels."""
    middle = ("criterion",) if declaration.has_criterion else ()
    return xr.Dataset(
        {
            name: ((*lead, *middle, dim), array if middle else array[..., 0, :])
            for name, (dim, array) in values.items()
        },
        {name: list(labels) for name, labels in declaration.coords.items()},
    )
