"""The model of strengths of preference in words, formulas and priors."""

from collections.abc import Mapping

from bayeseval.families._declaration import Declaration
from bayeseval.families._family import ModelText, PriorText
from bayeseval.families._strength_response import StrengthResponse

_UNITS = {
    "graded": "in standard deviations of the noise of one comparison",
    "ordered_beta": "on the scale of log odds",
    "student_t": "in points of the scale",
}
_MEANINGS = {
    "quality": "how much systems differ",
    "interaction": "how much a system's quality changes from item to item",
    "taste": "how much annotators disagree about single systems",
    "log_scale": "how much annotators differ in how far they go on the scale, as a log",
    "log_gap": "how much annotators differ in how wide their grades are, as a log",
    "log_precision": "how much annotators differ in how exactly they answer, as a log",
    "log_spread": "how much the spread of annotators' answers differs, as a log",
}
_SCALARS = {
    "end_probability": "how often an end of the slider is taken between two equal systems",
    "middle_probability": "how often exactly the middle is taken between two equal systems, where "
    "it is no end",
    "log_precision_mean": "log of the precision of a typical annotator's answers",
    "degrees_of_freedom": "how seldom answers are far out: small means heavy tails",
    "log_spread_mean": "log of the spread of a typical annotator's answers, in points",
    "side_bias": "advantage of the system shown as a",
}


def describe_strength(
    response: StrengthResponse,
    scales: Mapping[str, float],
    declaration: Declaration[StrengthResponse] | None,
    *,
    chosen: bool,
) -> ModelText:
    """Describe a response with the effects of a declaration, or with quality alone."""
    names = ["quality"]
    if declaration is not None:
        names = [effect.name for effect in declaration.effects]
    words = [
        (
            "Each system has a quality; the strength by which one is preferred grows with the "
            "difference of the two qualities."
        ),
        *_answers(response, chosen=chosen),
    ]
    location = ["q_a − q_b"]
    if "interaction" in names:
        words.append("Systems may be better at some items than at others.")
        location.append("u_{a,item} − u_{b,item}")
    if "taste" in names:
        words.append("Annotators may like single systems more or less than others do.")
        location.append("t_{a,annotator} − t_{b,annotator}")
    for name in names:
        if name.startswith("deviation_"):
            moderator = name.removeprefix("deviation_")
            words.append(f"Quality varies by {moderator}.")
            location.append(f"δ_{{a,{moderator}}} − δ_{{b,{moderator}}}")
    if response.has_bias:
        words.append("The system shown as a may have an advantage, the same for all systems.")
        location.append("side_bias")
    predictor = " + ".join(location)
    if "log_scale" in names:
        words.append(
            "Annotators differ in how far they go on the scale; the mean of its logs is 0, so that "
            "quality is on the scale of a typical annotator."
        )
        predictor = f"exp(log_scale[annotator]) · ({predictor})"
    own = next((name for name in ("log_gap", "log_precision", "log_spread") if name in names), None)
    if own is not None:
        words.append(
            {
                "log_gap": "Annotators differ in how wide their grades are, all by one factor.",
                "log_precision": "Annotators differ in how exactly they answer.",
                "log_spread": "The spread of answers differs between annotators.",
            }[own]
        )
    priors = []
    for name in names:
        meaning = _MEANINGS.get(
            name, f"how much quality differs by {name.removeprefix('deviation_')}"
        )
        if not name.startswith("log_"):
            meaning += f", {_UNITS[response.response]}"
        priors.append(PriorText(f"{name}_sd", f"half-normal({scales[name]:g})", meaning))
    priors += [
        PriorText(scalar.name, str(scalar.prior), _meaning(response, scalar.name))
        for scalar in response.scalars
    ]
    return ModelText(
        words=tuple(words),
        formulas=(f"η = {predictor}", *_formulas(response, own)),
        priors=tuple(priors),
        left_out={} if declaration is None else dict(declaration.left_out),
    )


def _answers(response: StrengthResponse, *, chosen: bool) -> list[str]:
    bound = f"−{response.bound:g}..{response.bound:g}"
    match response.response:
        case "graded":
            why = "as grades have to be" if chosen else "as asked for"
            words = [
                (
                    f"Strengths are read as the {response.n_grades} grades {bound}, {why}: a grade "
                    "is an interval of a latent preference with normal noise (cumulative probit)."
                )
            ]
            if response.thresholds == "symmetric":
                words.append(
                    "The grades of both sides are equally wide, so that swapping the two systems "
                    "mirrors everything."
                )
            else:
                words.append("Every grade has a width of its own.")
        case "ordered_beta":
            why = "as it was no scale of few grades" if chosen else "as asked for"
            words = [
                (
                    f"Strengths are read as positions of a slider {bound}, {why}: an answer is an "
                    "end, or in between, where it follows a beta distribution. One threshold holds "
                    "for both ends."
                )
            ]
            if response.middle:
                words.append(
                    "Exactly the middle is an answer of its own, no preference, and most likely "
                    "between equal systems."
                )
        case _:
            words = [
                (
                    f"Strengths are read as points of {bound}: Student's t around the difference, "
                    "so that single answers far out do not move it; an answer at an end stands for "
                    "all that lies beyond."
                )
            ]
    if response.response != "graded" and response.resolution:
        words.append("No answer is taken as more exact than people's round numbers are.")
    return words


def _formulas(response: StrengthResponse, own: str | None) -> list[str]:
    deviation = "" if own is None else f" + {own}[annotator]"
    match response.response:
        case "graded":
            factor = "" if own is None else "exp(log_gap[annotator]) · "
            return [
                f"P(y ≤ k) = Φ({factor}c_k − η)",
                "c_k: sums of the widths exp(log_width) from the middle of the scale outwards",
            ]
        case "ordered_beta":
            middle = []
            if response.middle:
                middle = [
                    (
                        "P(y = 0, at no end) = 4 · middle_probability · logistic(η) · logistic(−η) "
                        "· P(at no end)"
                    )
                ]
            return [
                "P(y = −X) = logistic(−η − κ),  P(y = X) = logistic(η − κ)",
                *middle,
                "otherwise (y/X + 1)/2 ~ beta(mean logistic(η), precision φ)",
                "κ = log(2 / end_probability − 1)",
                f"1/φ = exp(−(log_precision_mean{deviation})) + 4 · {response.resolution:g}²",
            ]
        case "student_t":
            pass
    return [
        "y ~ Student-t(degrees_of_freedom, η, σ), censored at ±X",
        f"σ² = exp(2 · (log_spread_mean{deviation})) + {response.resolution:g}²",
    ]


def _meaning(response: StrengthResponse, name: str) -> str:
    if not name.startswith("log_width_"):
        return _SCALARS[name]
    width = int(name.removeprefix("log_width_"))
    grades = [
        f"{grade - response.bound:g}"
        for grade, own in enumerate(response.width_of, start=1)
        if own == width
    ]
    return f"log of the width of grade {' and of '.join(grades)}"
