"""The ordinal model in words, formulas and priors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bayeseval.families._declaration import Declaration
from bayeseval.families._family import ModelText, PriorText
from bayeseval.families._ordinal_response import LONGEST_SHORT_SCALE, OrdinalResponse

_MEANINGS = {
    "quality": "how much systems differ; 1 is the noise of a single judgement",
    "severity": "how much annotators differ in how harsh they are",
    "difficulty": "how much items differ for all systems alike",
    "interaction": "how much a system's quality changes from item to item",
    "taste": "how much annotators disagree about single systems",
}
_STRUCTURES = {
    "free": "each annotator has thresholds of their own, pulled towards those of the population",
    "scaled": "annotators differ in severity and in how much of the scale they use",
    "shifted": "annotators differ in severity",
    "common": "all annotators share the same thresholds",
}


@dataclass(frozen=True)
class OrdinalSettings:
    """The settings of the family that its description mentions.

    Parameters
    ----------
    thresholds
        Structure of the thresholds.
    discrimination
        Whether annotators differ in discrimination.
    correlated
        Whether criteria are correlated.
    category_prior
        Dirichlet parameters, or None for the default.
    width_centre
        Prior median of the distance between the outer thresholds of a long scale.
    scales
        Prior scales by the name of what they are the scale of.
    """

    thresholds: str
    discrimination: bool
    correlated: bool
    category_prior: float | Sequence[float] | None
    width_centre: float
    scales: Mapping[str, float]


def describe_ordinal(
    family: OrdinalSettings, declaration: Declaration[OrdinalResponse] | None
) -> ModelText:
    """Describe the family, or the model that it declared for judgements."""
    if declaration is None:
        names = ["quality", "difficulty", "interaction", "taste"]
        if family.thresholds != "common":
            names.insert(1, "severity")
        gaps = family.thresholds if family.thresholds in ("scaled", "free") else "common"
        discrimination, left_out, long = family.discrimination, {}, None
        structure = family.thresholds
        has_criterion = True
    else:
        names = [effect.name for effect in declaration.effects]
        gaps = declaration.response.gaps
        discrimination = declaration.response.discrimination
        left_out = dict(declaration.left_out)
        long = declaration.response.category_prior is None
        structure = gaps
        if gaps == "common":
            structure = "shifted" if "severity" in names else "common"
        has_criterion = declaration.has_criterion
    words = [
        "A rating is a latent answer, cut into categories by thresholds. The latent answer is the "
        "system's quality plus the noise of a single judgement"
        + (", with the effects below." if len(names) > 1 else "."),
        f"Thresholds: {_STRUCTURES[structure]}.",
    ]
    if discrimination:
        words.append("Annotators also differ in how noisy their judgements are.")
    if has_criterion:
        words.append(
            "With several criteria every parameter has a value for each; "
            + (
                "systems, annotators and items may be correlated between criteria."
                if family.correlated
                else "the criteria share nothing."
            )
        )
    return ModelText(
        words=tuple(words),
        formulas=_formulas(names, gaps, discrimination=discrimination),
        priors=tuple(_priors(family, names, gaps, discrimination=discrimination, long=long)),
        left_out=left_out,
    )


def _formulas(names: list[str], gaps: str, *, discrimination: bool) -> tuple[str, ...]:
    terms = "z = quality[s]"
    for name in names:
        match name.split("_", 1):
            case ["difficulty"]:
                terms += " − difficulty[i]"
            case ["interaction"]:
                terms += " + interaction[s, i]"
            case ["taste"]:
                terms += " + taste[s, a]"
            case ["effect", moderator]:
                terms += f" + effect_{moderator}[m]"
            case ["deviation", moderator]:
                terms += f" + deviation_{moderator}[m, s]"
            case _:
                pass
    noise = "discrimination[a]·" if discrimination else ""
    cut = "thresholds[a, k]" if "severity" in names else "population_thresholds[k]"
    formulas = [f"P(rating ≤ k) = Φ({noise}({cut} − z))", terms]
    if "severity" in names:
        own = {
            "free": "population gaps × exp(gap_sd·δ[a, k])",
            "scaled": "population gaps × exp(gap_sd·δ[a])",
            "common": "population thresholds",
        }[gaps]
        centred = ", same mean as the population's," if gaps != "common" else ""
        formulas.append(f"thresholds[a, ·] = {own}{centred} + severity[a]")
    return tuple(formulas)


def _priors(
    family: OrdinalSettings,
    names: list[str],
    gaps: str,
    *,
    discrimination: bool,
    long: bool | None,
) -> list[PriorText]:
    priors = []
    for name in names:
        kind = name.split("_", 1)[0]
        scale = family.scales[f"{kind}_sd"]
        if kind in ("effect", "deviation"):
            moderator = name.split("_", 1)[1]
            meaning = (
                f"how much ratings shift between levels of {moderator}"
                if kind == "effect"
                else f"how much systems' qualities change between levels of {moderator}"
            )
        else:
            meaning = _MEANINGS[name]
        together = ", summing to zero" if kind in ("quality", "deviation") else ""
        priors.append(PriorText(name, f"normal(0, {name}_sd){together}", meaning))
        priors.append(
            PriorText(
                f"{name}_sd",
                f"half-normal({scale:g})",
                f"likely between {0.0627 * scale:.2g} and {1.96 * scale:.2g} (90 %)",
            )
        )
    priors += _threshold_priors(family, long=long)
    if gaps != "common":
        priors.append(
            PriorText(
                "gap_sd",
                f"half-normal({family.scales['gap_sd']:g})",
                "how much annotators' gaps between thresholds differ, on the log scale",
            )
        )
    if discrimination:
        priors.append(
            PriorText(
                "discrimination_sd",
                f"half-normal({family.scales['discrimination_sd']:g})",
                "how much annotators differ in discrimination, on the log scale",
            )
        )
    return priors


def _threshold_priors(family: OrdinalSettings, *, long: bool | None) -> list[PriorText]:
    """Describe the population's thresholds; ``long`` is None where the scale is not known."""
    value = 2.0 if family.category_prior is None else family.category_prior
    shown = (
        f"{value:g}, …" if isinstance(value, int | float) else ", ".join(f"{v:g}" for v in value)
    )
    name, meaning = "population_thresholds", "shares of the categories for an average system"
    short = PriorText(name, f"category probabilities ~ Dirichlet({shown})", meaning)
    if long is False or (long is None and family.category_prior is not None):
        return [short]
    scales = family.scales
    smooth = [
        PriorText(
            name,
            f"mean ~ normal(0, {scales['mean_threshold']:g}), log(last − first) ~ normal"
            f"(log {family.width_centre:g}, {scales['log_width']:g})",
            "where the scale lies and how wide it is",
        ),
        PriorText(
            "threshold_roughness",
            f"half-normal({scales['smoothness_sd']:g})",
            "how unequal gaps are: sd of log(last gap / first gap), log gaps a random walk",
        ),
    ]
    if long:
        return smooth
    note = f"scales of more than {LONGEST_SHORT_SCALE} points: "
    return [short, *(PriorText(t.parameter, t.prior, note + t.meaning) for t in smooth)]
