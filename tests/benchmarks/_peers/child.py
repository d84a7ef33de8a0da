"""Run one contender: ``python -m tests.benchmarks._peers.child MODULE:FUNCTION DATA ANSWER …``.

The process reads the file, fits, prints its ranking, and only then leaves what it found in ANSWER
and prints one line of JSON with its seconds. The numbers at the end are those of `Settings`.
"""

import json
import sys
from importlib import import_module
from pathlib import Path

from tests.benchmarks._peers.contract import Result, Settings, Stages


def ranking(result: Result) -> str:
    """Return the systems with their mean ranks, the best first."""
    ranks = (-result.scores).argsort(axis=-1).argsort(axis=-1) + 1.0
    means = ranks.reshape(-1, len(result.systems)).mean(axis=0)
    rows = sorted(zip(means, result.systems, strict=True))
    return "\n".join(f"{rank:6.2f} {system}" for rank, system in rows)


def main(arguments: list[str]) -> None:
    """Run what the arguments say."""
    stages = Stages()
    target, data, answer, *numbers = arguments
    module, function = target.split(":")
    contender = getattr(import_module(module), function)
    result = contender(Path(data), Settings(*map(int, numbers)), stages)
    print(ranking(result), flush=True)
    stages.end("rank and print")
    done, again = stages.last, None
    if result.again is not None:
        result.again()
        stages.end("again")
        again = stages.seconds.pop("again")

    import numpy as np

    found = {"systems": np.asarray(result.systems, dtype=str), "scores": result.scores}
    if result.sd is not None:
        found["sd"] = result.sd
    np.savez(answer, **found)
    line = {
        "entered": stages.entered,
        "done": done,
        "again": again,
        "stages": stages.seconds,
        "divergences": result.divergences,
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main(sys.argv[1:])
