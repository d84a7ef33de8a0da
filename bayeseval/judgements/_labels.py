"""What the user says of texts and codes among answers: the numbers that they stand for."""

from collections.abc import Mapping

import numpy as np

from bayeseval._checks import some
from bayeseval.errors import JudgementError
from bayeseval.judgements._columns import Column, Intake, as_number, label_text

type LabelMap = Mapping[str, float | None] | Mapping[float, float | None]


def labelled(
    column: Column, intake: Intake, labels: LabelMap, *, role: str
) -> tuple[list[float | None], dict[str, np.ndarray], bool]:
    """Return each value's number, rows declared to be no answer, and whether labels name all.

    Labels map what they name; any other value is the number as which it reads.
    """
    if not isinstance(labels, Mapping):
        raise JudgementError(
            f"labels= must map each text to a number; found {labels!r}. Texts in order from low to "
            "high are a scale: scale=[…]."
        )
    meaning: dict[str, float | None] = {}
    for text, number in labels.items():
        value = None if number is None else as_number(number)
        if number is not None and (value is None or isinstance(number, str | bool)):
            raise JudgementError(
                f"labels= must map each text to a number, or to None for no {role}; {text!r} is "
                f"mapped to {number!r}."
            )
        meaning[label_text(text)] = value
    texts = [label_text(value) for value in column.values]
    own = [None if isinstance(value, bool) else as_number(value) for value in column.values]
    unknown = np.array(
        [t not in meaning and n is None for t, n in zip(texts, own, strict=True)] + [False]
    )
    if unknown.any():
        found = [text for text, bad in zip(texts, unknown[:-1], strict=True) if bad]
        raise JudgementError(
            f"{role}={column.source!r} holds {some(found)}, which labels= does not explain, in "
            f"{intake.where(unknown[column.codes])}; it explains {some(meaning, most=12)}. Add the "
            f"text with its number, or with None if it is no {role}."
        )
    declined = {
        text: column.codes == code
        for code, text in enumerate(texts)
        if text in meaning and meaning[text] is None
    }
    numbers = [meaning.get(text, number) for text, number in zip(texts, own, strict=True)]
    return numbers, declined, all(text in meaning for text in texts)
