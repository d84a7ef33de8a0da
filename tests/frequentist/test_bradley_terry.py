"""Bradley–Terry by maximum likelihood against R, evalica, statsmodels; ties; refusals."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from bayeseval.errors import DesignError, JudgementError
from bayeseval.frequentist import bradley_terry_ml, quasi_variances
from bayeseval.frequentist._tie_models import Model, probabilities, terms
from bayeseval.judgements import PairwiseJudgements
from tests.frequentist.tables import counts, ratings
from tests.papers import script


@pytest.fixture(scope="module")
def citations(shared_data: Path) -> PairwiseJudgements:
    matrix = pd.read_csv(shared_data / "reference_tables" / "citations.csv", index_col=0)
    names = list(matrix.columns)
    return counts(
        [
            (a, b, int(matrix.loc[a, b]), int(matrix.loc[b, a]), 0)  # type: ignore[arg-type]
            for i, a in enumerate(names)
            for b in names[i + 1 :]
        ]
    )


@pytest.fixture(scope="module")
def baseball(shared_data: Path) -> PairwiseJudgements:
    return PairwiseJudgements.from_counts(
        pd.read_csv(shared_data / "reference_tables" / "baseball.csv"),
        system_a="home.team", system_b="away.team", wins="home.wins", losses="away.wins",
    )  # fmt: skip


@pytest.fixture(scope="module")
def springall(shared_data: Path) -> PairwiseJudgements:
    # A win is the column treatment's.
    return PairwiseJudgements.from_counts(
        pd.read_csv(shared_data / "reference_tables" / "springall_ties.csv"),
        system_a="col", system_b="row", wins="win", losses="loss", ties="tie",
    )  # fmt: skip


def test_citations_have_the_published_estimates(citations: PairwiseJudgements) -> None:
    fitted = bradley_terry_ml(citations, reference="Biometrika")
    table = fitted.table.set_index("system")
    known = {
        "Comm Statist": (-2.9491, 0.1025),
        "JASA": (-0.4796, 0.0606),
        "JRSS-B": (0.269, 0.0708),
    }
    for system, (worth, se) in known.items():
        assert table.loc[system, "log_worth"] == pytest.approx(worth, abs=6e-5)
        assert table.loc[system, "se"] == pytest.approx(se, abs=6e-5)
    assert (fitted.log_worth["Biometrika"], table["se"]["Biometrika"]) == (0.0, 0.0)
    assert fitted.deviance == pytest.approx(4.293, abs=5e-4)
    assert fitted.df_residual == 3


def test_baseball_without_and_with_home_advantage(baseball: PairwiseJudgements) -> None:
    names = ["Boston", "Cleveland", "Detroit", "Milwaukee", "New York", "Toronto"]
    plain = bradley_terry_ml(baseball, reference="Baltimore")
    assert plain.log_worth[names].round(4).tolist() == [
        1.1077, 0.6839, 1.4364, 1.5814, 1.2476, 1.2945,
    ]  # fmt: skip
    home = bradley_terry_ml(baseball, reference="Baltimore", position_effect=True)
    assert home.log_worth[names].round(4).tolist() == [
        1.1438, 0.7047, 1.4754, 1.6196, 1.2813, 1.3271,
    ]  # fmt: skip
    effect = home.parameters.iloc[0]
    assert effect["parameter"] == "position_effect"
    assert (effect["estimate"], effect["se"]) == pytest.approx((0.3023, 0.1309), abs=6e-5)
    assert home.deviance == pytest.approx(38.643, abs=5e-4)
    assert home.df_residual == 35


@pytest.mark.parametrize(
    ("ties", "worths", "parameter", "log_likelihood"),
    [
        (
            "half",
            (-1.5398, -2.2237, -0.2696, -1.2845, -1.9238, 0.8623, 0.0027, -0.4126),
            None,
            None,
        ),
        (
            "davidson",
            (-2.2732, -3.2908, -0.3976, -1.8948, -2.8428, 1.2815, 0.0049, -0.6074),
            0.8655,
            -732.067,
        ),
        (
            "rao_kupper",
            (-1.6741, -2.4260, -0.3189, -1.3878, -2.1282, 0.9631, -0.0095, -0.4740),
            0.6971,
            -730.004,
        ),
    ],
)
def test_springall_has_the_known_values_for_three_rules_of_ties(
    springall: PairwiseJudgements,
    ties: str,
    worths: tuple[float, ...],
    parameter: float | None,
    log_likelihood: float | None,
) -> None:
    fitted = bradley_terry_ml(springall, ties=ties, reference="1")  # type: ignore[arg-type]
    assert fitted.log_worth[list("23456789")].tolist() == pytest.approx(worths, abs=1.1e-4)
    if parameter is not None:
        assert fitted.parameters["estimate"][0] == pytest.approx(parameter, abs=6e-5)
        assert fitted.log_likelihood == pytest.approx(log_likelihood, abs=6e-4)


def test_davidson_is_the_default_where_ties_occur(springall: PairwiseJudgements) -> None:
    assert bradley_terry_ml(springall).ties == "davidson"
    assert bradley_terry_ml(counts([("A", "B", 7, 3, 0)])).ties == "none"


def test_crowd_scores_equal_evalicas_to_twelve_digits(shared_data: Path) -> None:
    frame = pd.read_csv(shared_data / "llmfao" / "llmfao.csv")
    table = PairwiseJudgements.from_frame(
        frame, annotator="worker", system_a="left", system_b="right", outcome="winner",
        outcomes={"left": "a", "right": "b", "tie": "tie"}, item="id", repeats=True,
    )  # fmt: skip
    worth = np.exp(bradley_terry_ml(table, ties="half").log_worth)
    golden = pd.read_csv(shared_data / "llmfao" / "llmfao-golden.csv")
    golden = golden[golden["algorithm"] == "bradley_terry"].set_index("item")["score"]
    np.testing.assert_allclose((worth / worth.sum())[golden.index], golden, rtol=1e-11)


def test_mtbench_log_worths_are_the_known_ones(shared_data: Path) -> None:
    found = script("papers_mtbench").ranking(shared_data).set_index("system")
    order = ["gpt-4", "claude-v1", "gpt-3.5-turbo", "vicuna-13b-v1.2", "alpaca-13b", "llama-13b"]
    known = {
        "half, human": (1.0211, 0.6429, 0.5996, -0.0569, -0.7616, -1.4451),
        "drop, human": (1.4308, 0.8983, 0.8621, -0.0768, -1.0555, -2.0590),
        "half, gpt4_pair": (1.8104, 0.9894, 0.5260, -0.1706, -1.2298, -1.9253),
    }
    for column, values in known.items():
        assert found.loc[order, column].round(4).tolist() == list(values)


def test_rankings_of_wmt16_have_the_known_log_worths(shared_data: Path) -> None:
    frame = pd.read_csv(shared_data / "wmt16_tr_en" / "wmt16.tur-eng.csv")
    difference = frame["system2rank"] - frame["system1rank"]
    frame["outcome"] = np.select([difference > 0, difference < 0], ["a", "b"], "tie")
    table = PairwiseJudgements.from_frame(
        frame, annotator="judgeID", system_a="system1Id", system_b="system2Id", outcome="outcome",
        item="segmentId", ranking="rankingID", repeats=True,
    )  # fmt: skip
    fitted = bradley_terry_ml(table, ties="drop", errors="sandwich", cluster="ranking")
    assert fitted.table["log_worth"].round(3).tolist() == [
        0.802, 0.679, 0.604, 0.255, 0.143, 0.024, -0.687, -0.837, -0.982,
    ]  # fmt: skip
    # Pairs of one ranking depend on each other: the errors of the likelihood differ.
    plain = bradley_terry_ml(table, ties="drop")
    ratio = fitted.table["se"] / plain.table["se"]
    assert ((ratio - 1).abs() > 0.02).any()


@pytest.mark.parametrize("model", ["logistic", "half", "davidson", "rao_kupper"])
def test_derivatives_are_those_of_the_likelihood(model: Model) -> None:
    d = np.array([-2.0, -0.3, 0.0, 0.7, 1.9])
    for outcome in (0, 1, 2):
        if outcome == 2 and model == "logistic":
            continue
        kind, tie, h = np.full(5, outcome), 0.6, 1e-5
        _, gradient, hessian = terms(model, d, tie, kind)
        for axis, step in ((0, (h, 0.0)), (1, (0.0, h))):
            up, down = (
                terms(model, d + sign * step[0], tie + sign * step[1], kind) for sign in (1, -1)
            )
            np.testing.assert_allclose(gradient[:, axis], (up[0] - down[0]) / (2 * h), atol=1e-8)
            np.testing.assert_allclose(hessian[:, axis], (up[1] - down[1]) / (2 * h), atol=1e-8)


@pytest.mark.parametrize("model", ["logistic", "davidson", "rao_kupper"])
def test_probabilities_sum_to_one_and_mirror(model: Model) -> None:
    d = np.linspace(-30, 30, 13)
    p = probabilities(model, d, 0.6)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(p, probabilities(model, -d, 0.6)[:, [1, 0, 2]])


def test_newton_finds_what_a_general_optimiser_finds(springall: PairwiseJudgements) -> None:
    fitted = bradley_terry_ml(springall, ties="rao_kupper", position_effect=True)
    a, b = (springall.codes(name) for name in ("system_a", "system_b"))

    def minus(theta: np.ndarray) -> float:
        worth = np.append(theta[:8], -theta[:8].sum())
        value = terms(
            "rao_kupper", worth[a] - worth[b] + theta[8], math.exp(theta[9]), springall.answers
        )[0]
        return -float(springall.counts @ value)

    best = minimize(minus, np.zeros(10), method="BFGS")
    assert fitted.log_likelihood == pytest.approx(-best.fun, abs=1e-5)


def test_two_systems_have_the_log_odds() -> None:
    fitted = bradley_terry_ml(counts([("A", "B", 7, 3, 0)]), reference="B")
    row = fitted.table.iloc[0]
    assert row["log_worth"] == pytest.approx(math.log(7 / 3))
    assert row["se"] == pytest.approx(math.sqrt(1 / 7 + 1 / 3))
    assert math.isnan(row["quasi_se"])
    contrast = fitted.contrasts().table.iloc[0]
    assert contrast["p_win"] == pytest.approx(0.7)


def test_rao_kupper_of_two_systems_fits_the_three_shares() -> None:
    fitted = bradley_terry_ml(counts([("A", "B", 50, 20, 30)]), ties="rao_kupper")
    row = fitted.contrasts().table.iloc[0]
    assert (row["p_win"], row["p_tie"], row["p_loss"]) == pytest.approx((0.5, 0.3, 0.2))
    assert fitted.deviance == pytest.approx(0, abs=1e-9)


def test_swapping_sides_turns_the_position_effect_and_nothing_else(
    baseball: PairwiseJudgements,
) -> None:
    frame = baseball.to_frame()
    frame["outcome"] = frame["outcome"].map({"a": "b", "b": "a", "tie": "tie"})
    swapped = PairwiseJudgements.from_frame(
        frame, annotator=None, system_a="system_b", system_b="system_a", outcome="outcome",
        count="count",
    )  # fmt: skip
    one, two = (bradley_terry_ml(t, position_effect=True) for t in (baseball, swapped))
    pd.testing.assert_series_equal(one.log_worth, two.log_worth)
    assert one.parameters["estimate"][0] == pytest.approx(-two.parameters["estimate"][0])


def test_sandwich_errors_equal_statsmodels() -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(1)
    worth = np.array([0.0, 0.6, -0.5])
    rows = []
    for who in range(20):
        lean = rng.normal(0, 1, 3)
        for _ in range(12):
            a, b = rng.choice(3, size=2, replace=False)
            p = 1 / (1 + math.exp(-(worth[a] - worth[b] + lean[a] - lean[b])))
            rows.append((f"w{who}", "ABC"[a], "ABC"[b], "a" if rng.random() < p else "b"))
    frame = pd.DataFrame(rows, columns=["w", "x", "y", "o"])
    table = PairwiseJudgements.from_frame(
        frame, annotator="w", system_a="x", system_b="y", outcome="o", repeats=True
    )
    design = np.stack([(frame["x"] == s).astype(float) - (frame["y"] == s) for s in "BC"], axis=1)
    model = sm.Logit((frame["o"] == "a").astype(float), design)
    robust = model.fit(disp=0, cov_type="HC0")
    clustered = model.fit(
        disp=0, cov_type="cluster", cov_kwds={"groups": frame["w"], "use_correction": False}
    )
    for known, cluster in ((robust, None), (clustered, "annotator")):
        ours = bradley_terry_ml(table, reference="A", errors="sandwich", cluster=cluster)
        found = ours.table.set_index("system").loc[["B", "C"]]
        np.testing.assert_allclose(found["log_worth"], known.params, rtol=1e-7)
        # The factor G / (G − 1) of R's sandwich::vcovCL; statsmodels' has one more, of (n, p).
        factor = 1 if cluster is None else 20 / 19
        np.testing.assert_allclose(found["se"], np.sqrt(factor) * known.bse, rtol=1e-6)


def test_quasi_variances_of_three_levels_are_exact() -> None:
    covariance = np.array([[2.0, 0.3, 0.2], [0.3, 1.5, 0.1], [0.2, 0.1, 0.9]])
    quasi, error = quasi_variances(covariance)
    v = {(i, j): covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
         for i in range(3) for j in range(3)}  # fmt: skip
    exact = [(v[i, j] + v[i, k] - v[j, k]) / 2 for i, j, k in ((0, 1, 2), (1, 0, 2), (2, 0, 1))]
    assert quasi.tolist() == pytest.approx(exact)
    assert error < 1e-9


@pytest.mark.parametrize(
    ("covariance", "words"),
    [
        (np.zeros((3, 3)), "variance above 0; 3 of 3 have none"),
        (np.full((3, 3), np.nan), "finite numbers"),
        (np.ones((3, 2)), r"square matrix.*shape \(3, 2\)"),
        ("x", "square matrix of numbers"),
    ],
)
def test_what_is_no_covariance_is_refused(covariance: Any, words: str) -> None:
    with pytest.raises(DesignError, match=words):
        quasi_variances(covariance)


def test_quasi_variances_equal_those_of_the_r_package() -> None:
    # gnm's example "double UNIDIFF": quasi-variances and all standard errors of simple contrasts
    # but one are printed; that of levels 2 and 3 is what makes the printed ones optimal.
    printed = np.array([0.052232363, 0.005469913, 0.008979340, 0.011956981])
    se = {(0, 1): 0.2401644, (0, 2): 0.2473521, (0, 3): 0.2534754, (2, 3): 0.1446833,
          (1, 3): 0.1320022}  # fmt: skip

    def slope(j: int, known: list[int]) -> float:
        return sum(
            math.log(se[min(j, k), max(j, k)] ** 2 / (printed[j] + printed[k]))
            / (printed[j] + printed[k])
            for k in known
        )

    total = printed[1] + printed[2]
    log_variance = math.log(total) - total * slope(1, [0, 3])
    variance = np.zeros((4, 4))
    for (i, j), value in {**se, (1, 2): math.exp(log_variance / 2)}.items():
        variance[i, j] = variance[j, i] = value**2
    # Covariance with level 0 as reference: (v0i + v0j − vij) / 2.
    covariance = (variance[0][:, None] + variance[0] - variance) / 2
    quasi, error = quasi_variances(covariance)
    np.testing.assert_allclose(quasi, printed, rtol=2e-5)
    assert error < 0.05


def test_quasi_variances_do_not_depend_on_the_reference(citations: PairwiseJudgements) -> None:
    one = bradley_terry_ml(citations).table
    two = bradley_terry_ml(citations, reference="JASA").table
    np.testing.assert_allclose(one["quasi_variance"], two["quasi_variance"], rtol=1e-8)


def test_groups_that_never_met_are_named() -> None:
    table = counts([("A", "B", 3, 2, 0), ("C", "D", 1, 4, 0)])
    with pytest.raises(DesignError, match=r"group 1: 'A', 'B'; group 2: 'C', 'D'"):
        bradley_terry_ml(table)


def test_systems_that_never_lost_or_never_won_are_named() -> None:
    table = counts([("A", "B", 5, 0, 0), ("A", "C", 4, 0, 0), ("B", "C", 3, 2, 0)])
    with pytest.raises(DesignError, match="'A' never lost to") as caught:
        bradley_terry_ml(table)
    assert "'B', 'C' never beat" in str(caught.value)
    # A tie joins them, except where ties are left out.
    joined = counts([("A", "B", 5, 0, 1), ("A", "C", 4, 0, 0), ("B", "C", 3, 2, 1)])
    assert np.isfinite(bradley_terry_ml(joined, ties="half").log_worth).all()
    with pytest.raises(DesignError, match="never lost"):
        bradley_terry_ml(joined, ties="drop")


def test_a_tie_parameter_that_runs_away_is_refused() -> None:
    # One win and ties, no loss: λ and ν rise together without end.
    with pytest.raises(DesignError, match="with the tie parameter"):
        bradley_terry_ml(counts([("A", "B", 1, 0, 2)]), ties="davidson")


def test_a_position_effect_that_explains_everything_is_refused() -> None:
    table = counts([("A", "B", 3, 0, 0), ("B", "A", 3, 0, 0)])
    assert bradley_terry_ml(table).log_worth.tolist() == pytest.approx([0, 0])
    with pytest.raises(DesignError, match="with the position effect"):
        bradley_terry_ml(table, position_effect=True)
    with pytest.raises(DesignError, match="would explain any advantage"):
        bradley_terry_ml(counts([("A", "B", 3, 2, 0)]), position_effect=True)


def test_wrong_settings_are_refused_in_words() -> None:
    table = counts([("A", "B", 3, 2, 1)])
    with pytest.raises(JudgementError, match="1 of 6 comparisons are ties"):
        bradley_terry_ml(table, ties="none")
    with pytest.raises(JudgementError, match="Did you mean 'davidson'"):
        bradley_terry_ml(table, ties="davidsen")  # type: ignore[arg-type]
    with pytest.raises(JudgementError, match="needs errors='sandwich'"):
        bradley_terry_ml(table, errors="model", cluster="annotator")
    with pytest.raises(JudgementError, match="reference='a'"):
        bradley_terry_ml(table, reference="a")
    with pytest.raises(JudgementError, match="got LikertJudgements"):
        bradley_terry_ml(ratings([[1, 2]]))  # type: ignore[arg-type]


def test_the_model_is_named_in_the_output(springall: PairwiseJudgements) -> None:
    text = repr(bradley_terry_ml(springall))
    assert "Bradley–Terry by maximum likelihood, ties by Davidson's model" in text
    assert "No regularisation" in text
