"""Symmetries, relations and refusals of Bradley-Terry and Thurstone.

That the compiled density is the PyMC model's is tested in ``test_contract``.
"""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import logistic, norm

from bayeseval.errors import ModelError
from bayeseval.families import BradleyTerry, Thurstone
from bayeseval.families._pairwise_cells import ranking_weights
from bayeseval.judgements import LikertJudgements, PairwiseJudgements

OUTCOMES: dict[str, Literal["a", "b", "tie"] | None] = {"a": "a", "b": "b", "tie": "tie"}
ALL = ("consistency", "position", "taste")
FAMILIES = {
    "Davidson": BradleyTerry(annotators=ALL, items=True),
    "Rao-Kupper": BradleyTerry(ties="rao_kupper", annotators="taste", items=False),
    "half": BradleyTerry(ties="half", annotators="none", items=False),
    "Thurstone": Thurstone(annotators=ALL, items=True),
    "no position": Thurstone(annotators="consistency", items=False, position=False),
}


def votes(n: int = 80, n_systems: int = 4, seed: int = 2) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, n_systems, n)
    b = (a + rng.integers(1, n_systems, n)) % n_systems
    return pd.DataFrame(
        {
            "annotator": rng.choice(["ann", "bob", "cem"], n),
            "system_a": np.array(["w", "x", "y", "z"])[a],
            "system_b": np.array(["w", "x", "y", "z"])[b],
            "item": rng.choice(["i", "j"], n),
            "outcome": rng.choice(["a", "b", "tie"], n),
        }
    )


def table(frame: pd.DataFrame, **columns: Any) -> PairwiseJudgements:
    columns = {"annotator": "annotator", "item": "item"} | columns
    return PairwiseJudgements.from_frame(
        frame,
        system_a="system_a",
        system_b="system_b",
        outcome="outcome",
        outcomes=OUTCOMES,
        repeats=True,
        **columns,
    )


def turned(frame: pd.DataFrame) -> pd.DataFrame:
    other = frame.rename(columns={"system_a": "system_b", "system_b": "system_a"})
    return other.assign(outcome=frame["outcome"].map({"a": "b", "b": "a", "tie": "tie"}))


def draws_of(family: BradleyTerry, judgements: PairwiseJudgements, n: int = 3) -> Any:
    """A declaration with draws that no data chose, along chain and draw."""
    declaration = family.declare(judgements)
    density = family.density(declaration, family.cells(declaration, judgements))
    assert density is not None
    x = np.random.default_rng(6).normal(scale=0.7, size=(1, n, density.n_parameters))
    values = family.constrained(declaration, x)
    return declaration, family.posterior_dataset(declaration, values)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_swapping_a_and_b_everywhere_turns_the_position_effect_alone(family: BradleyTerry):
    frame = votes()
    judgements, mirrored = table(frame), table(turned(frame))
    declaration, draws = draws_of(family, judgements)
    opposite = draws.copy()
    for name in ("position_effect", "position"):
        if name in draws:
            opposite[name] = -draws[name]
    one = family.log_likelihood(declaration, judgements, draws.stack(sample=("chain", "draw")))
    other = family.log_likelihood(
        family.declare(mirrored), mirrored, opposite.stack(sample=("chain", "draw"))
    )
    np.testing.assert_allclose(one, other, rtol=1e-12)
    if "position_effect" in draws:
        same = family.log_likelihood(
            family.declare(mirrored), mirrored, draws.stack(sample=("chain", "draw"))
        )
        assert not np.allclose(one, same)


@pytest.mark.parametrize("population", ["new", "observed"])
@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_outcomes_sum_to_one_and_wins_are_the_others_losses(family: BradleyTerry, population: str):
    declaration, draws = draws_of(family, table(votes()))
    found = family.estimate("outcome_probability", declaration, draws, population=population)
    assert found.dims == ("chain", "draw", "system", "system_b", "outcome")
    np.testing.assert_allclose(found.sum("outcome"), 1.0, atol=1e-12)
    assert float(found.min()) > -1e-12
    other = found.rename(system="system_b", system_b="system").transpose(*found.dims)
    np.testing.assert_allclose(found.sel(outcome="win"), other.sel(outcome="loss"), atol=1e-12)
    np.testing.assert_allclose(found.sel(outcome="tie"), other.sel(outcome="tie"), atol=1e-12)
    win = family.estimate("win_probability", declaration, draws, population=population)
    swapped = win.rename(system="system_b", system_b="system").transpose(*win.dims)
    np.testing.assert_allclose(win + swapped, 1.0, atol=1e-12)
    np.testing.assert_allclose(win, found.sel(outcome="win") + 0.5 * found.sel(outcome="tie"))
    np.testing.assert_allclose(np.diagonal(win.values, axis1=-2, axis2=-1), 0.5)
    assert (float(found.sel(outcome="tie").max()) > 0.01) == (family.ties != "half")


def test_outcomes_are_those_of_the_formulas():
    frame = votes()
    q = np.array([1.2, 0.3, -0.4, -1.1])
    d = q[:, None] - q[None, :]
    for family in (
        BradleyTerry(annotators="none", position=False),
        BradleyTerry(ties="rao_kupper", annotators="none", position=False),
        Thurstone(annotators="none", position=False),
    ):
        family = replace(family, items=False)
        declaration, draws = draws_of(family, table(frame))
        draws["quality"][:] = q
        for name, value in (("log_tie_propensity", -0.7), ("tie_propensity", 0.6)):
            if name in draws:
                draws[name][:] = value
        found = family.estimate("outcome_probability", declaration, draws).isel(chain=0, draw=0)
        if family.link == "logit" and family.ties == "auto":
            odds = np.stack([np.exp(d / 2), np.full_like(d, np.exp(-0.7)), np.exp(-d / 2)], -1)
            expected = odds / odds.sum(-1, keepdims=True)
        else:
            cdf = (logistic if family.link == "logit" else norm).cdf
            win, loss = cdf(d - 0.6), cdf(-d - 0.6)
            expected = np.stack([win, 1 - win - loss, loss], -1)
        np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_labels_and_the_order_of_rows_do_not_matter(family: BradleyTerry):
    frame = votes()
    names = {"w": "c", "x": "d", "y": "a", "z": "b"}  # in another order
    other = frame.replace({"system_a": names, "system_b": names}).sample(frac=1, random_state=1)
    judgements, relabelled = table(frame), table(other)
    declaration, draws = draws_of(family, judgements)
    renamed = draws.assign_coords(system=[names[s] for s in draws["system"].values]).sortby(
        "system"
    )
    one = family.log_likelihood(declaration, judgements, draws.stack(sample=("chain", "draw")))
    again = family.log_likelihood(
        family.declare(relabelled), relabelled, renamed.stack(sample=("chain", "draw"))
    )
    np.testing.assert_allclose(np.sort(one), np.sort(again), rtol=1e-12)


class TestCells:
    def test_of_a_million_votes_are_the_pairs_in_both_orders_at_most(self):
        rng = np.random.default_rng(1)
        names = np.array([f"s{i}" for i in range(200)])
        a = rng.integers(0, 200, 1_000_000)
        b = (a + rng.integers(1, 200, a.size)) % 200
        frame = pd.DataFrame({"system_a": names[a], "system_b": names[b]})
        frame["outcome"] = rng.choice(["a", "b", "tie"], a.size)
        judgements = table(frame, annotator=None, item=None)
        ordered = BradleyTerry()
        cells = ordered.cells(ordered.declare(judgements), judgements)
        assert 39_000 < cells.n_cells <= 200 * 199
        assert cells.count.sum() == 1_000_000
        np.testing.assert_allclose(cells.answer.sum(axis=0), 1.0)
        unordered = BradleyTerry(position=False)
        cells = unordered.cells(unordered.declare(judgements), judgements)
        assert cells.n_cells == 200 * 199 / 2

    def test_with_half_have_the_wins_and_half_of_the_ties(self):
        frame = pd.DataFrame(
            {"system_a": list("wwwx"), "system_b": list("xxxw"), "outcome": ["a", "a", "tie", "b"]}
        )
        judgements = table(frame, annotator=None, item=None)
        family = BradleyTerry(ties="half", position=False)
        cells = family.cells(family.declare(judgements), judgements)
        np.testing.assert_array_equal(cells.count, [4])
        np.testing.assert_allclose(cells.answer[:, 0], [3.5 / 4, 0.5 / 4, 0.0])

    @pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
    def test_have_the_likelihood_of_the_rows(self, family: BradleyTerry):
        judgements = table(votes().assign(count=np.arange(80) % 3 + 1), count="count")
        declaration, draws = draws_of(family, judgements)
        cells = family.cells(declaration, judgements)
        density = family.density(declaration, cells)
        prior = family.density(declaration, replace(cells, count=np.zeros_like(cells.count)))
        assert density is not None
        assert prior is not None
        x = np.random.default_rng(6).normal(scale=0.7, size=(1, 3, density.n_parameters))[0, 1]
        by_row = family.log_likelihood(
            declaration, judgements, draws.stack(sample=("chain", "draw"))
        )[1]
        assert density(x)[0] - prior(x)[0] == pytest.approx(
            float(judgements.counts @ by_row), rel=1e-11
        )


class TestRefusals:
    def test_of_what_is_no_family(self):
        with pytest.raises(ModelError, match="Davidson's ties belong to link='logit'"):
            BradleyTerry(link="probit", ties="davidson")
        with pytest.raises(ModelError, match="Davidson"):
            Thurstone(ties="davidson")
        with pytest.raises(ModelError, match="ties= is one of"):
            BradleyTerry(ties="bt")  # pyright: ignore[reportArgumentType]
        with pytest.raises(ModelError, match="link= is 'logit' or 'probit'"):
            BradleyTerry(link="cauchit")  # pyright: ignore[reportArgumentType]
        with pytest.raises(ModelError, match="annotators= is 'auto', 'none', or one or several"):
            BradleyTerry(annotators=("taste", "severity"))  # pyright: ignore[reportArgumentType]
        with pytest.raises(ModelError, match="taste_sd_scale= is a positive number"):
            BradleyTerry(taste_sd_scale=0)

    def test_of_ties_that_were_forbidden(self):
        judgements = table(votes())
        n = int((judgements.answers == 2).sum())
        with pytest.raises(ModelError, match=f"ties='none', but {n} of 80 judgements are ties"):
            BradleyTerry(ties="none").declare(judgements)

    def test_of_effects_that_lack_their_column(self):
        one = table(votes().assign(annotator="ann"))
        with pytest.raises(ModelError, match=r"annotators='taste' cannot be built: there is one"):
            BradleyTerry(annotators="taste").declare(one)
        nobody = table(votes(), annotator=None)
        with pytest.raises(ModelError, match="no annotator identities"):
            BradleyTerry(annotators="consistency").declare(nobody)
        with pytest.raises(ModelError, match="items=True cannot be built: no item column"):
            BradleyTerry(items=True).declare(table(votes(), item=None))

    def test_of_other_judgements(self):
        ratings = LikertJudgements.from_frame(
            pd.DataFrame({"r": ["a", "b"], "s": ["x", "y"], "y": [1, 2]}),
            annotator="r",
            system="s",
            rating="y",
            scale=(1, 2),
        )
        with pytest.raises(ModelError, match="models PairwiseJudgements; found LikertJudgements"):
            BradleyTerry().declare(ratings)

    def test_of_quantities_that_are_not_there(self):
        family = BradleyTerry()
        declaration, draws = draws_of(family, table(votes()))
        with pytest.raises(ModelError, match="no estimand 'expected_rating'"):
            family.estimate("expected_rating", declaration, draws)
        with pytest.raises(ModelError, match="population= is 'new' or 'observed'"):
            family.estimate("win_probability", declaration, draws, population="all")
        with pytest.raises(ModelError, match="by= names a moderator"):
            family.estimate("win_probability", declaration, draws, by="day")


class TestDescription:
    def test_says_what_was_left_out_and_why(self):
        first_only = votes()
        first_only = first_only[first_only["system_a"] + first_only["system_b"] == "wx"]
        left_out = BradleyTerry().declare(table(first_only)).left_out
        assert "every pair was shown in one order only" in left_out["position_effect"]
        once = votes(3).assign(annotator=["ann", "bob", "cem"])
        assert "twice" in BradleyTerry().declare(table(once)).left_out["taste"]

    def test_says_that_groups_never_met(self):
        frame = pd.DataFrame(
            {"system_a": ["w", "y"], "system_b": ["x", "z"], "outcome": ["a", "b"]}
        )
        declaration = BradleyTerry().declare(table(frame, annotator=None, item=None))
        assert "2 groups that never met" in declaration.left_out["differences between groups"]
        assert declaration.components == (("w", "x"), ("y", "z"))

    @pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
    def test_names_every_prior(self, family: BradleyTerry):
        declaration = family.declare(table(votes()))
        named = {prior.parameter for prior in family.describe(declaration).priors}
        effects = {f"{effect.name}_sd" for effect in declaration.effects}
        assert named == effects | set(declaration.response.parameter_shapes)


def test_predicted_outcomes_are_as_frequent_as_their_probability():
    rng = np.random.default_rng(8)
    for family in (BradleyTerry(annotators="none"), Thurstone(annotators="none")):
        family = replace(family, items=False, position=False)
        judgements = table(votes())
        declaration, draws = draws_of(family, judgements, n=1)
        chance = family.estimate("outcome_probability", declaration, draws).isel(chain=0, draw=0)
        many = draws.isel(chain=0, draw=np.zeros(4000, dtype=int)).rename(draw="sample")
        drawn = family.predict(declaration, judgements, many, rng)
        a, b = judgements.codes("system_a"), judgements.codes("system_b")
        for code, outcome in enumerate(("win", "loss", "tie")):
            expected = chance.sel(outcome=outcome).values[a, b]
            share = (drawn == code).mean(axis=0)
            error = np.sqrt(expected * (1 - expected) / 4000) + 1e-9
            assert np.abs((share - expected) / error).max() < 4.5


class TestRankings:
    @staticmethod
    def comparisons(k: int, n: int, rng: np.random.Generator) -> np.ndarray:
        """Dims (ranking, k, k): 1 where the first beats the second."""
        order = np.argsort(rng.random((n, k)), axis=1)
        return (order[:, :, None] < order[:, None, :]).astype(float)

    @pytest.mark.parametrize("k", [2, 3, 5])
    def test_weight_is_the_ratio_of_curvature_to_variance_of_the_score(self, k: int):
        beats = self.comparisons(k, 40_000, np.random.default_rng(k))
        score = beats.sum(axis=2) - (k - 1) / 2  # of the qualities, which are equal
        variance = np.cov(score.T)
        curvature = 0.25 * (k * np.eye(k) - np.ones((k, k)))
        contrast = np.linalg.svd(np.ones((1, k)))[2][1:]
        ratio = np.linalg.solve(contrast @ variance @ contrast.T, contrast @ curvature @ contrast.T)
        np.testing.assert_allclose(ratio, 3 / (k + 1) * np.eye(k - 1), atol=0.04)

    @pytest.mark.parametrize("k", [3, 5])
    def test_weighted_curvature_is_as_wide_as_the_estimate_varies(self, k: int):
        rng = np.random.default_rng(10 + k)
        n, studies = 60, 400
        contrast = np.linalg.svd(np.ones((1, k)))[2][1:]
        above = np.triu_indices(k, 1)
        estimates, widths = [], []
        for _ in range(studies):
            wins = self.comparisons(k, n, rng).sum(axis=0)

            def loss(z: np.ndarray, wins: np.ndarray = wins) -> tuple[float, np.ndarray]:
                q = z @ contrast
                d = q[:, None] - q[None, :]
                residual = wins - n * expit(d)
                value = -(wins * np.log(expit(d)))[above].sum()
                value -= (wins.T * np.log(expit(-d)))[above].sum()
                return value, -contrast @ residual.sum(axis=1)

            np.fill_diagonal(wins, n / 2)
            z = minimize(loss, np.zeros(k - 1), jac=True).x
            q = z @ contrast
            p = expit(q[:, None] - q[None, :])
            information = n * p * (1 - p)
            np.fill_diagonal(information, 0.0)
            laplacian = np.diag(information.sum(axis=1)) - information
            estimates.append(z)
            widths.append(np.linalg.inv(3 / (k + 1) * contrast @ laplacian @ contrast.T))
        observed = np.mean(np.square(estimates))
        stated = np.mean([np.diag(width).mean() for width in widths])
        # The standard error of the ratio is sqrt(2 / (studies (k - 1))), 0.05 and 0.035.
        assert observed / stated == pytest.approx(1.0, abs=0.2)

    @pytest.mark.parametrize("k", [2, 3, 5])
    def test_every_pair_of_a_ranking_has_the_weight(self, k: int):
        ranked = pd.DataFrame({"judge": ["j1", "j2"], **{f"s{i}": [i, k - i] for i in range(k)}})
        judgements = PairwiseJudgements.from_rankings(
            ranked,
            annotator="judge",
            ranks={f"s{i}": f"s{i}" for i in range(k)},
            lower_is_better=True,
        )
        np.testing.assert_allclose(ranking_weights(judgements), 3 / (k + 1))
        family = BradleyTerry(annotators="none")
        declaration = family.declare(judgements)
        assert "ranking" in declaration.left_out["position_effect"]
        assert family.cells(declaration, judgements).count.sum() == pytest.approx(
            2 * (k * (k - 1) / 2) * 3 / (k + 1)
        )

    def test_some_pairs_of_a_ranking_weigh_more_but_not_above_one(self):
        frame = pd.DataFrame(
            {
                "system_a": list("wxyw"),
                "system_b": list("xyzz"),
                "outcome": list("aaaa"),
                "ranking": ["one", "one", "one", "two"],
            }
        )
        judgements = table(frame, annotator=None, item=None, ranking="ranking")
        # Three of the six pairs of w, x, y and z: 3 / 5 · 6 / 3 is above one.
        np.testing.assert_allclose(ranking_weights(judgements), 1.0)
        np.testing.assert_allclose(ranking_weights(table(votes())), 1.0)
