"""What the benchmarks measure alike: the time of a call, and how good draws are."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

type Call = Callable[[], object]


def medians(calls: Mapping[str, Call], *, seconds: float) -> dict[str, float]:
    """Return the median time of a call; the calls take turns, so that a busy moment hits all.

    The first call of each, which may compile, is left out. A quick one is repeated within a turn.
    """
    repeats = {}
    for name, call in calls.items():
        call()
        started = time.perf_counter()
        call()
        repeats[name] = max(1, min(20, round(0.2 / (time.perf_counter() - started))))
    times: dict[str, list[float]] = {name: [] for name in calls}
    started = time.perf_counter()
    while not times[next(iter(calls))] or time.perf_counter() - started < seconds:
        for name, call in calls.items():
            for _ in range(repeats[name]):
                before = time.perf_counter()
                call()
                times[name].append(time.perf_counter() - before)
    return {name: median(each) for name, each in times.items()}


def expected_ranks(quality: Any) -> Any:
    """Return each system's mean rank over the draws, 1 for the best."""
    descending = -quality.transpose(..., "system")
    ranks = descending.copy(data=descending.values.argsort(axis=-1).argsort(axis=-1) + 1.0)
    return ranks.mean(("chain", "draw"))


def diagnosed(quality: Any) -> dict[str, Any]:
    """Return ESS (the smallest over the systems), the worst R-hat, and what was found.

    Lists are by system, in the order of ``quality``; ``mcse`` is the Monte Carlo error of a mean.
    """
    import arviz_stats

    dataset = quality.to_dataset(name="quality")
    bulk, tail = (
        float(arviz_stats.ess(dataset, method=method)["quality"].min())
        for method in ("bulk", "tail")
    )
    return {
        "bulk": bulk,
        "tail": tail,
        "ess": min(bulk, tail),
        "rhat": float(arviz_stats.rhat(dataset)["quality"].max()),
        "quality": quality.mean(("chain", "draw")).values.tolist(),
        "sd": quality.std(("chain", "draw")).values.tolist(),
        "mcse": arviz_stats.mcse(dataset, method="mean")["quality"].values.tolist(),
        "ranks": expected_ranks(quality).values.tolist(),
    }
