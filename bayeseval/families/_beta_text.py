"""The model of stated probabilities in words, formulas and priors."""

from collections.abc import Mapping

from bayeseval.families._beta_response import BetaResponse
from bayeseval.families._declaration import Declaration
from bayeseval.families._family import ModelText, PriorText

_MEANINGS = {
    "quality": "how much systems differ, on the scale of log odds",
    "pair": "how far pairs depart from what any qualities could give",
    "interaction": "how much a system's quality changes from item to item",
    "taste": "how much annotators disagree about single systems",
    "log_extremity": "how much annotators differ in how far from one half they answer, as a log",
    "log_precision": "how much annotators differ in how exactly they answer, as a log",
}


def describe_beta(
    response: BetaResponse,
    scales: Mapping[str, float],
    declaration: Declaration[BetaResponse] | None,
) -> ModelText:
    """Describe a response with the effects of a declaration, or without annotators."""
    by_pairs = response.structure == "pairs"
    first = "pair" if by_pairs else "quality"
    names = [first] if declaration is None else [effect.name for effect in declaration.effects]
    words = [
        (
            "Every pair that was asked has a difference of its own; the pairs are alike a priori "
            "and share no scale of quality. A pair that was never asked has no answer."
            if by_pairs
            else "Each system has a quality; what is stated of a pair grows with the difference "
            "of the two qualities."
        ),
        (
            "An answer is exactly 0, exactly 1, or in between, where it follows a beta "
            "distribution. One threshold holds for both ends, so that P[A ≻ B] and 1 − P[B ≻ A] "
            "have the same law."
        ),
        (
            f"Near one half no answer is taken as more exact than ± {response.resolution:g}, "
            "because people answer in round numbers."
            if response.resolution
            else "Answers are taken as exactly as they are given."
        ),
        (
            "What is reported is the mean of what new annotators would state, ends included, and "
            "not the mean of the beta part."
        ),
    ]
    location = ["p_ab"] if by_pairs else ["q_a − q_b"]
    if not by_pairs and "pair" in names:
        words.append(
            "Pairs may depart from what any qualities could give, as circles of pairs show."
        )
        location.append("p_ab")
    if "taste" in names:
        words.append("Annotators may like single systems more or less than others do.")
        location.append("t_{a,annotator} − t_{b,annotator}")
    if "interaction" in names:
        words.append("Systems may be better at some items than at others.")
        location.append("u_{a,item} − u_{b,item}")
    for name in names:
        if name.startswith("deviation_"):
            moderator = name.removeprefix("deviation_")
            words.append(f"Quality varies by {moderator}.")
            location.append(f"δ_{{a,{moderator}}} − δ_{{b,{moderator}}}")
    predictor = " + ".join(location)
    if "log_extremity" in names:
        words.append("Annotators differ in how far from one half they answer.")
        predictor = f"exp(log_extremity[annotator]) · ({predictor})"
    if response.direction_bias_scale is not None:
        words.append("The system named first may have an advantage.")
        predictor += " + direction_bias"
    own = ""
    if "log_precision" in names:
        words.append("Annotators differ in how exactly they answer.")
        own = " + log_precision[annotator]"
    return ModelText(
        words=tuple(words),
        formulas=(
            f"η = {predictor}",
            "P(y = 0) = 1 − logistic(η + κ),  P(y = 1) = logistic(η − κ)",
            "otherwise y ~ beta(mean logistic(η), precision φ)",
            "κ = log(2 / end_probability − 1)",
            f"1/φ = exp(−(log_precision_mean{own})) + 4 · {response.resolution:g}²",
        ),
        priors=tuple(_priors(response, names, scales)),
        left_out={} if declaration is None else dict(declaration.left_out),
    )


def _priors(
    response: BetaResponse, names: list[str], scales: Mapping[str, float]
) -> list[PriorText]:
    priors = []
    for name in names:
        meaning = _MEANINGS.get(
            name, f"how much quality differs by {name.removeprefix('deviation_')}"
        )
        if name == "pair" and response.structure == "pairs":
            meaning = "how far pairs are from one half, on the scale of log odds"
        priors.append(PriorText(f"{name}_sd", f"half-normal({scales[name]:g})", meaning))
    meanings = {
        "end_probability": "how often an exact 0 or 1 is stated of two equal systems",
        "log_precision_mean": "log of the precision of a typical annotator's answers",
        "direction_bias": "advantage of the system named first, as log odds",
    }
    priors += [
        PriorText(scalar.name, str(scalar.prior), meanings[scalar.name])
        for scalar in response.scalars
    ]
    return priors
