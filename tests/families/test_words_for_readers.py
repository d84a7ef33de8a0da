"""What a reader without the manual meets: meanings beside names, the scale that was used."""

import pytest

import bayeseval as be
from bayeseval.comparison.contrasts import _few


def described(family: be.BradleyTerry) -> str:
    table = be.simulate_pairwise(n_annotators=4, n_systems=3, n_items=3, random_seed=0).judgements
    return str(family.describe(family.declare(table)))


def test_what_was_left_out_unasked_is_said_in_words() -> None:
    text = described(be.BradleyTerry())
    assert "log_consistency: how much annotators differ in how reliably they pick" in text
    assert "position: how much annotators differ in preferring the output shown first" in text


@pytest.mark.parametrize(("link", "unit"), [("logit", "log odds"), ("probit", "the noise")])
def test_the_scale_of_quality_is_that_of_the_link(link: str, unit: str) -> None:
    table = be.simulate_pairwise(n_annotators=4, n_systems=3, random_seed=0).judgements
    family = be.BradleyTerry(link=link) if link == "logit" else be.Thurstone()
    scale = family.declare(table).response.quality_scale
    assert unit in scale
    assert "link=" not in scale


def test_the_scale_of_strengths_is_that_of_the_response() -> None:
    table = be.simulate_strength(n_annotators=4, n_systems=3, random_seed=0).judgements
    scale = be.PreferenceStrength().declare(table).response.quality_scale
    assert scale == (
        "preference over an average system, in standard deviations of the noise of one comparison"
    )


@pytest.mark.parametrize(("expected", "text"), [(0.01, "fewer than 0.1"), (1.24, "1.2")])
def test_an_expected_number_of_wrong_pairs_is_never_zero(expected: float, text: str) -> None:
    assert _few(expected) == text
