"""How a user asks for the models of models/log_magnitude; see ``package``."""

import pandas as pd

from bayeseval.families.log_magnitude import LogMagnitude
from bayeseval.judgements import Judgements, MagnitudeJudgements
from tests.oracle.package import Package, Values

EFFECTS = {
    "model": dict.fromkeys(
        (
            "difficulty",
            "interaction",
            "taste",
            "severity",
            "modulus",
            "log_spread",
            "tie_band",
            "log_scale",
        ),
        True,
    ),
    "model_free": {
        "difficulty": True,
        "interaction": False,
        "taste": False,
        "modulus": True,
        "log_spread": True,
        "log_scale": True,
    },
}


def ask(program: str, priors: Values) -> LogMagnitude:
    """Return the family with the priors."""
    return LogMagnitude(effects=EFFECTS[program], **priors)


def judgements(data: Values) -> Judgements:
    """Return the rows of the data as a user's table."""
    names = ("annotator", "system", "item", "magnitude", "reference", "count")
    return MagnitudeJudgements.from_frame(
        pd.DataFrame({name: data[name] for name in names if name in data}),
        annotator="annotator",
        system="system",
        item="item",
        magnitude="magnitude",
        reference="reference" if "reference" in data else None,
        count="count",
        zeros="censor",
        repeats=True,
    )


PACKAGE = Package(ask=ask, judgements=judgements)
