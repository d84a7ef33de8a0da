"""What a protocol means stands on its class, and holds for all five."""

import numpy as np
import pytest

import bayeseval as be
from bayeseval.judgements import Judgements, Meaning
from bayeseval.judgements._protocols import PAIRED, PROTOCOLS
from bayeseval.simulate import (
    simulate_magnitude,
    simulate_pairwise,
    simulate_spa,
    simulate_strength,
)

SIMULATED = {
    "likert": lambda: be.simulate_likert(n_annotators=4, n_systems=3, random_seed=1),
    "magnitude": lambda: simulate_magnitude(n_annotators=4, random_seed=1),
    "spa": lambda: simulate_spa(n_annotators=4, random_seed=1),
    "pairwise": lambda: simulate_pairwise(n_annotators=4, random_seed=1),
    "strength": lambda: simulate_strength(n_annotators=4, random_seed=1),
}


@pytest.fixture(params=sorted(PROTOCOLS))
def judgements(request: pytest.FixtureRequest) -> Judgements:
    return SIMULATED[request.param]().judgements


def test_a_protocol_says_what_it_means(judgements: Judgements) -> None:
    assert isinstance(judgements.meaning, Meaning)
    assert PROTOCOLS[judgements.protocol] is type(judgements)
    assert judgements.is_paired == (judgements.protocol in PAIRED)


def test_answers_are_numbers_in_favour_of_the_first_system(judgements: Judgements) -> None:
    numbers, favour = judgements.as_numbers(), judgements.in_favour()
    assert numbers.dtype == favour.dtype == np.float64
    assert numbers.shape == favour.shape == (judgements.n_rows,)
    order = np.argsort(numbers, kind="stable")
    assert (np.diff(favour[order]) >= 0).all()


def test_points_follow_the_side_that_is_favoured(judgements: Judgements) -> None:
    if not judgements.is_paired:
        with pytest.raises(be.JudgementError, match="to_pairwise"):
            judgements.points()
        return
    points, favour = judgements.points(), judgements.in_favour()
    assert ((points >= 0) & (points <= 1)).all()
    np.testing.assert_array_equal(np.sign(points - 0.5), np.sign(favour))


def test_answers_lie_between_the_ends_of_their_scale(judgements: Judgements) -> None:
    if judgements.answer_ends is not None:
        low, high = judgements.answer_ends
        assert low < high
        assert ((judgements.answers >= low) & (judgements.answers <= high)).all()
