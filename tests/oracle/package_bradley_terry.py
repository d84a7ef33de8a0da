"""How a user asks for the models of models/bradley_terry; see ``package``."""

import pandas as pd

from bayeseval.families.bradley_terry import BradleyTerry, Thurstone
from bayeseval.judgements import Judgements, PairwiseJudgements
from tests.oracle.package import Package, Values


def ask(program: str, priors: Values) -> BradleyTerry:
    """Return the family with the priors."""
    if program == "model":
        return BradleyTerry(annotators="taste", **priors)
    if program == "model_rao_kupper":
        return BradleyTerry(
            ties="rao_kupper", annotators="consistency", position=False, items=True, **priors
        )
    return Thurstone(annotators=("consistency", "position"), position=True, **priors)


def judgements(data: Values) -> Judgements:
    """Return the rows of the data as a user's table.

    The table of rankings has whole counts: that they count for less is the package's part.
    """
    columns = ("system_a", "system_b", "annotator", "outcome", "item", "level", "ranking", "count")
    frame = pd.DataFrame({name: data[name] for name in columns if name in data})
    if "ranking" in data:
        frame["count"] = frame["count"].clip(lower=1).astype(int)
    return PairwiseJudgements.from_frame(
        frame,
        annotator="annotator",
        system_a="system_a",
        system_b="system_b",
        outcome="outcome",
        outcomes={1: "a", 2: "b", 3: "tie"},
        item="item" if "item" in data else None,
        moderators=("level",) if "level" in data else (),
        ranking="ranking" if "ranking" in data else None,
        count="count",
        repeats=True,
    )


PACKAGE = Package(ask=ask, judgements=judgements)
