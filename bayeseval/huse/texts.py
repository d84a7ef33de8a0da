"""The raw rows of a crowd's HUSE study, brought to one row a text."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bayeseval._checks import some
from bayeseval._records import Record, Shown
from bayeseval.errors import JudgementError
from bayeseval.huse._measures import TieRule
from bayeseval.huse.estimate import HUSE, huse


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HUSETexts(Record):
    """The texts of a HUSE study, read from the crowd's raw rows.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`: one row a text, with ``text``, ``source``, ``is_model``,
        ``log_probability``, ``length``, ``judgement`` (mean), ``n_judgements``.
    ratings : numpy.ndarray, texts × judgements
        The single judgements, in the order of the rows; NaN beyond a text's own number.
    long : pandas.DataFrame
        One row a judgement: ``annotator``, ``text``, ``source``, ``rating``; for
        `LikertJudgements.from_frame`.
    """

    ratings: np.ndarray
    long: pd.DataFrame

    def huse(
        self,
        *,
        k: int = 16,
        ties: TieRule = "paper",
        n_resamples: int = 0,
        ci_prob: float | None = None,
        random_seed: int | None = None,
    ) -> HUSE:
        """Compute HUSE of these texts.

        Parameters
        ----------
        k, ties, n_resamples, ci_prob, random_seed
            As in `huse`.

        Returns
        -------
        HUSE
            The measures.
        """
        return huse(
            log_probability=self.table["log_probability"].to_numpy(),
            length=self.table["length"].to_numpy(),
            judgement=self.table["judgement"].to_numpy(),
            is_model=self.table["is_model"].to_numpy(),
            k=k,
            ties=ties,
            n_resamples=n_resamples,
            ci_prob=ci_prob,
            random_seed=random_seed,
        )


def huse_texts(
    frame: pd.DataFrame,
    *,
    model: str,
    labels: Mapping[str, float],
    annotator: str = "WorkerId",
    hit: str | None = "HITId",
    text: str = "Input.IDX",
    source: str = "Input.TYPE",
    length: str = "Input.NTOK",
    log_probability: str = "Input.LOGP",
    answer: str = "Answer.",
) -> HUSETexts:
    """Bring the raw rows of a Mechanical Turk batch, many texts a row, to one row a text.

    Parameters
    ----------
    frame : pandas.DataFrame
        The batch file: one row an assignment, with numbered columns for each of its texts.
    model : str
        The value of ``source`` that marks the model's texts.
    labels : mapping of str to float
        What each answer counts as, such as ``{"Invalid": 1, …, "Very Typical": 6}``.
    annotator : str
        Column of the worker.
    hit : str or None
        Column of the task that a row belongs to; a text is known by it, its source and its number.
        None where numbers are unique within a source.
    text, source, length, log_probability, answer : str
        Beginnings of the numbered columns; the number follows. ``length`` may hold the texts
        themselves: they are counted as tokens between single blanks.

    Returns
    -------
    HUSETexts
        One row a text in order of first appearance, its judgements, and the long form. Empty
        answers are left out and counted in a note.

    Raises
    ------
    JudgementError
        If columns are missing, an answer is not explained, a text has two log probabilities or
        lengths, or no text is the model's.
    """
    if not isinstance(frame, pd.DataFrame):
        raise JudgementError(
            f"huse_texts needs a data frame, one row a hit; found {type(frame).__name__}."
        )
    starts = {"text": text, "source": source, "length": length, "log_probability": log_probability}
    starts["answer"] = answer
    numbers_of = [
        {str(name)[len(start) :] for name in frame.columns if str(name).startswith(start)}
        for start in starts.values()
    ]
    common = set.intersection(*numbers_of)
    common = sorted((n for n in common if n.isdigit()), key=int)
    named = [annotator, *([] if hit is None else [hit])]
    lacking = [name for name in named if name not in frame.columns]
    if not common or lacking:
        lacking += [s for s in starts.values() if not any(str(c).startswith(s) for c in frame)]
        raise JudgementError(
            f"expected the columns {some(named)} and numbered columns {some(starts.values())}; "
            f"missing: {some(lacking) or 'a number that all of them share'}. The frame has "
            f"{some(map(str, frame.columns))}."
        )
    parts = [
        pd.DataFrame(
            {
                "annotator": frame[annotator],
                "hit": "" if hit is None else frame[hit].astype(str) + ":",
                "row": np.arange(len(frame)),
                "place": int(number),
            }
            | {role: frame[start + number] for role, start in starts.items()}
        )
        for number in common
    ]
    long = pd.concat(parts).sort_values(["row", "place"], kind="stable", ignore_index=True)
    long["text"] = long["hit"] + long["text"].astype(str)
    empty = long["answer"].isna() | long["answer"].astype(str).str.strip().eq("")
    n_empty, long = int(empty.sum()), long[~empty].reset_index(drop=True)
    unknown = sorted(set(long["answer"].astype(str)) - set(labels))
    if unknown:
        raise JudgementError(
            f"the answers {some(unknown)} are not explained; labels= has {some(labels, most=12)}."
        )
    long["rating"] = long["answer"].astype(str).map(dict(labels)).astype(float)
    if not pd.api.types.is_numeric_dtype(long["length"]):
        as_number = pd.to_numeric(long["length"], errors="coerce")
        tokens = long["length"].astype(str).str.count(" ") + 1
        long["length"] = tokens if as_number.isna().any() else as_number
    by_text = long.groupby(["source", "text"], sort=False)
    table = by_text.agg(
        log_probability=("log_probability", "first"),
        length=("length", "first"),
        judgement=("rating", "mean"),
        n_judgements=("rating", "size"),
    ).reset_index()
    for name in ("log_probability", "length"):
        several = by_text[name].nunique().to_numpy() > 1
        if several.any():
            raise JudgementError(
                f"a text must have one {name}; text {some(table.loc[several, 'text'].tolist())} "
                "has several."
            )
    table.insert(2, "is_model", table["source"].astype(str) == model)
    if not table["is_model"].any():
        raise JudgementError(
            f"no text has the source {model!r}; sources are "
            f"{some(table['source'].unique().tolist())}."
        )
    ratings = np.full((len(table), int(table["n_judgements"].max())), np.nan)
    ratings[by_text.ngroup().to_numpy(), by_text.cumcount().to_numpy()] = long["rating"]
    kept = long[["annotator", "text", "source", "rating"]].copy()
    notes = [f"Judgement: mean of {int(table['n_judgements'].median())} answers (median)."]
    if n_empty:
        notes.append(f"{n_empty:,} empty answers left out.")
    return HUSETexts(
        table=table[
            ["text", "source", "is_model", "log_probability", "length", "judgement", "n_judgements"]
        ],
        title=f"{len(table)} texts, {len(long):,} judgements",
        notes=tuple(notes),
        shown=(
            Shown("text", "text", "label"),
            Shown("source", "source", "label"),
            Shown("log_probability", "log p"),
            Shown("length", "tokens", "count"),
            Shown("judgement", "judgement"),
            Shown("n_judgements", "judgements", "count"),
        ),
        ratings=ratings,
        long=kept,
    )
