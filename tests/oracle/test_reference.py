"""The package's PyMC model against the reference values of the Stan programs; needs no compiler.

That the compiled density, which samples, is the PyMC model's is tested in tests/families.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.oracle.package import MODELS, Production, Reference, Values

PROGRAMS = sorted(MODELS.glob("*/model*.stan"))


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def arbiter(point: Values) -> Values:
    """Return the program's values, or the 50-digit ones where the point is at an edge."""
    return point.get("exact", point)


@pytest.fixture(scope="module")
def production() -> Callable[..., Production]:
    built: dict[tuple[Path, str, float], Production] = {}

    def get(reference: Reference, setting: str, centring: float) -> Production:
        key = (reference.path, setting, centring)
        if key not in built:
            built[key] = Production(reference, setting, centring)
        return built[key]

    return get


@pytest.mark.parametrize("centring", [1.0, 0.4], ids=["centred", "between"])
@pytest.mark.parametrize("setting", ["default", "other"])
@pytest.mark.parametrize("program", PROGRAMS, ids=name)
def test_log_density_is_the_programs(
    production: Callable[..., Production], program: Path, setting: str, centring: float
):
    reference = Reference.read(program)
    built = production(reference, setting, centring)
    first = built.log_density(reference.points[0]["values"])
    for point in reference.points:
        difference = built.log_density(point["values"]) - first
        expected = arbiter(point)["log_density_difference"][setting]
        assert difference == pytest.approx(expected, rel=1e-8, abs=1e-8), point["name"]


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
def test_pointwise_log_likelihood_is_the_programs(
    production: Callable[..., Production], program: Path
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
