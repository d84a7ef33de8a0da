"""Print how long 10 million pairwise rows take to become counts, and how much memory.

Run ``python tests/benchmarks/read_large.py [ROWS]``. Each file is read in its own process.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

SYSTEMS = np.array([f"model {k}" for k in range(60)])
WINNERS = np.array(["model_a", "model_b", "tie"])
CHUNK = 1_000_000


def write(path: Path, n_rows: int) -> None:
    """Write random votes in pieces."""
    rng = np.random.default_rng(1)
    writer = None
    for start in range(0, n_rows, CHUNK):
        n = min(CHUNK, n_rows - start)
        a = rng.integers(0, len(SYSTEMS), n)
        b = (a + rng.integers(1, len(SYSTEMS), n)) % len(SYSTEMS)
        votes = {
            "id": np.arange(start, start + n),
            "model_a": SYSTEMS[a],
            "model_b": SYSTEMS[b],
            "winner": WINNERS[rng.integers(0, 3, n)],
        }
        piece = pa.table(votes)
        if writer is None:
            kind = pyarrow.parquet.ParquetWriter if path.suffix == ".parquet" else None
            writer = (kind or pyarrow.csv.CSVWriter)(str(path), piece.schema)
        writer.write_table(piece)
    if writer is not None:
        writer.close()


def read(path: Path) -> None:
    """Read one file and print seconds and mebibytes."""
    from bayeseval.judgements import PairwiseJudgements

    start = time.perf_counter()
    table = PairwiseJudgements.read(
        path,
        annotator=None,
        system_a="model_a",
        system_b="model_b",
        outcome="winner",
        outcomes={"model_a": "a", "model_b": "b", "tie": "tie"},
    )
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{path.suffix[1:]:<8} {table.n_judgements:>12,} {table.n_rows:>8,} {seconds:>8.1f} "
        f"{peak:>8.0f}"
    )


def main() -> None:
    """Write both files, read each in its own process."""
    if len(sys.argv) == 3:
        read(Path(sys.argv[2]))
        return
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    print("file          judgements     rows  seconds      MiB", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("votes.parquet", "votes.csv"):
            write(Path(folder) / name, n_rows)
            subprocess.run([sys.executable, __file__, "read", Path(folder) / name], check=True)


if __name__ == "__main__":
    main()
