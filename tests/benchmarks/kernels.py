"""Print what a row costs in every kernel, beside an earlier commit in one run.

Run ``python -m tests.benchmarks.kernels [--against FOLDER] [--only NAME]``, FOLDER a worktree of
the earlier commit: ``git worktree add /tmp/before COMMIT``. Both evaluate the same 10,000 rows, in
turns; the table has the least time of a row, the seconds of the first call, which compiles what is
not kept yet, and the largest difference of values and slopes relative to their size. Nothing here
is a test.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

N_ROWS = 10_000
TURNS, CALLS = 3, 500


@dataclass
class Case:
    """A response and what its kernel is called with.

    Parameters
    ----------
    response
        The response.
    predictors, answer
        Dims (predictor, row), (column, row).
    scalars
        Dims (1, scalar).
    """

    response: Any
    predictors: np.ndarray
    answer: np.ndarray
    scalars: np.ndarray

    def arrays(self) -> tuple[Any, ...]:
        """Return the arguments, the results last but for the count."""
        n = self.predictors.shape[1]
        return (
            self.predictors,
            self.answer,
            np.zeros(n, dtype=np.int32),
            self.scalars,
            self.response.options,
            np.empty(n),
            np.empty_like(self.predictors),
            np.zeros_like(self.scalars),
            np.ones(n),
        )


def _strength(rng: np.random.Generator) -> Iterator[tuple[str, Case]]:
    from bayeseval.families._strength_response import StrengthResponse

    def response(kind: str, bound: float, **changes: Any) -> Any:
        base: dict[str, Any] = dict.fromkeys(
            [
                "end_a",
                "end_b",
                "middle_a",
                "middle_b",
                "precision_centre",
                "log_precision_scale",
                "width_centre",
                "log_width_scale",
                "spread_centre",
                "log_spread_scale",
                "degrees_shape",
                "degrees_rate",
            ],
            1.0,
        )
        base |= {"response": kind, "bound": bound, "thresholds": "symmetric", "middle": False}
        arguments: dict[str, Any] = base | {"resolution": 0.05, "side_bias_scale": 1.0} | changes
        return StrengthResponse(**arguments)

    predictors = rng.normal(size=(3, N_ROWS)) * np.array([[1.0], [0.3], [0.3]])
    points = rng.normal(size=N_ROWS)
    for name, share in (("points", 0.0), ("points, 5 % ends", 0.05)):
        which = np.where(rng.random(N_ROWS) < share, np.sign(points), 0.0)
        scalars = np.array([[4.0, -1.0, 0.1]])
        yield (
            name,
            Case(response("student_t", 50.0), predictors, np.stack([which, points]), scalars),
        )
    y = np.clip(rng.beta(2.0, 2.0, N_ROWS), 1e-9, 1.0 - 1e-9)
    for name, middle in (("slider", False), ("slider with a middle", True)):
        kinds = [0.0, -1.0, 1.0, 2.0] if middle else [0.0, -1.0, 1.0]
        chances = [0.7, 0.1, 0.1, 0.1] if middle else [0.8, 0.1, 0.1]
        which = rng.choice(kinds, N_ROWS, p=chances)
        scalars = np.array([[0.1, 1.5, 0.2, 0.1] if middle else [0.1, 1.5, 0.1]])
        answer = np.stack([which, np.log(y), np.log1p(-y)])
        yield name, Case(response("ordered_beta", 50.0, middle=middle), predictors, answer, scalars)
    grades = rng.integers(0, 7, N_ROWS).astype(float)
    scalars = np.array([[-0.4, 0.2, -0.1, 0.1]])
    graded = response("graded", 3.0)
    # An earlier commit has a kernel that reads positions of grades.
    answer = np.stack(getattr(graded, "answer_of", lambda grade: [grade])(grades))
    yield "grades", Case(graded, predictors, answer, scalars)


def _stated(rng: np.random.Generator) -> Iterator[tuple[str, Case]]:
    from bayeseval.families._beta_response import BetaResponse

    response = BetaResponse(
        structure="qualities",
        pairs=(),
        resolution=0.05,
        direction_bias_scale=1.0,
        end_a=1.0,
        end_b=9.0,
        precision_centre=5.0,
        log_precision_scale=1.0,
    )
    predictors = rng.normal(size=(3, N_ROWS)) * np.array([[1.0], [0.3], [0.3]])
    y = np.clip(rng.beta(2.0, 2.0, N_ROWS), 1e-9, 1.0 - 1e-9)
    which = rng.choice([0.0, -1.0, 1.0], N_ROWS, p=[0.8, 0.1, 0.1])
    answer = np.stack([which, np.log(y), np.log1p(-y)])
    yield "stated probability", Case(response, predictors, answer, np.array([[0.1, 1.5, 0.1]]))


def _pairwise(rng: np.random.Generator) -> Iterator[tuple[str, Case]]:
    from bayeseval.families._pairwise_response import PairwiseResponse

    for link in ("logit", "probit"):
        for ties in ("none", "davidson", "rao_kupper"):
            for consistency in (False, True):
                if (link, ties) == ("probit", "davidson"):
                    continue
                response = PairwiseResponse(
                    link=link,
                    ties=ties,
                    position_scale=1.0,
                    consistency=consistency,
                )
                predictors = rng.normal(size=(2, N_ROWS)) * np.array([[1.0], [0.3]])
                shares = np.eye(3)[rng.integers(0, 3 if response.has_ties else 2, N_ROWS)]
                scalars = np.array([[0.1, 0.4][: 2 if response.has_ties else 1]])
                name = f"{link}, {ties}" + (", consistency" if consistency else "")
                used = np.ascontiguousarray(predictors[: response.n_predictors])
                yield name, Case(response, used, np.ascontiguousarray(shares.T), scalars)


def _magnitude(rng: np.random.Generator) -> Iterator[tuple[str, Case]]:
    from bayeseval.families._magnitude_response import MagnitudeResponse

    numbers = dict.fromkeys(
        [
            "modulus_scale",
            "level_scale",
            "spread_centre",
            "log_spread_scale",
            "degrees_shape",
            "degrees_centre",
            "step_centre",
            "log_step_scale",
            "band_centre",
            "log_band_scale",
        ],
        1.0,
    )
    predictors = rng.normal(size=(6, N_ROWS)) * 0.5
    ratio = rng.normal(size=N_ROWS)
    for sides in (False, True):
        what = np.sign(ratio) * (rng.random(N_ROWS) > 0.4) if sides else np.ones(N_ROWS)
        response = MagnitudeResponse(
            sides=sides, resolution=0.05, unit=0.0, lowest=-3.0, highest=3.0, **numbers
        )
        scalars = np.array([[0.1, -0.5, 4.0, 0.1, 0.2, -0.5][: 6 if sides else 3]])
        name = "magnitude, sides" if sides else "magnitude"
        yield name, Case(response, predictors, np.stack([what, ratio]), scalars)


def cases() -> dict[str, Case]:
    """Return every kernel's case by name; the same in every process."""
    makers = (_strength, _stated, _pairwise, _magnitude)
    rng = np.random.default_rng(20260101)
    return {name: case for maker in makers for name, case in maker(rng)}


def _measure(only: str, results: Path) -> None:
    """Time the kernels of this process's package; print them as JSON, keep values as files."""
    times = {}
    for name, case in cases().items():
        if only not in name:
            continue
        arrays = case.arrays()
        started = time.process_time()
        kernel = case.response.kernel
        kernel(*arrays)
        first = time.process_time() - started
        np.savez(results / f"{name}.npz", *arrays[5:8])
        least = np.inf
        for _ in range(CALLS):
            started = time.process_time()
            kernel(*arrays)
            least = min(least, time.process_time() - started)
        times[name] = (least / N_ROWS * 1e9, first)
    print(json.dumps(times))


def _in(folder: Path, only: str, results: Path) -> dict[str, list[float]]:
    """Run the measurement with the package of a folder."""
    results.mkdir(exist_ok=True)
    run = subprocess.run(
        [sys.executable, __file__, "--measure", str(results), "--only", only],
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise SystemExit(run.stderr)
    return json.loads(run.stdout.splitlines()[-1])


def _difference(one: Path, other: Path) -> float:
    """Return the largest difference of values and slopes, relative to the larger of size and 1."""
    worst = 0.0
    for a, b in zip(np.load(one).values(), np.load(other).values(), strict=True):
        worst = max(worst, float((np.abs(a - b) / np.maximum(1.0, np.abs(b))).max()))
    return worst


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="a worktree of an earlier commit")
    parser.add_argument("--only", default="", help="kernels whose name has this")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        _measure(options.only, options.measure)
        return
    folders = [Path(__file__).parents[2]]
    if options.against:
        folders.append(options.against)
    with tempfile.TemporaryDirectory() as kept:
        results = [Path(kept) / str(k) for k in range(len(folders))]
        turns: list[list[dict[str, list[float]]]] = [[] for _ in folders]
        for _ in range(TURNS if options.against else 1):
            for k, folder in enumerate(folders):
                turns[k].append(_in(folder, options.only, results[k]))
        for name in turns[0][0]:
            ns = [min(turn[name][0] for turn in each) for each in turns]
            line = f"{name:36}{ns[0]:8.2f} ns, first call {turns[0][0][name][1]:5.1f} s"
            if options.against:
                differs = _difference(*(each / f"{name}.npz" for each in results))
                line += f"; before {ns[1]:8.2f} ns, {turns[1][0][name][1]:5.1f} s"
                line += f"; ratio {ns[0] / ns[1]:5.2f}, difference {differs:.0e}"
            print(line)


if __name__ == "__main__":
    main()
