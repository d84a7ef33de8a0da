"""How a user asks for the models of models/preference_strength; see ``package``."""

from typing import Any

import pandas as pd

from bayeseval.families.preference_strength import PreferenceStrength
from bayeseval.judgements import Judgements, StrengthJudgements
from tests.oracle.package import Named, Package, Values

LOCATION = ("interaction", "taste", "log_scale", "side_bias")
SETTINGS: dict[str, dict[str, Any]] = {
    "model": {
        "effects": dict.fromkeys((*LOCATION, "deviation_level", "log_precision"), True),
    },
    "model_graded": {"effects": dict.fromkeys((*LOCATION, "log_gap"), True)},
    "model_graded_free": {
        "thresholds": "free",
        "effects": {"taste": False, "log_scale": True, "log_gap": True, "side_bias": True},
    },
    "model_student_t": {
        "response": "student_t",
        "effects": dict.fromkeys((*LOCATION, "deviation_level", "log_spread"), True),
    },
}


def ask(program: str, priors: Values) -> PreferenceStrength:
    """Return the family with the priors."""
    return PreferenceStrength(**SETTINGS[program], **priors)


def judgements(data: Values) -> Judgements:
    """Return the rows of the data as a user's table."""
    names = ("annotator", "system_a", "system_b", "item", "level", "grade", "strength", "count")
    graded = "grade" in data
    return StrengthJudgements.from_frame(
        pd.DataFrame({name: data[name] for name in names if name in data}),
        annotator="annotator",
        system_a="system_a",
        system_b="system_b",
        strength="grade" if graded else "strength",
        bounds=(1, data["n_grades"]) if graded else data["bound"],
        positive="a",
        item="item" if "item" in data else None,
        moderators=("level",) if "level" in data else (),
        count="count",
        repeats=True,
    )


def widths(x: Named, named: Named) -> float:
    """Add the parameters of the response: the package has the widths of grades one by one."""
    others = {name: value for name, value in x.items() if name not in named}
    log_width = others.pop("log_width", ())
    named |= others | {f"log_width_{j}": value for j, value in enumerate(log_width)}
    return 0.0


PACKAGE = Package(ask=ask, judgements=judgements, response=widths)
