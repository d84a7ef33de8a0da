"""Notes name what they speak of; ranks lie within their own intervals."""

import pandas as pd
import pytest

import bayeseval as be
from bayeseval.errors import BayesEvalError
from bayeseval.judgements import LikertJudgements
from tests.frequentist.tables import counts, ratings


def _likert(rows: list[tuple[str, str, int]], **columns: list[str]) -> LikertJudgements:
    frame = pd.DataFrame(rows, columns=["annotator", "system", "rating"]).assign(**columns)
    return LikertJudgements.from_frame(
        frame,
        annotator="annotator",
        system="system",
        rating="rating",
        scale=(1, 5),
        moderators=list(columns),
    )


def test_a_mixed_model_names_the_moderators() -> None:
    rows = [(f"w{i}", x, 1 + (i * (x == "A") + i) % 4) for i in range(6) for x in "AB"]
    table = _likert(rows, day=["mon", "mon", "tue", "tue"] * 3)
    assert "Systems are compared within levels of day." in be.mixed_model(table).notes


def test_equal_scores_share_a_rank_inside_its_interval() -> None:
    table = be.bootstrap_ranking(
        _likert([(f"w{i}", x, 1 + i % 3) for i in range(6) for x in "AB"]), n_resamples=200
    ).table
    assert table["position"].tolist() == [1, 1]
    assert table["rank_upper"].tolist() == [1, 1]


def test_a_rank_allows_for_systems_that_cannot_be_resampled() -> None:
    rows = [("w0", "A", 4), ("w1", "A", 4), ("w2", "A", 4), ("w0", "B", 2)]
    table = be.bootstrap_ranking(_likert(rows), n_resamples=200).table
    assert table["system"].tolist() == ["A", "B"]
    for end, rank in (("rank_lower", 1), ("rank_upper", 2)):
        assert table[end].tolist() == [rank, pd.NA]


def test_wrong_kinds_of_arguments_are_refused_in_words() -> None:
    table = ratings([[1, 2], [3, 2], [4, 5]])
    with pytest.raises(BayesEvalError, match="no factor 1"):
        be.anova(table, factor=(1,))  # type: ignore[arg-type]
    with pytest.raises(BayesEvalError, match="no factor 1"):
        be.rating_means(table, by=1)  # type: ignore[arg-type]
    with pytest.raises(BayesEvalError, match="rating= must name a column"):
        LikertJudgements.from_frame(
            pd.DataFrame({"annotator": ["w"], "system": ["A"]}),
            annotator="annotator",
            system="system",
            rating=None,  # type: ignore[arg-type]
            scale=(1, 5),
        )
    for path in (None, 5):
        with pytest.raises(BayesEvalError, match="path must be"):
            be.load(path)  # type: ignore[arg-type]
    with pytest.raises(BayesEvalError, match="there is no file 'aaa"):
        be.load("a" * 5000)
    with pytest.raises(BayesEvalError, match="random_seed must be"):
        be.bootstrap_ranking(table, random_seed="a")  # type: ignore[arg-type]


def test_means_say_that_they_pool_levels() -> None:
    where = {"ja": {"A": 5, "B": 4}, "zh": {"A": 1, "C": 2}}
    rows = [(f"w{i}", x, y) for i in range(5) for of in where.values() for x, y in of.items()]
    table = _likert(rows, language=["ja", "ja", "zh", "zh"] * 5)
    assert "levels of language are pooled" in " ".join(be.rating_means(table).notes)
    assert "pooled" not in " ".join(be.rating_means(table, by="language").notes)


@pytest.mark.parametrize("both", [False, True])
def test_rates_say_that_one_order_of_presentation_prevails(both: bool) -> None:
    rows = [(a, b, 7, 3, 0) for a, b in ("AB", "AC", "BC")]
    if both:
        rows += [(b, a, 3, 7, 0) for a, b, *_ in rows]
    table = counts(rows)
    for record in (be.win_rates(table), be.bootstrap_ranking(table, n_resamples=50)):
        assert ("ORDER OF PRESENTATION" in " ".join(record.notes)) is not both
