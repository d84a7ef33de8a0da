"""Effects as a table: what kinds a family has, what each needs of a design, and how it is said.

A family lists `Kind`s. From the list follow which effects a model of given judgements has and why
the others are left out, their dims and prior scales, how they enter the linear predictors, the
formula and the table of priors.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bayeseval.families._declaration import Term
from bayeseval.families.needs import (
    Facts,
    Requirement,
    at_most,
    identities,
    items_judged_repeatedly,
    items_named,
    items_shared,
    levels_of,
    many_outputs_repeated,
    outputs_judged_repeatedly,
    several_annotators,
    several_items,
    several_systems,
    systems_judged_repeatedly,
)

MODERATOR = "moderator"
"""Stands among the dims of a kind for each moderator of the judgements in turn."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of Gaussian effects that a family may have.

    Parameters
    ----------
    name
        Name in the posterior; of a kind by moderator, what comes before ``_<moderator>``.
    dims
        Factors of the judgements, `MODERATOR` among them for a kind by moderator; none for a
        single parameter of the response that is chosen like an effect.
    meaning
        What its standard deviation says, for a reader without statistics.
    words
        A sentence for the description of a model that has it; empty where quality says enough.
    predictor
        Which linear predictor it enters: 0 is the location.
    sign
        +1 or -1: how it enters.
    zero_sum
        Whether it sums to zero along its last dimension.
    around
        The parameter that it varies around, where there is one.
    scale
        The family's field with the prior scale; by default ``<name>_sd_scale``.
    needs
        What a design has to offer for the effect to be identified.
    buildable
        What it has to offer for the effect to be built at all.
    always
        Whether it is in every model.
    correlated
        Whether it may be correlated between criteria.
    """

    name: str
    dims: tuple[str, ...]
    meaning: str
    words: str = ""
    predictor: int = 0
    sign: int = 1
    zero_sum: bool = False
    around: str = ""
    scale: str = ""
    needs: tuple[Requirement, ...] = ()
    buildable: tuple[Requirement, ...] = ()
    always: bool = False
    correlated: bool = False

    @property
    def scale_field(self) -> str:
        """The family's field with the prior scale of the standard deviation."""
        return self.scale or f"{self.name}_sd_scale"

    def of_moderator(self, moderator: str) -> "Kind":
        """Return the kind for one moderator, with its name in dims and words."""
        if MODERATOR not in self.dims:
            return self
        return replace(
            self,
            name=f"{self.name}_{moderator}",
            dims=tuple(moderator if dim == MODERATOR else dim for dim in self.dims),
            meaning=self.meaning.format(moderator=moderator),
            words=self.words.format(moderator=moderator),
            scale=self.scale_field,
            needs=(levels_of(moderator), *self.needs),
            buildable=(levels_of(moderator), *self.buildable),
        )

    def terms(self, *, paired: bool) -> tuple[Term, ...]:
        """Return how the effect enters: of two systems as a difference, otherwise once."""
        if not paired or "system" not in self.dims:
            return (Term(self.name, self.dims, self.predictor, float(self.sign)),)
        return tuple(
            Term(
                self.name,
                tuple(f"system_{side}" if dim == "system" else dim for dim in self.dims),
                self.predictor,
                self.sign * weight,
            )
            for side, weight in (("a", 1.0), ("b", -1.0))
        )

    def symbols(self, *, paired: bool) -> str:
        """Return the effect as it stands in a formula, its sign in front."""

        def indexed(system: str) -> str:
            letters = {
                "system": system,
                "annotator": "r" if paired else "a",
                "item": "i",
                "system_pair": "a, b",
                "circle": "a, b",
            }
            return f"{self.name}[{', '.join(letters.get(dim, dim) for dim in self.dims)}]"

        first, second = (" + ", " − ") if self.sign > 0 else (" − ", " + ")
        if paired and "system" in self.dims:
            return f"{first}{indexed('a')}{second}{indexed('b')}"
        return f"{first}{indexed('s')}"


def expanded(kinds: Iterable[Kind], moderators: Iterable[str]) -> dict[str, Kind]:
    """Return kinds by name, those by moderator once for each moderator, after the others."""
    kinds, moderators = list(kinds), list(moderators)
    found = {kind.name: kind for kind in kinds if MODERATOR not in kind.dims}
    for moderator in moderators:
        for kind in kinds:
            if MODERATOR in kind.dims:
                own = kind.of_moderator(moderator)
                found[own.name] = own
    return found


def reasons(
    kinds: Mapping[str, Kind], facts: Facts
) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """Say which optional kinds a design identifies and which can be built, for `choose_effects`."""

    def first(requirements: Sequence[Requirement]) -> str | None:
        return next((why for need in requirements if (why := need(facts)) is not None), None)

    optional = {name: kind for name, kind in kinds.items() if not kind.always}
    return (
        {name: first((*kind.buildable, *kind.needs)) for name, kind in optional.items()},
        {name: first(kind.buildable) for name, kind in optional.items()},
    )


def formula(kinds: Iterable[Kind], *, paired: bool, further: Sequence[str] = ()) -> str:
    """Return the location as a sum of effects and of further parameters."""
    terms = "".join(kind.symbols(paired=paired) for kind in kinds if kind.predictor == 0)
    return "".join([terms, *(f" + {name}" for name in further)]).removeprefix(" + ")


# Kinds that most families have.


def quality() -> Kind:
    """Return the kind of a system's quality."""
    return Kind(
        name="quality",
        dims=("system",),
        zero_sum=True,
        always=True,
        correlated=True,
        meaning="how much systems differ",
        words=(
            "How much systems differ is learnt from all of them together, so adding systems moves "
            "the quality of the others a little."
        ),
    )


def taste(
    *further: Requirement, most: int | None = None, ask: str = "effects={'taste': True}"
) -> Kind:
    """Return the kind of an annotator's liking of a system."""
    few = () if most is None else (at_most(most, "system", "annotator", ask=ask),)
    return Kind(
        name="taste",
        dims=("system", "annotator"),
        meaning="how much annotators disagree about single systems",
        words="Annotators may like single systems more or less than others do.",
        needs=(*further, systems_judged_repeatedly, *few),
        buildable=(identities, several_annotators),
    )


def difficulty() -> Kind:
    """Return the kind of how an item lowers the answers about all systems."""
    return Kind(
        name="difficulty",
        dims=("item",),
        sign=-1,
        correlated=True,
        meaning="how much items differ for all systems alike",
        words="Items may be harder or easier for all systems alike.",
        needs=(several_items, items_judged_repeatedly),
        buildable=(items_named,),
    )


def interaction(
    *further: Requirement, most: int | None = None, ask: str = "effects={'interaction': True}"
) -> Kind:
    """Return the kind of a system's quality on an item."""
    few = () if most is None else (at_most(most, "system", "item", ask=ask),)
    return Kind(
        name="interaction",
        dims=("system", "item"),
        meaning="how much a system's quality changes from item to item",
        words="Systems may be better at some items than at others.",
        needs=(several_items, *further, outputs_judged_repeatedly, *few),
        buildable=(items_named,),
    )


def of_annotator(
    name: str,
    meaning: str,
    words: str,
    *needs: Requirement,
    buildable: Sequence[Requirement] = (),
    **fields: Any,
) -> Kind:
    """Return a kind of how annotators differ, by what it needs and further fields.

    In logs, and of what answers have in common, it sums to zero, so that means are the typical
    annotator's.
    """
    return Kind(
        name=name,
        dims=("annotator",),
        meaning=meaning,
        words=words,
        needs=needs,
        buildable=(*buildable, identities, several_annotators),
        **{"zero_sum": True, **fields},
    )


def shift() -> Kind:
    """Return the kind of how a level of a moderator shifts the answers about all systems."""
    return Kind(
        name="effect",
        dims=(MODERATOR,),
        meaning="how much answers shift between levels of {moderator}",
        words="Answers may shift between levels of {moderator}.",
    )


def deviation(*further: Requirement) -> Kind:
    """Return the kind of a system's quality at a level of a moderator."""
    return Kind(
        name="deviation",
        dims=(MODERATOR, "system"),
        zero_sum=True,
        meaning="how much systems' qualities change between levels of {moderator}",
        words="Quality varies by {moderator}.",
        needs=further,
        buildable=further,
    )


ABSOLUTE = (
    quality(),
    difficulty(),
    interaction(several_systems, items_shared, many_outputs_repeated),
    taste(several_systems),
    shift(),
    deviation(several_systems),
)
"""Kinds of a protocol in which one judgement is about one system."""
