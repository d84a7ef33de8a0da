"""Write models/<family>/reference*.json: what the Stan programs say at stated points.

Run it after a change of a program or of its data, from the repository:

    uv run --isolated --python 3.12 --only-group oracle python -m tests.oracle.make_reference

(`python3 -m uv` where uv came with pip), with the names of programs behind it, or none for all. It
stops when a program and the 50-digit evaluation (plain.py) disagree at an ordinary point.
"""

import hashlib
import importlib.metadata
import json
import platform
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from tests.oracle import plain
from tests.oracle.stan import Program

Values = dict[str, Any]

FOLDER = Path(__file__).parents[2] / "models" / "ordinal_probit"
COMMAND = (
    "python3 -m uv run --isolated --python 3.12 --only-group oracle "
    "python -m tests.oracle.make_reference"
)

# Every scale differs from its default, and from every other scale: a scale that the
# builder has hard-coded or mixed up with another one cannot hide.
OTHER_PRIORS = {
    "quality_sd_scale": 0.6,
    "difficulty_sd_scale": 1.7,
    "interaction_sd_scale": 0.9,
    "taste_sd_scale": 0.35,
    "severity_sd_scale": 1.4,
    "gap_sd_scale": 0.8,
    "discrimination_sd_scale": 0.45,
    "effect_sd_scale": 2.1,
    "deviation_sd_scale": 0.25,
    "correlation_shape": 3.5,
    "mean_threshold_scale": 1.6,
    "width_centre": 2.6,
    "log_width_scale": 0.75,
    "smoothness_sd_scale": 0.3,
}


def prior_settings(data: Values) -> dict[str, Values]:
    """Return the default priors (those of the data file) and another set."""
    default = {k: v for k, v in data.items() if k in OTHER_PRIORS or k == "category_prior"}
    other: Values = {k: v for k, v in OTHER_PRIORS.items() if k in default}
    if "category_prior" in default:
        other["category_prior"] = [round(1 + 0.7 * k, 1) for k in range(data["n_categories"])]
    return {"default": default, "other": other}


def points(program: str, data: Values) -> list[Values]:
    """Return prior draws, one-at-a-time moves from the first of them, and edge points."""
    rng = np.random.default_rng(20261128)
    draws = [rounded(program, plain.draw_from_prior(program, data, rng)) for _ in range(4)]
    first, source = draws[0], draws[3]
    found = [point(f"prior draw {i}", "draw", v) for i, v in enumerate(draws[:3], start=1)]
    for name, parameter in plain.PROGRAMS[program].items():
        moved = source[name]
        if parameter.kind == "half_normal":
            moved = np.round(1.6 * np.array(first[name]), 4).tolist()
        found.append(point(f"{name} moved", "move", {**first, name: moved}))
    for name, change in edges(first).items():
        found.append(point(name, "edge", rounded(program, {**first, **change})))
    return found


def point(name: str, kind: str, values: Values) -> Values:
    """Return the record of a point."""
    return {"name": name, "kind": kind, "values": values}


def edges(first: Values) -> dict[str, Values]:
    """Return changes of the first point that put answers far into a tail."""

    def array(name: str) -> np.ndarray:
        return np.array(first[name])

    changes: dict[str, Values] = {
        "annotators very harsh": {"severity": (array("severity") + 12).tolist()},
        "annotators very lenient": {"severity": (array("severity") - 12).tolist()},
        "qualities far apart": {"quality": (array("quality") * 12).tolist()},
    }
    if "population_thresholds" in first:
        thresholds = array("population_thresholds")
        changes["narrow middle categories"] = {"population_thresholds": (thresholds / 400).tolist()}
        changes["thresholds in the upper tail"] = {
            "population_thresholds": (thresholds + 7).tolist()
        }
    if "log_gap_deviation" in first:
        deviation = array("log_gap_deviation")
        changes["gaps stretched and shrunk"] = {"log_gap_deviation": (deviation * 6).tolist()}
    if "log_discrimination" in first:
        sharp = array("log_discrimination") + 2.5
        changes["annotators very sharp"] = {"log_discrimination": sharp.tolist()}
    if "gap_increment" in first:
        changes["gaps that grow and shrink"] = {
            "gap_increment": (array("gap_increment") * 4).tolist()
        }
    return changes


def rounded(program: str, values: Values) -> Values:
    """Return the values in four decimals, standard deviations at least 0.1, sums at zero."""
    result: Values = {}
    for name, parameter in plain.PROGRAMS[program].items():
        value = np.round(np.array(values[name]), 4)
        if parameter.kind == "half_normal":
            value = np.maximum(value, 0.1)
        if parameter.kind == "zero_sum":
            value[..., -1] = np.round(-value[..., :-1].sum(axis=-1), 4)
        if parameter.kind == "ordered":  # rounding must not close a gap
            steps = np.maximum(np.diff(value, axis=-1), 1e-4)
            value = np.concatenate([value[..., :1], steps], axis=-1).cumsum(axis=-1).round(4)
        result[name] = value.tolist()
    return result


def evaluate(program: str, data: Values) -> list[Values]:
    """Return the points with the log densities and pointwise terms of the program."""
    records = points(program, data)
    settings = prior_settings(data)
    path = FOLDER / f"{program}.stan"
    for record in records:
        record["log_density_difference"] = {}
        if record["kind"] == "edge":
            record["exact"] = {"log_density_difference": {}}
    for setting, priors in settings.items():
        data_now = {**data, **priors}
        compiled = Program(path, data_now)
        first = compiled.log_density(records[0]["values"])
        first_exact = plain.log_density(program, data_now, records[0]["values"])
        for record in records:
            difference = compiled.log_density(record["values"]) - first
            exact = float(plain.log_density(program, data_now, record["values"]) - first_exact)
            check(program, f"{record['name']}, {setting} priors", record["kind"], difference, exact)
            record["log_density_difference"][setting] = difference
            if setting == "default":
                values = {k: plain.exact(v) for k, v in record["values"].items()}
                record["log_lik"] = compiled.log_lik(record["values"]).tolist()
                terms = [float(t) for t in plain.log_lik(program, data, values)]
                for n, pair in enumerate(zip(record["log_lik"], terms, strict=True), start=1):
                    check(program, f"{record['name']}, row {n}", record["kind"], *pair)
                if record["kind"] == "edge":
                    record["exact"]["log_lik"] = terms
            if record["kind"] == "edge":
                record["exact"]["log_density_difference"][setting] = exact
    return records


def check(program: str, where: str, kind: str, found: float, exact: float) -> None:
    """Stop at an ordinary point, and tell at an edge point, when a program loses digits."""
    error = abs(found - exact) / max(1.0, abs(exact))
    if error > 1e-9:
        sys.stderr.write(f"{program}, {where}: program {found!r}, exact {exact!r}\n")
        if kind != "edge":
            sys.exit(1)


def reference(program: str) -> Values:
    """Return the content of the reference file of a program."""
    data_path = FOLDER / f"{program.replace('model', 'data', 1)}.json"
    data = json.loads(data_path.read_text("utf-8"))
    return {
        "program": f"{program}.stan",
        "program_sha256": hashlib.sha256((FOLDER / f"{program}.stan").read_bytes()).hexdigest(),
        "data": data_path.name,
        "data_sha256": hashlib.sha256(data_path.read_bytes()).hexdigest(),
        "command": f"{COMMAND} {program}",
        "versions": {
            "python": platform.python_version(),
            **{p: importlib.metadata.version(p) for p in ("pystan", "httpstan", "mpmath", "numpy")},
        },
        "prior_settings": prior_settings(data),
        "points": evaluate(program, data),
    }


def write(path: Path, content: Values) -> None:
    """Write a reference with one line for every point, so that a difference can be read."""
    content = deepcopy(content)
    records = ",\n    ".join(json.dumps(record) for record in content.pop("points"))
    head = "".join(f'  "{name}": {json.dumps(value)},\n' for name, value in content.items())
    path.write_text(f'{{\n{head}  "points": [\n    {records}\n  ]\n}}\n', "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or list(plain.PROGRAMS):
        target = FOLDER / f"{name.replace('model', 'reference', 1)}.json"
        write(target, reference(name))
