"""Filters: each returns a new table with a line in its audit trail."""

import re
from collections.abc import Callable, Mapping, Sequence
from numbers import Real

import numpy as np
import pandas as pd

from bayeseval._checks import nearest, shown, some
from bayeseval.errors import JudgementError
from bayeseval.judgements._argument import takes_judgements
from bayeseval.judgements._table import Judgements
from bayeseval.judgements.spa import SPAJudgements

# Offsets from UTC in hours of the zones that crowd platforms write by their letters.
ZONES = {"UTC": 0, "GMT": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6}
ZONES |= {"PST": -8, "PDT": -7}
WITH_ZONE = re.compile(r"\w{3} (\w{3} \d{2} \d{2}:\d{2}:\d{2}) ([A-Z]{3}) (\d{4})")


@takes_judgements
def filter_where[Table: Judgements](
    judgements: Table, predicate: Callable[[pd.DataFrame], object], *, rule: str
) -> Table:
    """Keep the rows for which a predicate holds.

    Parameters
    ----------
    judgements : Judgements
        The table.
    predicate : callable
        Gets ``judgements.to_frame()``, attributes included, and returns one Boolean a row.
    rule : str
        What the predicate asks, in words; it is printed in reports.

    Returns
    -------
    Judgements
        The rows that are left, with a line in ``audit``.

    Raises
    ------
    JudgementError
        The predicate does not answer one Boolean a row, or nothing is left.
    """
    if not callable(predicate):
        raise JudgementError(
            f"predicate= is a function of the table's data frame; found {shown(predicate)}."
        )
    if not isinstance(rule, str) or not rule.strip():
        raise JudgementError(f"rule= says in words what is kept; found {shown(rule)}.")
    answer = pd.Series(predicate(judgements.to_frame()))  # type: ignore[call-overload]
    if answer.isna().any() or len(answer) != judgements.n_rows:
        raise JudgementError(
            f"the predicate of “{rule}” must answer True or False for each of "
            f"{judgements.n_rows} rows; found {len(answer)} answers, {int(answer.isna().sum())} of "
            "them missing."
        )
    return judgements.keep_rows(answer.to_numpy(), rule=rule)


@takes_judgements
def filter_incoherent(judgements: SPAJudgements, *, tau: float = 1.1) -> SPAJudgements:
    """Drop annotators who contradict themselves: P[a ≻ b] + P[b ≻ a] above τ for any pair.

    Parameters
    ----------
    judgements : SPAJudgements
        Stated probabilities with both directions of some pairs.
    tau : float, 1 to 2
        The largest sum that is let through.

    Returns
    -------
    SPAJudgements
        All rows of the annotators who are left.

    Raises
    ------
    JudgementError
        There are no identities; nobody was asked in both directions; nobody is left.

    References
    ----------
    Ethayarajh and Jurafsky (2022), The authenticity gap in human evaluation, EMNLP,
    doi:10.18653/v1/2022.emnlp-main.406.
    """
    guilty = incoherent_annotators(judgements, tau=tau)
    coherent = np.array([label not in guilty for label in judgements.labels("annotator")])
    keep = coherent[judgements.codes("annotator")]
    return judgements.keep_rows(
        keep, rule=f"incoherent annotators: P[a ≻ b] + P[b ≻ a] above {tau:g} for any pair"
    )


def incoherent_annotators(judgements: SPAJudgements, *, tau: float) -> set[str]:
    """Return the annotators whose P[a ≻ b] + P[b ≻ a] is above τ for any pair."""
    if not isinstance(judgements, SPAJudgements):
        raise JudgementError(
            "filter_incoherent needs SPAJudgements, which state a probability of either direction; "
            f"found {type(judgements).__name__}."
        )
    if not isinstance(tau, Real) or not 1 <= tau <= 2:
        raise JudgementError(f"tau= must be between 1 and 2; found {shown(tau)}.")
    _identities(judgements, "filter_incoherent")
    both = judgements.incoherence().dropna(subset="incoherence")
    if not len(both):
        raise JudgementError(
            "filter_incoherent needs annotators who were asked about a pair in both directions; "
            "here every pair was asked in one direction only."
        )
    # Sums such as 0.3 + 0.8 miss 1.1 by a rounding error.
    return set(both.loc[both["incoherence"] > tau - 1 + 1e-9, "annotator"])


@takes_judgements
def filter_first_submission[Table: Judgements](
    judgements: Table, *, submission: str, time: str | None = None
) -> Table:
    """Keep the first submission of every annotator.

    Parameters
    ----------
    judgements : Judgements
        The table, with the named attributes.
    submission : str
        Attribute that identifies a submission (assignment, form, response).
    time : str, optional
        Attribute with the time of submission; without it the order of rows decides.

    Returns
    -------
    Judgements
        The rows of each annotator's first submission.

    Raises
    ------
    JudgementError
        There are no identities, or an attribute is not there.
    """
    who = _identities(judgements, "filter_first_submission")
    order = (
        np.arange(judgements.n_rows)
        if time is None
        else times(_attribute(judgements, time), name=time).to_numpy()
    )
    frame = pd.DataFrame(
        {"who": who, "submission": _attribute(judgements, submission), "order": order}
    )
    first = frame.sort_values("order", kind="stable").groupby("who")["submission"].first()
    keep = (frame["submission"] == first[who].to_numpy()).to_numpy()
    by = "order of rows" if time is None else time
    return judgements.keep_rows(keep, rule=f"first submission of every annotator, by {by}")


@takes_judgements
def filter_work_time[Table: Judgements](
    judgements: Table,
    *,
    min_median: str | pd.Timedelta,
    submission: str,
    start: str,
    end: str,
) -> Table:
    """Drop annotators whose median time a submission is too short.

    Platforms count the time from accepting to submitting. People who accept many tasks at once so
    seem slow: the real time of a submission is counted from its start or, if later, from the end of
    the same annotator's submission before.

    Parameters
    ----------
    judgements : Judgements
        The table, with the named attributes.
    min_median : str or pandas.Timedelta
        The shortest median that is let through, such as ``"40s"``.
    submission : str
        Attribute that identifies a submission.
    start, end : str
        Attributes with the times of accepting and of submitting.

    Returns
    -------
    Judgements
        All rows of the annotators who are left.

    Raises
    ------
    JudgementError
        There are no identities; an attribute is not there; a time cannot be read; nobody is left.

    References
    ----------
    Karpinska, Akoury and Iyyer (2021), The perils of using Mechanical Turk to evaluate open-ended
    text generation, EMNLP, doi:10.18653/v1/2021.emnlp-main.97.
    """
    try:
        least = pd.Timedelta(min_median)
    except ValueError:
        raise JudgementError(
            f'min_median= must be a duration such as "40s" or "2min"; found {min_median!r}.'
        ) from None
    who = _identities(judgements, "filter_work_time")
    medians = work_times(judgements, submission=submission, start=start, end=end)
    labels = np.array(judgements.annotators, dtype=object)[who]
    slow_enough = (medians >= least)[labels].to_numpy()
    return judgements.keep_rows(
        slow_enough, rule=f"annotators with a median work time below {least.total_seconds():g} s"
    )


@takes_judgements
def work_times(
    judgements: Judgements, *, submission: str, start: str, end: str
) -> "pd.Series[pd.Timedelta]":
    """Return every annotator's median real time a submission.

    Parameters
    ----------
    judgements : Judgements
        The table, with the named attributes.
    submission, start, end : str
        Attributes, as in `filter_work_time`.

    Returns
    -------
    pandas.Series of Timedelta
        One median an annotator, by label.

    Raises
    ------
    JudgementError
        As in `filter_work_time`.
    """
    who = _identities(judgements, "work_times")
    frame = pd.DataFrame(
        {
            "who": np.array(judgements.annotators, dtype=object)[who],
            "submission": _attribute(judgements, submission),
            "start": times(_attribute(judgements, start), name=start),
            "end": times(_attribute(judgements, end), name=end),
        }
    )
    once = frame.drop_duplicates(["who", "submission"]).sort_values(["who", "end"])
    before = once.groupby("who")["end"].shift()
    begun = once["start"].where(before.isna() | (before < once["start"]), before)
    return (once["end"] - begun).groupby(once["who"]).median()


@takes_judgements
def filter_attention_checks[Table: Judgements](
    judgements: Table,
    checks: Mapping[str, object],
    *,
    max_failed: int = 0,
) -> Table:
    """Drop annotators who fail attention checks.

    Parameters
    ----------
    judgements : Judgements
        The table, with the named attributes.
    checks : mapping of attribute to right answer
        The right answer, or a list of right answers. A missing answer is a failed check.
    max_failed : int
        How many of the checks an annotator may fail.

    Returns
    -------
    Judgements
        All rows of the annotators who are left.

    Raises
    ------
    JudgementError
        There are no identities; an attribute is not there; nobody is left.
    """
    who = _identities(judgements, "filter_attention_checks")
    failed = np.zeros(who.max() + 1, dtype=int)
    if not isinstance(checks, Mapping):
        raise JudgementError(
            f"checks= maps an attribute to its right answer; found {shown(checks)}."
        )
    for name, right in checks.items():
        allowed = (
            {str(answer) for answer in right}
            if isinstance(right, Sequence) and not isinstance(right, str)
            else {str(right)}
        )
        wrong = np.array([str(given) not in allowed for given in _attribute(judgements, name)])
        failed += np.bincount(who, weights=wrong, minlength=len(failed)) > 0
    keep = (failed <= max_failed)[who]
    named = ", ".join(checks)
    return judgements.keep_rows(
        keep, rule=f"annotators who fail more than {max_failed} of the attention checks ({named})"
    )


def _identities(judgements: Judgements, function: str) -> np.ndarray:
    if not judgements.has("annotator"):
        raise JudgementError(
            f"{function} needs annotator identities; this table was read with annotator=None."
        )
    return judgements.codes("annotator")


def _attribute(judgements: Judgements, name: str) -> np.ndarray:
    if not isinstance(name, str):
        raise JudgementError(f"an attribute is named by its text; found {shown(name)}.")
    if name not in judgements.attributes:
        close = nearest(name, list(judgements.attributes))
        hint = f" Did you mean {close!r}?" if close else ""
        raise JudgementError(
            f"the table keeps no attribute {name!r}; it keeps "
            f"{some(judgements.attributes) or 'none'}.{hint} Name it when reading: "
            f"attributes=[{name!r}]."
        )
    return judgements.attributes[name]


def times(values: np.ndarray, *, name: str) -> "pd.Series[pd.Timestamp]":
    """Read times, as platforms write them, in UTC."""
    given = pd.Series(values)
    texts = given.astype(str)
    parts = texts.str.extract(WITH_ZONE)
    if parts.notna().to_numpy().all() and parts[1].isin(list(ZONES)).all():
        local = pd.to_datetime(parts[0] + " " + parts[2], format="%b %d %H:%M:%S %Y", utc=True)
        return local - pd.to_timedelta(parts[1].map(ZONES), unit="h")
    for form in ("ISO8601", "%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M"):
        try:
            return pd.to_datetime(texts, format=form, utc=True)
        except ValueError:
            continue
    raise JudgementError(
        f"attribute {name!r} holds times that cannot be read, such as {texts.iloc[0]!r}. Write "
        "them as ISO 8601 (2024-05-31T09:30:00)."
    )
