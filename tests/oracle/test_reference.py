"""The package's PyMC model against the reference values of the Stan programs; needs no compiler.

That the compiled density, which samples, is the PyMC model's is tested in tests/families.

The sampler sees effects divided by a power of their standard deviation. With x = z * f the log
densities of x and z differ by log f for every free parameter; that is taken off here, so that the
programs, which are centred, and the package say the same.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bayeseval.families._declaration import Effect, FloatArray
from bayeseval.families._layout import value_name
from bayeseval.families.ordinal_probit import OrdinalProbit
from bayeseval.judgements import LikertJudgements
from tests.oracle.evaluate import Evaluator

FOLDER = Path(__file__).parents[2] / "models" / "ordinal_probit"

# How a user asks for the model of each program.
FAMILY: dict[str, dict[str, Any]] = {
    "model": {
        "thresholds": "free",
        "discrimination": True,
        "effects": {"difficulty": True, "interaction": True, "taste": True},
    },
    "model_shifted": {
        "thresholds": "shifted",
        "effects": {"difficulty": True, "interaction": False, "taste": False},
    },
    "model_moderator": {
        "thresholds": "scaled",
        "effects": {"effect_level": True, "deviation_level": True, "taste": False},
    },
    "model_criteria": {
        "thresholds": "shifted",
        "criteria": "correlated",
        "effects": {"difficulty": True, "interaction": False, "taste": False},
    },
    "model_long": {"thresholds": "free", "effects": "none"},
}
WAVE_WEIGHTS = np.array([1, 1, 1 / 2, 1 / 3, 1 / 4, 1 / 5])

type Values = dict[str, Any]
type Named = dict[str, FloatArray]


@dataclass(frozen=True)
class Reference:
    program: str
    data: Values
    settings: dict[str, Values]
    points: list[Values]

    @classmethod
    def read(cls, program: str) -> "Reference":
        path = FOLDER / f"{program.replace('model', 'reference', 1)}.json"
        content = json.loads(path.read_text("utf-8"))
        data = json.loads((FOLDER / content["data"]).read_text("utf-8"))
        return cls(program, data, content["prior_settings"], content["points"])

    def judgements(self) -> LikertJudgements:
        names = ("annotator", "system", "item", "criterion", "level", "rating", "count")
        frame = pd.DataFrame({name: self.data[name] for name in names if name in self.data})
        return LikertJudgements.from_frame(
            frame,
            annotator="annotator",
            system="system",
            rating="rating",
            item="item" if "item" in frame else None,
            criterion="criterion" if "criterion" in frame else None,
            moderators=("level",) if "level" in frame else (),
            count="count",
            scale=(1, self.data["n_categories"]),
            repeats=True,
        )

    def family(self, setting: str) -> OrdinalProbit:
        """Return the family with the priors of a setting, or with its own defaults."""
        priors = self.settings[setting] if setting != "default" else {}
        return OrdinalProbit(**FAMILY[self.program], **priors)


class Production:
    """The package's model of a reference's data, evaluated at the programs' parameters."""

    def __init__(self, reference: Reference, setting: str, centring: float):
        family, judgements = reference.family(setting), reference.judgements()
        declared = family.declare(judgements)
        effects = tuple(
            effect if effect.correlated else replace(effect, centring=centring)
            for effect in declared.effects
        )
        self.declaration = replace(declared, effects=effects)
        self.cells = family.cells(self.declaration, judgements)
        self.model = Evaluator(self.declaration, self.cells)

    def log_density(self, point: Values) -> float:
        named, change = self.translate(point)
        return self.model.log_density(named) + change

    def log_lik(self, point: Values) -> FloatArray:
        named, _ = self.translate(point)
        return self.model.log_lik(named)

    def translate(self, point: Values) -> tuple[Named, float]:
        """Return the package's variables at a point, and log |d variables / d parameters|."""
        x = {name: np.array(value, dtype=float) for name, value in point.items()}
        named: Named = {}
        change = 0.0

        def divide(name: str, value: FloatArray, factor: FloatArray, n_free: int) -> None:
            nonlocal change
            named[name] = value / factor
            change -= n_free * float(np.log(factor))

        for effect in self.declaration.effects:
            name = effect.name.removesuffix("_level")
            value, sd = x[name], x[f"{name}_sd"]
            if effect.correlated:
                by_criterion = value if name == "quality" else value.T
                correlation = x[f"{name}_correlation"]
                change += standardise(named, effect, correlation, sd, by_criterion)
                continue
            named[f"{effect.name}_sd"] = sd
            divide(value_name(effect), value, sd ** (1.0 - effect.centring), effect.free_size)
        if "population_thresholds" in x:
            named["population_thresholds"] = x["population_thresholds"]
        if "gap_sd" in x:
            named["gap_sd"] = x["gap_sd"]
            shares = WAVE_WEIGHTS / np.sqrt((WAVE_WEIGHTS**2).sum())
            gap = x["gap_wave"] / shares if "gap_wave" in x else x["log_gap_deviation"]
            divide("gap_z", gap.reshape(gap.shape[0], -1), x["gap_sd"], gap.size)
        if "discrimination_sd" in x:
            sd = named["discrimination_sd"] = x["discrimination_sd"]
            value = x["log_discrimination"]
            divide("discrimination_z", value, sd, value.size)
        if "smoothness_sd" in x:
            sd = named["threshold_roughness"] = x["smoothness_sd"]
            value = x["gap_increment"]
            divide("threshold_steps", value, sd / np.sqrt(value.size), value.size)
            named["threshold_centre"] = x["mean_threshold"]
            named["threshold_width"] = x["log_width"]
        return named, change


def standardise(
    named: Named, effect: Effect, correlation: FloatArray, sd: FloatArray, value: FloatArray
) -> float:
    """Add covariance factor and standardised effects; return log |d these / d parameters|.

    ``value`` has the criterion first.
    """
    own = np.linalg.cholesky(correlation)
    factor = sd[:, None] * own
    n = sd.size
    named[f"{effect.name}_factor"] = factor[np.tril_indices(n)]
    shape = (n, *effect.shape)
    named[value_name(effect)] = np.linalg.solve(factor, value).reshape(shape)
    change = -effect.free_size * np.log(np.diag(factor)).sum()
    # correlations -> their factor: element k of the diagonal scales the n - 1 - k below it
    change -= ((n - 1 - np.arange(n)) * np.log(np.diag(own))).sum()
    # sd and factor of the correlations -> factor of the covariance, row by row
    change += (np.arange(n) * np.log(sd) - np.log(np.diag(own))).sum()
    return float(change)


def arbiter(point: Values) -> Values:
    """Return the program's values, or the 50-digit ones where the point is at an edge."""
    return point.get("exact", point)


def cases() -> list[Any]:
    found = []
    known = {field.name for field in fields(OrdinalProbit)}
    for program in FAMILY:
        for setting, priors in Reference.read(program).settings.items():
            missing = sorted(set(priors) - known) if setting != "default" else []
            marks = [pytest.mark.skip(reason=f"OrdinalProbit has no {missing}")] if missing else []
            found.append(pytest.param(program, setting, id=f"{program}-{setting}", marks=marks))
    return found


@pytest.fixture(scope="module")
def production() -> Callable[..., Production]:
    built: dict[tuple[str, str, float], Production] = {}

    def get(reference: Reference, setting: str, centring: float) -> Production:
        key = (reference.program, setting, centring)
        if key not in built:
            built[key] = Production(reference, setting, centring)
        return built[key]

    return get


@pytest.mark.parametrize("centring", [1.0, 0.4], ids=["centred", "between"])
@pytest.mark.parametrize(("program", "setting"), cases())
def test_log_density_is_the_programs(
    production: Callable[..., Production], program: str, setting: str, centring: float
):
    reference = Reference.read(program)
    built = production(reference, setting, centring)
    first = built.log_density(reference.points[0]["values"])
    for point in reference.points:
        difference = built.log_density(point["values"]) - first
        expected = arbiter(point)["log_density_difference"][setting]
        assert difference == pytest.approx(expected, rel=1e-8, abs=1e-8), point["name"]


@pytest.mark.parametrize("program", FAMILY)
def test_pointwise_log_likelihood_is_the_programs(
    production: Callable[..., Production], program: str
):
    reference = Reference.read(program)
    built = production(reference, "default", 0.4)
    for point in reference.points:
        np.testing.assert_allclose(
            built.log_lik(point["values"]),
            arbiter(point)["log_lik"],
            rtol=1e-8,
            atol=1e-12,  # of a log probability: of a probability close to one
            err_msg=point["name"],
        )
