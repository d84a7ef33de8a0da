"""Ordered scales: declared, explained by labels, inferred, or one for each criterion."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bayeseval._checks import shown, some
from bayeseval.errors import JudgementError
from bayeseval.judgements._columns import Column, Intake, as_number, label_text
from bayeseval.judgements._labels import LabelMap, labelled

MOST_INFERRED = 101
# Of a slider in thousandths; a mistyped end such as 10**12 would fill the memory.
MOST_DECLARED = 1_001

type Number = int | float
type ScaleLike = tuple[Number, Number] | Sequence[Number] | Sequence[str] | range
type ScaleByCriterion = Mapping[str, ScaleLike]


@dataclass(frozen=True)
class Scale:
    """An ordered scale.

    Parameters
    ----------
    labels : tuple of str
        The categories' names from low to high.
    values : tuple of float
        The number that stands for each category in means; 1..K where the scale is text.
    declared : bool
        False where the scale was inferred from the ratings.
    """

    labels: tuple[str, ...]
    values: tuple[float, ...]
    declared: bool

    @property
    def n_categories(self) -> int:
        """Number of categories, used or not."""
        return len(self.labels)

    @property
    def is_numeric(self) -> bool:
        """Whether the categories are named by their numbers."""
        return self.labels == tuple(label_text(value) for value in self.values)

    def __str__(self) -> str:
        origin = "declared" if self.declared else "inferred from the ratings"
        texts = tuple(label_text(value) for value in self.values)
        if not self.is_numeric:
            return f"{' < '.join(repr(label) for label in self.labels)} ({origin})"
        steps = np.diff(self.values)
        if len(texts) > 2 and (steps == 1).all():
            return f"{texts[0]}–{texts[-1]} ({origin})"
        return f"{', '.join(texts)} ({origin})"


@dataclass(frozen=True, eq=False)
class Ratings:
    """What was read of a column of ratings.

    ``codes`` is one category a row; ``declined`` holds the rows whose answer was declared to be no
    rating; ``scales`` is the scale of each criterion where they differ.
    """

    scale: Scale
    codes: np.ndarray
    declined: dict[str, np.ndarray]
    scales: dict[str, Scale] = field(default_factory=dict)


def read_ratings(
    intake: Intake, scale: ScaleLike | ScaleByCriterion | None, labels: LabelMap | None
) -> Ratings:
    """Read the ratings on a scale, or those of each criterion on its own."""
    if isinstance(scale, Mapping):
        return _by_criterion(intake, scale, labels)
    return _on_one_scale(intake, scale, labels)


def _by_criterion(intake: Intake, scales: ScaleByCriterion, labels: LabelMap | None) -> Ratings:
    column = intake.columns.get("criterion")
    if column is None or any(isinstance(given, int | float) for given in scales.values()):
        raise JudgementError(
            "scale= as a mapping gives every criterion its scale, {'fluency': (0, 1), …}, and goes "
            f"with criterion=; found {shown(dict(scales))}. What texts mean is said with labels="
            "{'Poor': 1, …}."
        )
    known = {label_text(name): given for name, given in scales.items()}
    names = [label_text(value) for value in column.values]
    lacking = [name for name in names if name not in known]
    if lacking:
        raise JudgementError(
            f"scale= must hold every criterion; {some(lacking)} in column {column.source!r} is not "
            f"among {some(known, most=9)}."
        )
    read: dict[str, Ratings] = {}
    rows_of: dict[str, np.ndarray] = {}
    for code, name in enumerate(names):
        rows = column.codes == code
        if rows.any():
            try:
                read[name] = _on_one_scale(_at(intake, rows), known[name], labels)
            except JudgementError as error:
                raise JudgementError(f"criterion {name!r}: {error}") from None
            rows_of[name] = rows
    if len({ratings.scale for ratings in read.values()}) == 1:
        every, by_criterion = next(iter(read.values())).scale, {}
    else:
        by_criterion = {name: ratings.scale for name, ratings in read.items()}
        every = _union(list(by_criterion.values()))
    codes = np.zeros(intake.n_rows, dtype=np.int64)
    declined: dict[str, np.ndarray] = {}
    position = {value: code for code, value in enumerate(every.values)}
    for name, ratings in read.items():
        own = np.array([position[value] for value in ratings.scale.values])
        codes[rows_of[name]] = own[ratings.codes]
        for text, where in ratings.declined.items():
            declined.setdefault(text, np.zeros(intake.n_rows, dtype=bool))[rows_of[name]] |= where
    return Ratings(every, codes, declined, by_criterion)


def _at(intake: Intake, rows: np.ndarray) -> Intake:
    """Return some rows, with the ratings that occur in them."""
    rating = intake.columns["rating"].taken(rows)
    if not rating.ordered:
        used = np.zeros(len(rating.values), dtype=bool)
        used[rating.codes[rating.codes >= 0]] = True
        rating = rating.keeping(used)
    return replace(
        intake, columns={"rating": rating}, rows=intake.rows[rows], weights=intake.weights[rows]
    )


def _union(scales: Sequence[Scale]) -> Scale:
    """Return all points of several scales; where they name a point differently, its number."""
    names: dict[float, set[str]] = {}
    for scale in scales:
        for value, label in zip(scale.values, scale.labels, strict=True):
            names.setdefault(value, set()).add(label)
    values = tuple(sorted(names))
    labels = tuple(
        next(iter(names[value])) if len(names[value]) == 1 else label_text(value)
        for value in values
    )
    return Scale(labels, values, declared=True)


def own_scale(every: Scale, own: Scale, codes: np.ndarray) -> np.ndarray:
    """Return codes on all points as codes on one criterion's own."""
    position = np.array([own.values.index(v) if v in own.values else -1 for v in every.values])
    return position[codes].astype(codes.dtype)


def _on_one_scale(intake: Intake, scale: ScaleLike | None, labels: LabelMap | None) -> Ratings:
    column = intake.columns["rating"]
    declared = None if scale is None else _declared_scale(scale)
    declined: dict[str, np.ndarray] = {}
    if labels is not None:
        numbers, declined, every = labelled(column, intake, labels, role="rating")
        if every:
            found = _scale_of_labels(labels, declared, texts=[label_text(v) for v in column.values])
        else:
            found = declared or _inferred_scale(numbers, column, intake, labels)
    elif declared is not None and not declared.is_numeric:
        known = dict(zip(declared.labels, declared.values, strict=True))
        numbers = [known.get(label_text(value)) for value in column.values]
        found = declared
    elif column.ordered and declared is None:
        texts = tuple(label_text(value) for value in column.values)
        parsed = [as_number(value) for value in column.values]
        rising = [float(number) for number in parsed if number is not None]
        if len(rising) < len(texts) or (np.diff(rising) <= 0).any():
            rising = [float(k) for k in range(1, len(texts) + 1)]
        found = Scale(texts, tuple(rising), declared=True)
        numbers = list(rising)
        _check_size(found)
    else:
        numbers = _numbers(column, intake)
        found = declared or _inferred_scale(numbers, column, intake)
    position = {value: code for code, value in enumerate(found.values)}
    of_value = [-2 if number is None else position.get(number, -2) for number in numbers]
    for text in declined:
        of_value[[label_text(value) for value in column.values].index(text)] = -1
    codes = np.array([*of_value, -1])[column.codes]
    outside = codes == -2
    if outside.any():
        wrong = [column.values[code] for code in np.unique(column.codes[outside])]
        hint = ""
        if isinstance(scale, list) and len(scale) == 2:
            hint = (
                f" A list names every category; for the whole range write scale={tuple(scale)!r}."
            )
        raise JudgementError(
            f"rating={column.source!r} must be on the scale {found}; found {some(wrong)} in "
            f"{intake.where(outside)}. Correct the ratings or declare the scale they were given on."
            f"{hint}"
        )
    return Ratings(found, codes, declined)


def _declared_scale(scale: ScaleLike) -> Scale:
    points = list(scale) if isinstance(scale, Iterable) and not isinstance(scale, str) else [scale]
    as_numbers = [None if isinstance(point, str | bool) else as_number(point) for point in points]
    if all(isinstance(point, str) for point in points) and not isinstance(scale, str):
        texts = tuple(str(point) for point in points)
        if len(set(texts)) != len(texts):
            raise JudgementError(f"scale= names a category twice: {some(texts, most=12)}.")
        found = Scale(texts, tuple(float(k) for k in range(1, len(texts) + 1)), declared=True)
    elif any(number is None or not np.isfinite(number) for number in as_numbers):
        raise JudgementError(
            "scale= must be (low, high), a list of numbers or a list of text labels, from low to "
            f"high; found {scale!r}."
        )
    else:
        numbers = [float(number) for number in as_numbers if number is not None]
        if isinstance(scale, tuple) and len(numbers) == 2:
            low, high = numbers
            if not (low.is_integer() and high.is_integer() and low < high):
                raise JudgementError(
                    "scale=(low, high) must be two whole numbers, low before high; found "
                    f"{scale!r}. For other steps list every category."
                )
            if high - low >= MOST_DECLARED:
                raise JudgementError(
                    f"scale={scale!r} has more than {MOST_DECLARED:,} categories, each of which "
                    "would be an answer to choose. Correct its ends, or use the protocol that fits "
                    "(magnitudes, probabilities, strengths)."
                )
            numbers = [float(k) for k in range(int(low), int(high) + 1)]
        if (np.diff(numbers) <= 0).any():
            raise JudgementError(
                f"scale= must rise from low to high; found {some(points, most=12)}. For a reversed "
                "scale map each label to its number with labels=."
            )
        found = Scale(tuple(label_text(n) for n in numbers), tuple(numbers), declared=True)
    _check_size(found)
    return found


def _check_size(scale: Scale) -> None:
    if scale.n_categories < 2:
        raise JudgementError(
            f"a scale needs at least two categories; found {some(scale.labels)}. Declare all "
            "points that could have been chosen, used or not."
        )


def _scale_of_labels(labels: LabelMap, declared: Scale | None, *, texts: Sequence[str]) -> Scale:
    names: dict[float, str] = {}
    for text, number in labels.items():
        if number is not None:
            names.setdefault(float(number), label_text(text))
    if declared is None:
        values = tuple(sorted(names))
        found = Scale(tuple(names[value] for value in values), values, declared=True)
        _check_size(found)
        return found
    # Of several criteria one may not use all of what labels= explains.
    off = [t for number, t in names.items() if number not in declared.values and t in texts]
    if off:
        raise JudgementError(
            f"labels= maps {some(off)} to numbers that are not on the declared scale {declared}."
        )
    shown_as = tuple(
        names.get(value, label)
        for value, label in zip(declared.values, declared.labels, strict=True)
    )
    return Scale(shown_as, declared.values, declared=True)


def _numbers(column: Column, intake: Intake) -> list[float | None]:
    numbers = [as_number(value) for value in column.values]
    is_text = np.array([isinstance(value, str) for value in column.values] + [False])
    if is_text[:-1].any() and not is_text[:-1].all():
        raise JudgementError(
            f"rating={column.source!r} mixes text and numbers: text "
            f"{some(_those(column, is_text))} in {intake.where(is_text[column.codes])}. Store the "
            "column as one type, or explain text with labels=."
        )
    unread = np.array([number is None for number in numbers] + [False])
    if unread.any():
        found = _those(column, unread)
        if unread[:-1].all():
            some_labels = ", ".join(f"{shown(text)}: …" for text in found[:3])
            raise JudgementError(
                f"rating={column.source!r} holds text: {some(found, most=12)}. Say what it means: "
                f"labels={{{some_labels}}} with a number for each, or scale=[…] with all "
                "categories from low to high."
            )
        raise JudgementError(
            f"rating={column.source!r} mixes numbers and {some(found)}, in "
            f"{intake.where(unread[column.codes])}. If such a cell means no rating, pass "
            f'missing=("", {shown(found[0])}); if it is a category, explain it with labels=.'
        )
    return numbers


def _those(column: Column, mask: np.ndarray) -> list[object]:
    return [value for value, wanted in zip(column.values, mask[:-1], strict=True) if wanted]


def _inferred_scale(
    numbers: Sequence[float | None],
    column: Column,
    intake: Intake,
    labels: LabelMap | None = None,
) -> Scale:
    used = np.unique(column.codes[column.codes >= 0])
    given = {float(number) for number in (labels or {}).values() if number is not None}
    values = sorted({number for code in used if (number := numbers[code]) is not None} | given)
    if not values:
        raise JudgementError(
            f"expected at least one rating; rating={column.source!r} is empty in all "
            f"{intake.n_rows:,} rows."
        )
    if not all(value.is_integer() for value in values):
        wrong = [label_text(value) for value in values if not value.is_integer()]
        raise JudgementError(
            f"rating={column.source!r} holds {some(wrong)}: not whole numbers, so that the scale "
            "cannot be inferred. List every category from low to high: scale=[1, 1.5, 2, …]."
        )
    low, high = int(values[0]), int(values[-1])
    if high - low + 1 > MOST_INFERRED:
        raise JudgementError(
            f"rating={column.source!r} runs from {low:g} to {high:g}: more than {MOST_INFERRED} "
            "categories are not inferred. Declare the scale, or use the protocol that fits "
            "(magnitudes, probabilities, strengths)."
        )
    if low == high:
        raise JudgementError(
            f"rating={column.source!r} is {low} everywhere, so that the scale cannot be inferred. "
            "Declare it: scale=(low, high)."
        )
    points = tuple(float(k) for k in range(low, high + 1))
    return Scale(tuple(label_text(point) for point in points), points, declared=False)
