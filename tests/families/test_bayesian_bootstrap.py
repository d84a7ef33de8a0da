"""Random weights: exact moments, what pairs share, directions, what is not known, the reports."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayeseval as be
from bayeseval.errors import DesignError, ModelError
from bayeseval.families.bayesian_bootstrap import BayesianBootstrap
from bayeseval.frequentist import spa_test
from bayeseval.judgements import SPAJudgements

CHAIN = (("b", "a"), ("c", "b"), ("d", "c"))


def read(frame: pd.DataFrame, **columns: Any) -> SPAJudgements:
    return SPAJudgements.from_frame(
        frame,
        annotator="who",
        system_a="first",
        system_b="second",
        probability="p",
        bounds=(0, 1),
        **columns,
    )


def study(
    n: int = 30, *, pairs: Any = CHAIN, both: bool = False, random_seed: int = 0
) -> SPAJudgements:
    rng = np.random.default_rng(random_seed)
    rows = []
    for who in range(n):
        mood = rng.normal(0, 0.5)
        for k, (a, b) in enumerate(pairs):
            p = np.clip(rng.normal(0.55 + 0.05 * k + 0.1 * mood, 0.25), 0, 1)
            rows.append((f"w{who}", a, b, round(p, 2)))
            if both:
                rows.append((f"w{who}", b, a, round(np.clip(1.05 - p, 0, 1), 2)))
    return read(pd.DataFrame(rows, columns=["who", "first", "second", "p"]))


def fitted(judgements: SPAJudgements, **settings: Any) -> be.Posterior:
    return be.fit(judgements, BayesianBootstrap(**settings), random_seed=1, progressbar=False)


def test_mean_and_variance_are_the_exact_ones() -> None:
    table = study(pairs=(("b", "a"),))
    draws = fitted(table).estimand("stated_probability").sel(system="b", system_b="a").values
    y = table.answers
    exact = np.var(y) / (y.size + 1)
    assert draws.mean() == pytest.approx(y.mean(), abs=4 * np.sqrt(exact / draws.size))
    assert draws.var() == pytest.approx(exact, rel=0.1)


def test_pairs_share_the_weights_of_their_annotators() -> None:
    table = study(n=60)
    draws = fitted(table).posterior["stated"].stack(sample=("chain", "draw"))
    found = np.corrcoef(draws.transpose("direction", "sample").values)
    answers = table.to_frame().pivot(index="annotator", columns="system_a", values="probability")
    wanted = answers[["b", "c", "d"]].corr().to_numpy()
    np.testing.assert_allclose(found, wanted, atol=0.06)
    assert abs(wanted[0, 1]) > 0.05


def test_both_directions_count_as_the_test_counts_them() -> None:
    table = study(both=True)
    posterior = fitted(table)
    tested = spa_test(table, directions="pooled").table
    win = posterior.win_probability().mean(("chain", "draw"))
    for row in tested.to_dict("records"):
        found = float(win.sel(system=row["system_a"], system_b=row["system_b"]))
        assert found == pytest.approx(row["mean"], abs=0.003)
    apart = spa_test(table).table.set_index(["system_a", "system_b"])["mean"]
    stated = posterior.estimand("stated_probability").mean(("chain", "draw"))
    incoherence = posterior.estimand("incoherence").mean(("chain", "draw"))
    for a, b in CHAIN:
        here = float(stated.sel(system=a, system_b=b))
        assert here == pytest.approx(apart[a, b], abs=0.003)
        assert float(incoherence.sel(system=a, system_b=b)) == pytest.approx(
            apart[a, b] + apart[b, a] - 1, abs=0.003
        )


def test_a_pair_turned_round_is_one_minus_it_in_every_draw() -> None:
    posterior = fitted(study())
    for array in (posterior.win_probability(), posterior.estimand("stated_probability")):
        turned = array.rename(system="system_b", system_b="system").transpose(*array.dims)
        np.testing.assert_allclose(array.values, 1 - turned.values)
    assert "incoherence" not in posterior.estimands


def test_pairs_never_asked_have_no_number_and_the_chain_is_ranked() -> None:
    posterior = fitted(study())
    assert posterior.win_probability().sel(system="a", system_b="d").isnull().all()
    table = be.compare(posterior, [("d", "a"), ("b", "a")], rope=(0.45, 0.55)).table
    assert table["verdict"].tolist()[0] == "not known"
    assert table["estimate"].isna().tolist() == [True, False]
    assert be.rank(posterior).to_frame()["system"].tolist() == ["d", "c", "b", "a"]


def test_differences_of_quality_are_the_margins_where_the_pairs_are_a_chain() -> None:
    posterior = fitted(study())
    quality, preferred = posterior.quality, posterior.posterior["preferred"]
    for label, (a, b) in zip(preferred["system_pair"].values, (("a", "b"), ("b", "c"), ("c", "d")),
                             strict=True):  # fmt: skip
        margin = preferred.sel(system_pair=label) - 0.5
        difference = quality.sel(system=a) - quality.sel(system=b)
        np.testing.assert_allclose(difference.values, margin.values, atol=1e-12)
    np.testing.assert_allclose(quality.sum("system").values, 0, atol=1e-12)


def test_interval_is_nearly_that_of_the_t_test_and_side_by_side_reads_it() -> None:
    table = study(n=90)
    posterior = fitted(table)
    expected: Any = [("b", ">", "a"), ("c", ">", "b"), ("d", ">", "c")]
    beside = be.side_by_side(posterior, table, expected=expected)
    found = beside.table
    for end in ("lower", "upper"):
        np.testing.assert_allclose(found[f"posterior_{end}"], found[f"test_{end}"], atol=0.006)
    assert beside.recovered["posterior"] >= beside.recovered["test"]
    np.testing.assert_allclose(
        found["p_corrected"], spa_test(table).table["p_corrected"], rtol=1e-9
    )


def test_with_one_annotator_items_carry_the_weights() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"who": "judge", "first": "b", "second": "a", "item": np.arange(40),
         "p": np.round(rng.random(40), 3)}
    )  # fmt: skip
    posterior = fitted(read(frame, item="item"))
    assert posterior.declaration.response.unit == "item"
    assert "40 items" in posterior.settings.sampler
    draws = posterior.win_probability().sel(system="b", system_b="a").values
    assert draws.std() == pytest.approx(frame["p"].std(ddof=0) / np.sqrt(41), rel=0.1)


def test_one_unit_alone_is_refused_and_one_of_a_pair_is_not_known() -> None:
    frame = pd.DataFrame({"who": ["w"], "first": ["a"], "second": ["b"], "p": [0.7]})
    with pytest.raises(DesignError, match="one judgement"):
        BayesianBootstrap().declare(read(frame))
    some = pd.DataFrame(
        [(f"w{k}", "a", "b", p) for k, p in enumerate((0.7, 0.2, 0.6))]
        + [("w1", "b", "c", 0.51), ("w2", "b", "c", 0.52)],
        columns=["who", "first", "second", "p"],
    )
    # Of two answers every draw lies between them: P(b better) was .99 and more.
    with pytest.raises(DesignError, match="no pair was answered by 3 annotators"):
        BayesianBootstrap().declare(read(some[some["second"] == "c"]))
    posterior = fitted(read(some))
    assert posterior.win_probability().sel(system="b", system_b="c").isnull().all()
    left_out = posterior.declaration.left_out
    assert "'b ≻ c'" in left_out["hardly any answers"]
    assert "'a ≻ b'" in left_out["few answers"]
    # Said beside every answer, not only where the model is described.
    assert "intervals are too narrow" in " ".join(repr(be.rank(posterior)).split())
    assert "intervals are too narrow" in " ".join(repr(be.compare(posterior)).split())
    many = fitted(study(n=12))
    assert many.approximate is None


def test_all_answers_the_same_are_that_number() -> None:
    frame = pd.DataFrame(
        {"who": [f"w{k}" for k in range(9)], "first": "a", "second": "b", "p": [0.5] * 9}
    )
    win = fitted(read(frame)).win_probability().sel(system="a", system_b="b")
    np.testing.assert_allclose(win.values, 0.5)


def test_criteria_are_apart_and_share_the_weights() -> None:
    frame = study(n=20).to_frame().rename(
        columns={"annotator": "who", "system_a": "first", "system_b": "second",
                 "probability": "p"}
    )  # fmt: skip
    both = pd.concat([frame.assign(q="x"), frame.assign(q="y", p=1 - frame["p"])])
    posterior = fitted(read(both, criterion="q"))
    win = posterior.win_probability().sel(system="b", system_b="a")
    np.testing.assert_allclose(win.sel(criterion="x").values, 1 - win.sel(criterion="y").values)


def test_predictions_are_answers_that_were_given_to_the_question() -> None:
    table = study(n=50)
    drawn = fitted(table).predictive(table, draws=400)
    rows = (table.codes("system_a") == 1) & (table.codes("system_b") == 0)
    inside = drawn.values[:, rows]
    assert np.isin(inside, table.answers[rows]).all()
    assert inside.mean() == pytest.approx(table.answers[rows].mean(), abs=0.01)


def test_counts_are_as_many_rows() -> None:
    frame = pd.DataFrame(
        [
            ("w1", "a", "b", 0.2, 3),
            ("w1", "a", "b", 0.6, 1),
            ("w2", "a", "b", 0.9, 1),
            ("w3", "a", "b", 0.6, 1),
        ],
        columns=["who", "first", "second", "p", "n"],
    )
    table = read(frame, count="n", repeats=True)
    win = fitted(table).win_probability().sel(system="a", system_b="b")
    assert float(win.min()) == pytest.approx(0.3, abs=0.04)
    assert float(win.max()) == pytest.approx(0.9, abs=0.04)
    assert float(win.mean()) == pytest.approx(0.6, abs=0.02)


def test_posterior_is_saved_and_has_no_likelihood(tmp_path: Any) -> None:
    table = study(n=12)
    posterior = fitted(table)
    again = be.load(posterior.save(tmp_path / "p.nc"))
    np.testing.assert_allclose(again.win_probability().values, posterior.win_probability().values)
    assert again.convergence.ok
    with pytest.raises(ModelError, match="no likelihood"):
        posterior.log_likelihood(table)
    with pytest.raises(ModelError, match="no moderators"):
        posterior.win_probability(by="day")
    with pytest.raises(ModelError, match="SPAJudgements"):
        be.fit(be.simulate_likert(random_seed=1).judgements, BayesianBootstrap())
