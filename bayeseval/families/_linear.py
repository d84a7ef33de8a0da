"""What families on linear predictors share: from a table of effect kinds to a declared model."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import numpy.typing as npt
import xarray as xr

from bayeseval._checks import some
from bayeseval.errors import DesignError, ModelError
from bayeseval.families._declaration import Declaration, Effect
from bayeseval.families._described import DescribedFamily, DescribedResponse
from bayeseval.families._design import Effects, choose_effects
from bayeseval.families._family import Estimand
from bayeseval.families.kinds import Kind, expanded, reasons
from bayeseval.families.needs import Facts
from bayeseval.judgements import Judgements
from bayeseval.judgements.identify import identify

if TYPE_CHECKING:
    import pymc as pm


class LinearFamily[R: DescribedResponse, J: Judgements](DescribedFamily[R]):
    """A family that lists its kinds of effects and brings a response.

    A family adds its prior scales as fields, `kinds`, `response_to`, its readable estimands and
    ``predict``.
    """

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

    def kinds_of(self, facts: Facts) -> Sequence[Kind]:
        """Return those that a model of judgements of this design can have.

        Parameters
        ----------
        facts : Facts
            The judgements, and what their design identifies.

        Returns
        -------
        sequence of Kind
            In the order of the model.
        """
        del facts
        return self.all_kinds()

    def choice(self, facts: Facts) -> Effects:
        """Return which optional effects the user asked for.

        Parameters
        ----------
        facts : Facts
            The judgements, and what their design identifies.

        Returns
        -------
        str or dict of str to bool
            As `choose_effects` takes it.
        """
        del facts
        return getattr(self, "effects", "auto")

    def response_to(self, facts: Facts, names: Sequence[str]) -> tuple[R, dict[str, str]]:
        """Return the response given the names of the effects, and what it leaves out and why.

        Parameters
        ----------
        facts : Facts
            The judgements, and what their design identifies.
        names : sequence of str
            Names of what is in the model.

        Returns
        -------
        tuple
            The response, and reasons by what is left out.
        """
        raise NotImplementedError

    def around_of(self, kind: Kind, response: R) -> str:
        """Return the parameter that an effect varies around, or nothing.

        Parameters
        ----------
        kind : Kind
            A kind of effects that is in the model.
        response : Response
            The family's response.

        Returns
        -------
        str
            Its name.
        """
        del response
        return kind.around

    def centrings_of(self, used: Sequence[Kind], facts: Facts) -> Mapping[str, float]:
        """Return how PyMC's own coordinates see effects: 0, the default, as multiples of the sd.

        Parameters
        ----------
        used : sequence of Kind
            The kinds of effects that are in the model.
        facts : Facts
            The judgements, and what their design identifies.

        Returns
        -------
        mapping of str to float
            By name; 1 for the effects themselves.
        """
        del used, facts
        return {}

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
        table = self.checked(judgements)
        facts = Facts(table, identify(table))
        kinds = expanded(self.kinds_of(facts), table.moderators)
        optional, left_out = choose_effects(self.choice(facts), *reasons(kinds, facts))
        chosen = [n for n, kind in kinds.items() if kind.always or n in optional]
        response, unanswered = self.response_to(facts, chosen)
        used = [kinds[name] for name in chosen if kinds[name].dims]
        coords = self.coords_of(facts, response, used)
        centrings = self.centrings_of(used, facts)
        effects = tuple(
            Effect(
                name=kind.name,
                dims=kind.dims,
                shape=tuple(len(coords[dim]) for dim in kind.dims),
                sign=kind.sign,
                sd_scale=self.scale_of(kind, response) * self.unit_of(kind, response),
                zero_sum=kind.zero_sum,
                centring=centrings.get(kind.name, 0.0),
                around=self.around_of(kind, response),
                correlated=self.is_correlated(kind, table),
            )
            for kind in used
        )
        return Declaration(
            family=self.name,
            coords=coords,
            has_criterion=table.criteria is not None,
            effects=effects,
            response=response,
            left_out={**left_out, **unanswered, **self._unlinked(facts)},
            correlation_shape=getattr(self, "correlation_shape", 2.0),
            terms=tuple(term for kind in used for term in self.terms_of(kind, coords)),
            components=facts.design.components if table.is_paired else (),
            design_notes=facts.design.design_notes,
        )

    def build(self, judgements: Judgements) -> "pm.Model":
        """Build the model of these judgements in PyMC, with their answers as observed variable.

        Parameters
        ----------
        judgements : Judgements
            A table of the family's protocol.

        Returns
        -------
        pymc.Model
            What :func:`pymc.sample` and all that follows it take. Dimensions have the user's
            labels; ``answer``, dims (judgement,), is coded as ``judgements.answers``.

        Raises
        ------
        ModelError
            As :meth:`declare`.
        DesignError
            As :meth:`declare`.
        """
        from bayeseval.families._observed import build_observed

        return build_observed(self, self.declare(judgements), judgements)

    def in_own_units(self, declaration: Declaration[R], posterior: xr.Dataset) -> xr.Dataset:
        """Return the draws in the units that priors are about.

        Parameters
        ----------
        declaration : Declaration
            The model.
        posterior : xarray.Dataset
            Draws as in the posterior contract.

        Returns
        -------
        xarray.Dataset
            The same, unless the contract's units are others.
        """
        del declaration
        return posterior

    def terms_of(self, kind: Kind, coords: Mapping[str, tuple[str, ...]]) -> Sequence[Any]:
        """Return how an effect enters the linear predictors.

        Parameters
        ----------
        kind : Kind
            A kind of effects that is in the model.
        coords : mapping of str to tuple of str
            Labels of every dimension.

        Returns
        -------
        sequence of Term
            One for each time that it enters.
        """
        del coords
        return kind.terms(paired=self._paired)

    def coords_of(
        self, facts: Facts, response: R, used: Sequence[Kind]
    ) -> dict[str, tuple[str, ...]]:
        """Return the labels of every dimension of the model.

        Parameters
        ----------
        facts : Facts
            The judgements, and what their design identifies.
        response : Response
            The family's response.
        used : sequence of Kind
            The kinds of effects that are in the model.

        Returns
        -------
        dict of str to tuple of str
            By dimension.
        """
        del response
        table = facts.judgements
        dims = {dim for kind in used for dim in kind.dims}
        coords: dict[str, tuple[str, ...]] = {"system": table.systems}
        coords |= {dim: table.labels(dim) for dim in ("annotator", "item") if dim in dims}
        if table.criteria is not None:
            coords["criterion"] = table.criteria
        return coords | table.moderators

    def between_groups(self) -> str:
        """Say what is known of two systems of groups that never met."""
        return "comes from the prior"

    def _unlinked(self, facts: Facts) -> dict[str, str]:
        groups = facts.design.components
        if not facts.judgements.is_paired or len(groups) < 2:
            return {}
        return {
            "differences between groups": (
                f"the systems fall into {len(groups)} groups that never met "
                f"({'; '.join(some(group) for group in groups[:3])}): the difference of two "
                f"systems of different groups {self.between_groups()}"
            )
        }

    def is_correlated(self, kind: Kind, table: Judgements) -> bool:
        """Say whether an effect is correlated between criteria.

        Parameters
        ----------
        kind : Kind
            A kind of effects that is in the model.

        Returns
        -------
        bool
            False with one criterion.
        """
        wanted = getattr(self, "criteria", "separate") == "correlated"
        return wanted and kind.correlated and len(table.criteria or ()) > 1

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


def _tupled(value: Any) -> Any:
    return tuple(map(_tupled, value)) if isinstance(value, list) else value
