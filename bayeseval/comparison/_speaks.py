"""Whom a posterior and a test speak of, in words: why two right answers can differ."""

import pandas as pd

from bayeseval.comparison._contract import Population
from bayeseval.judgements import Judgements

# What a test takes as a sample, and so whom it speaks of.
SPEAKS_OF = {
    "paired t by item": "the paired test by item speaks of new items, not of new annotators",
    "paired t by annotator": "the paired test by annotator speaks of new annotators, not of new "
    "items",
    "Welch t": "Welch's test takes ratings as independent: it is too sure where annotators "
    "or items repeat",
    "one-sample t": "the t-test takes one value an annotator (or item, or judgement): it speaks of "
    "new ones of these, one pair at a time",
    "Bradley–Terry": "maximum likelihood speaks of new votes, by people who differ only as far as "
    "its standard errors allow for",
}


def generalises(table: pd.DataFrame, judgements: Judgements, population: Population) -> list[str]:
    """Say whom each side speaks of, and why they can differ."""
    tests = set(table["test"])
    units = [name for name in ("annotator", "item") if judgements.has(name)]
    whom = " and ".join(f"{name}s" for name in units)
    words = (
        f"The posterior speaks of {'the observed' if population == 'observed' else 'new'} {whom}, "
        "as far as the model has them. "
        if whom
        else ""
    )
    said = [
        reason for start, reason in SPEAKS_OF.items() if any(t.startswith(start) for t in tests)
    ]
    moderators = ", ".join(judgements.moderators)
    if moderators:
        said.append(
            "the posterior's difference is the mean over the levels of "
            f"{moderators}, equally weighted; the test "
            + (
                "compares within them, weighted by units where it is paired"
                if not judgements.is_paired
                else "pools them, weighted by their judgements"
            )
        )
    differ = int((~table["agree"]).sum()) if "agree" in table else 0
    return [
        f"{words}{_sentence('; '.join(said))}" if said else words.strip(),
        *(
            ["Where they disagree, ask first which of these populations is meant."]
            if differ
            else []
        ),
    ]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
