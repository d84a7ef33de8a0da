"""Find the data of the papers, and print our figures beside the printed ones."""

import argparse
import sys
from pathlib import Path

import pandas as pd

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "data"


def data_folder(description: str) -> Path:
    """Read --data; say so and leave with 0 where the data are not there."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, default=DEFAULT, help="folder of the data sets")
    folder = parser.parse_args().data
    if not folder.is_dir():
        print(f"The data sets are not at {folder}; pass --data FOLDER. Nothing to reproduce.")
        sys.exit(0)
    return folder


def show(title: str, table: pd.DataFrame, *notes: str) -> None:
    """Print a table below its title, and notes below the table."""
    print(f"\n{title}\n{'=' * len(title)}")
    print(table.to_string(index=False, na_rep="", float_format=lambda x: f"{x:.3f}"))
    for note in notes:
        print(f"  {note}")
