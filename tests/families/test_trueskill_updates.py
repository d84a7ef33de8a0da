"""The updates of TrueSkill: two engines, moments of the cut normal, tails, ties."""

import numpy as np
import pytest
import trueskill
from scipy.integrate import quad
from scipy.stats import norm

from bayeseval.families._trueskill_engines import update
from bayeseval.families._trueskill_response import outcome_probabilities
from bayeseval.families._trueskill_updates import rate, tie_moments, win_moments


@pytest.mark.parametrize("t", [-3.0, -0.4, 0.0, 0.4, 2.5])
@pytest.mark.parametrize("margin", [1e-4, 0.3, 2.0])
def test_moments_are_those_of_the_cut_normal(t: float, margin: float) -> None:
    for low, high, (v, w) in (
        (margin, 40.0, win_moments(t, margin)),
        (-margin, margin, tie_moments(t, margin)),
    ):
        mass, mean, second = (
            quad(lambda x, k=k: x**k * norm.pdf(x - t), low, high, epsabs=1e-13)[0]
            for k in range(3)
        )
        assert v == pytest.approx(mean / mass - t, rel=1e-5, abs=1e-8)
        assert w == pytest.approx(1 - (second / mass - (mean / mass) ** 2), rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("engine", ["package", "compiled"])
def test_an_upset_far_in_the_tail_is_rated(engine: str) -> None:
    # trueskill issues 3 and 5: mu -323 (sd 3) beats mu -48 (sd 2), on the package's own scale.
    mu, sigma, beta, margin = np.array([-323.0, -48.0]), np.array([3.0, 2.0]), 25 / 6, 0.74
    total = 9 + 4 + 2 * beta**2
    if engine == "package":
        environment = trueskill.TrueSkill(beta=beta, tau=0.0, backend="scipy")
        low, high = (environment.create_rating(*pair) for pair in zip(mu, sigma, strict=True))
        with pytest.raises(FloatingPointError):
            trueskill.rate_1vs1(low, high, env=environment)
        rated, rescued = update(environment, low, high, 0, margin)
        assert rescued
        found = (rated.mu_a, rated.mu_b, rated.sigma_a, rated.sigma_b)
    else:
        one = np.zeros(1, dtype=np.int32)
        rate(one, one + 1, one, one, margin, beta, mu, sigma)
        found = (mu[0], mu[1], sigma[0], sigma[1])
    # So far out the difference is known to be hardly more than the margin.
    need = 275 + margin
    assert found[0] == pytest.approx(-323 + 9 / total * need, rel=1e-3)
    assert found[1] == pytest.approx(-48 - 4 / total * need, rel=1e-3)
    assert found[2] == pytest.approx(np.sqrt(9 * (1 - 9 / total)), rel=1e-3)
    assert found[3] == pytest.approx(np.sqrt(4 * (1 - 4 / total)), rel=1e-3)


@pytest.mark.parametrize("t", [-1e8, -400.0, -40.0, 40.0, 400.0, 1e8])
@pytest.mark.parametrize("margin", [1e-300, 1e-3, 5.0])
def test_tails_stay_finite(t: float, margin: float) -> None:
    for v, w in (win_moments(t, margin), tie_moments(t, margin)):
        assert np.isfinite(v)
        assert 0.0 <= w <= 1.0 + 1e-9


@pytest.mark.parametrize("margin", [0.0, 1e-3, 0.5, 6.0])
def test_outcome_probabilities_sum_to_one_and_mirror(margin: float) -> None:
    difference = np.linspace(-40, 40, 161)
    win, loss, tie = outcome_probabilities(difference, margin)
    for share in (win, loss, tie):
        assert ((share >= 0) & (share <= 1)).all()
    np.testing.assert_allclose(win + loss + tie, 1.0, rtol=1e-12)
    np.testing.assert_array_equal(win, loss[::-1])
    assert (np.diff(win) >= 0).all()
