"""Likert judgements: an annotator gives an output a point of an ordered scale."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal, Self

import numpy as np

from bayeseval._checks import some
from bayeseval.errors import JudgementError
from bayeseval.judgements._build import Answers, Columns, Plan, build, plan, take_file
from bayeseval.judgements._columns import Column, Intake, Missing, as_number, label_text
from bayeseval.judgements._intake import take
from bayeseval.judgements._meaning import Meaning
from bayeseval.judgements._reading import Paths
from bayeseval.judgements._summarise import summarise
from bayeseval.judgements._table import Judgements
from bayeseval.judgements._wide import ANSWER, WideAnswers, melt
from bayeseval.judgements.summary import Summary

MOST_INFERRED = 101

type Number = int | float
type ScaleLike = tuple[Number, Number] | Sequence[Number] | Sequence[str] | range
type LabelMap = Mapping[str, Number | None] | Mapping[Number, Number | None]


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

    def __str__(self) -> str:
        origin = "declared" if self.declared else "inferred from the ratings"
        texts = tuple(label_text(value) for value in self.values)
        if self.labels != texts:
            return f"{' < '.join(repr(label) for label in self.labels)} ({origin})"
        steps = np.diff(self.values)
        if len(texts) > 2 and (steps == 1).all():
            return f"{texts[0]}–{texts[-1]} ({origin})"
        return f"{', '.join(texts)} ({origin})"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LikertJudgements(Judgements):
    """Ratings on an ordered scale.

    The unit of one judgement is annotator × system, with item, criterion and moderators where they
    are named. A missing rating is an absent row, counted in ``dropped``; it is never a category. A
    point of the scale that nobody used stays in the scale.

    Parameters
    ----------
    factors, answers, counts, moderator_names : as in `Judgements`
        ``answers`` are category codes 0..K-1, int32.
    dropped, audit, repeats, attributes, origin : as in `Judgements`
        See there.
    scale : Scale
        The ordered scale.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"worker": ["w1", "w1", "w2"], "model": ["A", "B", "A"],
    ...                       "score": [4, 2, 5]})
    >>> LikertJudgements.from_frame(
    ...     frame, annotator="worker", system="model", rating="score", scale=(1, 5))
    LikertJudgements: 3 ratings, 2 systems, 2 annotators, scale 1–5 (declared)
    """

    protocol: ClassVar[str] = "likert"
    answer_name: ClassVar[str] = "rating"
    meaning: ClassVar[Meaning] = Meaning(
        asked="Annotators gave each output a point of an ordered scale.",
        answers="the ratings",
        new_judgement="one annotator rates one output of each; half of the ties count",
        level="ordinal",
        quantity="expected_rating",
    )

    scale: Scale

    @classmethod
    def from_frame(
        cls,
        frame: object,
        *,
        annotator: str | None,
        system: str,
        rating: str,
        item: str | None = None,
        criterion: str | None = None,
        moderators: Columns = (),
        count: str | None = None,
        attributes: Columns = (),
        scale: ScaleLike | None = None,
        labels: LabelMap | None = None,
        repeats: bool = False,
        missing: Missing = ("",),
    ) -> Self:
        """Make judgements from a data frame, one row a rating.

        Parameters
        ----------
        frame : data frame
            Any that narwhals accepts, eager or lazy; a lazy one is cut to the named columns first.
        annotator : str or None
            Column of the annotator's identity. None, which must be said, reads an export without
            identities; annotator effects are then off.
        system : str
            Column of the system.
        rating : str
            Column of the rating: numbers, text that reads as numbers, an ordered categorical, or
            text that ``labels`` or ``scale`` explains.
        item : str, optional
            Column of the item.
        criterion : str, optional
            Column of the criterion.
        moderators : sequence of str or mapping of name to column
            Columns that quality may vary by.
        count : str, optional
            Column that says how often this row was observed.
        attributes : sequence of str or mapping of name to column
            Further columns to keep for filters.
        scale : tuple (low, high), list of numbers, or list of text, optional
            The scale from low to high; a tuple of two numbers means all whole numbers from one to
            the other. Without it the scale is inferred, and said to be.
        labels : mapping of rating text to number, optional
            What each text means, ``{"Poor": 1, ...}``; None means no rating
            (``{"Don't know": None}``).
        repeats : bool
            Keep several ratings of one unit as true repeats; they are refused otherwise. Without
            annotators a second rating of an output may be another person's and is always kept.
        missing : sequence of str
            Cells that mean "nothing here", besides null and NaN.

        Returns
        -------
        LikertJudgements
            The validated table.

        Raises
        ------
        JudgementError
            A column is not there; a rating is off the scale or of mixed type; a label is missing;
            a unit is rated twice; nothing is left.
        """
        planned = plan(
            {"rating": rating},
            {"system": system},
            annotator=annotator,
            item=item,
            criterion=criterion,
            moderators=moderators,
            count=count,
            attributes=attributes,
        )
        intake = take(frame, planned.roles, missing=missing)
        return cls._from_intake(intake, planned, scale=scale, labels=labels, repeats=repeats)

    @classmethod
    def read(
        cls,
        path: Paths,
        *,
        annotator: str | None,
        system: str,
        rating: str,
        item: str | None = None,
        criterion: str | None = None,
        moderators: Columns = (),
        count: str | None = None,
        attributes: Columns = (),
        scale: ScaleLike | None = None,
        labels: LabelMap | None = None,
        repeats: bool = False,
        missing: Missing = ("",),
        separator: str | None = None,
        encoding: str = "utf-8",
    ) -> Self:
        """Read judgements from a file, one row a rating: CSV, TSV, JSON (lines), Parquet, Excel.

        Parameters
        ----------
        path : str, Path or sequence of them
            The file, or several of one layout; the suffix says the kind.
        annotator, system, rating, item : as in `from_frame`
            See there.
        criterion, moderators, count, attributes : as in `from_frame`
            Columns, as in `from_frame`.
        scale, labels, repeats, missing : as in `from_frame`
            As in `from_frame`. In CSV a cell is text and only an empty one is missing: pass
            ``missing=("", "NA")`` where the export writes NA.
        separator : str, optional
            What stands between columns of delimited text; from the suffix otherwise.
        encoding : str
            Encoding of a text file; UTF-8 may begin with a byte-order mark.

        Returns
        -------
        LikertJudgements
            The validated table.

        Raises
        ------
        JudgementError
            The file cannot be read, or as in `from_frame`.
        """
        planned = plan(
            {"rating": rating},
            {"system": system},
            annotator=annotator,
            item=item,
            criterion=criterion,
            moderators=moderators,
            count=count,
            attributes=attributes,
        )
        return take_file(
            path,
            planned,
            partial(cls._from_intake, planned=planned, scale=scale, labels=labels, repeats=repeats),
            missing=missing,
            separator=separator,
            encoding=encoding,
        )

    @classmethod
    def from_wide(
        cls,
        frame: object,
        *,
        annotator: str | None,
        ratings: WideAnswers,
        columns_are: Literal["system", "criterion", "item", "annotator"] | None = None,
        systems: Sequence[str] | None = None,
        system: str | None = None,
        item: str | None = None,
        criterion: str | None = None,
        moderators: Columns = (),
        attributes: Columns = (),
        scale: ScaleLike | None = None,
        labels: LabelMap | None = None,
        repeats: bool = False,
        missing: Missing = ("",),
    ) -> Self:
        """Make judgements from a wide table, several ratings a row.

        Parameters
        ----------
        frame : data frame
            Any that narwhals accepts.
        annotator : str or None
            Column of the annotator's identity, or None; also None where the columns are annotators.
        ratings : sequence of str, or mapping
            The columns that hold ratings; a mapping of column to label where a column does not
            stand for its own name. With ``systems``, a mapping of criterion to list of columns.
        columns_are : {"system", "criterion", "item", "annotator"}, optional
            What one column of ratings stands for.
        systems : sequence of str, optional
            Instead of ``columns_are``: columns that hold the system of the k-th rating of the row.
        system, item, criterion : str, optional
            Columns that hold the other labels.
        moderators, attributes, scale, labels, repeats, missing : as in `from_frame`
            See there.

        Returns
        -------
        LikertJudgements
            The validated table.

        Raises
        ------
        JudgementError
            As in `from_frame`.
        """
        melted = melt(
            frame,
            answers=ratings,
            argument="ratings",
            columns_are=columns_are,
            systems=systems,
            given={
                "annotator": annotator,
                "system": system,
                "item": item,
                "criterion": criterion,
            },
        )
        planned = plan(
            {"rating": ANSWER},
            {"system": melted.required("system")},
            annotator=melted.roles["annotator"],
            item=melted.roles["item"],
            criterion=melted.roles["criterion"],
            moderators=moderators,
            attributes=attributes,
        )
        intake = take(melted.frame, planned.roles, missing=missing, rows=melted.rows)
        return cls._from_intake(intake, planned, scale=scale, labels=labels, repeats=repeats)

    @classmethod
    def _from_intake(
        cls,
        intake: Intake,
        planned: Plan,
        *,
        scale: ScaleLike | None,
        labels: LabelMap | None,
        repeats: bool,
    ) -> Self:
        def parse(rows: Intake) -> Answers:
            found, codes, declined = _read_ratings(rows, scale, labels)
            absent = {"no rating": rows.columns["rating"].codes < 0} | {
                f"answered {text!r}, declared as no rating": where
                for text, where in declined.items()
            }
            return Answers(codes.astype(np.int32), absent, settings={"scale": found})

        return cls(**build(intake, planned, parse, repeats=repeats))  # type: ignore[arg-type]

    def _fingerprint_header(self) -> object:
        return {"labels": list(self.scale.labels), "values": list(self.scale.values)}

    def _answer_column(self) -> np.ndarray:
        """Return the ratings: numbers where the scale is numeric, else the categories' names."""
        numeric = tuple(label_text(value) for value in self.scale.values)
        if self.scale.labels != numeric:
            return np.array(self.scale.labels, dtype=object)[self.answers]
        return self.values

    def as_numbers(self) -> np.ndarray:
        """Return the rows' ratings as the numbers of the scale.

        Returns
        -------
        numpy.ndarray of float64
            One a row.
        """
        return self.values.astype(np.float64)

    @property
    def values(self) -> np.ndarray:
        """The rows' ratings as the numbers of the scale."""
        values = np.array(self.scale.values)
        if all(value.is_integer() for value in self.scale.values):
            values = values.astype(np.int64)
        return values[self.answers]

    def _repr_facts(self) -> list[str]:
        first, *rest = super()._repr_facts()
        return [first.replace("judgement", "rating"), *rest, f"scale {self.scale}"]

    def summary(self) -> Summary:
        """Say what is in the table, what was dropped, and what the design can identify.

        Returns
        -------
        Summary
            Prints as text and as HTML; ``to_frame()`` gives one row a fact.
        """
        per_category = np.bincount(
            self.answers, weights=self.counts, minlength=self.scale.n_categories
        ).astype(np.int64)
        total = self.n_judgements
        facts = [
            ("ratings by category", label, f"{number:,} ({number / total:.1%})")
            for label, number in zip(self.scale.labels, per_category, strict=True)
        ]
        if self.has("annotator"):
            who = self.codes("annotator")
            used = np.zeros((len(self.labels("annotator")), self.scale.n_categories), dtype=bool)
            used[who, self.answers] = True
            narrow = int((used.sum(axis=1) == 1).sum())
            facts.append(("annotators who used one category only", "", f"{narrow:,}"))
        return summarise(self, answer_facts=[("scale", "", str(self.scale)), *facts])


def _read_ratings(
    intake: Intake, scale: ScaleLike | None, labels: LabelMap | None
) -> tuple[Scale, np.ndarray, dict[str, np.ndarray]]:
    """Return the scale, each row's category, and rows whose answer was declared to be no rating."""
    column = intake.columns["rating"]
    declared = None if scale is None else _declared_scale(scale)
    declined: dict[str, np.ndarray] = {}
    if labels is not None:
        numbers, declined = _labelled(column, intake, labels)
        found = _scale_of_labels(labels, declared)
    elif declared is not None and _is_text(declared):
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
    return found, codes, declined


def _is_text(scale: Scale) -> bool:
    return scale.labels != tuple(label_text(value) for value in scale.values)


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


def _labelled(
    column: Column, intake: Intake, labels: LabelMap
) -> tuple[list[float | None], dict[str, np.ndarray]]:
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
                f"labels= must map each text to a number, or to None for no rating; {text!r} is "
                f"mapped to {number!r}."
            )
        meaning[label_text(text)] = value
    texts = [label_text(value) for value in column.values]
    unknown = [text for text in texts if text not in meaning]
    if unknown:
        rows = np.isin(column.codes, [texts.index(text) for text in unknown])
        raise JudgementError(
            f"rating={column.source!r} holds {some(unknown)}, which labels= does not explain, in "
            f"{intake.where(rows)}; it explains {some(meaning, most=12)}. Add the text with its "
            "number, or with None if it is no rating."
        )
    declined = {
        text: column.codes == code for code, text in enumerate(texts) if meaning[text] is None
    }
    return [meaning[text] for text in texts], declined


def _scale_of_labels(labels: LabelMap, declared: Scale | None) -> Scale:
    names: dict[float, str] = {}
    for text, number in labels.items():
        if number is not None:
            names.setdefault(float(number), label_text(text))
    if declared is None:
        values = tuple(sorted(names))
        found = Scale(tuple(names[value] for value in values), values, declared=True)
        _check_size(found)
        return found
    off = [text for number, text in names.items() if number not in declared.values]
    if off:
        raise JudgementError(
            f"labels= maps {some(off)} to numbers that are not on the declared scale {declared}."
        )
    texts = tuple(
        names.get(value, label)
        for value, label in zip(declared.values, declared.labels, strict=True)
    )
    return Scale(texts, declared.values, declared=True)


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
            some_labels = ", ".join(f"{text!r}: …" for text in found[:3])
            raise JudgementError(
                f"rating={column.source!r} holds text: {some(found, most=12)}. Say what it means: "
                f"labels={{{some_labels}}} with a number for each, or scale=[…] with all "
                "categories from low to high."
            )
        raise JudgementError(
            f"rating={column.source!r} mixes numbers and {some(found)}, in "
            f"{intake.where(unread[column.codes])}. If such a cell means no rating, pass "
            f'missing=("", {found[0]!r}); if it is a category, explain all with labels=.'
        )
    return numbers


def _those(column: Column, mask: np.ndarray) -> list[object]:
    return [value for value, wanted in zip(column.values, mask[:-1], strict=True) if wanted]


def _inferred_scale(numbers: Sequence[float | None], column: Column, intake: Intake) -> Scale:
    used = np.unique(column.codes[column.codes >= 0])
    values = sorted({number for code in used if (number := numbers[code]) is not None})
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
            f"rating={column.source!r} runs from {low} to {high}: more than {MOST_INFERRED} "
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
