"""Hypothesis strategies: valid and broken tables of judgements."""

from dataclasses import dataclass

import pandas as pd
from hypothesis import strategies as st

NASTY = (
    "A",
    "a b",
    "x[1]",
    'say "hi"',
    "it's",
    "<script>alert(1)</script>",
    "🙂",
    "نظام",
    "day 2",
    "day 10",
    "007",
    "1.5",
    "-3",
    "NA",
    "None",
    "comma, semicolon; tab",
    "x" * 300,
    "9" * 30,
)


def labels(*, most: int = 5, least: int = 1) -> st.SearchStrategy[list[str]]:
    """Distinct labels, pleasant and not."""
    text = st.one_of(
        st.sampled_from(NASTY),
        st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8).filter(
            lambda label: bool(label.strip())
        ),
    )
    return st.lists(text, min_size=least, max_size=most, unique=True)


@dataclass(frozen=True)
class Table:
    """A generated table: the frame, and what belongs into ``from_frame``."""

    frame: pd.DataFrame
    low: int
    high: int


@st.composite
def likert_tables(draw: st.DrawFn, *, least_systems: int = 1) -> Table:
    """A ratings table with one row a unit, some ratings missing, at least one given."""
    annotators, systems = draw(labels()), draw(labels(least=least_systems))
    items = draw(labels(most=3))
    low = draw(st.integers(-3, 3))
    high = low + draw(st.integers(1, 6))
    units = [(a, s, i) for a in annotators for s in systems for i in items]
    chosen = draw(st.lists(st.sampled_from(units), min_size=1, max_size=40, unique=True))
    answers = draw(
        st.lists(
            st.one_of(st.none(), st.integers(low, high)),
            min_size=len(chosen),
            max_size=len(chosen),
        ).filter(lambda given: any(answer is not None for answer in given))
    )
    frame = pd.DataFrame(chosen, columns=["who", "what", "which"])
    frame["score"] = pd.array(answers, dtype="Int64")
    return Table(frame, low, high)
