"""Posterior beside test: columns against both sources, verdicts, expectations, refusals."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from bayeseval.comparison.beside import _relate, side_by_side
from bayeseval.comparison.contrasts import compare
from bayeseval.errors import BayesEvalError
from bayeseval.frequentist import bradley_terry_ml, rating_tests, spa_test
from bayeseval.judgements import (
    LikertJudgements,
    PairwiseJudgements,
    SPAJudgements,
    StrengthJudgements,
)
from tests.fakes import FakeConvergence, FakePosterior, make_posterior

SYSTEMS = ("A", "B", "C")


@pytest.fixture(scope="module")
def ratings() -> LikertJudgements:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        [
            (f"w{w}", system, int(np.clip(round(mean + rng.normal()), 1, 5)))
            for w in range(30)
            for system, mean in zip(SYSTEMS, (2.0, 3.5, 3.5), strict=True)
        ],
        columns=["w", "s", "r"],
    )
    return LikertJudgements.from_frame(frame, annotator="w", system="s", rating="r", scale=(1, 5))


@pytest.fixture(scope="module")
def posterior(ratings: LikertJudgements) -> FakePosterior:
    made = make_posterior([-1, 0.45, 0.55], [0.1, 0.1, 0.1], systems=SYSTEMS)
    return made.but(fingerprint=ratings.fingerprint)


def test_both_columns_are_those_of_their_own_functions(
    posterior: FakePosterior, ratings: LikertJudgements
) -> None:
    table = side_by_side(posterior, ratings).table
    by_posterior = compare(posterior, [("A", "B"), ("A", "C"), ("B", "C")],
                           quantity="expected_rating").table  # fmt: skip
    by_test = rating_tests(ratings).table
    np.testing.assert_allclose(table["posterior_estimate"], by_posterior["estimate"])
    np.testing.assert_allclose(table["p_better"], by_posterior["p_a_better"])
    np.testing.assert_allclose(table["test_estimate"], by_test["estimate"])
    np.testing.assert_allclose(table["p_corrected"], by_test["p_corrected"])
    assert table["posterior_verdict"].tolist() == ["B better", "B better", "undecided"]
    assert table["test_verdict"].tolist() == ["B better", "B better", "not rejected"]
    assert table["relation"].tolist() == ["same side", "same side", "neither decides"]
    assert table["agree"].all()


def test_a_pair_in_the_other_order_is_mirrored(
    posterior: FakePosterior, ratings: LikertJudgements
) -> None:
    one = side_by_side(posterior, ratings, pairs=[("A", "B")]).table.iloc[0]
    two = side_by_side(posterior, ratings, pairs=[("B", "A")]).table.iloc[0]
    assert two["test_estimate"] == pytest.approx(-one["test_estimate"])
    assert (two["test_lower"], two["test_upper"]) == pytest.approx(
        (-one["test_upper"], -one["test_lower"])
    )
    assert two["test_verdict"] == "A better"
    assert two["p"] == one["p"]


def test_correction_runs_over_the_pairs_shown(
    posterior: FakePosterior, ratings: LikertJudgements
) -> None:
    table = side_by_side(
        posterior, ratings, pairs=[("A", "B"), ("B", "C")], correction="bonferroni"
    ).table
    np.testing.assert_allclose(table["p_corrected"], np.minimum(2 * table["p"], 1))


def test_expectations_are_counted_for_both(
    posterior: FakePosterior, ratings: LikertJudgements
) -> None:
    expected: list[Any] = [("B", ">", "A"), ("A", "<", "C"), ("B", "~", "C"), ("A", ">", "C")]
    result = side_by_side(posterior, ratings, expected=expected, rope=(-0.5, 0.5))
    found = result.expectations
    assert found["expected"].tolist() == ["B > A", "A < C", "B ~ C", "A > C"]
    assert found["posterior"].tolist() == [True, True, True, False]
    assert found["test"].tolist() == [True, True, True, False]
    assert result.recovered == {"expected": 4, "posterior": 3, "test": 3}
    assert result.table["posterior_verdict"].tolist()[2] == "equivalent"
    text = repr(result)
    assert "posterior 3, test 3 of 4" in text
    assert "The two are not the same" in text


def test_equivalence_takes_more_than_a_test_that_does_not_reject(
    ratings: LikertJudgements,
) -> None:
    wide = make_posterior([-1, 0.4, 0.6], [0.8, 0.8, 0.8], systems=SYSTEMS)
    result = side_by_side(
        wide.but(fingerprint=ratings.fingerprint), ratings, expected=[("B", "~", "C")],
        rope=(-0.1, 0.1),
    )  # fmt: skip
    assert result.recovered == {"expected": 1, "posterior": 0, "test": 1}


def test_stated_probabilities_are_held_against_the_win_probability() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        [(f"w{w}", a, b, float(np.clip(rng.normal(m, 0.2), 0, 1)))
         for w in range(40) for a, b, m in (("A", "B", 0.3), ("C", "B", 0.5))],
        columns=["w", "a", "b", "p"],
    )  # fmt: skip
    table = SPAJudgements.from_frame(
        frame, annotator="w", system_a="a", system_b="b", probability="p", bounds=(0, 1)
    )
    posterior = make_posterior([-0.6, 0, 0.02], 0.05, systems=SYSTEMS)
    result = side_by_side(
        posterior.but(protocol="spa", fingerprint=table.fingerprint), table,
        expected=[("A", "<", "B"), ("B", "~", "C")], rope=(0.4, 0.6),
    )  # fmt: skip
    known = spa_test(table).table
    assert result.table["test_estimate"].tolist() == pytest.approx(
        [known["mean"][0], 1 - known["mean"][1]]
    )
    assert result.recovered == {"expected": 2, "posterior": 2, "test": 2}


def test_stated_probabilities_come_with_their_incoherence() -> None:
    rows = [("p", "A", "B", 0.9), ("p", "B", "A", 0.4), ("q", "A", "B", 0.6), ("q", "C", "B", 0.6)]
    table = SPAJudgements.from_frame(
        pd.DataFrame(rows, columns=["w", "a", "b", "p"]),
        annotator="w", system_a="a", system_b="b", probability="p", bounds=(0, 1),
    )  # fmt: skip
    posterior = make_posterior([-0.6, 0, 0.02], 0.05, systems=SYSTEMS)
    result = side_by_side(posterior.but(protocol="spa", fingerprint=table.fingerprint), table)
    assert result.stated is not None
    assert result.stated.symmetry["estimate"].tolist() == pytest.approx([0.75 + 0.4 - 1])
    assert result.stated.by_annotator["mean"].tolist() == pytest.approx([0.3, np.nan], nan_ok=True)
    titles = [one.title for one in result.tables()]
    assert titles[-2:] == [
        "Do the two directions of a pair mirror each other?",
        "Are the annotators coherent?",
    ]
    assert "nothing is known: 'q'" in result.to_markdown()


def test_a_pair_that_nobody_judged_has_a_posterior_and_no_test() -> None:
    frame = pd.DataFrame(
        {"w": list("pqpq"), "a": list("AABB"), "b": list("BBCC"), "p": [0.2, 0.3, 0.6, 0.7]}
    )
    table = SPAJudgements.from_frame(
        frame, annotator="w", system_a="a", system_b="b", probability="p", bounds=(0, 1)
    )
    posterior = make_posterior([-1, 0, 0], systems=SYSTEMS)
    found = side_by_side(
        posterior.but(protocol="spa", fingerprint=table.fingerprint), table
    ).table.set_index(["system_a", "system_b"])
    assert found.loc[("A", "C"), "test"] == "none"
    assert found.loc[("A", "C"), "test_verdict"] == "not defined"
    assert found.loc[("A", "C"), "relation"] == "posterior only"


def _outcomes(rows: list[tuple[str, str, int, int, int]]) -> PairwiseJudgements:
    frame = pd.DataFrame(rows, columns=["a", "b", "wins", "losses", "ties"])
    return PairwiseJudgements.from_counts(
        frame, system_a="a", system_b="b", wins="wins", losses="losses", ties="ties"
    )


def test_outcomes_are_held_against_maximum_likelihood() -> None:
    table = _outcomes([("A", "B", 30, 10, 5), ("B", "C", 20, 18, 4), ("A", "C", 25, 12, 3)])
    posterior = make_posterior([1, 0, 0], systems=SYSTEMS)
    result = side_by_side(posterior.but(protocol="pairwise", fingerprint=table.fingerprint), table)
    pairs = [("A", "B"), ("A", "C"), ("B", "C")]
    known = bradley_terry_ml(table).contrasts(pairs).table
    np.testing.assert_allclose(result.table["test_estimate"], known["estimate"])
    np.testing.assert_allclose(result.table["p_corrected"], known["p_corrected"])


def test_where_maximum_likelihood_does_not_exist_the_posterior_stands_alone() -> None:
    table = _outcomes([("A", "B", 5, 0, 0), ("B", "C", 5, 0, 0)])
    posterior = make_posterior([1, 0, -1], systems=SYSTEMS)
    result = side_by_side(posterior.but(protocol="pairwise", fingerprint=table.fingerprint), table)
    assert (result.table["test"] == "none").all()
    assert any("never lost" in note for note in result.notes)


def test_strengths_are_tested_by_their_mean() -> None:
    frame = pd.DataFrame(
        {"w": list("pqrst"), "a": list("ABABA"), "b": list("BABAB"), "x": [3, -2, 2, -1, 1]}
    )
    table = StrengthJudgements.from_frame(
        frame, annotator="w", system_a="a", system_b="b", strength="x", bounds=3, positive="a"
    )
    posterior = make_posterior([1, 0], systems=("A", "B"))
    row = side_by_side(
        posterior.but(protocol="strength", fingerprint=table.fingerprint), table
    ).table.iloc[0]
    assert row["test_estimate"] == pytest.approx(1.8)
    assert row["relation"] == "same side"


def test_criteria_are_matched_and_corrected_apart() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        [
            (f"w{w}", s, c, int(rng.integers(1, 6)))
            for w in range(12)
            for s in SYSTEMS
            for c in "xy"
        ],
        columns=["w", "s", "c", "r"],
    )
    table = LikertJudgements.from_frame(
        frame, annotator="w", system="s", rating="r", criterion="c", scale=(1, 5)
    )
    posterior = make_posterior([-1, 0, 1], systems=SYSTEMS, criteria=("x", "y"))
    found = side_by_side(posterior.but(fingerprint=table.fingerprint), table).table
    assert found["criterion"].tolist() == ["x"] * 3 + ["y"] * 3
    known = rating_tests(table).table
    np.testing.assert_allclose(found["p_corrected"], known["p_corrected"])


def test_other_judgements_and_failed_convergence_are_alarms(
    posterior: FakePosterior, ratings: LikertJudgements
) -> None:
    bad = posterior.but(
        fingerprint="0" * 16, convergence=FakeConvergence(ok=False, problems=("R-hat 1.2",))
    )
    result = side_by_side(bad, ratings)
    assert "not those that the posterior was fitted to" in repr(result)
    assert "NOT CONVERGED" in result.to_html()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"expected": [("A", "~", "B")]}, "say with rope="),
        ({"expected": [("A", "=", "B")]}, "sign '>', '<' or '~'"),
        ({"expected": [("A", ">", "Z")]}, "names 'Z'"),
    ],
)
def test_expectations_that_cannot_be_judged_are_refused(
    posterior: FakePosterior, ratings: LikertJudgements, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(BayesEvalError, match=words):
        side_by_side(posterior, ratings, **arguments)


def test_another_protocol_is_refused(posterior: FakePosterior, ratings: LikertJudgements) -> None:
    with pytest.raises(BayesEvalError, match="posterior is of 'spa'"):
        side_by_side(posterior.but(protocol="spa"), ratings)


def test_every_draw_counts(ratings: LikertJudgements) -> None:
    quality = xr.DataArray(
        np.array([[[0.0, 1.0, 2.0], [1.0, 0.0, 2.0]]]),
        dims=("chain", "draw", "system"), coords={"system": list(SYSTEMS)},
    )  # fmt: skip
    posterior = FakePosterior({"quality": quality}).but(fingerprint=ratings.fingerprint)
    table = side_by_side(posterior, ratings, quantity="quality").table
    assert table["p_better"].tolist() == [0.5, 0.0, 0.0]


def test_notes_say_whom_each_side_speaks_of(
    posterior: FakePosterior, ratings: LikertJudgements
) -> None:
    notes = " ".join(side_by_side(posterior, ratings).notes)
    assert "The posterior speaks of new annotators" in notes
    assert "he paired test by annotator speaks of new annotators, not of new items" in notes
    assert "Where they disagree" not in notes


def test_what_says_nothing_about_a_pair_does_not_agree() -> None:
    table = pd.DataFrame(
        {
            "posterior_verdict": ["undecided", "not known", "A better", "undecided"],
            "test_verdict": ["not defined", "not defined", "not defined", "not rejected"],
        }
    )
    _relate(table)
    assert table["agree"].isna().tolist() == [True, True, True, False]
    assert table["relation"].tolist() == [
        "not both known",
        "not both known",
        "posterior only",
        "neither decides",
    ]
