"""How a user asks for the models of models/ordinal_probit; see ``package``."""

from typing import Any

import numpy as np
import pandas as pd

from bayeseval.families.ordinal_probit import OrdinalProbit
from bayeseval.judgements import Judgements, LikertJudgements
from tests.oracle.package import Named, Package, Values, divide

SETTINGS: dict[str, dict[str, Any]] = {
    "model": {
        "thresholds": "free",
        "discrimination": True,
        "effects": {"difficulty": True, "interaction": True, "taste": True},
    },
    "model_shifted": {
        "thresholds": "shifted",
        "effects": {"difficulty": True, "interaction": False, "taste": False},
    },
    "model_moderator": {
        "thresholds": "scaled",
        "effects": {"effect_level": True, "deviation_level": True, "taste": False},
    },
    "model_criteria": {
        "thresholds": "shifted",
        "criteria": "correlated",
        "effects": {"difficulty": True, "interaction": False, "taste": False},
    },
    "model_long": {"thresholds": "free", "effects": "none"},
}
WAVE_WEIGHTS = np.array([1, 1, 1 / 2, 1 / 3, 1 / 4, 1 / 5])


def ask(program: str, priors: Values) -> OrdinalProbit:
    """Return the family with the priors."""
    return OrdinalProbit(**SETTINGS[program], **priors)


def judgements(data: Values) -> Judgements:
    """Return the rows of the data as a user's table."""
    names = ("annotator", "system", "item", "criterion", "level", "rating", "count")
    frame = pd.DataFrame({name: data[name] for name in names if name in data})
    return LikertJudgements.from_frame(
        frame,
        annotator="annotator",
        system="system",
        rating="rating",
        item="item" if "item" in frame else None,
        criterion="criterion" if "criterion" in frame else None,
        moderators=("level",) if "level" in frame else (),
        count="count",
        scale=(1, data["n_categories"]),
        repeats=True,
    )


def thresholds(x: Named, named: Named) -> float:
    """Add the variables of the thresholds; return log |d these / d parameters|."""
    change = 0.0
    if "population_thresholds" in x:
        named["population_thresholds"] = x["population_thresholds"]
    if "gap_sd" in x:
        named["gap_sd"] = x["gap_sd"]
        shares = WAVE_WEIGHTS / np.sqrt((WAVE_WEIGHTS**2).sum())
        gap = x["gap_wave"] / shares if "gap_wave" in x else x["log_gap_deviation"]
        gap = gap.reshape(gap.shape[0], -1)
        change += divide(named, "gap_z", gap, x["gap_sd"], gap.size)
    if "discrimination_sd" in x:
        sd = named["discrimination_sd"] = x["discrimination_sd"]
        value = x["log_discrimination"]
        change += divide(named, "discrimination_z", value, sd, value.size)
    if "smoothness_sd" in x:
        sd = named["threshold_roughness"] = x["smoothness_sd"]
        value = x["gap_increment"]
        step_sd = sd / np.sqrt(value.size)
        change += divide(named, "threshold_steps", value, step_sd, value.size)
        named["threshold_centre"] = x["mean_threshold"]
        named["threshold_width"] = x["log_width"]
    return change


PACKAGE = Package(ask=ask, judgements=judgements, response=thresholds)
