"""Several posteriors of the same systems: against compare and rank, refusals, what is not known."""

from typing import Any

import numpy as np
import pytest
import xarray as xr

from bayeseval.comparison import compare, compare_posteriors, rank
from bayeseval.errors import BayesEvalError
from tests.fakes import FakeConvergence, FakePosterior, make_posterior

SYSTEMS = ("A", "B", "C")


@pytest.fixture(scope="module")
def likert() -> FakePosterior:
    return make_posterior([-1.0, 0.5, 0.45], 0.1, systems=SYSTEMS, random_seed=1)


@pytest.fixture(scope="module")
def spa() -> FakePosterior:
    made = make_posterior([-0.8, 0.1, 0.7], 0.1, systems=SYSTEMS, random_seed=2)
    return made.but(protocol="spa")


def test_numbers_are_those_of_compare_and_rank(likert: FakePosterior, spa: FakePosterior) -> None:
    found = compare_posteriors({"likert": likert, "spa": spa})
    pairs = [("A", "B"), ("A", "C"), ("B", "C")]
    for name, posterior in (("likert", likert), ("spa", spa)):
        table = found.table[found.table["posterior"] == name]
        alone = compare(posterior, pairs).table
        np.testing.assert_allclose(table["posterior_estimate"], alone["estimate"])
        np.testing.assert_allclose(table["p_better"], alone["p_a_better"])
        ranks = rank(posterior).to_frame().set_index("system")["expected_rank"]
        by_system = found.order.set_index("system")[name]
        np.testing.assert_allclose(by_system[list(ranks.index)], ranks)


def test_each_expected_direction_is_decided_or_not(
    likert: FakePosterior, spa: FakePosterior
) -> None:
    expected: Any = [("A", "<", "B"), ("C", ">", "B"), ("C", "<", "B")]
    found = compare_posteriors({"likert": likert, "spa": spa}, expected=expected)
    assert found.expectations["likert"].tolist() == [True, False, False]
    assert found.expectations["spa"].tolist() == [True, True, False]
    assert found.recovered == {"expected": 3, "likert": 1, "spa": 2}
    assert "likert 1, spa 2 of 3" in repr(found)
    assert len(found.table) == 4  # two pairs, however often they are expected


def test_alike_is_recovered_by_the_region_alone(likert: FakePosterior, spa: FakePosterior) -> None:
    found = compare_posteriors(
        {"likert": likert, "spa": spa}, expected=[("B", "~", "C")], rope=(0.4, 0.6)
    )
    assert found.recovered == {"expected": 1, "likert": 1, "spa": 0}


def test_orders_agree_as_far_as_they_do(likert: FakePosterior, spa: FakePosterior) -> None:
    found = compare_posteriors({"likert": likert, "spa": spa, "again": likert})
    assert found.order["system"].tolist() == ["B", "C", "A"]
    assert found.same_order.loc["likert", "again"] == pytest.approx(1.0)
    # One of three pairs stands the other way round: (2 - 1) / 3.
    assert found.same_order.loc["likert", "spa"] == pytest.approx(1 / 3)


def test_systems_that_not_all_have_are_left_out_and_named(likert: FakePosterior) -> None:
    other = make_posterior([1.0, -1.0, 0.0], 0.1, systems=("B", "A", "D"))
    found = compare_posteriors({"one": likert, "other": other})
    assert found.order["system"].tolist() == ["B", "A"]
    assert found.order["other"].tolist() == pytest.approx([1.0, 2.0])
    assert "not all posteriors have them: 'C', 'D'" in " ".join(found.notes)


def test_criteria_are_chosen_by_posterior(spa: FakePosterior) -> None:
    many = make_posterior([-1.0, 0.0, 1.0], 0.1, systems=SYSTEMS, criteria=("x", "y"))
    found = compare_posteriors({"many": many, "spa": spa}, criterion={"many": "y"})
    table = found.table[found.table["posterior"] == "many"]
    assert table["posterior_verdict"].tolist() == ["A better"] * 3
    assert "criterion" not in found.table
    with pytest.raises(BayesEvalError, match="'many' has the criteria 'x', 'y'"):
        compare_posteriors({"many": many, "spa": spa})


def test_a_failed_convergence_is_an_alarm_with_its_name(
    likert: FakePosterior, spa: FakePosterior
) -> None:
    bad = spa.but(convergence=FakeConvergence(ok=False, problems=("R-hat 1.2",)))
    found = compare_posteriors({"likert": likert, "spa": bad})
    assert [alarm.partition(":")[0] for alarm in found.alarms] == ["spa", "spa"]
    assert "spa: NOT CONVERGED" in repr(found)


class _WithUnknown(FakePosterior):
    """No pair of A and C was ever asked."""

    def win_probability(self, population: str | None = None, by: str | None = None) -> xr.DataArray:
        array = super().win_probability(population, by).copy()
        array.loc[{"system": "A", "system_b": "C"}] = np.nan
        array.loc[{"system": "C", "system_b": "A"}] = np.nan
        return array


def test_a_pair_never_asked_is_marked_and_not_invented(likert: FakePosterior) -> None:
    partial = _WithUnknown(likert.variables, protocol="spa")
    expected: Any = [("A", "<", "C"), ("A", "<", "B")]
    found = compare_posteriors({"likert": likert, "spa": partial}, expected=expected)
    rows = found.table[found.table["posterior"] == "spa"]
    assert rows["posterior_verdict"].tolist() == ["not known", "B better"]
    assert rows["posterior_estimate"].isna().tolist() == [True, False]
    assert found.recovered == {"expected": 2, "likert": 2, "spa": 1}
    alone = compare(partial, rope=(0.45, 0.55))
    unknown = alone.table["estimate"].isna()
    assert alone.table.loc[unknown, "verdict"].tolist() == ["not known"]
    assert np.isfinite(alone.expected_wrong)
    assert "never compared" in repr(alone)
    assert "never compared" not in repr(compare(likert))


def test_a_number_missing_from_some_draws_is_still_refused(likert: FakePosterior) -> None:
    class Broken(FakePosterior):
        def win_probability(
            self, population: str | None = None, by: str | None = None
        ) -> xr.DataArray:
            array = super().win_probability(population, by).copy()
            array[0, 0, 0, 1] = np.nan
            return array

    with pytest.raises(BayesEvalError, match="must be finite"):
        compare(Broken(likert.variables))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"posteriors": {}}, "at least two posteriors by name"),
        ({"expected": [("A", "~", "B")]}, "say with rope="),
        ({"expected": [("A", ">", "Z")]}, "names 'Z'"),
        ({"posteriors": {"a": "b.nc", "b": "c.nc"}}, "needs a posterior"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    likert: FakePosterior, spa: FakePosterior, arguments: dict[str, Any], words: str
) -> None:
    arguments = {"posteriors": {"likert": likert, "spa": spa}} | arguments
    posteriors = arguments.pop("posteriors")
    with pytest.raises(BayesEvalError, match=words):
        compare_posteriors(posteriors, **arguments)


def test_no_system_in_common_is_refused(likert: FakePosterior) -> None:
    other = make_posterior([1.0, -1.0], systems=("x", "y"))
    with pytest.raises(BayesEvalError, match="two systems in common"):
        compare_posteriors({"one": likert, "other": other})
