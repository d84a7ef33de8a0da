"""How a user asks for the models of models/ordered_beta; see ``package``."""

import pandas as pd

from bayeseval.families.ordered_beta import OrderedBeta
from bayeseval.judgements import Judgements, SPAJudgements
from tests.oracle.package import Package, Values

EFFECTS = {
    "model": dict.fromkeys(
        (
            "pair",
            "taste",
            "interaction",
            "log_extremity",
            "log_precision",
            "direction_bias",
            "deviation_level",
        ),
        True,
    ),
    "model_pairs": {
        "taste": False,
        "log_extremity": True,
        "log_precision": True,
        "direction_bias": False,
    },
}
# The data of the programs are not all read with the default resolution.
RESOLUTION = {"model": 0.01, "model_pairs": 0.02}


def ask(program: str, priors: Values) -> OrderedBeta:
    """Return the family with the priors."""
    return OrderedBeta(
        structure="pairs" if program == "model_pairs" else "qualities",
        effects=EFFECTS[program],
        resolution=RESOLUTION[program],
        **priors,
    )


def judgements(data: Values) -> Judgements:
    """Return the rows of the data as a user's table."""
    names = ("annotator", "system_a", "system_b", "item", "level", "probability", "count")
    return SPAJudgements.from_frame(
        pd.DataFrame({name: data[name] for name in names if name in data}),
        annotator="annotator",
        system_a="system_a",
        system_b="system_b",
        probability="probability",
        item="item" if "item" in data else None,
        moderators=["level"] if "level" in data else [],
        count="count",
        bounds=(0, 1),
        repeats=True,
    )


PACKAGE = Package(ask=ask, judgements=judgements)
