"""The programs of models/preference_strength/card.md in 50 digits; see ``plain``."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.oracle.plain import (
    Card,
    Kind,
    LogCentre,
    Parameter,
    Values,
    log_normal,
    log_normal_between,
    log_student,
    log_student_cdf,
    logistic,
    mp,
    mpf,
)


def location(suffix: str = "") -> dict[str, Parameter]:
    """Return the parameters of a difference of two systems, with kinds of this suffix."""
    half_normal, normal = f"half_normal{suffix}", f"normal{suffix}"
    return {
        "quality_sd": Parameter((), half_normal, "quality_sd_scale"),
        "quality": Parameter(("n_systems",), "zero_sum", "quality_sd"),
        "interaction_sd": Parameter((), half_normal, "interaction_sd_scale"),
        "interaction": Parameter(("n_systems", "n_items"), "normal", "interaction_sd"),
        "taste_sd": Parameter((), half_normal, "taste_sd_scale"),
        "taste": Parameter(("n_systems", "n_annotators"), "normal", "taste_sd"),
        "deviation_sd": Parameter((), half_normal, "deviation_sd_scale"),
        "deviation": Parameter(("n_levels", "n_systems"), "zero_sum", "deviation_sd"),
        "log_scale_sd": Parameter((), "half_normal", "log_scale_sd_scale"),
        "log_scale": Parameter(("n_annotators",), "zero_sum", "log_scale_sd"),
        "side_bias": Parameter((), normal, "side_bias_scale"),
    }


def annotators(name: str) -> dict[str, Parameter]:
    """Return the parameters of what annotators have besides their use of the scale."""
    return {
        f"{name}_sd": Parameter((), "half_normal", f"{name}_sd_scale"),
        name: Parameter(("n_annotators",), "zero_sum", f"{name}_sd"),
    }


def graded(n_widths: str, *left_out: str) -> dict[str, Parameter]:
    """Return the parameters of grades without some effects."""
    gone = {f"{name}{end}" for name in left_out for end in ("", "_sd")}
    return {
        **{name: parameter for name, parameter in location().items() if name not in gone},
        **annotators("log_gap"),
        "log_width": Parameter((n_widths,), "log_centre", "log_width_scale", other="width_centre"),
    }


PROGRAMS: dict[str, dict[str, Parameter]] = {
    "model": {
        **location(),
        **annotators("log_precision"),
        "end_probability": Parameter((), "beta", "end_a", other="end_b"),
        "middle_probability": Parameter((), "beta", "middle_a", other="middle_b"),
        "log_precision_mean": Parameter(
            (), "log_centre", "log_precision_scale", other="precision_centre"
        ),
    },
    "model_graded": graded("n_symmetric_widths", "deviation"),
    "model_graded_free": graded("n_free_widths", "deviation", "interaction", "taste"),
    "model_student_t": {
        **location("_points"),
        **annotators("log_spread"),
        "log_spread_mean": Parameter(
            (), "log_centre_points", "log_spread_scale", other="spread_centre"
        ),
        "degrees_of_freedom": Parameter((), "gamma", "degrees_shape", other="degrees_rate"),
    },
}
# Every number differs from its default, and from every other one.
OTHER_PRIORS = {
    "quality_sd_scale": 0.6,
    "interaction_sd_scale": 0.9,
    "taste_sd_scale": 0.35,
    "deviation_sd_scale": 0.25,
    "log_scale_sd_scale": 0.8,
    "log_gap_sd_scale": 0.45,
    "log_precision_sd_scale": 0.7,
    "log_spread_sd_scale": 0.65,
    "side_bias_scale": 0.15,
    "width_centre": 0.75,
    "log_width_scale": 1.4,
    "end_a": 1.7,
    "end_b": 5.5,
    "middle_a": 2.2,
    "middle_b": 3.1,
    "precision_centre": 8.0,
    "log_precision_scale": 1.3,
    "spread_centre": 0.95,
    "log_spread_scale": 1.2,
    "degrees_shape": 3.5,
    "degrees_rate": 0.3,
}


@dataclass(frozen=True)
class Points(Kind):
    """A normal variable or its absolute value, the scale of which is in halves of the bound."""

    half: bool

    def draw(
        self, parameter: Parameter, data: Values, scale: Any, size: tuple[int, ...], rng: Any
    ) -> np.ndarray:
        value = rng.normal(size=size) * scale * data["bound"] / 2
        return np.abs(value) if self.half else value

    def log_density(self, parameter: Parameter, data: Values, scale: Any, x: Any) -> Any:
        density = log_normal(x, mpf(scale) * data["bound"] / 2)
        return density + mp.log(2) if self.half else density

    def rounded(self, value: np.ndarray) -> np.ndarray:
        return np.maximum(value, 0.1) if self.half else value


class LogCentrePoints(LogCentre):
    """The log of a length in points, the centre of which is in halves of the bound."""

    def draw(
        self, parameter: Parameter, data: Values, scale: Any, size: tuple[int, ...], rng: Any
    ) -> np.ndarray:
        return super().draw(parameter, data, scale, size, rng) + np.log(data["bound"] / 2)

    def log_density(self, parameter: Parameter, data: Values, scale: Any, x: Any) -> Any:
        return super().log_density(parameter, data, scale, x - mp.log(mpf(data["bound"]) / 2))


def sizes(data: Values) -> dict[str, int]:
    """Return how many widths the grades between the ends have."""
    if "n_grades" not in data:
        return {}
    inner = data["n_grades"] - 2
    return {"n_symmetric_widths": (inner + 1) // 2, "n_free_widths": inner}


def log_lik(program: str, data: Values, values: Values) -> list[Any]:
    """Return the log density of one judgement of every row."""
    terms = []
    for n in range(data["n_rows"]):
        r = data["annotator"][n] - 1
        difference = values["side_bias"]
        for s, sign in ((data["system_a"][n] - 1, 1), (data["system_b"][n] - 1, -1)):
            z = values["quality"][s]
            if "interaction" in values:
                z += values["interaction"][s][data["item"][n] - 1]
            if "taste" in values:
                z += values["taste"][s][r]
            if "deviation" in values:
                z += values["deviation"][data["level"][n] - 1][s]
            difference += sign * z
        eta = mp.exp(values["log_scale"][r]) * difference
        if program == "model":
            terms.append(log_slider(mpf(data["strength"][n]), data, values, r, eta))
        elif program == "model_student_t":
            terms.append(log_points(mpf(data["strength"][n]), data, values, r, eta))
        else:
            factor = mp.exp(values["log_gap"][r])
            c = [factor * threshold for threshold in thresholds(program, values["log_width"])]
            limits = [-mp.inf, *c, mp.inf]
            k = data["grade"][n]
            terms.append(log_normal_between(limits[k - 1] - eta, limits[k] - eta))
    return terms


def thresholds(program: str, log_widths: list[Any]) -> list[Any]:
    """Return the population's thresholds between grades, from below."""
    widths = [mp.exp(log_width) for log_width in log_widths]
    if program == "model_graded":  # the innermost grade is 0, between the first two thresholds
        above = [widths[0] / 2]
        for width in widths[1:]:
            above.append(above[-1] + width)
        return [-threshold for threshold in reversed(above)] + above
    found = [mpf(0)]
    for width in widths:
        found.append(found[-1] + width)
    middle = (found[(len(found) - 1) // 2] + found[len(found) // 2]) / 2
    return [threshold - middle for threshold in found]


def log_slider(y: Any, data: Values, values: Values, r: int, eta: Any) -> Any:
    """Return the log density of a position of a slider from 0 to 1, or the log of a mass."""
    kappa = mp.log(2 / values["end_probability"] - 1)
    if abs(y) == data["bound"]:
        return mp.log(logistic((eta if y > 0 else -eta) - kappa))
    between = mp.log(logistic(eta + kappa) - logistic(eta - kappa))
    middle = 4 * values["middle_probability"] * logistic(eta) * logistic(-eta)
    if y == 0:
        return between + mp.log(middle)
    noise = mp.exp(-values["log_precision_mean"] - values["log_precision"][r])
    phi = 1 / (noise + mpf(data["resolution"]) ** 2)
    share = (y / data["bound"] + 1) / 2
    a, b = phi * logistic(eta), phi * logistic(-eta)
    density = mp.loggamma(phi) - mp.loggamma(a) - mp.loggamma(b)
    density += (a - 1) * mp.log(share) + (b - 1) * mp.log(1 - share)
    return between + mp.log(1 - middle) + density


def log_points(y: Any, data: Values, values: Values, r: int, eta: Any) -> Any:
    """Return the log density of an answer in points, or the log probability beyond an end."""
    own = mp.exp(values["log_spread_mean"] + values["log_spread"][r])
    spread = mp.sqrt(own**2 + (mpf(data["resolution"]) * data["bound"]) ** 2)
    df = values["degrees_of_freedom"]
    if abs(y) == data["bound"]:
        return log_student_cdf((y - eta if y < 0 else eta - y) / spread, df)
    return log_student((y - eta) / spread, df) - mp.log(spread)


def edges(first: Values) -> dict[str, Values]:
    """Return changes of the first point that put answers far into a tail."""

    def times(name: str, factor: float) -> list[Any]:
        return (np.array(first[name]) * factor).tolist()

    changes: dict[str, Values] = {
        "far apart": {"quality": times("quality", 12)},
        "annotators who go farther and less far": {"log_scale": times("log_scale", 5)},
        "the system shown as a is always better": {"side_bias": 9 * first["quality_sd"]},
    }
    if "log_width" in first:
        narrow = (np.array(first["log_width"]) - 7).tolist()
        wide = (np.array(first["log_width"]) + 3).tolist()
        changes["grades of hardly any width"] = {"log_width": narrow}
        changes["grades that nobody leaves"] = {"log_width": wide}
        changes["annotators who keep to weak grades"] = {"log_gap": times("log_gap", 5)}
    if "end_probability" in first:
        changes["ends that nobody uses"] = {"end_probability": 0.001}
        changes["ends that everybody uses"] = {"end_probability": 0.999}
        changes["a middle that nobody uses"] = {"middle_probability": 0.001}
        changes["a middle that everybody uses"] = {"middle_probability": 0.999}
        changes["nearly exact answers"] = {"log_precision_mean": 12.0}
        changes["a beta with all its mass at the ends"] = {"log_precision_mean": -5.0}
    if "degrees_of_freedom" in first:
        changes["very heavy tails"] = {"degrees_of_freedom": 0.4}
        changes["nearly normal tails"] = {"degrees_of_freedom": 90.0}
        changes["spread far below the resolution"] = {"log_spread_mean": -9.0}
    return changes


def unpleasant(data: Values) -> dict[str, bool]:
    """Say what makes the data hard."""
    if "grade" in data:
        bound = (data["n_grades"] - 1) / 2
        answers = [grade - 1 - bound for grade in data["grade"]]
        weak = 1.0
        found = {"a grade that nobody gave": len(set(answers)) < data["n_grades"]}
    else:
        bound, answers = data["bound"], data["strength"]
        weak = bound / 10
        found = {
            "nearly an end": any(0 < bound - abs(y) < 1e-3 * bound for y in answers),
            "nearly the middle": any(0 < abs(y) < 1e-3 * bound for y in answers),
        }
    reach = dict.fromkeys(data["annotator"], 0.0)
    for r, y in zip(data["annotator"], answers, strict=True):
        reach[r] = max(reach[r], abs(y))
    pairs = set(zip(data["system_a"], data["system_b"], strict=True))
    n_all = data["n_systems"] * (data["n_systems"] - 1) // 2
    columns = ("system_a", "system_b", "annotator", "item", "level")
    rows = list(zip(*(data[name] for name in columns if name in data), answers, strict=True))
    return found | {
        "both ends and exactly the middle": {-bound, 0, bound} <= set(answers),
        "an annotator who keeps to the middle of the scale": 0 < min(reach.values()) <= weak,
        "both orders of a pair": any((b, a) in pairs for a, b in pairs),
        "a pair that never met": len({frozenset(pair) for pair in pairs}) < n_all,
        "the same row twice": len(set(rows)) < len(rows),
    }


def other_priors(data: Values) -> Values:
    """Return the second set of priors."""
    return {name: value for name, value in OTHER_PRIORS.items() if name in data}


CARD = Card(
    programs=PROGRAMS,
    log_lik=log_lik,
    edges=edges,
    other_priors=other_priors,
    unpleasant=unpleasant,
    sizes=sizes,
    kinds={
        "log_centre": LogCentre(),
        "log_centre_points": LogCentrePoints(),
        "half_normal_points": Points(half=True),
        "normal_points": Points(half=False),
    },
)
