"""What a family says of itself: words, formulas and priors, from kinds and a response."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

from bayeseval.families._base import BaseFamily
from bayeseval.families._declaration import Declaration, Response, Scalar
from bayeseval.families._family import ModelText, PriorText
from bayeseval.families._settings import marked
from bayeseval.families.kinds import Kind, expanded, formula
from bayeseval.families.needs import ONLY_ON_REQUEST
from bayeseval.judgements import Judgements

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


class DescribedFamily[R: DescribedResponse, J: Judgements](BaseFamily[R, J]):
    """A family that can say what its models are."""

    kinds: ClassVar[tuple[Kind, ...]]

    def all_kinds(self) -> Sequence[Kind]:
        """Return the kinds of effects that a model with these settings can have."""
        return self.kinds

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

    @property
    def _paired(self) -> bool:
        return len(self.judged.system_factors) == 2

    def typical_response(self) -> R:
        """Return the response that a description without judgements is of."""
        raise NotImplementedError

    def typical_kinds(self) -> Sequence[Kind]:
        """Return the kinds of effects that a description without judgements has."""
        return [kind for kind in self.all_kinds() if kind.always]

    def describe(self, declaration: Declaration[R] | Judgements | None = None) -> ModelText:
        """Describe the model in words, formulas and priors.

        Parameters
        ----------
        declaration : Declaration or Judgements, optional
            A model declared for judgements, or these; without it, the family as it would be with
            typical judgements.

        Returns
        -------
        ModelText
            Prints as text.
        """
        paired = self._paired
        declaration = self._declared(declaration)
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
            left_out={} if declaration is None else self._left_out(declaration.left_out),
        )
        return marked(self, text)

    def _left_out(self, reasons: Mapping[str, str]) -> dict[str, str]:
        """Say of what nobody asked for what it is, since its name alone may not."""
        meanings = {kind.name: kind.meaning for kind in self.all_kinds()}
        return {
            name: f"{meanings[name]}; {reason}"
            if name in meanings and reason == ONLY_ON_REQUEST
            else reason
            for name, reason in reasons.items()
        }

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
