"""Compile the Stan programs and compute the reference values again."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("stan", reason="pystan is in the oracle group, and for CPython 3.12 only")
pytestmark = [
    pytest.mark.oracle,
    # pystan's own dependencies: an old command-line package, and its server's settings
    pytest.mark.filterwarnings("ignore::SyntaxWarning"),
    pytest.mark.filterwarnings("ignore:It is recommended to use web.AppKey"),
]

FAMILIES = Path(__file__).parents[2] / "models"
PROGRAMS = sorted(FAMILIES.glob("*/model*.stan"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_program_gives_the_reference_values(path: Path):
    from tests.oracle.stan import Program

    reference = json.loads(
        path.with_name(f"{path.stem.replace('model', 'reference', 1)}.json").read_text("utf-8")
    )
    data = json.loads(path.with_name(reference["data"]).read_text("utf-8"))
    points = reference["points"]
    for setting, priors in reference["prior_settings"].items():
        program = Program(path, {**data, **priors})
        first = program.log_density(points[0]["values"])
        for point in points:
            difference = program.log_density(point["values"]) - first
            expected = point["log_density_difference"][setting]
            assert difference == pytest.approx(expected, rel=1e-9, abs=1e-9), (
                f"{point['name']}, {setting} priors"
            )
            if setting == "default":
                log_lik = program.log_lik(point["values"])
                np.testing.assert_allclose(
                    log_lik, point["log_lik"], rtol=1e-9, err_msg=point["name"]
                )
