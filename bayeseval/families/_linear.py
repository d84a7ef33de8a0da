"""What families on linear predictors share: from a table of effect kinds to a declared model."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import xarray as xr

from bayeseval.families._declaration import Declaration, Effect
from bayeseval.families._described import DescribedFamily, DescribedResponse
from bayeseval.families._design import Effects, choose_effects
from bayeseval.families.kinds import Kind, expanded, reasons
from bayeseval.families.needs import OF_ORDER, Facts
from bayeseval.judgements import Judgements
from bayeseval.judgements._guards import order_notes
from bayeseval.judgements.identify import identify

if TYPE_CHECKING:
    import pymc as pm


class LinearFamily[R: DescribedResponse, J: Judgements](DescribedFamily[R, J]):
    """A family that lists its kinds of effects and brings a response.

    A family adds its prior scales as fields, `kinds`, `response_to`, its readable estimands and
    ``predict``.
    """

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
        """Turn the family into a model of these judgements' design."""
        table = self.checked(judgements)
        facts = Facts(table, identify(table))
        kinds = expanded(self.kinds_of(facts), table.moderators)
        optional, left_out = choose_effects(self.choice(facts), *reasons(kinds, facts))
        chosen = [n for n, kind in kinds.items() if kind.always or n in optional]
        response, unanswered = self.response_to(facts, chosen)
        used = [kinds[name] for name in chosen if kinds[name].dims]
        coords = self.coords_of(facts, response, used)
        centrings = self.centrings_of(used, facts)
        unlinked = self.unlinked(facts.design) if table.is_paired else {}
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
            left_out={**left_out, **unanswered, **unlinked},
            correlation_shape=getattr(self, "correlation_shape", 2.0),
            terms=(
                *(term for kind in used for term in self.terms_of(kind, coords)),
                *getattr(response, "own_terms", ()),
            ),
            components=facts.design.components if table.is_paired else (),
            design_notes=(*facts.design.design_notes, *_of_order(facts, kinds, chosen)),
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


def _of_order(facts: Facts, kinds: Mapping[str, Kind], chosen: Sequence[str]) -> tuple[str, ...]:
    """Say where a model without an advantage of the first place has it in its qualities."""
    if any(need in OF_ORDER for name in chosen for need in kinds[name].needs):
        return ()
    why = (
        "the model was asked to leave it out"
        if facts.design.order_identified
        else "this design cannot tell it from quality"
    )
    return order_notes(facts.judgements, "qualities", why)
