"""Time the kernel's gradient beside two vectorised normal distribution functions.

``python -m tests.benchmarks._peers.gradient SECONDS N_ANNOTATORS`` prints one line of JSON with
nanoseconds a rating. The caller limits the process to one thread.
"""

import json
import sys

import numpy as np
from scipy.special import ndtr

from tests.benchmarks._likert_gradient import SEED, gradient_case
from tests.benchmarks._measure import medians

NORMAL = "two normal CDFs, scipy.special.ndtr"
KERNEL = "likelihood with gradient, kernel of the answers alone"
MODEL = "whole model with gradient, as sampled"


def measure(*, seconds: float, n_annotators: int) -> tuple[int, dict[str, float]]:
    """Return the number of ratings, and nanoseconds a rating of each call."""
    case = gradient_case(n_annotators=n_annotators, n_systems=20, n_items=50)
    n_rows = case.ratings.n_rows
    low, high = np.random.default_rng(SEED).normal(size=(2, n_rows))
    out = np.empty(n_rows)

    def two_cdfs() -> None:
        ndtr(low, out=out)
        ndtr(high, out=out)

    calls = {NORMAL: two_cdfs, KERNEL: case.kernel, MODEL: case.model()}
    times = medians(calls, seconds=seconds)
    return n_rows, {name: 1e9 * time / n_rows for name, time in times.items()}


if __name__ == "__main__":
    print(json.dumps(measure(seconds=float(sys.argv[1]), n_annotators=int(sys.argv[2]))))
