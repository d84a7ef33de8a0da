"""A posterior made of NumPy draws, with the attributes of the posterior contract."""

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import xarray as xr
from scipy.stats import norm

from bayeseval.families._family import ModelText, PriorText


@dataclass(frozen=True)
class FakeConvergence:
    ok: bool = True
    problems: tuple[str, ...] = ()
    independent: str | None = None

    def __str__(self) -> str:
        return "Converged." if self.ok else "NOT converged."

    def to_frame(self) -> Any:
        import pandas as pd

        return pd.DataFrame({"quantity": ["quality"], "r_hat": [1.0 if self.ok else 1.2]})


@dataclass(frozen=True)
class FakeEstimand:
    name: str
    title: str
    description: str
    unit: str
    bounds: tuple[float, float] | None
    dims: tuple[str, ...] = ("system",)


@dataclass(frozen=True)
class FakeFamily:
    name: ClassVar[str] = "FakeFamily"
    win_title: ClassVar[str] = "probability that A is judged better than B"


@dataclass(frozen=True)
class FakeSettings:
    draws: int = 100
    tune: int = 100
    chains: int = 2
    random_seed: int | None = 1
    sampler: str = "generator"
    target_accept: float = 0.8
    integrator: str | None = "leapfrog"
    discarded: tuple[int, ...] = ()
    seconds: dict[str, float] = field(default_factory=lambda: {"draws": 0.1})
    versions: dict[str, str] = field(default_factory=lambda: {"bayeseval": "0", "numpy": "2"})


@dataclass(frozen=True)
class FakePosterior:
    """Draws by variable name; everything else has a default that a test may replace."""

    variables: dict[str, xr.DataArray]
    protocol: str = "likert"
    family: FakeFamily = FakeFamily()
    fingerprint: str = "0123456789abcdef"
    settings: FakeSettings = field(default_factory=FakeSettings)
    quality_scale: str = "latent normal scale; 1 = the noise of a single judgement"
    convergence: FakeConvergence = FakeConvergence()
    approximate: str | None = None
    n_categories: int = 5
    design_notes: tuple[str, ...] = ()

    @property
    def data(self) -> xr.DataTree:
        return xr.DataTree.from_dict({"posterior": xr.Dataset(self.variables)})

    def but(self, **changes: Any) -> "FakePosterior":
        return replace(self, **changes)

    def _labels(self, dim: str) -> tuple[str, ...]:
        return tuple(str(label) for label in self.data["posterior"].to_dataset()[dim].values)

    @property
    def systems(self) -> tuple[str, ...]:
        return self._labels("system")

    @property
    def criteria(self) -> tuple[str, ...] | None:
        return self._labels("criterion") if "criterion" in self.quality.dims else None

    @property
    def moderators(self) -> MappingProxyType[str, tuple[str, ...]]:
        names = [n.removeprefix("effect_") for n in self.variables if n.startswith("effect_")]
        return MappingProxyType({name: self._labels(name) for name in names})

    @property
    def quality(self) -> xr.DataArray:
        return self.variables["quality"]

    def quality_over(self, population: str | None = None, by: str | None = None) -> xr.DataArray:
        return self.quality if by is None else self.variables[f"quality_by_{by}"]

    def averaged_over(
        self, population: str | None = None, by: str | None = None, *, quality: bool = False
    ) -> str:
        which = "observed" if population == "observed" else "new"
        return "" if quality else f"averaged over {which} annotators and items"

    def win_probability(self, population: str | None = None, by: str | None = None) -> xr.DataArray:
        quality = self.quality if by is None else self.variables[f"quality_by_{by}"]
        difference = quality - quality.rename(system="system_b")
        result = xr.apply_ufunc(norm.cdf, difference / np.sqrt(2))
        return result.rename("win_probability")

    @property
    def estimands(self) -> MappingProxyType[str, FakeEstimand]:
        top = float(self.n_categories)
        return MappingProxyType(
            {
                "expected_rating": FakeEstimand(
                    "expected_rating", "expected rating", "mean rating", "points", (1.0, top)
                ),
                "category_probability": FakeEstimand(
                    "category_probability",
                    "probability of a category",
                    "",
                    "probability",
                    (0, 1),
                    ("system", "category"),
                ),
            }
        )

    @property
    def _cuts(self) -> xr.DataArray:
        k = self.n_categories
        return xr.DataArray(np.linspace(-1.5, 1.5, k - 1), dims="threshold")

    def estimand(
        self, name: str, population: str | None = None, by: str | None = None
    ) -> xr.DataArray:
        quality = self.quality if by is None else self.variables[f"quality_by_{by}"]
        k = self.n_categories
        cdf = norm.cdf((self._cuts - quality).transpose(..., "threshold").values)
        ends = np.zeros((*cdf.shape[:-1], 1))
        probabilities = np.diff(np.concatenate([ends, cdf, ends + 1], axis=-1), axis=-1)
        array = xr.DataArray(
            probabilities,
            dims=(*quality.dims, "category"),
            coords={**quality.coords, "category": [str(i) for i in range(1, k + 1)]},
        )
        if name == "category_probability":
            return array.rename(name)
        points = xr.DataArray(np.arange(1, k + 1.0), dims="category")
        return (array * points.values).sum("category").rename(name)

    def predictive(
        self, judgements: Any, *, draws: int = 200, random_seed: int = 0, coded: bool = False
    ) -> xr.DataArray:
        assert coded
        rng = np.random.default_rng(random_seed)
        quality = self.quality
        if "criterion" in quality.dims:
            quality = quality.mean("criterion")
        flat = quality.transpose("chain", "draw", "system").values.reshape(-1, len(self.systems))
        picked = flat[rng.integers(len(flat), size=draws)]
        z = picked[:, judgements.codes("system")] + rng.normal(size=(draws, judgements.n_rows))
        return xr.DataArray(np.searchsorted(self._cuts.values, z), dims=("sample", "row"))

    def describe(self) -> ModelText:
        return ModelText(
            words=("Each rating is a latent normal variable cut at thresholds.",),
            formulas=("P(y ≤ k) = Φ(c[k] − quality[s])",),
            priors=(PriorText("quality_sd", "half-normal(1)", "spread of the systems"),),
            left_out={"taste": "each annotator judged each system once"},
        )


def make_posterior(
    means: Any,
    sds: Any = 0.2,
    *,
    systems: tuple[str, ...] | None = None,
    criteria: tuple[str, ...] | None = None,
    by: tuple[str, tuple[str, ...]] | None = None,
    annotators: tuple[str, ...] | None = None,
    n_categories: int = 5,
    chains: int = 2,
    draws: int = 500,
    random_seed: int = 0,
) -> FakePosterior:
    """Draw independent normal qualities with these means and standard deviations."""
    rng = np.random.default_rng(random_seed)
    means = np.asarray(means, dtype=float)
    labels = list(systems or [f"system {i + 1}" for i in range(len(means))])
    shape = (chains, draws, len(means))
    values = rng.normal(means, np.broadcast_to(sds, means.shape), size=shape)
    coords: dict[str, Any] = {"system": labels}
    variables = {"quality": xr.DataArray(values, dims=("chain", "draw", "system"), coords=coords)}
    if criteria is not None:
        stacked = np.stack(
            [rng.normal(means * (-1) ** c, sds, size=shape) for c in range(len(criteria))], axis=-1
        )
        variables["quality"] = xr.DataArray(
            stacked,
            dims=("chain", "draw", "system", "criterion"),
            coords={**coords, "criterion": list(criteria)},
        )
    if by is not None:
        name, levels = by
        variables[f"effect_{name}"] = xr.DataArray(
            rng.normal(size=(chains, draws, len(levels))),
            dims=("chain", "draw", name),
            coords={name: list(levels)},
        )
        variables[f"quality_by_{name}"] = xr.DataArray(
            values[..., None] * (-1.0) ** np.arange(len(levels)),
            dims=("chain", "draw", "system", name),
            coords={**coords, name: list(levels)},
        )
    if annotators is not None:
        base = np.linspace(-1.5, 1.5, n_categories - 1)
        severity = rng.normal(0, 0.5, size=len(annotators))
        tail = () if criteria is None else (len(criteria),)
        noise = rng.normal(0, 0.2, size=(chains, draws, len(annotators), *tail))
        severities = (severity if criteria is None else severity[:, None]) + noise
        dims = ("chain", "draw", "annotator") + (() if criteria is None else ("criterion",))
        at: dict[str, Any] = {"annotator": list(annotators)}
        if criteria is not None:
            at["criterion"] = list(criteria)
        variables["severity"] = xr.DataArray(severities, dims=dims, coords=at)
        variables["thresholds"] = xr.DataArray(
            severities[..., None] + base, dims=(*dims, "threshold"), coords=at
        )
        variables["population_thresholds"] = xr.DataArray(
            np.broadcast_to(base, (chains, draws, *tail, n_categories - 1)),
            dims=("chain", "draw", *dims[3:], "threshold"),
            coords={k: v for k, v in at.items() if k == "criterion"},
        )
    return FakePosterior(variables, n_categories=n_categories)
