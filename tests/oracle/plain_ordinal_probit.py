"""The programs of models/ordinal_probit/card.md in 50 digits; see ``plain``."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracle.plain import (
    Card,
    Kind,
    Parameter,
    Values,
    log_normal,
    log_normal_between,
    mp,
    mpf,
)

N_WAVES = 6

PROGRAMS: dict[str, dict[str, Parameter]] = {
    "model": {
        "quality_sd": Parameter((), "half_normal", "quality_sd_scale"),
        "quality": Parameter(("n_systems",), "zero_sum", "quality_sd"),
        "difficulty_sd": Parameter((), "half_normal", "difficulty_sd_scale"),
        "difficulty": Parameter(("n_items",), "normal", "difficulty_sd"),
        "interaction_sd": Parameter((), "half_normal", "interaction_sd_scale"),
        "interaction": Parameter(("n_systems", "n_items"), "normal", "interaction_sd"),
        "taste_sd": Parameter((), "half_normal", "taste_sd_scale"),
        "taste": Parameter(("n_systems", "n_annotators"), "normal", "taste_sd"),
        "population_thresholds": Parameter(("n_thresholds",), "ordered", "category_prior"),
        "severity_sd": Parameter((), "half_normal", "severity_sd_scale"),
        "severity": Parameter(("n_annotators",), "normal", "severity_sd"),
        "gap_sd": Parameter((), "half_normal", "gap_sd_scale"),
        "log_gap_deviation": Parameter(("n_annotators", "n_gaps"), "normal", "gap_sd"),
        "discrimination_sd": Parameter((), "half_normal", "discrimination_sd_scale"),
        "log_discrimination": Parameter(("n_annotators",), "normal", "discrimination_sd"),
    },
    "model_shifted": {
        "quality_sd": Parameter((), "half_normal", "quality_sd_scale"),
        "quality": Parameter(("n_systems",), "zero_sum", "quality_sd"),
        "difficulty_sd": Parameter((), "half_normal", "difficulty_sd_scale"),
        "difficulty": Parameter(("n_items",), "normal", "difficulty_sd"),
        "population_thresholds": Parameter(("n_thresholds",), "ordered", "category_prior"),
        "severity_sd": Parameter((), "half_normal", "severity_sd_scale"),
        "severity": Parameter(("n_annotators",), "normal", "severity_sd"),
    },
    "model_moderator": {
        "quality_sd": Parameter((), "half_normal", "quality_sd_scale"),
        "quality": Parameter(("n_systems",), "zero_sum", "quality_sd"),
        "effect_sd": Parameter((), "half_normal", "effect_sd_scale"),
        "effect": Parameter(("n_levels",), "normal", "effect_sd"),
        "deviation_sd": Parameter((), "half_normal", "deviation_sd_scale"),
        "deviation": Parameter(("n_levels", "n_systems"), "zero_sum", "deviation_sd"),
        "population_thresholds": Parameter(("n_thresholds",), "ordered", "category_prior"),
        "severity_sd": Parameter((), "half_normal", "severity_sd_scale"),
        "severity": Parameter(("n_annotators",), "normal", "severity_sd"),
        "gap_sd": Parameter((), "half_normal", "gap_sd_scale"),
        "log_gap_deviation": Parameter(("n_annotators",), "normal", "gap_sd"),
    },
    "model_criteria": {
        "quality_sd": Parameter(("n_criteria",), "half_normal", "quality_sd_scale"),
        "quality_correlation": Parameter(("n_criteria", "n_criteria"), "lkj", "correlation_shape"),
        "quality": Parameter(
            ("n_criteria", "n_systems"), "zero_sum", "quality_sd", "quality_correlation"
        ),
        "difficulty_sd": Parameter(("n_criteria",), "half_normal", "difficulty_sd_scale"),
        "difficulty_correlation": Parameter(
            ("n_criteria", "n_criteria"), "lkj", "correlation_shape"
        ),
        "difficulty": Parameter(
            ("n_items", "n_criteria"), "normal", "difficulty_sd", "difficulty_correlation"
        ),
        "population_thresholds": Parameter(
            ("n_criteria", "n_thresholds"), "ordered", "category_prior"
        ),
        "severity_sd": Parameter(("n_criteria",), "half_normal", "severity_sd_scale"),
        "severity_correlation": Parameter(("n_criteria", "n_criteria"), "lkj", "correlation_shape"),
        "severity": Parameter(
            ("n_annotators", "n_criteria"), "normal", "severity_sd", "severity_correlation"
        ),
    },
    "model_long": {
        "quality_sd": Parameter((), "half_normal", "quality_sd_scale"),
        "quality": Parameter(("n_systems",), "zero_sum", "quality_sd"),
        "mean_threshold": Parameter((), "normal", "mean_threshold_scale"),
        "log_width": Parameter((), "log_width", "log_width_scale"),
        "smoothness_sd": Parameter((), "half_normal", "smoothness_sd_scale"),
        "gap_increment": Parameter(("n_increments",), "increments", "smoothness_sd"),
        "severity_sd": Parameter((), "half_normal", "severity_sd_scale"),
        "severity": Parameter(("n_annotators",), "normal", "severity_sd"),
        "gap_sd": Parameter((), "half_normal", "gap_sd_scale"),
        "gap_wave": Parameter(("n_annotators", "n_waves"), "waves", "gap_sd"),
    },
}

# Every scale differs from its default, and from every other scale: a scale that the
# builder has hard-coded or mixed up with another one cannot hide.
OTHER_PRIORS = {
    "quality_sd_scale": 0.6,
    "difficulty_sd_scale": 1.7,
    "interaction_sd_scale": 0.9,
    "taste_sd_scale": 0.35,
    "severity_sd_scale": 1.4,
    "gap_sd_scale": 0.8,
    "discrimination_sd_scale": 0.45,
    "effect_sd_scale": 2.1,
    "deviation_sd_scale": 0.25,
    "correlation_shape": 3.5,
    "mean_threshold_scale": 1.6,
    "width_centre": 2.6,
    "log_width_scale": 0.75,
    "smoothness_sd_scale": 0.3,
}


def sizes(data: Values) -> dict[str, int]:
    """Return the sizes that the data do not name."""
    n_categories: int = data["n_categories"]
    return {
        "n_thresholds": n_categories - 1,
        "n_gaps": n_categories - 2,
        "n_increments": n_categories - 3,
        "n_waves": N_WAVES,
    }


def other_priors(data: Values) -> Values:
    """Return the second set of priors."""
    other: Values = {k: v for k, v in OTHER_PRIORS.items() if k in data}
    if "category_prior" in data:
        other["category_prior"] = [round(1 + 0.7 * k, 1) for k in range(data["n_categories"])]
    return other


def normal_quantile(probability: np.ndarray) -> np.ndarray:
    """Return the standard normal quantiles."""
    quantile = np.vectorize(lambda p: float(mp.sqrt(2) * mp.erfinv(2 * mpf(p) - 1)), otypes=[float])
    return quantile(probability)


def wave_shares() -> np.ndarray:
    """Return the share of gap_sd of every wave: weights 1, 1, 1/2, …, 1/5, normalised."""
    weights = np.array([1.0, *(1 / np.arange(1, N_WAVES))])
    return weights / np.sqrt((weights**2).sum())


def log_category_probability(k: int, thresholds: list[Any], location: Any, d: Any) -> Any:
    """Return the log probability of category k = 1 … K."""
    limits = [-mp.inf, *(d * (c - location) for c in thresholds), mp.inf]
    return log_normal_between(limits[k - 1], limits[k])


def log_induced_dirichlet(thresholds: list[Any], category_prior: list[float]) -> Any:
    """Return the density of thresholds whose category probabilities are Dirichlet."""
    density = mp.loggamma(sum(map(mpf, category_prior)))
    for k, alpha in enumerate(category_prior, start=1):
        density += (mpf(alpha) - 1) * log_category_probability(k, thresholds, 0, 1)
        density -= mp.loggamma(mpf(alpha))
    return density + sum(log_normal(c, 1) for c in thresholds)


def annotator_thresholds(
    population: list[Any], factors: Callable[[int], Any], severity: Any
) -> list[Any]:
    """Return thresholds with gap k stretched by factors(k), about the mean, plus severity."""
    position = [mpf(0)]
    for k in range(len(population) - 1):
        position.append(position[-1] + (population[k + 1] - population[k]) * factors(k))
    n = len(position)
    return [p - sum(position) / n + sum(population) / n + severity for p in position]


def long_thresholds(values: Values) -> list[Any]:
    """Return the population thresholds of a long scale, from its smooth gaps."""
    log_gap = [mpf(0)]
    for increment in values["gap_increment"]:
        log_gap.append(log_gap[-1] + increment)
    width, relative = mp.exp(values["log_width"]), [mp.exp(u) for u in log_gap]
    position = [mpf(0)]
    for gap in relative:
        position.append(position[-1] + width * gap / sum(relative))
    centre = sum(position) / len(position)
    return [values["mean_threshold"] + p - centre for p in position]


def log_lik(program: str, data: Values, values: Values) -> list[Any]:
    """Return the log probability of one judgement of every row, at exact values."""
    terms = []
    n_gaps = data["n_categories"] - 2
    for n in range(data["n_rows"]):
        a, s = data["annotator"][n] - 1, data["system"][n] - 1
        severity, d = values["severity"][a], mpf(1)
        if program == "model":
            i = data["item"][n] - 1
            z = values["quality"][s] - values["difficulty"][i]
            z += values["interaction"][s][i] + values["taste"][s][a]
            deviations = values["log_gap_deviation"][a]
            thresholds = annotator_thresholds(
                values["population_thresholds"], lambda k, x=deviations: mp.exp(x[k]), severity
            )
            d = mp.exp(values["log_discrimination"][a])
        elif program == "model_shifted":
            z = values["quality"][s] - values["difficulty"][data["item"][n] - 1]
            thresholds = [c + severity for c in values["population_thresholds"]]
        elif program == "model_moderator":
            m = data["level"][n] - 1
            z = values["quality"][s] + values["effect"][m] + values["deviation"][m][s]
            factor = mp.exp(values["log_gap_deviation"][a])
            thresholds = annotator_thresholds(
                values["population_thresholds"], lambda k, x=factor: x, severity
            )
        elif program == "model_criteria":
            q = data["criterion"][n] - 1
            z = values["quality"][q][s] - values["difficulty"][data["item"][n] - 1][q]
            thresholds = [c + severity[q] for c in values["population_thresholds"][q]]
        else:
            z = values["quality"][s]
            amplitudes = values["gap_wave"][a]

            def factor_of_gap(k: int, x: list[Any] = amplitudes) -> Any:
                phase = mp.pi * (mpf(k) + mpf(1) / 2) / n_gaps
                waves = (v * (mp.sqrt(2) * mp.cos(j * phase) if j else 1) for j, v in enumerate(x))
                return mp.exp(sum(waves))

            thresholds = annotator_thresholds(long_thresholds(values), factor_of_gap, severity)
        terms.append(log_category_probability(data["rating"][n], thresholds, z, d))
    return terms


def edges(first: Values) -> dict[str, Values]:
    """Return changes of the first point that put answers far into a tail."""

    def array(name: str) -> np.ndarray:
        return np.array(first[name])

    changes: dict[str, Values] = {
        "annotators very harsh": {"severity": (array("severity") + 12).tolist()},
        "annotators very lenient": {"severity": (array("severity") - 12).tolist()},
        "qualities far apart": {"quality": (array("quality") * 12).tolist()},
    }
    if "population_thresholds" in first:
        thresholds = array("population_thresholds")
        changes["narrow middle categories"] = {"population_thresholds": (thresholds / 400).tolist()}
        changes["thresholds in the upper tail"] = {
            "population_thresholds": (thresholds + 7).tolist()
        }
    if "log_gap_deviation" in first:
        deviation = array("log_gap_deviation")
        changes["gaps stretched and shrunk"] = {"log_gap_deviation": (deviation * 6).tolist()}
    if "log_discrimination" in first:
        sharp = array("log_discrimination") + 2.5
        changes["annotators very sharp"] = {"log_discrimination": sharp.tolist()}
    if "gap_increment" in first:
        changes["gaps that grow and shrink"] = {
            "gap_increment": (array("gap_increment") * 4).tolist()
        }
    return changes


def unpleasant(data: Values) -> dict[str, bool]:
    """Say what makes the data hard, and whether they are so."""
    answers: dict[int, list[int]] = {}
    for a, y, w in zip(data["annotator"], data["rating"], data["count"], strict=True):
        answers.setdefault(a, []).extend([y] * w)
    return {
        "an unused category": set(data["rating"]) < set(range(1, data["n_categories"] + 1)),
        "an annotator with one judgement": any(len(given) == 1 for given in answers.values()),
        "an annotator who used one category only": any(
            len(given) > 1 and len(set(given)) == 1 for given in answers.values()
        ),
    }


class Ordered(Kind):
    """Thresholds whose category probabilities are Dirichlet."""

    def draw(
        self, parameter: Parameter, data: Values, scale: Any, size: tuple[int, ...], rng: Any
    ) -> np.ndarray:
        """Draw from the prior."""
        del parameter, data
        probabilities = rng.dirichlet(scale, size=size[:-1])
        return normal_quantile(np.cumsum(probabilities, axis=-1)[..., :-1])

    def log_density(self, parameter: Parameter, data: Values, scale: Any, x: Any) -> Any:
        """Return the log prior density."""
        del parameter, scale
        rows = x if isinstance(x[0], list) else [x]
        return sum(log_induced_dirichlet(row, data["category_prior"]) for row in rows)

    def rounded(self, value: np.ndarray) -> np.ndarray:
        """Round to four decimals; rounding must not close a gap."""
        value = np.round(value, 4)
        steps = np.maximum(np.diff(value, axis=-1), 1e-4)
        return np.concatenate([value[..., :1], steps], axis=-1).cumsum(axis=-1).round(4)


class LogWidth(Kind):
    """A normal variable about the log of a number in the data."""

    def draw(
        self, parameter: Parameter, data: Values, scale: Any, size: tuple[int, ...], rng: Any
    ) -> np.ndarray:
        """Draw from the prior."""
        del parameter
        return np.log(data["width_centre"]) + rng.normal(size=size) * scale

    def log_density(self, parameter: Parameter, data: Values, scale: Any, x: Any) -> Any:
        """Return the log prior density."""
        del parameter
        return log_normal(x - mp.log(mpf(data["width_centre"])), mpf(scale))


class Increments(Kind):
    """Steps of a walk whose last point has the standard deviation of the prior."""

    def draw(
        self, parameter: Parameter, data: Values, scale: Any, size: tuple[int, ...], rng: Any
    ) -> np.ndarray:
        """Draw from the prior."""
        del parameter, data
        return rng.normal(size=size) * scale / np.sqrt(np.prod(size))

    def log_density(self, parameter: Parameter, data: Values, scale: Any, x: Any) -> Any:
        """Return the log prior density."""
        del parameter, data
        return sum(log_normal(v, scale / mp.sqrt(len(x))) for v in x)


class Waves(Kind):
    """Amplitudes of cosines, smaller for shorter waves."""

    def draw(
        self, parameter: Parameter, data: Values, scale: Any, size: tuple[int, ...], rng: Any
    ) -> np.ndarray:
        """Draw from the prior."""
        del parameter, data
        return rng.normal(size=size) * scale * wave_shares()

    def log_density(self, parameter: Parameter, data: Values, scale: Any, x: Any) -> Any:
        """Return the log prior density."""
        del parameter, data
        weights = [mpf(1), *(mpf(1) / j for j in range(1, N_WAVES))]
        norm = mp.sqrt(sum(w**2 for w in weights))
        total = mpf(0)
        for amplitudes in x:
            for v, w in zip(amplitudes, weights, strict=True):
                total += log_normal(v, scale * w / norm)
        return total


CARD = Card(
    programs=PROGRAMS,
    log_lik=log_lik,
    edges=edges,
    other_priors=other_priors,
    sizes=sizes,
    unpleasant=unpleasant,
    kinds={
        "ordered": Ordered(),
        "log_width": LogWidth(),
        "increments": Increments(),
        "waves": Waves(),
    },
)
