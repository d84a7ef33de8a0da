"""The programs of models/ordered_beta/card.md in 50 digits; see ``plain``."""

from typing import Any

import numpy as np

from tests.oracle.plain import Card, LogCentre, Parameter, Values, logistic, mp, mpf

ANNOTATORS: dict[str, Parameter] = {
    "log_extremity_sd": Parameter((), "half_normal", "log_extremity_sd_scale"),
    "log_extremity": Parameter(("n_annotators",), "zero_sum", "log_extremity_sd"),
    "log_precision_sd": Parameter((), "half_normal", "log_precision_sd_scale"),
    "log_precision": Parameter(("n_annotators",), "zero_sum", "log_precision_sd"),
    "end_probability": Parameter((), "beta", "end_a", other="end_b"),
    "log_precision_mean": Parameter(
        (), "log_centre", "log_precision_scale", other="precision_centre"
    ),
}
PROGRAMS: dict[str, dict[str, Parameter]] = {
    "model": {
        "quality_sd": Parameter((), "half_normal", "quality_sd_scale"),
        "quality": Parameter(("n_systems",), "zero_sum", "quality_sd"),
        "pair_sd": Parameter((), "half_normal", "pair_sd_scale"),
        "pair": Parameter(("n_circles",), "normal", "pair_sd"),
        "taste_sd": Parameter((), "half_normal", "taste_sd_scale"),
        "taste": Parameter(("n_systems", "n_annotators"), "normal", "taste_sd"),
        "interaction_sd": Parameter((), "half_normal", "interaction_sd_scale"),
        "interaction": Parameter(("n_systems", "n_items"), "normal", "interaction_sd"),
        "deviation_sd": Parameter((), "half_normal", "deviation_sd_scale"),
        "deviation": Parameter(("n_levels", "n_systems"), "zero_sum", "deviation_sd"),
    }
    | ANNOTATORS
    | {"direction_bias": Parameter((), "normal", "direction_bias_scale")},
    "model_pairs": {
        "pair_sd": Parameter((), "half_normal", "pair_mean_sd_scale"),
        "pair": Parameter(("n_pairs",), "normal", "pair_sd"),
    }
    | ANNOTATORS,
}
# Every number differs from its default, and from every other one.
OTHER_PRIORS = {
    "quality_sd_scale": 0.6,
    "pair_sd_scale": 0.45,
    "pair_mean_sd_scale": 1.6,
    "taste_sd_scale": 0.35,
    "interaction_sd_scale": 0.9,
    "deviation_sd_scale": 0.25,
    "log_extremity_sd_scale": 0.8,
    "log_precision_sd_scale": 0.7,
    "end_a": 1.7,
    "end_b": 5.5,
    "precision_centre": 8.0,
    "log_precision_scale": 1.3,
    "direction_bias_scale": 0.15,
}


def log_lik(program: str, data: Values, values: Values) -> list[Any]:
    """Return the log density of one judgement of every row."""
    end = values["end_probability"]
    kappa = mp.log(2 / end - 1)
    terms = []
    for n in range(data["n_rows"]):
        a, b, r, p = (
            data[name][n] - 1 for name in ("system_a", "system_b", "annotator", "system_pair")
        )
        own = values["pair"]
        if program == "model":
            basis = data["circle_basis"][p]
            departure = sum(mpf(x) * y for x, y in zip(basis, own, strict=True))
        else:
            departure = own[p]
        difference = departure if a < b else -departure
        bias = mpf(0)
        if program == "model":
            i, m = data["item"][n] - 1, data["level"][n] - 1
            for s, sign in ((a, 1), (b, -1)):
                z = values["quality"][s] + values["taste"][s][r]
                z += values["interaction"][s][i] + values["deviation"][m][s]
                difference += sign * z
            bias = values["direction_bias"]
        e = mp.exp(values["log_extremity"][r]) * difference + bias
        y = mpf(data["probability"][n])
        if y in (0, 1):
            terms.append(mp.log(logistic((e if y == 1 else -e) - kappa)))
            continue
        noise = mp.exp(-values["log_precision_mean"] - values["log_precision"][r])
        phi = 1 / (noise + 4 * mpf(data["resolution"]) ** 2)
        alpha, beta = phi * logistic(e), phi * logistic(-e)
        density = mp.loggamma(phi) - mp.loggamma(alpha) - mp.loggamma(beta)
        density += (alpha - 1) * mp.log(y) + (beta - 1) * mp.log(1 - y)
        terms.append(density + mp.log(logistic(e + kappa) - logistic(e - kappa)))
    return terms


def edges(first: Values) -> dict[str, Values]:
    """Return changes of the first point that put answers far into a tail."""
    name = "quality" if "quality" in first else "pair"
    changes: dict[str, Values] = {
        "far apart": {name: (np.array(first[name]) * 25).tolist()},
        "ends that nobody uses": {"end_probability": 0.001},
        "ends that everybody uses": {"end_probability": 0.999},
        "nearly exact answers": {"log_precision_mean": 12.0},
        "a beta with all its mass at the ends": {"log_precision_mean": -5.0},
        "extreme annotators": {"log_extremity": (np.array(first["log_extremity"]) * 4).tolist()},
    }
    if "direction_bias" in first:
        changes["the first named is always better"] = {"direction_bias": 9.0}
    return changes


def unpleasant(data: Values) -> dict[str, bool]:
    """Say what makes the data hard."""
    answers = data["probability"]
    asked = set(zip(data["system_a"], data["system_b"], strict=True))
    n_all = data["n_systems"] * (data["n_systems"] - 1) // 2
    return {
        "exactly 0, one half and 1": {0, 0.5, 1} <= set(answers),
        "nearly an end": any(0 < min(y, 1 - y) < 0.001 for y in answers),
        "both directions of a pair": any((b, a) in asked for a, b in asked),
        "a pair never asked": data["n_pairs"] < n_all,
        "an annotator who repeats one number": any(
            answers.count(answers[n]) > 1
            and [
                y for y, r in zip(answers, data["annotator"], strict=True)
                if r == data["annotator"][n]
            ].count(answers[n]) > 1
            for n in range(data["n_rows"])
        ),
    }  # fmt: skip


def other_priors(data: Values) -> Values:
    """Return the second set of priors."""
    return {name: value for name, value in OTHER_PRIORS.items() if name in data}


CARD = Card(
    programs=PROGRAMS,
    log_lik=log_lik,
    edges=edges,
    other_priors=other_priors,
    unpleasant=unpleasant,
    kinds={"log_centre": LogCentre()},
)
