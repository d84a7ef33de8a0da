"""Write models/<family>/reference*.json: what the Stan programs say at stated points.

Run it after a change of a program or of its data, from the repository:

    uv run --isolated --python 3.12 --only-group oracle python -m tests.oracle.make_reference

(`python3 -m uv` where uv came with pip), with names behind it, such as ``bradley_terry`` for the
programs of a family or ``bradley_terry/model`` for one; or none for all. It stops when a program
and the 50-digit evaluation (plain.py) disagree at an ordinary point.
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

MODELS = Path(__file__).parents[2] / "models"
COMMAND = (
    "python3 -m uv run --isolated --python 3.12 --only-group oracle "
    "python -m tests.oracle.make_reference"
)


def prior_settings(card: plain.Card, data: Values) -> dict[str, Values]:
    """Return the default priors (those of the data file) and another set."""
    other = card.other_priors(data)
    return {"default": {name: data[name] for name in other}, "other": other}


def points(card: plain.Card, program: str, data: Values) -> list[Values]:
    """Return prior draws, one-at-a-time moves from the first of them, and edge points."""
    rng = np.random.default_rng(20261128)
    draws = [
        plain.rounded(card, program, plain.draw_from_prior(card, program, data, rng))
        for _ in range(4)
    ]
    first, source = draws[0], draws[3]
    found = [point(f"prior draw {i}", "draw", v) for i, v in enumerate(draws[:3], start=1)]
    for name, parameter in card.programs[program].items():
        moved = source[name]
        if parameter.kind == "half_normal":
            moved = np.round(1.6 * np.array(first[name]), 4).tolist()
        found.append(point(f"{name} moved", "move", {**first, name: moved}))
    for name, change in card.edges(first).items():
        found.append(point(name, "edge", plain.rounded(card, program, {**first, **change})))
    return found


def point(name: str, kind: str, values: Values) -> Values:
    """Return the record of a point."""
    return {"name": name, "kind": kind, "values": values}


def evaluate(path: Path, data: Values) -> list[Values]:
    """Return the points with the log densities and pointwise terms of the program."""
    program, card = path.stem, plain.card(path.parent.name)
    records = points(card, program, data)
    settings = prior_settings(card, data)
    for record in records:
        record["log_density_difference"] = {}
        if record["kind"] == "edge":
            record["exact"] = {"log_density_difference": {}}
    for setting, priors in settings.items():
        data_now = {**data, **priors}
        compiled = Program(path, data_now)
        first = compiled.log_density(records[0]["values"])
        first_exact = plain.log_density(card, program, data_now, records[0]["values"])
        for record in records:
            difference = compiled.log_density(record["values"]) - first
            exact = float(
                plain.log_density(card, program, data_now, record["values"]) - first_exact
            )
            check(path, f"{record['name']}, {setting} priors", record["kind"], difference, exact)
            record["log_density_difference"][setting] = difference
            if setting == "default":
                values = {k: plain.exact(v) for k, v in record["values"].items()}
                record["log_lik"] = compiled.log_lik(record["values"]).tolist()
                terms = [float(t) for t in card.log_lik(program, data, values)]
                for n, pair in enumerate(zip(record["log_lik"], terms, strict=True), start=1):
                    check(path, f"{record['name']}, row {n}", record["kind"], *pair)
                if record["kind"] == "edge":
                    record["exact"]["log_lik"] = terms
            if record["kind"] == "edge":
                record["exact"]["log_density_difference"][setting] = exact
    return records


def check(path: Path, where: str, kind: str, found: float, exact: float) -> None:
    """Stop at an ordinary point, and tell at an edge point, when a program loses digits."""
    error = abs(found - exact) / max(1.0, abs(exact))
    if error > 1e-9:
        sys.stderr.write(
            f"{path.parent.name}/{path.stem}, {where}: program {found!r}, exact {exact!r}\n"
        )
        if kind != "edge":
            sys.exit(1)


def reference(path: Path) -> Values:
    """Return the content of the reference file of a program."""
    data_path = companion(path, "data")
    data = json.loads(data_path.read_text("utf-8"))
    return {
        "program": path.name,
        "program_sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "data": data_path.name,
        "data_sha256": hashlib.sha256(data_path.read_bytes()).hexdigest(),
        "command": f"{COMMAND} {path.parent.name}/{path.stem}",
        "versions": {
            "python": platform.python_version(),
            **{p: importlib.metadata.version(p) for p in ("pystan", "httpstan", "mpmath", "numpy")},
        },
        "prior_settings": prior_settings(plain.card(path.parent.name), data),
        "points": evaluate(path, data),
    }


def companion(path: Path, kind: str) -> Path:
    """Return the data or reference file of a program."""
    return path.with_name(f"{path.stem.replace('model', kind, 1)}.json")


def write(path: Path, content: Values) -> None:
    """Write a reference with one line for every point, so that a difference can be read."""
    content = deepcopy(content)
    records = ",\n    ".join(json.dumps(record) for record in content.pop("points"))
    head = "".join(f'  "{name}": {json.dumps(value)},\n' for name, value in content.items())
    path.write_text(f'{{\n{head}  "points": [\n    {records}\n  ]\n}}\n', "utf-8")


def programs(wanted: list[str]) -> list[Path]:
    """Return the programs with these names, ``family`` or ``family/program``; all without names."""
    every = sorted(MODELS.glob("*/model*.stan"))
    found = [p for p in every if {p.parent.name, f"{p.parent.name}/{p.stem}"} & set(wanted)]
    return found if wanted else every


if __name__ == "__main__":
    for source in programs(sys.argv[1:]):
        write(companion(source, "reference"), reference(source))
