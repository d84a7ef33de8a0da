"""HUSE's interval lies around its estimate; judgements and classifier both uncertain; other k."""

from typing import Any

import numpy as np
import pytest

from bayeseval.errors import DesignError
from bayeseval.huse import huse


def _study(n: int, rng: np.random.Generator, shift: float = 1.0) -> dict[str, Any]:
    """Make n texts, half of them a model's, that lie `shift` apart in both features."""
    model = np.repeat([False, True], n // 2)
    return {
        "log_probability": rng.normal(-40, 5, n) + 5 * shift * model,
        "length": np.full(n, 10.0),
        "judgement": rng.normal(3.5, 1, n) - shift * model,
        "is_model": model,
    }


def test_the_interval_lies_around_the_estimate() -> None:
    rng = np.random.default_rng(1)
    offset = []
    for _ in range(12):
        row = huse(**_study(120, rng), n_resamples=100, random_seed=1).table.iloc[0]
        assert 0 < row["upper"] - row["lower"] < 0.6
        offset.append((row["lower"] + row["upper"]) / 2 - row["value"])
    # The percentile interval lay .07 too high.
    assert abs(np.mean(offset)) < 0.04


@pytest.mark.calibration
def test_the_interval_covers_the_mean_of_many_studies() -> None:
    rng = np.random.default_rng(2)
    truth = np.mean([huse(**_study(120, rng)).huse for _ in range(1500)])
    inside = []
    for seed in range(300):
        row = huse(**_study(120, rng), n_resamples=200, random_seed=seed).table.iloc[0]
        inside.append(row["lower"] <= truth <= row["upper"])
    assert 0.90 < np.mean(inside) <= 1


def test_draws_and_resamples_together_are_wider_than_either() -> None:
    rng = np.random.default_rng(3)
    study = _study(60, rng)
    draws = study["judgement"] + rng.normal(0, 0.4, size=(40, 60))
    both = huse(**{**study, "judgement": draws}, k=5, n_resamples=120, random_seed=1)
    alone = huse(**{**study, "judgement": draws}, k=5)
    assert both.huse == pytest.approx(alone.huse)
    assert both.table["sd"][0] > alone.table["sd"][0]
    assert len(both.draws) == 120
    text = " ".join(repr(both).split())
    assert "over texts and draws of the judgements, 120 in all" in text
    assert "taken off" in text
    assert "taken as given" in " ".join(repr(alone).split())


def test_the_error_of_other_numbers_of_neighbours() -> None:
    study = _study(60, np.random.default_rng(4))
    result = huse(**study, k=5)
    table = result.by_k([1, 5, 20, 500]).table
    assert table["k"].tolist() == [1, 5, 20]
    assert table["HUSE"].tolist() == [huse(**study, k=k).huse for k in (1, 5, 20)]
    assert table["error"].tolist() == (table["HUSE"] / 2).tolist()
    with pytest.raises(DesignError, match="from 1 to 58"):
        result.by_k([99])
