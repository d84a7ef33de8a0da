"""What every family is: whose judgements it takes, and what its methods are for."""

from collections.abc import Mapping
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt
import xarray as xr

from bayeseval._checks import some
from bayeseval.errors import DesignError, ModelError
from bayeseval.families._declaration import Declaration, Response
from bayeseval.families._family import Estimand
from bayeseval.judgements import Judgements
from bayeseval.judgements.identify import Identification


class BaseFamily[R: Response, J: Judgements]:
    """Base of all families: what one documents here, it need not say again."""

    name: ClassVar[str]
    title: ClassVar[str]
    judged: ClassVar[type[Judgements]]
    response_type: ClassVar[type[Any]]
    instead: ClassVar[str] = ""
    """What to do with judgements of other protocols, a sentence."""

    def _own(self, judgements: Judgements) -> J:
        """Return the judgements, or refuse those of another protocol."""
        if not isinstance(judgements, self.judged):
            raise ModelError(
                f"{self.name} models {self.judged.__name__}; found {type(judgements).__name__}"
                + (self.instead and f". {self.instead}")
            )
        return cast("J", judgements)

    def _declared(self, what: "Declaration[R] | Judgements | None") -> Declaration[R] | None:
        """Return a model that was declared, or that of the judgements given in its place."""
        return what if what is None or isinstance(what, Declaration) else self.declare(what)

    def checked(self, judgements: Judgements) -> J:
        """Return the judgements, or refuse those that the family cannot be fitted to.

        Parameters
        ----------
        judgements : Judgements
            Any table.

        Returns
        -------
        Judgements
            The same table.
        """
        table = self._own(judgements)
        if table.n_rows == 0:
            raise DesignError("there are no judgements to fit: the table has 0 rows")
        return table

    def declare(self, judgements: Judgements) -> Declaration[R]:
        """Turn the family into a model of these judgements' design.

        Parameters
        ----------
        judgements : Judgements
            A table of the family's protocol.

        Returns
        -------
        Declaration
            Effects, response, labels, and what was left out with the reason.

        Raises
        ------
        ModelError
            Where the judgements are of another protocol, or lack what the response or an effect
            that was asked for needs.
        DesignError
            Where there is nothing to fit.
        """
        raise NotImplementedError

    def between_groups(self) -> str:
        """Say what is known of two systems of groups that never met."""
        return "comes from the prior"

    def unlinked(self, design: Identification) -> dict[str, str]:
        """Say where no comparison links systems, as an effect that is left out.

        Parameters
        ----------
        design : Identification
            What the design of comparisons identifies.

        Returns
        -------
        dict of str to str
            Empty where all are linked.
        """
        groups = design.components
        if len(groups) < 2:
            return {}
        return {
            "differences between groups": (
                f"the systems fall into {len(groups)} groups that never met "
                f"({'; '.join(some(group) for group in groups[:3])}): the difference of two "
                f"systems of different groups {self.between_groups()}"
            )
        }

    @classmethod
    def response_from(cls, record: Mapping[str, Any]) -> R:
        """Make the response from its saved fields.

        Parameters
        ----------
        record : mapping
            Fields of the response as JSON holds them: lists for tuples.

        Returns
        -------
        Response
            The response.
        """
        return cls.response_type(**{name: _tupled(value) for name, value in record.items()})

    def estimands(self, declaration: Declaration[R]) -> Mapping[str, Estimand]:
        """List the family's readable quantities.

        Parameters
        ----------
        declaration : Declaration
            The model.

        Returns
        -------
        mapping of str to Estimand
            By the names that `estimate` takes.
        """
        raise NotImplementedError

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

        Parameters
        ----------
        name : str
            ``win_probability``, or one of :meth:`estimands`.
        declaration : Declaration
            The model.
        posterior : xarray.Dataset
            The draws; where there are very many values, they are thinned evenly.
        population : {"new", "observed"}, optional
            Average over new annotators and items at the levels in the data (left out), over new
            ones at new levels too ("new"), or over those in the data ("observed"; where they are
            very many, over a part in which each comes equally often).
        by : str, optional
            A moderator: a value for each of its levels instead of their plain average.

        Returns
        -------
        xarray.DataArray
            Dims chain, draw, (criterion,) and those of the quantity.

        Raises
        ------
        ModelError
            Where the family has no quantity of this name.
        """
        raise NotImplementedError

    def _check_estimand(self, name: str, declaration: Declaration[R]) -> None:
        known = ("win_probability", *self.estimands(declaration))
        if name not in known:
            raise ModelError(f"{self.name} has no estimand {name!r}; it has {some(known)}")

    def predict(
        self,
        declaration: Declaration[R],
        judgements: Judgements,
        draws: xr.Dataset,
        rng: np.random.Generator,
    ) -> npt.NDArray[Any]:
        """Draw an answer for every row, coded as in ``judgements.answers``.

        Parameters
        ----------
        declaration : Declaration
            The model.
        judgements : Judgements
            Rows to predict; their labels are those of the fit.
        draws : xarray.Dataset
            Draws along a dim ``sample``.
        rng : numpy.random.Generator
            Source of the noise.

        Returns
        -------
        numpy.ndarray
            Dims (sample, row).
        """
        raise NotImplementedError


def positions(
    declaration: Declaration[Any], judgements: Judgements, dim: str, factor: str
) -> npt.NDArray[np.int64]:
    """Return each row's position among the labels of the fit."""
    known = {label: at for at, label in enumerate(declaration.coords[dim])}
    labels = judgements.labels(factor)
    unknown = [label for label in labels if label not in known]
    if unknown:
        raise ModelError(
            f"these judgements have a {dim} that the model was not fitted to: {some(unknown)}"
        )
    return np.array([known[label] for label in labels], dtype=np.int64)[judgements.codes(factor)]


def _tupled(value: Any) -> Any:
    return tuple(map(_tupled, value)) if isinstance(value, list) else value
