"""Hypothesis strategies: valid and broken tables of judgements."""

from dataclasses import dataclass

import pandas as pd
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

# A busy machine is no property of a table.
settings.register_profile(
    "tables",
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("tables")

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


@dataclass(frozen=True)
class PairTable:
    """A generated table of comparisons; the answers are under ``answer``."""

    frame: pd.DataFrame


@st.composite
def pair_tables(draw: st.DrawFn, answers: st.SearchStrategy[object]) -> PairTable:
    """A table of pairs with one row a unit; some answers missing, at least one given."""
    annotators, systems = draw(labels(most=4)), draw(labels(least=2))
    items = draw(labels(most=3))
    units = [(w, a, b, i) for w in annotators for a in systems for b in systems for i in items]
    units = [unit for unit in units if unit[1] != unit[2]]
    chosen = draw(st.lists(st.sampled_from(units), min_size=1, max_size=30, unique=True))
    given = draw(
        st.lists(st.one_of(st.none(), answers), min_size=len(chosen), max_size=len(chosen)).filter(
            lambda values: any(value is not None for value in values)
        )
    )
    frame = pd.DataFrame(chosen, columns=["who", "left", "right", "which"])
    return PairTable(frame.assign(answer=pd.Series(given, dtype=object)))


@st.composite
def magnitude_tables(draw: st.DrawFn) -> PairTable:
    """A table of positive magnitudes, one row a unit."""
    table = draw(likert_tables())
    n = len(table.frame)
    values = st.floats(0.01, 1000)
    answers = draw(st.lists(values, min_size=n, max_size=n))
    return PairTable(table.frame.drop(columns="score").assign(answer=answers))
