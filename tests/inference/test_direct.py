"""A family that draws by itself: what fit() makes of its draws, on disk and in a report."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import xarray as xr

import bayeseval as be
from bayeseval import families
from bayeseval.families import Estimand, ModelText
from bayeseval.families._declaration import Declaration, FloatArray
from bayeseval.families._family import DirectDraws
from bayeseval.judgements import Judgements


@dataclass(frozen=True)
class NoResponse:
    kind: str = "none"

    @property
    def parameter_shapes(self) -> dict[str, tuple[int, ...]]:
        return {}


@dataclass(frozen=True, kw_only=True)
class MeanRating:
    """Normal draws around every system's mean rating."""

    name: ClassVar[str] = "MeanRating"
    protocol: ClassVar[str] = "likert"
    title: ClassVar[str] = "mean rating"
    win_title: ClassVar[str] = "probability that A's mean is above B's"
    quality_scale: ClassVar[str] = "rating points"
    direct: ClassVar[bool] = True

    width: float = 0.1

    def declare(self, judgements: Judgements) -> Declaration[NoResponse]:
        return Declaration(
            family=self.name,
            coords={"system": judgements.systems},
            has_criterion=False,
            effects=(),
            response=NoResponse(),
            left_out={},
        )

    def draw(
        self,
        declaration: Declaration[Any],
        judgements: Judgements,
        *,
        draws: int,
        chains: int,
        rng: np.random.Generator,
    ) -> DirectDraws:
        code = judgements.codes("system")
        systems = declaration.coords["system"]
        mean = np.bincount(code, weights=judgements.answers) / np.bincount(code)
        quality = rng.normal(mean - mean.mean(), self.width, (chains, draws, len(systems)))
        quality -= quality.mean(axis=-1, keepdims=True)
        coords = {"system": list(systems)}
        return DirectDraws(
            posterior=xr.Dataset({"quality": (("chain", "draw", "system"), quality)}, coords),
            approximate="normal around the means",
            groups={"means": xr.Dataset({"mean": ("system", mean)}, coords)},
            method="independent normal draws",
        )

    def describe(self, declaration: Declaration[Any]) -> ModelText:
        return ModelText(("Means.",), (), (), {})

    def estimands(self, declaration: Declaration[Any]) -> Mapping[str, Estimand]:
        return {}

    def estimate(
        self,
        name: str,
        declaration: Declaration[Any],
        posterior: xr.Dataset,
        *,
        population: str | None,
        by: str | None,
    ) -> xr.DataArray:
        quality = posterior["quality"]
        difference = quality - quality.rename(system="system_b")
        return difference.copy(data=0.5 + 0.5 * np.tanh(difference.values))

    def predict(
        self,
        declaration: Declaration[Any],
        judgements: Judgements,
        draws: xr.Dataset,
        rng: np.random.Generator,
    ) -> npt.NDArray[Any]:
        return np.tile(judgements.answers, (draws.sizes["sample"], 1))

    def log_likelihood(
        self, declaration: Declaration[Any], judgements: Judgements, draws: xr.Dataset
    ) -> FloatArray:
        return np.zeros((draws.sizes["sample"], judgements.n_rows))

    def response_from(self, record: Mapping[str, Any]) -> NoResponse:
        return NoResponse(**record)


@pytest.fixture
def ratings() -> be.LikertJudgements:
    rows = [(a, s, 1 + (a + 2 * s) % 5) for a in range(6) for s in range(3)]
    table = pd.DataFrame(rows, columns=["annotator", "system", "rating"])
    return be.LikertJudgements.from_frame(
        table, annotator="annotator", system="system", rating="rating", scale=(1, 5)
    )


def test_independent_draws_are_kept_as_made_and_marked(ratings: be.LikertJudgements) -> None:
    posterior = be.fit(ratings, MeanRating(), draws=50, chains=3, random_seed=4, tune=7)
    assert dict(posterior.posterior.sizes) == {"chain": 3, "draw": 50, "system": 3}
    assert posterior.convergence.ok
    assert posterior.convergence.to_frame()["n"].tolist() == [3]
    assert posterior.approximate == "normal around the means"
    assert posterior.settings.tune == 0
    assert "such as tune=, are not used" in posterior.settings.sampler
    text = repr(posterior)
    assert "150 independent draws" in text
    assert "approximate: normal around the means" in text
    assert "R-hat" not in text
    assert "nothing had to converge: independent normal draws" in str(posterior.convergence)
    again = be.fit(ratings, MeanRating(), draws=50, chains=3, random_seed=4)
    np.testing.assert_array_equal(posterior.quality, again.quality)
    other = be.fit(ratings, MeanRating(), draws=50, chains=3, random_seed=5)
    assert not np.array_equal(posterior.quality, other.quality)


def test_independent_draws_return_from_disk_with_their_groups(
    ratings: be.LikertJudgements, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(families, "_FAMILIES", (MeanRating,))
    posterior = be.fit(ratings, MeanRating(width=0.2), draws=20, chains=2, random_seed=4)
    restored = be.load(posterior.save(tmp_path / "p.nc"))
    assert restored.family == MeanRating(width=0.2)
    assert restored.settings == posterior.settings
    assert restored.approximate == posterior.approximate
    assert repr(restored) == repr(posterior)
    xr.testing.assert_equal(
        restored.data["means"].to_dataset(), posterior.data["means"].to_dataset()
    )
    xr.testing.assert_equal(restored.posterior, posterior.posterior)


def test_report_marks_the_approximation_and_speaks_of_no_sampler(
    ratings: be.LikertJudgements, tmp_path: Path
) -> None:
    posterior = be.fit(ratings, MeanRating(), draws=50, chains=2, random_seed=4)
    page = be.report(posterior, ratings, tmp_path / "r.md").read_text()
    assert "These draws are an approximation" in page
    assert "normal around the means" in page
    assert "independent draws" in page
    for word in ("R-hat", "after tuning", "tuning steps", "reached the posterior"):
        assert word not in page
    assert "Approximate draws" in repr(be.rank(posterior))
    assert "Approximate draws" in repr(be.compare(posterior))
