"""What families on linear predictors share: from a table of effect kinds to a declared model."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

from bayeseval._checks import some
from bayeseval.errors import ModelError
from bayeseval.families._declaration import Declaration, Effect, Response, Scalar
from bayeseval.families._design import Effects, choose_effects
from bayeseval.families._family import ModelText, PriorText
from bayeseval.families._settings import marked
from bayeseval.families.kinds import Facts, Kind, expanded, formula, reasons
from bayeseval.judgements import Judgements
from bayeseval.judgements.identify import identify

_NO_MODERATORS = (
    "system",
    "system_pair",
    "circle",
    "annotator",
    "item",
    "criterion",
    "category",
    "threshold",
)


class DescribedResponse(Response, Protocol):
    """A response that says in words what it is."""

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Parameters that have one value for each criterion."""
        ...

    @property
    def quality_unit(self) -> str:
        """What quality is measured in, in words that end a sentence."""
        ...

    def words(self) -> Sequence[str]:
        """Return sentences on how answers come about."""
        ...

    def formulas(self, location: str, names: Sequence[str]) -> Sequence[str]:
        """Return formulas, given that of the location and the names of all effects."""
        ...


class LinearFamily[R: DescribedResponse]:
    """A family that lists its kinds of effects and brings a response.

    A family adds its prior scales as fields, `kinds`, `checked`, `response_to`, its readable
    estimands and ``predict``.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    judged: ClassVar[type[Judgements]]
    kinds: ClassVar[tuple[Kind, ...]]

    def checked(self, judgements: Judgements) -> Judgements:
        """Return the judgements, or refuse those that the family does not model.

        Parameters
        ----------
        judgements : Judgements
            Any table.

        Returns
        -------
        Judgements
            The same table.
        """
        if not isinstance(judgements, self.judged):
            raise ModelError(
                f"{self.name} models {self.judged.__name__}; found {type(judgements).__name__}"
            )
        return judgements

    def all_kinds(self) -> Sequence[Kind]:
        """Return the kinds of effects that a model with these settings can have."""
        return self.kinds

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

    def unit_of(self, kind: Kind, response: R) -> float:
        """Return what the prior scale of an effect is multiplied by.

        Parameters
        ----------
        kind : Kind
            A kind of effects that is in the model.
        response : Response
            The family's response.

        Returns
        -------
        float
            1 where scales have the unit of the response.
        """
        del kind, response
        return 1.0

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

    def further_priors(self, response: R, *, typical: bool) -> Sequence[PriorText]:
        """Return priors of parameters that are neither effects nor single numbers.

        Parameters
        ----------
        response : Response
            The family's response.
        typical : bool
            Whether the description is of no judgements in particular.

        Returns
        -------
        sequence of PriorText
            One a parameter.
        """
        del response, typical
        return ()

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
        )

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

    def scale_of(self, kind: Kind, response: R) -> float:
        """Return the prior scale of an effect's standard deviation, before its unit.

        Parameters
        ----------
        kind : Kind
            A kind of effects that is in the model.
        response : Response
            The family's response.

        Returns
        -------
        float
            Scale of a half-normal distribution.
        """
        del response
        return getattr(self, kind.scale_field)

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

    @property
    def _paired(self) -> bool:
        return len(self.judged.system_factors) == 2

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

    def typical_response(self) -> R:
        """Return the response that a description without judgements is of."""
        raise NotImplementedError

    def typical_kinds(self) -> Sequence[Kind]:
        """Return the kinds of effects that a description without judgements has."""
        return [kind for kind in self.all_kinds() if kind.always]

    def describe(self, declaration: Declaration[R] | None = None) -> ModelText:
        """Describe the model in words, formulas and priors.

        Parameters
        ----------
        declaration : Declaration, optional
            A model declared for judgements; without it, the family as it would be with typical
            judgements.

        Returns
        -------
        ModelText
            Prints as text.
        """
        paired = self._paired
        if declaration is None:
            response = self.typical_response()
            scales = {
                kind.name: self.scale_of(kind, response) * self.unit_of(kind, response)
                for kind in self.typical_kinds()
            }
            moderators: Sequence[str] = ()
        else:
            response = declaration.response
            scales = {effect.name: effect.sd_scale for effect in declaration.effects}
            moderators = [dim for dim in declaration.coords if dim not in _NO_MODERATORS]
        known = expanded(self.all_kinds(), moderators)
        kinds = [known[name] for name in scales]
        names = list(scales)
        text = ModelText(
            words=(
                *response.words(),
                *(kind.words for kind in kinds if kind.words),
                *_of_criteria(declaration),
            ),
            formulas=tuple(response.formulas(formula(kinds, paired=paired), names)),
            priors=(
                *(
                    PriorText(
                        f"{kind.name}_sd",
                        f"half-normal({scales[kind.name]:g})",
                        f"{kind.meaning}, {response.quality_unit}"
                        if kind.predictor == 0
                        else kind.meaning,
                        (kind.scale_field,),
                    )
                    for kind in kinds
                ),
                *(
                    PriorText(scalar.name, str(scalar.prior), scalar.meaning)
                    for scalar in response.scalars
                ),
                *self.further_priors(response, typical=declaration is None),
            ),
            left_out={} if declaration is None else dict(declaration.left_out),
        )
        return marked(self, text)

    def __str__(self) -> str:
        return f"{self.title[:1].upper()}{self.title[1:]}\n\n{self.describe()}"


def _of_criteria(declaration: Declaration[Any] | None) -> list[str]:
    if declaration is None or not declaration.has_criterion:
        return []
    shared = (
        "systems, annotators and items may be correlated between criteria."
        if declaration.is_correlated
        else "the criteria share nothing."
    )
    return [f"With several criteria every parameter has a value for each; {shared}"]
