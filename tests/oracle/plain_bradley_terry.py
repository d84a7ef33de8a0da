"""The programs of models/bradley_terry/card.md in 50 digits; see ``plain``."""

from typing import Any

import numpy as np

from tests.oracle.plain import (
    Card,
    Parameter,
    Values,
    log_normal_between,
    log_normal_cdf,
    mp,
)

QUALITY: dict[str, Parameter] = {
    "quality_sd": Parameter((), "half_normal", "quality_sd_scale"),
    "quality": Parameter(("n_systems",), "zero_sum", "quality_sd"),
}
CONSISTENCY: dict[str, Parameter] = {
    "log_consistency_sd": Parameter((), "half_normal", "log_consistency_sd_scale"),
    "log_consistency": Parameter(("n_annotators",), "zero_sum", "log_consistency_sd"),
}
POSITION = Parameter((), "normal", "position_effect_scale")
THRESHOLD = Parameter((), "half_normal", "tie_threshold_scale")
PROGRAMS = {
    "model": QUALITY
    | {
        "taste_sd": Parameter((), "half_normal", "taste_sd_scale"),
        "taste": Parameter(("n_systems", "n_annotators"), "normal", "taste_sd"),
        "position_effect": POSITION,
        "log_tie_propensity": Parameter((), "normal", "log_tie_scale", other="log_tie_centre"),
    },
    "model_rao_kupper": QUALITY
    | {
        "interaction_sd": Parameter((), "half_normal", "interaction_sd_scale"),
        "interaction": Parameter(("n_systems", "n_items"), "normal", "interaction_sd"),
    }
    | CONSISTENCY
    | {"tie_propensity": THRESHOLD},
    "model_thurstone": QUALITY
    | {
        "deviation_sd": Parameter((), "half_normal", "deviation_sd_scale"),
        "deviation": Parameter(("n_levels", "n_systems"), "zero_sum", "deviation_sd"),
    }
    | CONSISTENCY
    | {
        "position_sd": Parameter((), "half_normal", "position_sd_scale"),
        "position": Parameter(("n_annotators",), "normal", "position_sd"),
        "position_effect": POSITION,
        "tie_propensity": THRESHOLD,
    },
}
# Every number differs from its default, and from every other one.
OTHER_PRIORS = {
    "quality_sd_scale": 0.6,
    "taste_sd_scale": 0.85,
    "interaction_sd_scale": 0.9,
    "log_consistency_sd_scale": 0.35,
    "deviation_sd_scale": 0.25,
    "position_sd_scale": 1.2,
    "position_effect_scale": 1.7,
    "log_tie_centre": -0.8,
    "log_tie_scale": 1.4,
    "tie_threshold_scale": 0.45,
}


def log_logistic_cdf(x: Any) -> Any:
    """Return the log of the standard logistic distribution function."""
    return -mp.log(1 + mp.exp(-x))


def log_outcome(program: str, outcome: int, e: Any, tie: Any) -> Any:
    """Return the log probability that a wins (1), b wins (2), or that they tie (3)."""
    if program == "model":
        odds = {1: mp.exp(e / 2), 2: mp.exp(-e / 2), 3: mp.exp(tie)}
        return mp.log(odds[outcome] / sum(odds.values()))
    probit = program == "model_thurstone"
    if outcome < 3:
        ahead = (e if outcome == 1 else -e) - tie
        return log_normal_cdf(ahead) if probit else log_logistic_cdf(ahead)
    if probit:
        return log_normal_between(-tie - e, tie - e)
    return mp.log(mp.exp(log_logistic_cdf(tie - e)) - mp.exp(log_logistic_cdf(-tie - e)))


def log_lik(program: str, data: Values, values: Values) -> list[Any]:
    """Return the log probability of one judgement of every row."""
    terms = []
    for n in range(data["n_rows"]):
        a, b, r = (data[name][n] - 1 for name in ("system_a", "system_b", "annotator"))
        e = values["quality"][a] - values["quality"][b]
        if program == "model":
            e += values["taste"][a][r] - values["taste"][b][r] + values["position_effect"]
            tie = values["log_tie_propensity"]
        else:
            if program == "model_rao_kupper":
                i = data["item"][n] - 1
                e += values["interaction"][a][i] - values["interaction"][b][i]
            else:
                m = data["level"][n] - 1
                e += values["deviation"][m][a] - values["deviation"][m][b]
                e += values["position_effect"] + values["position"][r]
            e *= mp.exp(values["log_consistency"][r])
            tie = values["tie_propensity"]
        terms.append(log_outcome(program, data["outcome"][n], e, tie))
    return terms


def edges(first: Values) -> dict[str, Values]:
    """Return changes of the first point that put outcomes far into a tail."""
    changes: dict[str, Values] = {
        "qualities far apart": {"quality": (np.array(first["quality"]) * 12).tolist()}
    }
    if "position_effect" in first:
        changes["the first shown nearly always wins"] = {"position_effect": 7.0}
    if "log_consistency" in first:
        spread = (np.array(first["log_consistency"]) * 5).tolist()
        changes["guessers and oracles"] = {"log_consistency": spread}
    if "log_tie_propensity" in first:
        changes["ties nearly impossible"] = {"log_tie_propensity": -25.0}
        changes["nearly all tie"] = {"log_tie_propensity": 25.0}
    else:
        changes["narrow threshold"] = {"tie_propensity": 0.1}
        changes["nearly all tie"] = {"tie_propensity": 8.0}
    return changes


def unpleasant(data: Values) -> dict[str, bool]:
    """Say what makes the data hard."""
    rows = list(zip(data["system_a"], data["system_b"], data["outcome"], strict=True))
    outcomes: dict[int, set[int]] = {}
    for (_, _, outcome), r in zip(rows, data["annotator"], strict=True):
        outcomes.setdefault(r, set()).add(outcome)
    pairs: dict[frozenset[int], set[int]] = {}
    for a, b, outcome in rows:
        pairs.setdefault(frozenset((a, b)), set()).add(outcome)
    ahead = {(a, b): outcome for a, b, outcome in rows}
    found = {
        "a system that won all": any(
            all(o == (1 if s == a else 2) for a, b, o in rows if s in (a, b))
            for s in range(1, data["n_systems"] + 1)
        ),
        "a pair with ties only": {3} in pairs.values(),
        "two systems that met only each other": {a for a, _, _ in rows if a > 4} == {5, 6}
        and all((a > 4) == (b > 4) for a, b, _ in rows),
        "both orders of a pair": any((b, a) in ahead for a, b in ahead),
        "an annotator who always chose the first": {1} in outcomes.values(),
    }
    if "ranking" in data:
        found["rankings of several systems"] = len(set(data["ranking"])) < data["n_rows"]
    if "item" in data:
        found.pop("a system that won all")
        found.pop("an annotator who always chose the first")
        questions = list(
            zip(data["annotator"], data["item"], (row[:2] for row in rows), strict=True)
        )
        found["a question that was answered differently"] = len(set(questions)) < len(rows)
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
)
