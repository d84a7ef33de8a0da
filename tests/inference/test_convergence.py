"""The verdict on chains that are known to be good or bad."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from bayeseval.inference._convergence import check_convergence
from bayeseval.inference._diagnoses import of_draws, scatter_of_rhat


def chains(values: np.ndarray, name: str = "quality") -> xr.Dataset:
    if values.ndim == 2:
        return xr.Dataset({name: (("chain", "draw"), values)})
    systems = ["a", "b"][: values.shape[-1]]
    return xr.Dataset({name: (("chain", "draw", "system"), values)}, coords={"system": systems})


def statistics(n_chains: int = 4, n_draws: int = 500, **changes: Any) -> xr.Dataset:
    rng = np.random.default_rng(1)
    shape = (n_chains, n_draws)
    fields = {
        "diverging": np.zeros(shape, dtype=bool),
        "reached_max_treedepth": np.zeros(shape, dtype=bool),
        "energy": rng.normal(size=shape),
    }
    return xr.Dataset({name: (("chain", "draw"), v) for name, v in {**fields, **changes}.items()})


def verdict(values: np.ndarray, name: str = "quality", **changes: Any) -> tuple[str, ...]:
    found = check_convergence(
        chains(values, name), statistics(**changes), reported=(name,), tune=1000
    )
    assert found.ok == (not found.problems)
    return found.problems


def independent(*shape: int) -> np.ndarray:
    return np.random.default_rng(2).normal(size=shape)


def test_independent_draws_are_fine() -> None:
    assert verdict(independent(4, 500, 2)) == ()


def test_chains_in_different_places_are_named_with_the_label() -> None:
    draws = independent(4, 500, 2)
    draws[0, :, 1] += 2.0
    problems = verdict(draws)
    assert any("chains disagree" in text and "quality (b)" in text for text in problems)


def test_sticky_chains_have_too_few_effective_draws() -> None:
    steps = independent(4, 500, 2) * 0.05
    problems = verdict(np.repeat(steps[:, ::25], 25, axis=1) * 20)
    assert any("too few effective draws" in text for text in problems)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"diverging": np.eye(4, 500, dtype=bool)}, "4 divergent transitions"),
        ({"reached_max_treedepth": np.ones((4, 500), dtype=bool)}, "largest tree depth"),
        ({"energy": np.cumsum(independent(4, 500), axis=1)}, "E-BFMI"),
    ],
)
def test_sampler_troubles_are_told(changes: dict[str, Any], words: str) -> None:
    assert any(words in text for text in verdict(independent(4, 500, 2), **changes))


def test_values_that_are_no_numbers_are_never_called_converged() -> None:
    draws = independent(4, 500, 2)
    draws[1, 3, 0] = np.nan
    assert verdict(draws)


def test_constant_values_are_no_trouble() -> None:
    draws = independent(4, 500, 2)
    draws[..., 0] = 0.0
    assert verdict(draws) == ()
    assert verdict(np.zeros((4, 500, 1))) == ()


def test_what_is_not_shown_is_held_to_less() -> None:
    noise = independent(4, 500)
    slow = np.zeros((4, 500))
    for t in range(1, 500):
        slow[:, t] = 0.75 * slow[:, t - 1] + noise[:, t]
    draws = chains(np.exp(slow), "severity_sd")
    names = ("severity_sd",)
    behind = check_convergence(draws, statistics(), reported=(), behind=names, tune=1000)
    shown = check_convergence(draws, statistics(), reported=names, tune=1000)
    assert behind.ok, str(behind)
    assert not shown.ok


def test_single_chain_and_few_draws_are_told() -> None:
    one = check_convergence(
        chains(independent(1, 500, 2)), statistics(1), reported=("quality",), tune=1000
    )
    assert any("one chain only" in text for text in one.problems)
    few = check_convergence(
        chains(independent(4, 3, 2)), statistics(4, 3), reported=("quality",), tune=1000
    )
    assert any("only 3 draws" in text for text in few.problems)


def test_few_draws_in_the_tails_are_no_disagreement() -> None:
    row = {"quantity": "quality", "shown": True, "n": 4, "r_hat": 1.013, "r_hat_limit": 1.01}
    table = pd.DataFrame([{**row, "ess_bulk": 700.0, "ess_tail": 353.0, "worst_at": "A"}])
    found = of_draws(table, 2, 300, 1000, is_all=True)
    assert "too few draws to tell" in found[0]
    assert "353 effective draws" in found[0]
    assert "nothing else is wrong" in found[0]


def test_few_draws_of_chains_that_agree_ask_for_draws_and_say_how_many() -> None:
    draws = np.random.default_rng(4).normal(size=(2, 300))
    draws[0] += 0.21
    found = verdict(draws, n_chains=2, n_draws=300)[0]
    assert "too few draws to tell" in found
    assert "R-hat 1.0" in found
    wanted = int(found.split("draws=")[1].split(";")[0])
    assert 400 <= wanted <= 1500
    assert "leave the effect out" not in found


def test_chains_that_disagree_are_not_asked_for_draws_alone() -> None:
    draws = independent(2, 300)
    draws[0] += 1.0
    found = verdict(draws, n_chains=2, n_draws=300)
    assert any("leave the effect out" in text for text in found)
    assert not any("nothing else is wrong" in text for text in found)


def test_few_draws_are_not_the_first_remedy_beside_divergences() -> None:
    draws = np.random.default_rng(4).normal(size=(2, 300))
    draws[0] += 0.21
    found = verdict(draws, n_chains=2, n_draws=300, diverging=np.eye(2, 300, dtype=bool))
    assert any("chains disagree" in text for text in found)


def test_independent_draws_have_the_scatter_of_rhat_that_is_taken_for_chance() -> None:
    import arviz_stats

    rng = np.random.default_rng(8)
    found = [
        float(arviz_stats.rhat(xr.DataArray(rng.normal(size=(2, 300)), dims=("chain", "draw"))))
        for _ in range(100)
    ]
    bound = float(scatter_of_rhat(np.array([600.0]), 2)[0])
    assert max(found) < 1.0 + bound
    # It is no idle bound either.
    assert max(found) > 1.0 + bound / 5


def many(rng: np.random.Generator, n_values: int, n_draws: int = 270) -> xr.Dataset:
    """Return four chains that agree on each of many values."""
    draws = rng.normal(size=(4, n_draws, n_values))
    return xr.Dataset({"severity": (("chain", "draw", "annotator"), draws)})


def test_worst_of_many_values_of_chains_that_agree_is_no_disagreement() -> None:
    """Three hundred values with 1,080 effective draws: the worst R-hat passes 1.01 by chance."""
    rng = np.random.default_rng(11)
    found = [
        check_convergence(many(rng, 300), statistics(4, 270), reported=("severity",), tune=1000)
        for _ in range(20)
    ]
    worst = np.array([each.table["r_hat"].item() for each in found])
    assert (worst > 1.01).any()
    assert sum(not each.ok for each in found) <= 1
    assert all(each.table["r_hat_limit"].item() < 1.018 for each in found)


def test_one_value_of_many_that_disagrees_is_still_found() -> None:
    draws = many(np.random.default_rng(12), 300)
    draws["severity"][0, :, 7] += 0.6
    found = check_convergence(draws, statistics(4, 270), reported=("severity",), tune=1000)
    assert not found.ok
    assert "7" in found.table["worst_at"].item()


def test_single_value_is_held_to_the_published_bound() -> None:
    draws = many(np.random.default_rng(13), 1)
    draws["severity"][0] += 0.4
    found = check_convergence(draws, statistics(4, 270), reported=("severity",), tune=1000)
    assert found.table["r_hat"].item() > 1.01
    assert found.table["r_hat_limit"].item() == 1.01
    assert not found.ok
