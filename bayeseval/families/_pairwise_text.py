"""The models of comparisons in words, formulas and priors."""

from collections.abc import Mapping

from bayeseval.families._declaration import Declaration
from bayeseval.families._family import ModelText, PriorText
from bayeseval.families._pairwise_response import PairwiseResponse

_MEANINGS = {
    "quality": "how much systems differ, in the units of the noise of one comparison",
    "interaction": "how much a system's quality changes from item to item",
    "taste": "how much annotators disagree about single systems",
    "position": "how much annotators differ in preferring the output shown first",
    "log_consistency": "how much annotators differ in how reliably they pick the better system",
}
_TIES = {
    "davidson": (
        "A tie has a probability of its own, largest between equal systems (Davidson).",
        "P(a wins) : P(b wins) : P(tie) = exp(η/2) : exp(−η/2) : ν",
    ),
    "rao_kupper": (
        "A tie is a difference too small to be noticed: within a threshold (Rao and Kupper).",
        "P(a wins) = F(η − τ),  P(b wins) = F(−η − τ),  P(tie) = the rest",
    ),
    "half": (
        "A tie counts as half a win for each: a convention, not a model of ties.",
        "P(a wins) = F(η)",
    ),
    "none": ("There are no ties.", "P(a wins) = F(η)"),
}


def describe_pairwise(
    response: PairwiseResponse,
    scales: Mapping[str, float],
    declaration: Declaration[PairwiseResponse] | None,
    notes: tuple[str, ...] = (),
) -> ModelText:
    """Describe a response with the effects of a declaration, or with quality alone."""
    link = "logistic" if response.link == "logit" else "normal"
    title = "Bradley-Terry" if response.link == "logit" else "Thurstone-Mosteller"
    words = [
        (
            "Each system has a quality; the chance that it wins a comparison grows with the "
            f"difference of the two qualities, by the {link} distribution ({title})."
        ),
        _TIES[response.ties][0],
    ]
    names = ["quality"]
    if declaration is not None:
        names = [effect.name for effect in declaration.effects]
    location = ["q_a − q_b"]
    if response.position_scale is not None:
        words.append("The output shown first may have an advantage, the same for all systems.")
        location.append("π")
    if "position" in names:
        words.append("Annotators differ in that advantage.")
        location.append("π_annotator")
    if "taste" in names:
        words.append("Annotators may like single systems more or less than others do.")
        location.append("t_{a,annotator} − t_{b,annotator}")
    if "interaction" in names:
        words.append("Systems may be better at some items than at others.")
        location.append("u_{a,item} − u_{b,item}")
    moderators = [n.removeprefix("deviation_") for n in names if n.startswith("deviation_")]
    for moderator in moderators:
        words.append(f"Quality varies by {moderator}.")
        location.append(f"δ_{{a,{moderator}}} − δ_{{b,{moderator}}}")
    formula = " + ".join(location)
    if response.consistency:
        words.append("Annotators differ in how consistent they are.")
        formula = f"exp(κ_annotator) · ({formula})"
    words += notes
    priors = []
    for name in names:
        kind = "deviation" if name.startswith("deviation_") else name
        meaning = _MEANINGS.get(
            kind, f"how much quality differs by {name.removeprefix('deviation_')}"
        )
        priors.append(PriorText(f"{name}_sd", f"half-normal({scales[kind]:g})", meaning))
    meanings = {
        "position_effect": "advantage of the output shown first",
        "log_tie_propensity": "log ν: at 0, equal systems tie a third of the time",
        "tie_propensity": "smallest difference that is noticed",
    }
    priors += [
        PriorText(scalar.name, str(scalar.prior), meanings[scalar.name])
        for scalar in response.scalars
    ]
    return ModelText(
        words=tuple(words),
        formulas=(f"η = {formula}", _TIES[response.ties][1]),
        priors=tuple(priors),
        left_out={} if declaration is None else dict(declaration.left_out),
    )
