import numpy as np
import pytest
import xarray as xr
from scipy.integrate import quad
from scipy.stats import norm, rankdata

from bayeseval.comparison import rank
from bayeseval.comparison._intervals import interval, rank_interval
from bayeseval.comparison.ranks import rank_probabilities
from bayeseval.errors import BayesEvalError
from bayeseval.settings import settings
from tests.fakes import FakeConvergence, make_posterior


def p_best_of_normals(means: np.ndarray, sds: np.ndarray, which: int) -> float:
    others = [i for i in range(len(means)) if i != which]

    def density(x: float) -> float:
        return norm.pdf(x, means[which], sds[which]) * np.prod(
            norm.cdf(x, means[others], sds[others])
        )

    return quad(density, -10, 10, points=list(means))[0]


def test_p_best_of_independent_normals_agrees_with_quadrature() -> None:
    means, sds = np.array([0.4, 0.2, 0.0, -0.6]), np.array([0.3, 0.5, 0.2, 0.4])
    frame = rank(make_posterior(means, sds, draws=20_000)).to_frame().set_index("system")
    for index in range(4):
        expected = p_best_of_normals(means, sds, index)
        found = frame.loc[f"system {index + 1}", "p_best"]
        assert found == pytest.approx(expected, abs=4 * np.sqrt(expected / 40_000) + 1e-4)


def test_expected_rank_of_independent_normals_is_one_plus_the_pairwise_losses() -> None:
    means, sd = np.array([0.4, 0.2, -0.6]), 0.3
    frame = rank(make_posterior(means, sd, draws=20_000)).to_frame().set_index("system")
    for index in range(3):
        losses = norm.cdf((np.delete(means, index) - means[index]) / (sd * np.sqrt(2)))
        assert frame.loc[f"system {index + 1}", "expected_rank"] == pytest.approx(
            1 + losses.sum(), abs=0.02
        )


@pytest.mark.parametrize("decimals", [0, 1, 12])
def test_rank_probabilities_agree_with_average_ranks_also_where_draws_tie(decimals: int) -> None:
    draws = np.random.default_rng(3).normal(size=(500, 6)).round(decimals)
    shares = rank_probabilities(draws)
    np.testing.assert_allclose(shares.sum(axis=0), 1, atol=1e-12)
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-12)
    average = rankdata(-draws, method="average", axis=1).mean(axis=0)
    np.testing.assert_allclose(shares @ np.arange(1, 7), average, atol=1e-12)


def test_systems_tied_in_every_draw_share_their_ranks_exactly() -> None:
    posterior = make_posterior([0.0, 0.0, 0.0], 0.0)
    frame = rank(posterior, top=(1, 2)).to_frame()
    assert frame["expected_rank"].tolist() == [2.0, 2.0, 2.0]
    assert frame["p_best"].tolist() == pytest.approx([1 / 3] * 3)
    assert frame["p_top_2"].tolist() == pytest.approx([2 / 3] * 3)
    assert frame["p_better_than_next"].tolist()[:2] == [0.5, 0.5]
    assert frame["tier"].tolist() == [1, 1, 1]
    assert frame["system"].tolist() == ["system 1", "system 2", "system 3"]


def test_renaming_and_reordering_systems_changes_nothing() -> None:
    posterior = make_posterior([0.1, 0.5, -0.2, 0.3])
    back = posterior.but(variables={"quality": posterior.quality.isel(system=[2, 0, 3, 1])})
    a, b = rank(posterior).to_frame(), rank(back).to_frame()
    assert a.equals(b)


def test_chains_and_draws_are_addressed_by_name() -> None:
    posterior = make_posterior([0.1, 0.5])
    turned = posterior.but(
        variables={"quality": posterior.quality.transpose("system", "draw", "chain")}
    )
    assert rank(turned).to_frame()["quality"].tolist() == pytest.approx(
        rank(posterior).to_frame()["quality"].tolist()
    )


def test_boundaries_between_tiers_hold_for_every_pair_across_them() -> None:
    rng = np.random.default_rng(8)
    for seed in range(20):
        means, sds = rng.normal(size=7), rng.uniform(0.05, 0.6, size=7)
        posterior = make_posterior(means, sds, random_seed=seed)
        part = rank(posterior, tier_prob=0.9).parts[0]
        quality = posterior.quality.stack(sample=("chain", "draw"))
        for upper, lower in zip(part.tiers, part.tiers[1:], strict=False):
            for a in upper:
                for b in lower:
                    held = (quality.sel(system=a) > quality.sel(system=b)).mean()
                    assert held >= 0.9


def test_a_higher_tier_probability_only_merges_tiers() -> None:
    posterior = make_posterior(np.linspace(1, -1, 9), 0.12)
    before: set[int] | None = None
    for prob in (0.6, 0.8, 0.9, 0.95, 0.99):
        tier = rank(posterior, tier_prob=prob).to_frame()["tier"].to_numpy()
        cuts = set(np.flatnonzero(np.diff(tier)).tolist())
        assert before is None or cuts <= before
        before = cuts


def test_one_system_has_the_only_answer() -> None:
    ranking = rank(make_posterior([0.0]))
    row = ranking.to_frame().iloc[0]
    assert (row["expected_rank"], row["p_best"], row["tier"]) == (1, 1, 1)
    assert (row["rank_lower"], row["rank_upper"]) == (1, 1)
    assert "There is one system" in ranking.resolution[0]
    assert "system 1" in repr(ranking)


def test_each_criterion_is_ranked_on_its_own() -> None:
    ranking = rank(make_posterior([1.0, -1.0], 0.1, criteria=("fluency", "coherence")))
    frame = ranking.to_frame()
    best = frame[frame["position"] == 1].set_index("criterion")["system"]
    assert best.to_dict() == {"fluency": "system 1", "coherence": "system 2"}
    assert ranking.rank_distribution.loc[("coherence", "system 2"), 1] == 1
    only = rank(
        make_posterior([1.0, -1.0], 0.1, criteria=("fluency", "coherence")), criterion="coherence"
    )
    assert only.to_frame()["system"].tolist() == ["system 2", "system 1"]
    assert ranking.select(criterion="coherence").to_frame().equals(only.to_frame())


def test_unknown_criterion_names_the_nearest() -> None:
    posterior = make_posterior([1.0, -1.0], criteria=("fluency", "coherence"))
    with pytest.raises(BayesEvalError, match="Did you mean 'coherence'"):
        rank(posterior, criterion="coherance")
    with pytest.raises(BayesEvalError, match="no criterion at all"):
        rank(make_posterior([1.0]), criterion="fluency")
    with pytest.raises(BayesEvalError, match="did you mean 'fluency'"):
        rank(posterior).select(criterion="fluencie")


def test_levels_of_a_moderator_are_ranked_on_their_own() -> None:
    posterior = make_posterior([1.0, -1.0], 0.1, by=("day", ("1", "2")))
    frame = rank(posterior, by="day").to_frame()
    best = frame[frame["position"] == 1].set_index("level")["system"]
    assert best.to_dict() == {"1": "system 1", "2": "system 2"}
    assert rank(posterior, by="day", level="2").levels == ("2",)
    assert "day 2" in repr(rank(posterior, by="day", level="2"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "dya"}, "Did you mean 'day'"),
        ({"level": "1"}, "without by="),
        ({"by": "day", "level": "9"}, "no level of 'day' '9'"),
        ({"top": 0}, "top must be"),
        ({"top": (2, 1.5)}, "top must be"),
        ({"top": 2.5}, "top must be"),
        ({"tier_prob": 0.5}, "tier_prob must"),
        ({"tier_prob": 1}, "tier_prob must"),
        ({"ci_prob": 95}, "write 0.95"),
        ({"ci_kind": "hpd"}, "ci_kind must be"),
    ],
)
def test_wrong_settings_are_refused(arguments: dict[str, object], message: str) -> None:
    posterior = make_posterior([1.0, -1.0], by=("day", ("1", "2")))
    with pytest.raises(BayesEvalError, match=message):
        rank(posterior, **arguments)  # pyright: ignore[reportArgumentType]


def test_draws_that_are_not_finite_are_refused_by_name() -> None:
    posterior = make_posterior([0.0, 0.0])
    broken = posterior.quality.copy()
    broken[0, 0, 1] = np.nan
    with pytest.raises(BayesEvalError, match=r"1 of 2000 are not, for 'system 2'"):
        rank(posterior.but(variables={"quality": broken}))


def test_intervals_follow_the_setting_and_the_argument() -> None:
    posterior = make_posterior([0.0, 1.0], 0.5, draws=5000)
    with settings.using(ci_prob=0.5):
        inherited = rank(posterior)
    asked = rank(posterior, ci_prob=0.5)
    assert inherited.to_frame().equals(asked.to_frame())
    assert "50 % equal-tailed" in repr(asked)
    row = asked.to_frame().iloc[0]
    assert row["quality_upper"] - row["quality_lower"] == pytest.approx(
        2 * norm.ppf(0.75) * 0.5, rel=0.05
    )


def test_highest_density_interval_of_an_exponential_starts_at_zero() -> None:
    draws = np.random.default_rng(1).exponential(size=(40_000, 2))
    lower, upper = interval(draws, ci_prob=0.9, ci_kind="hdi")
    np.testing.assert_allclose(lower, 0, atol=0.01)
    np.testing.assert_allclose(upper, -np.log(0.1), rtol=0.03)
    lower, upper = interval(draws, ci_prob=0.9, ci_kind="eti")
    np.testing.assert_allclose(lower, -np.log(0.95), atol=0.01)
    np.testing.assert_allclose(upper, -np.log(0.05), rtol=0.03)
    one = interval(draws[:, 0], ci_prob=0.9, ci_kind="hdi")
    assert one[0] == pytest.approx(lower[0] * 0, abs=0.01)


def test_rank_interval_holds_its_probability_and_is_short() -> None:
    distribution = np.array([[0.03, 0.90, 0.04, 0.03], [0.025, 0.95, 0.025, 0], [1, 0, 0, 0]])
    lower, upper = rank_interval(distribution, ci_prob=0.95, ci_kind="eti")
    assert list(zip(lower, upper, strict=True)) == [(1, 4), (2, 2), (1, 1)]
    lower, upper = rank_interval(distribution, ci_prob=0.95, ci_kind="hdi")
    assert list(zip(lower, upper, strict=True)) == [(1, 3), (2, 2), (1, 1)]
    lower, upper = rank_interval(distribution, ci_prob=0.9, ci_kind="hdi")
    assert list(zip(lower, upper, strict=True)) == [(2, 2), (2, 2), (1, 1)]


def test_failed_convergence_and_approximation_are_said_above_every_table() -> None:
    bad = make_posterior([0.0, 1.0]).but(
        convergence=FakeConvergence(ok=False, problems=("R-hat 1.2 for quality; draw more.",)),
        approximate="Laplace",
    )
    ranking = rank(bad)
    for text in (repr(ranking), ranking.to_html(), ranking.to_markdown(), ranking.to_latex()):
        assert "NOT CONVERGED" in text
        assert "1.2 for quality" in text.replace("\\", "")
        assert "Approximate draws" in text
    assert "NOT CONVERGED" not in repr(rank(make_posterior([0.0])))


def test_one_draw_gives_a_ranking_without_a_spread() -> None:
    frame = rank(make_posterior([0.0, 3.0], chains=1, draws=1)).to_frame()
    assert frame["p_best"].tolist() == [1.0, 0.0]
    assert frame["quality_sd"].isna().all()


def test_sixty_systems_and_eight_thousand_draws_are_ranked() -> None:
    posterior = make_posterior(np.linspace(1, -1, 60), 0.1, draws=4000)
    ranking = rank(posterior)
    assert "neighbouring pairs" in ranking.resolution[0]
    assert max(len(line) for line in repr(ranking).splitlines()) <= 80
    assert isinstance(posterior.quality, xr.DataArray)
