"""Columns of outcomes: which are read, and what their cells mean."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from bayeseval._checks import shown, some
from bayeseval.errors import JudgementError
from bayeseval.judgements._build import Answers, Columns, Plan, plan
from bayeseval.judgements._columns import Column, Intake, label_text

type Outcome = Literal["a", "b", "tie"]
type OutcomeMap = Mapping[str, Outcome | None] | Mapping[int, Outcome | None]

OUTCOMES: tuple[Outcome, ...] = ("a", "b", "tie")


def plan_outcomes(
    system_a: str,
    system_b: str,
    outcome: str | None,
    winner: str | None,
    annotator: str | None,
    item: str | None,
    criterion: str | None,
    ranking: str | None,
    moderators: Columns,
    count: str | None,
    attributes: Columns,
) -> Plan:
    """Say which columns are read; either outcomes or winners."""
    if (outcome is None) == (winner is None):
        raise JudgementError(
            "name one column: outcome=, whose words say which side won, or winner=, which holds "
            "the label of the winning system."
        )
    return plan(
        {"outcome": outcome, "winner": winner},
        {"system_a": system_a, "system_b": system_b},
        annotator=annotator,
        item=item,
        criterion=criterion,
        ranking=ranking,
        moderators=moderators,
        count=count,
        attributes=attributes,
    )


def read_outcomes(rows: Intake, outcomes: OutcomeMap | None) -> Answers:
    """Read the cells of the column of outcomes, or of winners."""
    meaning = _meaning(outcomes, defaults="outcome" in rows.columns)
    if "winner" in rows.columns:
        return _read_winners(rows, meaning)
    column = rows.columns["outcome"]
    texts = [label_text(value) for value in column.values]
    unknown = np.array([*(text not in meaning for text in texts), False])
    if unknown.any():
        raise _unexplained("outcome", column, unknown[column.codes], rows, meaning)
    return _answers([meaning[text] for text in texts], texts, column.codes, "outcome")


def _read_winners(rows: Intake, meaning: Mapping[str, Outcome | None]) -> Answers:
    column = rows.columns["winner"]
    texts = [label_text(value) for value in column.values]
    number = {text: code for code, text in enumerate(texts)}
    won = np.full(rows.n_rows, -2)
    for side, code in (("system_b", 1), ("system_a", 0)):
        systems = rows.columns[side]
        of_label = [number.get(label_text(value), -3) for value in systems.values]
        won[np.array([*of_label, -3])[systems.codes] == column.codes] = code
    unknown = np.array([*(text not in meaning for text in texts), False])[column.codes]
    unknown &= (won == -2) & (column.codes >= 0)
    if unknown.any():
        raise _unexplained("winner", column, unknown, rows, meaning)
    other = _answers([meaning.get(text) for text in texts], texts, column.codes, "winner")
    is_side = won >= 0
    return Answers(
        np.where(is_side, won, other.values).astype(np.int8),
        {reason: absent & ~is_side for reason, absent in other.absent.items()},
    )


def _meaning(outcomes: OutcomeMap | None, *, defaults: bool) -> dict[str, Outcome | None]:
    if outcomes is None:
        return {word: word for word in OUTCOMES} if defaults else {}
    if not isinstance(outcomes, Mapping):
        raise JudgementError(
            "outcomes= must map each word to 'a', 'b', 'tie' or None, such as {'left': 'a'}; found "
            f"{shown(outcomes)}."
        )
    for word, outcome in outcomes.items():
        if outcome is not None and outcome not in OUTCOMES:
            raise JudgementError(
                f"outcomes= must map each word to 'a', 'b', 'tie', or to None for no outcome; "
                f"{word!r} is mapped to {outcome!r}."
            )
    return {label_text(word): outcome for word, outcome in outcomes.items()}


def _answers(
    outcome_of: Sequence[Outcome | None], texts: Sequence[str], codes: np.ndarray, role: str
) -> Answers:
    table = [0 if outcome is None else OUTCOMES.index(outcome) for outcome in outcome_of]
    absent = {f"no {role}": codes < 0} | {
        f"{role} {text!r}, declared as no outcome": codes == code
        for code, (text, outcome) in enumerate(zip(texts, outcome_of, strict=True))
        if outcome is None
    }
    return Answers(np.array([*table, 0], dtype=np.int8)[codes], absent)


def _unexplained(
    role: str,
    column: Column,
    unknown: np.ndarray,
    rows: Intake,
    meaning: Mapping[str, Outcome | None],
) -> JudgementError:
    codes = np.unique(column.codes[unknown])
    found = [column.values[code] for code in codes]
    counted = ", ".join(
        f"{shown(column.values[code])} ({int(rows.weights[column.codes == code].sum()):,})"
        for code in codes[:5]
    )
    more = f" and {len(codes) - 5} more" if len(codes) > 5 else ""
    explained = some(meaning, most=12) if meaning else "no other word"
    expected = (
        f"one of {explained}"
        if role == "outcome"
        else f"the label of one of the row's two systems, or {explained}"
    )
    systems = {value for side in ("system_a", "system_b") for value in rows.columns[side].values}
    hint = ""
    if role == "outcome" and systems & set(found):
        hint = " Where a cell names the winning system, that is winner= (from_wide: cells_are=)."
    return JudgementError(
        f"{role}={column.source!r} must be {expected}; found {counted}{more}, in "
        f"{rows.where(unknown)}. Say what each means, 'a', 'b', 'tie' or None for no outcome: "
        f"outcomes={{{shown(found[0])}: 'a', …}}.{hint}"
    )
