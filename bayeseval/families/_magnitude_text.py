"""The model of magnitudes in words, formulas and priors."""

from bayeseval.families._declaration import Declaration
from bayeseval.families._family import ModelText, PriorText
from bayeseval.families._magnitude_response import MagnitudeResponse

_MEANINGS = {
    "quality": "how much systems differ",
    "difficulty": "how much items differ for all systems alike",
    "interaction": "how much a system's quality changes from item to item",
    "taste": "how much annotators disagree about single systems",
    "severity": "how much annotators differ in which side of the reference they prefer",
    "modulus": "how much annotators differ in the size of their numbers, as a log ratio",
    "log_spread": "how much annotators differ in how exactly they answer, on the log scale",
    "tie_band": "how much annotators differ in the width of their band of ties, on the log scale",
    "log_scale": "how much annotators differ in how far they spread systems, on the log scale",
}


def describe_magnitude(declaration: Declaration[MagnitudeResponse]) -> ModelText:
    """Describe a declared model."""
    response = declaration.response
    names = [effect.name for effect in declaration.effects]
    words = []
    if response.sides:
        words.append(
            "An answer is first below the reference, as good as the reference, or above it. The "
            "decision is the system's impression plus normal noise; within a band around the "
            "reference the answer is exactly the reference."
        )
        words.append(
            "Below or above, the log of magnitude / reference follows Student's t distribution "
            "around the same impression, cut at the reference: its heavy tails take in slips."
        )
    else:
        words.append(
            "The log of a magnitude follows Student's t distribution around the system's "
            "quality: its heavy tails take in slips."
        )
    if response.unit != 0.0:
        words.append("There is no reference: ratios are to the median answer.")
    words.append(
        f"No answer is taken as more exact than a factor of {1.0 + response.resolution:.3g}, "
        "because people answer in round numbers."
        if response.resolution
        else "Answers are taken as exactly as they are given."
    )
    if declaration.has_criterion:
        words.append(
            "With several criteria every parameter has a value for each; "
            + (
                "systems, annotators and items may be correlated between criteria."
                if declaration.is_correlated
                else "the criteria share nothing."
            )
        )
    return ModelText(
        words=tuple(words),
        formulas=_formulas(names, response),
        priors=tuple(_priors(declaration)),
        left_out=dict(declaration.left_out),
    )


def _formulas(names: list[str], response: MagnitudeResponse) -> tuple[str, ...]:
    impression = "w = quality[s]"
    for name in names:
        match name.partition("_"):
            case ("difficulty", _, _):
                impression += " − difficulty[i]"
            case ("interaction", _, _):
                impression += " + interaction[s, i]"
            case ("taste", _, _):
                impression += " + taste[s, a]"
            case ("effect", _, moderator):
                impression += f" + effect_{moderator}[m]"
            case ("deviation", _, moderator):
                impression += f" + deviation_{moderator}[m, s]"
            case _:
                pass
    own = {name: f" + {name}[a]" if name in names else "" for name in _MEANINGS}
    stretch = "exp(log_scale[a])·w" if "log_scale" in names else "w"
    location = f"modulus_mean{own['modulus']} + {stretch}"
    spread = f"√(exp(2(log_spread_mean{own['log_spread']})) + {response.resolution:g}²)"
    if not response.sides:
        return (
            f"log magnitude ~ Student-t(degrees_of_freedom, {location}, spread)",
            impression,
            f"spread = {spread}",
        )
    severity = " − severity[a]" if "severity" in names else ""
    ratio = f"~ Student-t(degrees_of_freedom, {location}, spread) cut at 0"
    return (
        "P(below) = Φ(−band − u), P(above) = Φ(u − band)",
        f"u = level{severity} + w / exp(log_step)",
        f"band = exp(log_tie_band_mean{own['tie_band']})",
        f"log(magnitude / reference), below or above, {ratio}",
        impression,
        f"spread = {spread}",
    )


def _priors(declaration: Declaration[MagnitudeResponse]) -> list[PriorText]:
    response = declaration.response
    unit = ", in units of exp(log_step)" if response.sides else ""
    priors = []
    for effect in declaration.effects:
        kind, _, moderator = effect.name.partition("_")
        if kind == "effect":
            meaning = f"how much answers shift between levels of {moderator}"
        elif kind == "deviation":
            meaning = f"how much systems' qualities change between levels of {moderator}"
        else:
            meaning = _MEANINGS[effect.name]
        together = ", summing to zero" if effect.zero_sum else ""
        own = unit if kind in _IMPRESSIONS else ""
        priors.append(PriorText(effect.name, f"normal(0, {effect.name}_sd){together}", meaning))
        priors.append(
            PriorText(
                f"{effect.name}_sd",
                f"half-normal({effect.sd_scale:g}){own}",
                f"likely between {0.0627 * effect.sd_scale:.2g} and "
                f"{1.96 * effect.sd_scale:.2g} (90 %)",
            )
        )
    meanings = {
        "modulus_mean": "log ratio of an average system, before it is cut to a side",
        "log_spread_mean": "log of the spread of a typical annotator's log ratios",
        "degrees_of_freedom": "how heavy the tails are: small numbers expect slips",
        "level": "how far an average system is above the reference, noise of a decision = 1",
        "log_step": "log of the log ratio that one unit of the decision corresponds to",
        "log_tie_band_mean": "log of half the width of a typical annotator's band of ties",
    }
    priors += [
        PriorText(scalar.name, str(scalar.prior), meanings[scalar.name])
        for scalar in response.scalars
    ]
    return priors


_IMPRESSIONS = ("quality", "difficulty", "interaction", "taste", "effect", "deviation")
