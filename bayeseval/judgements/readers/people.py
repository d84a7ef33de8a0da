"""What is known of annotators, joined by their id: demographics of Prolific and others."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from bayeseval._checks import shown, some
from bayeseval.errors import JudgementError
from bayeseval.judgements._argument import takes_judgements
from bayeseval.judgements._build import Columns
from bayeseval.judgements._factors import Factor, frozen_array
from bayeseval.judgements._intake import (
    as_pandas,
    attribute_columns,
    coded,
    take,
)
from bayeseval.judgements._moderators import moderator_columns, refuse_measurement
from bayeseval.judgements._reading import naming_the_file, paths_of
from bayeseval.judgements._table import Judgements
from bayeseval.judgements.readers._platform import read_records


@takes_judgements
def join_annotators[Table: Judgements](
    judgements: Table,
    people: object,
    *,
    id: str = "Participant id",
    moderators: Columns = (),
    attributes: Columns = (),
    unknown: str | None = None,
) -> Table:
    """Add what is known of annotators, such as the demographics that Prolific exports.

    Parameters
    ----------
    judgements : Judgements
        A table with annotator identities.
    people : data frame, str or Path
        One row a person, or a file of such a table.
    id : str
        Column of the annotator's identity.
    moderators : sequence of str or mapping of name to column
        Columns to add as moderators.
    attributes : sequence of str or mapping of name to column
        Columns to add as attributes, for filters.
    unknown : str, optional
        Level of a moderator for annotators without a value; an error by default.

    Returns
    -------
    Judgements
        The table with further moderators and attributes.

    Raises
    ------
    JudgementError
        There are no identities; a person occurs twice; no annotator, or not every one, is found.
    """
    annotators = judgements.annotators
    if annotators is None:
        raise JudgementError("join_annotators needs annotator identities; this table has none.")
    if isinstance(people, str | Path):
        (file,) = paths_of(people)
        with naming_the_file(file):
            frame = read_records(file)
    else:
        frame = as_pandas(people)
    if not isinstance(id, str):
        raise JudgementError(f"id= names the column of the ids by its text; found {shown(id)}.")
    levels = moderator_columns(moderators)
    kept = attribute_columns(attributes, moderators=levels)
    taken = [name for name in (*levels, *kept) if judgements.has(name)]
    taken += [name for name in (*levels, *kept) if name in judgements.attributes]
    if taken:
        raise JudgementError(f"the table has {some(taken)} already; give another name.")
    roles = {"annotator": id, **{f"m {n}": c for n, c in levels.items()}}
    roles |= {f"a {n}": c for n, c in kept.items()}
    intake = take(frame, roles)
    labels, codes = coded(intake.columns["annotator"], intake, role="annotator", answer="a person")
    if len(labels) < intake.n_rows:
        twice = [label for label, n in zip(labels, np.bincount(codes), strict=True) if n > 1]
        raise JudgementError(f"{id!r} must name every person once; {some(twice)} occur again.")
    row_of = {labels[code]: row for row, code in enumerate(codes)}
    lacking = [label for label in annotators if label not in row_of]
    if len(lacking) == len(annotators):
        raise JudgementError(
            f"no annotator of the table is in {id!r}: the table has {some(annotators)}, the people "
            f"are {some(labels)}. Are these the same ids?"
        )
    if lacking and (unknown is None and levels):
        raise JudgementError(
            f"{len(lacking)} of {len(annotators)} annotators are not in {id!r}: {some(lacking)}. "
            "Add "
            'them, or pass unknown="unknown" to give them a level of their own.'
        )
    person = np.array([row_of.get(label, -1) for label in annotators])
    who = judgements.codes("annotator")
    factors = list(judgements.factors)
    for name in levels:
        column = intake.columns[f"m {name}"]
        code = np.where(person >= 0, column.codes[person], -1)[who]
        if (code < 0).any() and unknown is None:
            empty = [annotators[k] for k in np.unique(who[code < 0])]
            raise JudgementError(
                f"{column.source!r} is empty for {some(empty)}. Fill it in, or pass unknown=."
            )
        values = pd.Series([*column.values, unknown], dtype=object).to_numpy()[code]
        given = take(pd.DataFrame({name: values}), {name: name})
        refuse_measurement(name, given.columns[name], judgements.n_judgements)
        texts, coding = coded(given.columns[name], given, role=name, answer="a judgement")
        factors.append(Factor(name, tuple(texts), frozen_array(coding)))
    added = {}
    for name in kept:
        column = intake.columns[f"a {name}"]
        code = np.where(person >= 0, column.codes[person], -1)[who]
        values = np.empty(len(column.values) + 1, dtype=object)
        values[:-1] = column.values
        added[name] = frozen_array(values[code])
    return replace(
        judgements,
        factors=tuple(factors),
        moderator_names=(*judgements.moderator_names, *levels),
        attributes={**judgements.attributes, **added},
    )
