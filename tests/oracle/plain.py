"""The models of models/ordinal_probit/card.md once more, slowly and in 50 digits.

The arbiter between program and production code where doubles run out of digits, and the
source of the prior draws that reference.json evaluates. Written from the card.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np

Values = dict[str, Any]

mp: Any = mpmath.mp  # its functions are made at run time, unknown to a type checker
mpf: Any = mp.mpf
mp.dps = 50


@dataclass(frozen=True)
class Parameter:
    """A parameter of a program: its shape in sizes of the data, and its prior."""

    shape: tuple[str, ...]
    kind: str
    prior: str  # the scale in the data, or the sd among the parameters
    correlation: str | None = None


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
N_WAVES = 6


def shape(parameter: Parameter, data: Values) -> tuple[int, ...]:
    """Return the shape of a parameter for these data."""
    n_categories: int = data["n_categories"]
    sizes = {
        "n_thresholds": n_categories - 1,
        "n_gaps": n_categories - 2,
        "n_increments": n_categories - 3,
        "n_waves": N_WAVES,
    }
    return tuple(sizes.get(name) or data[name] for name in parameter.shape)


def draw_from_prior(program: str, data: Values, rng: np.random.Generator) -> Values:
    """Draw every parameter of a program from its prior."""
    values: dict[str, np.ndarray] = {}
    for name, parameter in PROGRAMS[program].items():
        size = shape(parameter, data)
        scale = values[parameter.prior] if parameter.prior in values else data[parameter.prior]
        noise = rng.normal(size=size)
        match parameter.kind:
            case "half_normal":
                values[name] = np.abs(noise) * scale
            case "normal" | "zero_sum" if parameter.correlation is not None:
                correlation = values[parameter.correlation]
                factor = np.linalg.cholesky(correlation * np.outer(scale, scale))
                zero_sum = parameter.kind == "zero_sum"
                values[name] = factor @ noise if zero_sum else noise @ factor.T
            case "log_width":
                values[name] = np.log(data["width_centre"]) + noise * scale
            case "increments":
                values[name] = noise * scale / np.sqrt(noise.size)
            case "waves":
                values[name] = noise * scale * wave_shares()
            case "ordered":
                probabilities = rng.dirichlet(scale, size=size[:-1])
                values[name] = normal_quantile(np.cumsum(probabilities, axis=-1)[..., :-1])
            case "lkj":  # a Wishart matrix, rescaled: any proper correlation matrix will do
                spread = np.cov(rng.normal(size=(size[0], 3 * size[0])))
                values[name] = spread / np.sqrt(np.outer(np.diag(spread), np.diag(spread)))
            case _:
                values[name] = noise * scale
        if parameter.kind == "zero_sum":
            values[name] = values[name] - values[name].mean(axis=-1, keepdims=True)
    return {name: value.tolist() for name, value in values.items()}


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
    lower, upper = limits[k - 1], limits[k]
    if lower > 0:
        lower, upper = -upper, -lower
    # erfc keeps its digits in the lower tail however far out it is
    tail: Callable[[Any], Any] = lambda x: mp.erfc(-x / mp.sqrt(2)) / 2  # noqa: E731
    return mp.log(tail(upper) - tail(lower))


def log_normal(x: Any, sd: Any) -> Any:
    """Return the normal log density with mean zero."""
    return -mp.log(2 * mp.pi) / 2 - mp.log(sd) - (x / sd) ** 2 / 2


def log_multi_normal(x: Any, covariance: Any) -> Any:
    """Return the multivariate normal log density with mean zero."""
    x = mp.matrix(x)
    distance = (x.T * mp.inverse(covariance) * x)[0]
    return -(len(x) * mp.log(2 * mp.pi) + mp.log(mp.det(covariance)) + distance) / 2


def log_induced_dirichlet(thresholds: list[Any], category_prior: list[float]) -> Any:
    """Return the density of thresholds whose category probabilities are Dirichlet."""
    density = mp.loggamma(sum(map(mpf, category_prior)))
    for k, alpha in enumerate(category_prior, start=1):
        density += (mpf(alpha) - 1) * log_category_probability(k, thresholds, 0, 1)
        density -= mp.loggamma(mpf(alpha))
    return density + sum(log_normal(c, 1) for c in thresholds)


def exact(value: Any) -> Any:
    """Return nested lists of 50-digit numbers from nested lists of doubles."""
    return [exact(v) for v in value] if isinstance(value, list) else mpf(value)


def flat(value: Any) -> Iterator[Any]:
    """Iterate over the numbers of nested lists."""
    if isinstance(value, list):
        for element in value:
            yield from flat(element)
    else:
        yield value


def log_prior(program: str, data: Values, values: Values) -> Any:
    """Return the log prior density at exact values."""
    total = mpf(0)
    for name, parameter in PROGRAMS[program].items():
        x = values[name]
        scale = values.get(parameter.prior, data.get(parameter.prior))
        if parameter.correlation is not None:
            scale = values[parameter.prior]
            n = len(scale)
            correlation = values[parameter.correlation]
            covariance = mp.matrix(n, n)
            for q in range(n):
                for r in range(n):
                    covariance[q, r] = correlation[q][r] * scale[q] * scale[r]
            vectors = [list(v) for v in zip(*x, strict=True)] if parameter.kind == "zero_sum" else x
            total += sum(log_multi_normal(v, covariance) for v in vectors)
            if parameter.kind == "zero_sum":
                total -= log_multi_normal([0] * n, covariance)
            continue
        match parameter.kind:
            case "half_normal":
                total += sum(log_normal(v, mpf(scale)) + mp.log(2) for v in flat(x))
            case "normal":
                total += sum(log_normal(v, mpf(scale)) for v in flat(x))
            case "zero_sum":
                n_vectors = len(x) if isinstance(x[0], list) else 1
                total += sum(log_normal(v, scale) for v in flat(x))
                total -= n_vectors * log_normal(0, scale)
            case "ordered":
                for thresholds in x if isinstance(x[0], list) else [x]:
                    total += log_induced_dirichlet(thresholds, data["category_prior"])
            case "log_width":
                total += log_normal(x - mp.log(mpf(data["width_centre"])), mpf(scale))
            case "increments":
                total += sum(log_normal(v, scale / mp.sqrt(len(x))) for v in x)
            case "waves":
                weights = [mpf(1), *(mpf(1) / j for j in range(1, N_WAVES))]
                norm = mp.sqrt(sum(w**2 for w in weights))
                for amplitudes in x:
                    for v, w in zip(amplitudes, weights, strict=True):
                        total += log_normal(v, scale * w / norm)
            case "lkj":  # up to the constant, which differences cancel
                total += (mpf(scale) - 1) * mp.log(mp.det(mp.matrix(x)))
            case other:
                raise ValueError(f"no prior of kind {other!r}")
    return total


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


def log_density(program: str, data: Values, values: Values) -> Any:
    """Return the log density, up to the constant of the correlation priors."""
    values = {name: exact(value) for name, value in values.items()}
    pointwise = log_lik(program, data, values)
    weighted = sum(c * term for c, term in zip(data["count"], pointwise, strict=True))
    return log_prior(program, data, values) + weighted
