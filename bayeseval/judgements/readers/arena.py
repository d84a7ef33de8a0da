"""Published collections of comparisons: Chatbot Arena, MT-Bench, AlpacaEval."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, cast

import numpy as np

from bayeseval.judgements._reading import Paths, needed
from bayeseval.judgements.pairwise import PairwiseJudgements
from bayeseval.judgements.readers._platform import (
    JSON,
    RECORDS,
    Source,
    first_of,
    kept_attributes,
    make_table,
    read_files,
    read_records,
)
from bayeseval.judgements.spa import SPAJudgements

ARENA_ATTRIBUTES = ("turn", "anony", "language", "tstamp", "is_code", "question_id")


def read_chatbot_arena(
    path: Paths,
    *,
    both_bad: Literal["tie"] | None = "tie",
    annotator: str | None = "judge",
    item: str | None = None,
    attributes: Sequence[str] | None = None,
    repeats: bool = True,
) -> PairwiseJudgements:
    """Read battles of Chatbot Arena.

    Parameters
    ----------
    path : str, Path or sequence of them
        JSON, JSON lines, CSV or Parquet with the columns ``model_a``, ``model_b`` and ``winner``,
        whose words are "model_a", "model_b", "tie" and "tie (bothbad)".
    both_bad : "tie" or None
        What "both are bad" means: a tie, as the leaderboard counts it, or no outcome.
    annotator : str or None
        Column of the voter; ``judge_hash`` is taken where there is no ``judge``.
    item : str, optional
        Column of the prompt; visitors write their own, so that there is none by default.
    attributes : sequence of str, optional
        Columns to keep for filters; by default turn, anony, language, tstamp, is_code and
        question_id, as far as they are there.
    repeats : bool
        Keep several votes of one visitor on one pair; without items they are about other prompts.

    Returns
    -------
    PairwiseJudgements
        The battles.

    Raises
    ------
    JudgementError
        A column is not there, or a word of ``winner`` is another.
    """
    source = read_files(path, read_records, RECORDS, name="Chatbot Arena")
    frame = source.frame
    voter = None if annotator is None else first_of(frame, [annotator, "judge_hash"], role="voter")
    kept = kept_attributes(frame, ARENA_ATTRIBUTES) if attributes is None else list(attributes)
    return _battles(
        source,
        {"annotator": voter, "item": item},
        attributes=kept,
        repeats=repeats,
        both_bad=both_bad,
    )


def read_mt_bench(
    path: Paths,
    *,
    annotator: str | None = "judge",
    turn_is: Literal["moderator", "criterion", "attribute"] = "moderator",
    repeats: bool = True,
) -> PairwiseJudgements:
    """Read the human or GPT-4 judgments of MT-Bench.

    Parameters
    ----------
    path : str, Path or sequence of them
        JSON, JSON lines, CSV or Parquet with the columns ``question_id``, ``model_a``, ``model_b``,
        ``winner``, ``judge`` and ``turn``. "tie (inconsistent)", a verdict that flipped with the
        order of answers, counts as a tie.
    annotator : str or None
        Column of the judge.
    turn_is : {"moderator", "criterion", "attribute"}
        What the two turns of a question are taken as.
    repeats : bool
        Keep several votes of one judge on the same pair, question and turn.

    Returns
    -------
    PairwiseJudgements
        The votes, with ``question_id`` as the item.

    Raises
    ------
    JudgementError
        A column is not there, or a word of ``winner`` is another.
    """
    source = read_files(path, read_records, RECORDS, name="MT-Bench")
    if "judge" in source.frame:
        # The original stores ["gpt-4", "pair-v2"] for a model as judge.
        named = [
            "-".join(map(str, who)) if isinstance(who, list | np.ndarray) else who
            for who in source.frame["judge"]
        ]
        source = replace(source, frame=source.frame.assign(judge=named))
    return _battles(
        source,
        {
            "annotator": annotator,
            "item": "question_id",
            "criterion": "turn" if turn_is == "criterion" else None,
        },
        moderators=["turn"] if turn_is == "moderator" else [],
        attributes=["turn"] if turn_is == "attribute" else [],
        repeats=repeats,
        both_bad="tie",
    )


def _battles(
    source: Source,
    others: dict[str, str | None],
    *,
    moderators: Sequence[str] = (),
    attributes: Sequence[str],
    repeats: bool,
    both_bad: Literal["tie"] | None,
) -> PairwiseJudgements:
    words = {
        "model_a": "a",
        "model_b": "b",
        "tie": "tie",
        "tie (bothbad)": both_bad,
        "both_bad": both_bad,
        "tie (inconsistent)": "tie",
    }
    roles = {role: column for role, column in others.items() if column is not None}
    roles |= {"system_a": "model_a", "system_b": "model_b", "outcome": "winner"}
    table = make_table(
        source,
        "pairwise",
        roles,
        moderators=moderators,
        attributes=attributes,
        repeats=repeats,
        declared={"outcomes": words},
    )
    return cast("PairwiseJudgements", table)


def read_alpaca_eval(
    path: Paths,
    *,
    item: str | None = None,
    annotator: str | None = "annotator",
    repeats: bool = False,
) -> SPAJudgements:
    """Read annotations of AlpacaEval: the judge's probability that a model beats the baseline.

    Parameters
    ----------
    path : str, Path or sequence of them
        ``annotations.json`` of one model, of several, or a folder of such files. ``preference``
        runs from 1 to 2; preference − 1 is P[generator_2 better than generator_1]. A preference of
        0, by which early versions wrote a draw, is read as ½.
    item : str, optional
        Column of the instruction; ``item`` or else ``instruction``.
    annotator : str or None
        Column of the judge.
    repeats : bool
        Keep several answers about one instruction and pair.

    Returns
    -------
    SPAJudgements
        The stated probabilities, generator_2 as system a. The baseline against itself is dropped
        and counted.

    Raises
    ------
    JudgementError
        A column is not there; a preference is out of bounds; the files have no row.
    """
    source = read_files(path, read_records, JSON, name="AlpacaEval")
    frame = source.frame
    needed(frame, ["preference", "generator_1", "generator_2"], of="AlpacaEval's annotations")
    # Early versions wrote a draw as 0.
    preference = [
        1.5 if isinstance(given, int | float) and given == 0 else given
        for given in frame["preference"]
    ]
    source = replace(source, frame=frame.assign(preference=preference))
    itself = (frame["generator_1"] == frame["generator_2"]).to_numpy()
    source = source.without(itself, "the baseline against itself")
    about = item or first_of(frame, ["item", "instruction"], role="item")
    roles = {
        "system_a": "generator_2",
        "system_b": "generator_1",
        "item": about,
        "probability": "preference",
    }
    table = make_table(
        source,
        "spa",
        roles if annotator is None else {"annotator": annotator, **roles},
        repeats=repeats,
        declared={"bounds": (1, 2)},
    )
    return cast("SPAJudgements", table)
