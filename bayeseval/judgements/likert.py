"""Likert judgements: an annotator gives an output a point of an ordered scale."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, Literal, Self

import numpy as np

from bayeseval._forms import LIKERT, Form
from bayeseval.judgements._build import Answers, Columns, Plan, build, plan, take_file
from bayeseval.judgements._columns import Intake, Missing
from bayeseval.judgements._factors import frozen_array
from bayeseval.judgements._intake import take
from bayeseval.judgements._labels import LabelMap
from bayeseval.judgements._meaning import Meaning
from bayeseval.judgements._reading import Paths
from bayeseval.judgements._scales import (
    Scale,
    ScaleByCriterion,
    ScaleLike,
    own_scale,
    read_ratings,
)
from bayeseval.judgements._summarise import category_facts, summarise
from bayeseval.judgements._table import Judgements
from bayeseval.judgements._wide import ANSWER, WideAnswers, melt
from bayeseval.judgements.summary import Summary


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
        The ordered scale; all points of all criteria where they have scales of their own.
    scales : dict of str to Scale
        The scale of each criterion; empty where one is used for all.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"worker": ["w1", "w1", "w2"], "model": ["A", "B", "A"],
    ...                       "score": [4, 2, 5]})
    >>> LikertJudgements.from_frame(
    ...     frame, annotator="worker", system="model", rating="score", scale=(1, 5))
    LikertJudgements: 3 ratings, 2 systems, 2 annotators, scale 1–5 (declared)
    """

    form: ClassVar[Form] = LIKERT
    protocol: ClassVar[str] = form.protocol
    answer_name: ClassVar[str] = form.answers[0]
    meaning: ClassVar[Meaning] = Meaning(
        asked="Annotators gave each output a point of an ordered scale.",
        answers="the ratings",
        new_judgement="one annotator rates one output of each; half of the ties count",
        level="ordinal",
        quantity="expected_rating",
    )

    scale: Scale
    scales: dict[str, Scale] = field(default_factory=dict)

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
        page: str | None = None,
        moderators: Columns = (),
        count: str | None = None,
        attributes: Columns = (),
        scale: ScaleLike | ScaleByCriterion | None = None,
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
        page : str, optional
            Column that says what was on one screen: `to_pairwise` compares what one annotator
            answered on one page only. Needed where somebody saw two pages about one item.
        moderators : sequence of str or mapping of name to column
            Columns that quality may vary by.
        count : str, optional
            Column that says how often this row was observed.
        attributes : sequence of str or mapping of name to column
            Further columns to keep for filters.
        scale : tuple (low, high), list of numbers, list of text, or mapping, optional
            The scale from low to high; a tuple of two numbers means all whole numbers from one to
            the other. Without it the scale is inferred, and said to be. A mapping gives every
            criterion a scale of its own: ``{"fluency": (0, 1), "coherence": (1, 5)}``.
        labels : mapping of rating text to number, optional
            What a text means, ``{"Poor": 1, ...}``; None means no rating
            (``{"Don't know": None}``). What is not named is the number as which it reads.
        repeats : bool
            Keep several ratings of one unit as true repeats; they are refused otherwise. Without
            annotators a second rating of an output may be another person's and is always kept.
        missing : sequence of str, number or pattern; or one pattern; or callable
            Cells that mean "nothing here", besides null and NaN. A number is meant in columns of
            numbers too, ``("", "-1")``; a pattern of ``re.compile`` must match the whole cell; a
            callable is asked of every distinct cell. Beside a pattern or a callable alone, empty
            cells are missing as well.

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
            page=page,
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
        page: str | None = None,
        moderators: Columns = (),
        count: str | None = None,
        attributes: Columns = (),
        scale: ScaleLike | ScaleByCriterion | None = None,
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
        criterion, page, moderators, count, attributes : as in `from_frame`
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
            page=page,
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
        page: str | None = None,
        moderators: Columns = (),
        attributes: Columns = (),
        scale: ScaleLike | ScaleByCriterion | None = None,
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
        system, item, criterion, page : str, optional
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
            page=page,
            moderators=moderators,
            attributes=attributes,
        )
        intake = melted.taken(planned.roles, missing=missing)
        return cls._from_intake(intake, planned, scale=scale, labels=labels, repeats=repeats)

    @classmethod
    def _from_intake(
        cls,
        intake: Intake,
        planned: Plan,
        *,
        scale: ScaleLike | ScaleByCriterion | None,
        labels: LabelMap | None,
        repeats: bool,
    ) -> Self:
        def parse(rows: Intake) -> Answers:
            read = read_ratings(rows, scale, labels)
            absent = {"no rating": rows.columns["rating"].codes < 0} | {
                f"answered {text!r}, declared as no rating": where
                for text, where in read.declined.items()
            }
            settings = {"scale": read.scale, "scales": read.scales}
            return Answers(read.codes.astype(np.int32), absent, settings=settings)

        return cls(**build(intake, planned, parse, repeats=repeats))  # type: ignore[arg-type]

    def _fingerprint_header(self) -> object:
        known = {"labels": list(self.scale.labels), "values": list(self.scale.values)}
        own = {name: [s.labels, s.values] for name, s in sorted(self.scales.items())}
        return {**known, "scales": own} if own else known

    def _answer_column(self) -> np.ndarray:
        """Return the ratings: numbers where the scale is numeric, else the categories' names."""
        if any(not scale.is_numeric for scale in self.scales.values()):
            return self._answers_by_criterion()
        if not self.scale.is_numeric:
            return np.array(self.scale.labels, dtype=object)[self.answers]
        return self.values

    def _answers_by_criterion(self) -> np.ndarray:
        answers = np.empty(self.n_rows, dtype=object)
        for code, name in enumerate(self.labels("criterion")):
            rows, own = self.codes("criterion") == code, self.scales[name]
            codes = own_scale(self.scale, own, self.answers[rows])
            answers[rows] = np.array(own.labels, dtype=object)[codes]
        return answers

    def keep_rows(self, rows: np.ndarray, *, rule: str) -> Self:
        """Return the table with some of its rows, and a line in the audit trail.

        Where only criteria of one scale are left, this is the table's scale.
        """
        kept = super().keep_rows(rows, rule=rule)
        if not self.scales:
            return kept
        scales = {name: self.scales[name] for name in kept.labels("criterion")}
        if len(set(scales.values())) > 1:
            return replace(kept, scales=scales)
        own = next(iter(scales.values()))
        answers = frozen_array(own_scale(self.scale, own, kept.answers))
        return replace(kept, answers=answers, scale=own, scales={})

    def as_numbers(self) -> np.ndarray:
        """Return the rows' ratings as the numbers of the scale."""
        return self.values.astype(np.float64)

    def as_given(self, answers: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the ratings as numbers of the scale, and the labels of their categories."""
        values = np.array(self.scale.values)
        if all(value.is_integer() for value in self.scale.values):
            values = values.astype(np.int64)
        return values[answers], {"category": np.array(self.scale.labels, dtype=object)[answers]}

    @property
    def values(self) -> np.ndarray:
        """The rows' ratings as the numbers of the scale."""
        return self.as_given(self.answers)[0]

    def _repr_facts(self) -> list[str]:
        first, *rest = super()._repr_facts()
        said = "a scale for each criterion" if self.scales else f"scale {self.scale}"
        return [first.replace("judgement", "rating"), *rest, said]

    def summary(self) -> Summary:
        """Say what is in the table, what was dropped, and what the design can identify."""
        facts = [(f"scale of {name}", "", str(scale)) for name, scale in self.scales.items()]
        facts = facts or [("scale", "", str(self.scale))]
        per_category = np.bincount(
            self.answers, weights=self.counts, minlength=self.scale.n_categories
        ).astype(np.int64)
        facts += category_facts("ratings by category", self.scale.labels, per_category)
        if self.has("annotator"):
            who = self.codes("annotator")
            used = np.zeros((len(self.labels("annotator")), self.scale.n_categories), dtype=bool)
            used[who, self.answers] = True
            narrow = int((used.sum(axis=1) == 1).sum())
            facts.append(("annotators who used one category only", "", f"{narrow:,}"))
        return summarise(self, answer_facts=facts)
