"""The programs of models/log_magnitude/card.md in 50 digits; see ``plain``."""

from typing import Any

import numpy as np

from tests.oracle.plain import (
    Card,
    Kind,
    LogCentre,
    Parameter,
    Values,
    log_normal_between,
    log_normal_cdf,
    log_student,
    log_student_cdf,
    mp,
    mpf,
)

FREE: dict[str, Parameter] = {
    "quality_sd": Parameter((), "half_normal", "quality_sd_scale"),
    "quality": Parameter(("n_systems",), "zero_sum", "quality_sd"),
    "difficulty_sd": Parameter((), "half_normal", "difficulty_sd_scale"),
    "difficulty": Parameter(("n_items",), "normal", "difficulty_sd"),
    "modulus_sd": Parameter((), "half_normal", "modulus_sd_scale"),
    "modulus": Parameter(("n_annotators",), "zero_sum", "modulus_sd"),
    "log_spread_sd": Parameter((), "half_normal", "log_spread_sd_scale"),
    "log_spread": Parameter(("n_annotators",), "zero_sum", "log_spread_sd"),
    "log_scale_sd": Parameter((), "half_normal", "log_scale_sd_scale"),
    "log_scale": Parameter(("n_annotators",), "zero_sum", "log_scale_sd"),
    "modulus_mean": Parameter((), "normal", "modulus_scale"),
    "log_spread_mean": Parameter((), "log_centre", "log_spread_scale", other="spread_centre"),
    "degrees_of_freedom": Parameter((), "gamma_mean", "degrees_shape", other="degrees_centre"),
}
PROGRAMS = {
    "model": FREE
    | {
        "interaction_sd": Parameter((), "half_normal", "interaction_sd_scale"),
        "interaction": Parameter(("n_systems", "n_items"), "normal", "interaction_sd"),
        "taste_sd": Parameter((), "half_normal", "taste_sd_scale"),
        "taste": Parameter(("n_systems", "n_annotators"), "normal", "taste_sd"),
        "severity_sd": Parameter((), "half_normal", "severity_sd_scale"),
        "severity": Parameter(("n_annotators",), "zero_sum", "severity_sd"),
        "tie_band_sd": Parameter((), "half_normal", "tie_band_sd_scale"),
        "tie_band": Parameter(("n_annotators",), "zero_sum", "tie_band_sd"),
        "level": Parameter((), "normal", "level_scale"),
        "log_step": Parameter((), "log_centre", "log_step_scale", other="step_centre"),
        "log_tie_band_mean": Parameter((), "log_centre", "log_band_scale", other="band_centre"),
    },
    "model_free": FREE,
}
# Every number differs from its default, and from every other one.
OTHER_PRIORS = {
    "quality_sd_scale": 0.6,
    "difficulty_sd_scale": 1.7,
    "interaction_sd_scale": 0.9,
    "taste_sd_scale": 0.35,
    "severity_sd_scale": 1.4,
    "modulus_sd_scale": 0.45,
    "log_spread_sd_scale": 0.8,
    "tie_band_sd_scale": 0.65,
    "log_scale_sd_scale": 0.25,
    "modulus_scale": 2.1,
    "spread_centre": 0.55,
    "log_spread_scale": 0.75,
    "degrees_shape": 3.0,
    "degrees_centre": 7.5,
    "level_scale": 1.9,
    "step_centre": 0.7,
    "log_step_scale": 1.3,
    "band_centre": 1.6,
    "log_band_scale": 0.85,
}


class GammaMean(Kind):
    """A gamma variable by its shape and mean."""

    def draw(
        self, parameter: Parameter, data: Values, scale: Any, size: tuple[int, ...], rng: Any
    ) -> np.ndarray:
        return rng.gamma(scale, data[str(parameter.other)] / scale, size=size)

    def log_density(self, parameter: Parameter, data: Values, scale: Any, x: Any) -> Any:
        a = mpf(scale)
        rate = a / mpf(data[str(parameter.other)])
        return a * mp.log(rate) - mp.loggamma(a) + (a - 1) * mp.log(x) - rate * x

    def rounded(self, value: np.ndarray) -> np.ndarray:
        return np.maximum(np.round(value, 4), 0.1)


def log_lik(program: str, data: Values, values: Values) -> list[Any]:
    """Return the log density of one judgement of every row."""
    smallest = mpf(min(m for m in data["magnitude"] if m > 0))
    df = values["degrees_of_freedom"]
    terms = []
    for n in range(data["n_rows"]):
        s, a, i = (data[name][n] - 1 for name in ("system", "annotator", "item"))
        w = values["quality"][s] - values["difficulty"][i]
        log_factor = values["log_scale"][a]
        if program == "model":
            w += values["interaction"][s][i] + values["taste"][s][a]
            log_factor += values["log_step"]
        location = values["modulus_mean"] + values["modulus"][a] + mp.exp(log_factor) * w
        own = mp.exp(values["log_spread_mean"] + values["log_spread"][a])
        spread = mp.sqrt(own**2 + mpf(data["resolution"]) ** 2)
        y = mpf(data["magnitude"][n])
        if program == "model_free":
            unit = mpf(data["unit"])
            if y > 0:
                z = (mp.log(y) - unit - location) / spread
                terms.append(log_student(z, df) - mp.log(spread))
            else:
                terms.append(log_student_cdf((mp.log(smallest) - unit - location) / spread, df))
            continue
        r = mpf(data["reference"][n])
        u = values["level"] - values["severity"][a] + w
        band = mp.exp(values["log_tie_band_mean"] + values["tie_band"][a])
        if y == r:
            terms.append(log_normal_between(-band - u, band - u))
            continue
        side = 1 if y > r else -1
        term = log_normal_cdf(side * u - band) - log_student_cdf(side * location / spread, df)
        if y > 0:
            term += log_student((mp.log(y / r) - location) / spread, df) - mp.log(spread)
        else:
            limit = min(mp.log(smallest / r), mpf(0))
            term += log_student_cdf((limit - location) / spread, df)
        terms.append(term)
    return terms


def edges(first: Values) -> dict[str, Values]:
    """Return changes of the first point that put answers far into a tail."""

    def times(name: str, factor: float) -> list[Any]:
        return (np.array(first[name]) * factor).tolist()

    changes: dict[str, Values] = {
        "qualities far apart": {"quality": times("quality", 15)},
        "very heavy tails": {"degrees_of_freedom": 0.4},
        "nearly normal tails": {"degrees_of_freedom": 90.0},
        "spread far below the resolution": {"log_spread_mean": -9.0},
    }
    if "level" in first:
        changes["far above the reference"] = {"level": 9.0}
        changes["a band that nothing leaves"] = {"log_tie_band_mean": 2.2}
        changes["a narrow band"] = {"log_tie_band_mean": -7.0}
    return changes


def unpleasant(data: Values) -> dict[str, bool]:
    """Say what makes the data hard."""
    magnitudes = data["magnitude"]
    found = {
        "a slip of the keyboard": max(magnitudes) > 100_000,
        "a censored answer": min(magnitudes) == 0,
        "an annotator who repeats one number": any(
            len({m for m, a in zip(magnitudes, data["annotator"], strict=True) if a == one}) == 1
            for one in set(data["annotator"])
        ),
    }
    if "reference" in data:
        at = [m == r for m, r in zip(magnitudes, data["reference"], strict=True)]
        found |= {
            "some at the reference": 0 < sum(at) < len(at),
            "unequal references": len(set(data["reference"])) > 1,
        }
    else:
        found.pop("an annotator who repeats one number")
    return found


def other_priors(data: Values) -> Values:
    """Return the second set of priors."""
    return {name: value for name, value in OTHER_PRIORS.items() if name in data}


CARD = Card(
    programs=PROGRAMS,
    log_lik=log_lik,
    edges=edges,
    other_priors=other_priors,
    unpleasant=unpleasant,
    kinds={"log_centre": LogCentre(), "gamma_mean": GammaMean()},
)
