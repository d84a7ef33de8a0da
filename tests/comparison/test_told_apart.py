"""Which pairs a ranking tells apart, beyond its tiers, and how it says so."""

import numpy as np
import pytest

from bayeseval.comparison import compare, rank
from bayeseval.comparison.ranks import better_probabilities
from bayeseval.errors import BayesEvalError
from bayeseval.reporting._words import answer
from bayeseval.settings import decision_words
from tests.fakes import FakePosterior, make_posterior


@pytest.fixture(scope="module")
def chained() -> FakePosterior:
    """Twenty-five systems, each close to its neighbours: one tier, although most pairs differ."""
    return make_posterior(np.linspace(0.8, -0.8, 25), 0.2)


def test_the_chance_to_be_better_is_that_of_every_pair_by_itself() -> None:
    draws = np.random.default_rng(2).normal(size=(300, 5)).round(1)
    found = better_probabilities(draws)
    for one in range(5):
        for other in range(5):
            wins = (draws[:, one] > draws[:, other]) + 0.5 * (draws[:, one] == draws[:, other])
            if one != other:
                assert found[one, other] == pytest.approx(wins.mean())
    assert np.isnan(found.diagonal()).all()


def test_a_board_of_one_tier_says_which_pairs_are_told_apart(chained: FakePosterior) -> None:
    ranking = rank(chained)
    (part,) = ranking.parts
    assert len(part.tiers) == 1
    pairs = compare(chained, quantity="quality").to_frame()
    # All pairs come best first, so that A is the one that may be told to be better.
    decided = pairs[pairs["p_a_better"] >= 0.95]
    assert part.decided(0.95) == len(decided) > 150
    frame = ranking.to_frame().set_index("system")
    assert frame["n_better_than"].sum() == frame["n_worse_than"].sum() == len(decided)
    for system in ("system 1", "system 12", "system 25"):
        assert frame.loc[system, "n_better_than"] == (decided["system_a"] == system).sum()
        assert frame.loc[system, "n_worse_than"] == (decided["system_b"] == system).sum()
        n_open = 24 - frame.loc[system, ["n_better_than", "n_worse_than"]].sum()
        assert len(part.not_apart(system, 0.95)) == n_open
    text = repr(ranking)
    assert f"{len(decided)} of the 300 pairs can be told apart" in text
    assert "'system 1' cannot be told from 'system 2', 'system 3'" in " ".join(text.split())
    assert f"+{frame.loc['system 1', 'n_better_than']} −0" in text
    assert "tier" not in text.splitlines()[2]


def test_where_the_tiers_tell_every_pair_there_is_no_further_column() -> None:
    text = repr(rank(make_posterior([2.0, 0.0, -0.01], 0.1)))
    assert "sure" not in text
    assert "tier" in text.splitlines()[2]
    assert "2 of the 3 pairs can be told apart" in " ".join(text.split())


def test_the_answer_in_words_names_those_who_cannot_be_told_from_the_first(
    chained: FakePosterior,
) -> None:
    ranking = rank(chained)
    sentences = answer(ranking, ranking.parts[0])
    assert any(s.startswith("system 1 cannot be told from system 2, ") for s in sentences)


def test_systems_of_groups_that_never_met_are_not_told_apart() -> None:
    posterior = make_posterior([3.0, 2.0, -2.0, -3.0], 0.1)

    class Grouped(FakePosterior):
        components = (("system 1", "system 2"), ("system 3", "system 4"))

    (part,) = rank(Grouped(posterior.variables)).parts
    assert part.decided(0.95) == 2
    assert part.not_apart("system 1", 0.95) == ("system 3", "system 4")


def test_an_unknown_system_is_refused_with_the_nearest() -> None:
    (part,) = rank(make_posterior([1.0, 0.0])).parts
    with pytest.raises(BayesEvalError, match="Did you mean 'system 2'"):
        part.not_apart("sistem 2", 0.95)


def test_each_sentence_on_a_criterion_says_which_one() -> None:
    posterior = make_posterior([1.0, 0.5, 0.0], 0.2, criteria=("clear", "true"))
    *_, first, second = repr(rank(posterior)).split("Ranking of 3 systems: ")
    assert "Criterion clear: " in first
    assert "Criterion true: " in second
    assert "Criterion clear" not in second
    assert "Criterion" not in repr(rank(posterior, criterion="true"))


def test_a_decision_says_which_interval_it_is(chained: FakePosterior) -> None:
    """A probability of .95 is a 90 % interval that leaves zero out, and no 95 % interval."""
    for record in (rank(chained), compare(chained, quantity="quality")):
        assert "90 % equal-tailed interval that leaves 0 out" in " ".join(repr(record).split())
        assert "from 0.975 on" in " ".join(repr(record).split())
    assert "as printed here, that leaves 0.5 out" in decision_words(0.975, 0.95, 0.5)
    narrow = compare(chained, quantity="quality", ci_prob=0.9).to_frame()
    decided = narrow["p_a_better"] >= 0.95
    assert ((narrow["lower"] > 0) == decided).mean() > 0.99
