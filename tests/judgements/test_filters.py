import numpy as np
import pandas as pd
import pytest

from bayeseval.errors import JudgementError
from bayeseval.judgements import (
    AuditEntry,
    LikertJudgements,
    SPAJudgements,
    filter_attention_checks,
    filter_first_submission,
    filter_incoherent,
    filter_where,
    filter_work_time,
    work_times,
)

# Three people; w2 accepts both tasks at once, so that only consecutive submissions tell the time.
SUBMITTED = pd.DataFrame(
    {
        "worker": ["w1", "w1", "w2", "w2", "w3"],
        "model": ["A", "B", "A", "B", "A"],
        "score": [1, 2, 3, 4, 5],
        "hit": ["h1", "h2", "h1", "h2", "h1"],
        "accepted": [
            "2024-05-01T10:00:00",
            "2024-05-01T10:02:00",
            "2024-05-01T10:00:00",
            "2024-05-01T10:00:00",
            "2024-05-01T10:00:00",
        ],
        "submitted": [
            "2024-05-01T10:01:00",
            "2024-05-01T10:03:00",
            "2024-05-01T10:01:00",
            "2024-05-01T10:01:10",
            "2024-05-01T10:00:30",
        ],
        "check": ["yes", "yes", "yes", "no", None],
    }
)


def likert(frame: pd.DataFrame = SUBMITTED, **options: object) -> LikertJudgements:
    settings: dict[str, object] = {
        "annotator": "worker",
        "system": "model",
        "rating": "score",
        "scale": (1, 5),
        "attributes": ["hit", "accepted", "submitted", "check"],
    }
    return LikertJudgements.from_frame(frame, **{**settings, **options})  # type: ignore[arg-type]


def test_a_filter_returns_a_new_table_and_a_line_in_the_audit():
    table = likert()
    kept = filter_where(table, lambda frame: frame["rating"] < 3, rule="ratings below 3")
    assert table.n_rows == 5
    assert table.audit == ()
    assert kept.n_rows == 2
    assert kept.annotators == ("w1",)
    assert kept.systems == ("A", "B")
    assert kept.audit == (AuditEntry("ratings below 3", 5, 2, ("w2", "w3")),)
    assert kept.scale == table.scale
    assert kept.attributes["hit"].tolist() == ["h1", "h2"]
    assert "1 filter applied" in repr(kept)
    assert "ratings below 3: 5 → 2 rows" in repr(kept.summary())


def test_filters_add_up_in_the_audit():
    table = filter_where(likert(), lambda frame: frame["rating"] < 5, rule="one")
    table = filter_where(table, lambda frame: frame["system"] == "A", rule="two")
    frame = table.audit_frame()
    assert frame["rule"].tolist() == ["one", "two"]
    assert frame["rows_after"].tolist() == [4, 2]
    assert frame["annotators_removed"].tolist() == [1, 0]


def test_a_filtered_table_equals_the_table_of_the_rows_left():
    kept = filter_where(likert(), lambda frame: frame["rating"] < 3, rule="ratings below 3")
    assert kept == likert(SUBMITTED[:2])


def test_a_filter_that_leaves_nothing_is_an_error():
    with pytest.raises(JudgementError, match="“nothing” leaves none of the 5 rows"):
        filter_where(likert(), lambda frame: frame["rating"] > 9, rule="nothing")


@pytest.mark.parametrize("answer", [[True], [True, None, True, True, True]])
def test_a_predicate_must_answer_for_every_row(answer: list[object]):
    with pytest.raises(JudgementError, match="must answer True or False for each of 5 rows"):
        filter_where(likert(), lambda frame: answer, rule="strange")


SPA = pd.DataFrame(
    {
        "who": ["good", "good", "bad", "bad", "edge", "edge", "once"],
        "x": ["A", "B", "A", "B", "A", "B", "A"],
        "y": ["B", "A", "B", "A", "B", "A", "B"],
        "p": [70, 30, 70, 50, 30, 80, 100],
    }
)


def spa(frame: pd.DataFrame = SPA) -> SPAJudgements:
    return SPAJudgements.from_frame(
        frame, annotator="who", system_a="x", system_b="y", probability="p", bounds=(0, 100)
    )


def test_incoherent_annotators_are_dropped_above_tau():
    kept = filter_incoherent(spa(), tau=1.1)
    # bad: 0.7 + 0.5 > 1.1; edge: 0.3 + 0.8 = 1.1 is not above; once was asked in one direction.
    assert kept.annotators == ("edge", "good", "once")
    assert kept.audit[0].annotators_removed == ("bad",)
    assert "above 1.1" in kept.audit[0].rule
    assert filter_incoherent(spa(), tau=1).annotators == ("good", "once")
    assert filter_incoherent(spa(), tau=2).n_rows == 7


def test_any_pair_condemns_the_annotator():
    more = pd.DataFrame({"who": "good", "x": ["A", "C"], "y": ["C", "A"], "p": [90, 90]})
    kept = filter_incoherent(spa(pd.concat([SPA, more])))
    assert kept.annotators == ("edge", "once")


def test_both_directions_stand_beside_each_other_with_counts_as_weights():
    frame = pd.DataFrame(
        [
            ("w", "B", "A", 0.5, 3),
            ("w", "B", "A", 0.1, 1),
            ("w", "A", "B", 0.7, 1),
            ("v", "A", "C", 0.2, 1),
        ],
        columns=["who", "x", "y", "p", "n"],
    )
    table = SPAJudgements.from_frame(
        frame, annotator="who", system_a="x", system_b="y", probability="p", count="n",
        bounds=(0, 1), repeats=True,
    )  # fmt: skip
    found = table.incoherence()
    units = found[["annotator", "system_a", "system_b"]].to_numpy().tolist()
    assert units == [["v", "A", "C"], ["w", "A", "B"]]
    assert found["forward"].tolist() == pytest.approx([0.2, 0.7])
    backward = (3 * 0.5 + 0.1) / 4
    assert found["backward"].tolist() == pytest.approx([np.nan, backward], nan_ok=True)
    assert found["incoherence"].tolist() == pytest.approx([np.nan, 0.1], nan_ok=True)


def test_incoherence_needs_both_directions_and_identities():
    with pytest.raises(JudgementError, match="both directions"):
        filter_incoherent(spa(SPA[SPA["x"] == "A"]))
    with pytest.raises(JudgementError, match="between 1 and 2"):
        filter_incoherent(spa(), tau=0.9)
    anonymous = SPAJudgements.from_frame(
        SPA, annotator=None, system_a="x", system_b="y", probability="p"
    )
    with pytest.raises(JudgementError, match="needs annotator identities"):
        filter_incoherent(anonymous)


def test_the_first_submission_goes_by_time_or_by_rows():
    late_first = SUBMITTED.iloc[[1, 0, 3, 2, 4]]
    by_time = filter_first_submission(likert(late_first), submission="hit", time="submitted")
    assert by_time.to_frame()["hit"].tolist() == ["h1", "h1", "h1"]
    by_row = filter_first_submission(likert(late_first), submission="hit")
    assert by_row.to_frame()["hit"].tolist() == ["h2", "h2", "h1"]


def test_work_time_is_counted_from_the_submission_before():
    seconds = work_times(likert(), submission="hit", start="accepted", end="submitted")
    assert seconds.dt.total_seconds().to_dict() == {"w1": 60, "w2": 35, "w3": 30}
    kept = filter_work_time(
        likert(), min_median="35s", submission="hit", start="accepted", end="submitted"
    )
    assert kept.annotators == ("w1", "w2")
    assert kept.audit[0].rule == "annotators with a median work time below 35 s"


def test_times_are_read_as_platforms_write_them():
    turk = SUBMITTED.assign(
        accepted="Thu Nov 08 14:17:12 PST 2018", submitted="Thu Nov 08 17:17:52 EST 2018"
    )
    seconds = work_times(likert(turk), submission="hit", start="accepted", end="submitted")
    assert seconds["w3"].total_seconds() == 40
    crowd = SUBMITTED.assign(accepted="11/4/2017 12:37:13", submitted="11/4/2017 12:38:13")
    seconds = work_times(likert(crowd), submission="hit", start="accepted", end="submitted")
    assert seconds["w3"].total_seconds() == 60
    typed = SUBMITTED.assign(
        accepted=pd.to_datetime(SUBMITTED["accepted"]),
        submitted=pd.to_datetime(SUBMITTED["submitted"]),
    )
    seconds = work_times(likert(typed), submission="hit", start="accepted", end="submitted")
    assert seconds["w3"].total_seconds() == 30
    with pytest.raises(JudgementError, match="cannot be read, such as 'soon'"):
        work_times(
            likert(SUBMITTED.assign(accepted="soon")),
            submission="hit",
            start="accepted",
            end="submitted",
        )
    with pytest.raises(JudgementError, match="must be a duration"):
        filter_work_time(likert(), min_median="fast", submission="hit", start="a", end="b")


def test_failed_attention_checks_are_counted_by_annotator():
    kept = filter_attention_checks(likert(), {"check": "yes"})
    assert kept.annotators == ("w1",)
    assert filter_attention_checks(likert(), {"check": ["yes", "no"]}).annotators == ("w1", "w2")
    assert filter_attention_checks(likert(), {"check": "yes"}, max_failed=1).n_rows == 5


def test_an_attribute_that_was_not_kept_is_named():
    with pytest.raises(JudgementError, match=r"no attribute 'hits'.*Did you mean 'hit'"):
        filter_first_submission(likert(), submission="hits")


def test_a_mask_must_fit_the_table():
    with pytest.raises(JudgementError, match="one value for each of 5 rows"):
        likert().keep_rows(np.ones(4, dtype=bool), rule="x")
