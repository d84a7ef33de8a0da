"""What the pages of measurements share: tables in Markdown, a verdict, machine and versions."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path


@dataclass(frozen=True)
class Table:
    """Rows of text below a heading, with remarks."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        cells = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        # The first column is words, the others are numbers.
        lines = [
            "| "
            + " | ".join(
                cell.rjust(width) if place else cell.ljust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            + " |"
            for row in cells
        ]
        rule = [f"{'-' * (width - 1)}:" if k else "-" * width for k, width in enumerate(widths)]
        lines.insert(1, "| " + " | ".join(rule) + " |")
        return "\n".join([f"## {self.title}", "", *lines, *(f"\n{each}" for each in self.remarks)])


def verdict(ratio: float, least: float) -> str:
    """Say whether a ratio reaches what is wanted."""
    return "Reached." if ratio >= least else "NOT reached."


def versions(packages: Sequence[str]) -> dict[str, str]:
    """Return the installed versions."""
    return {name: version(name) for name in packages}


def machine(found: Mapping[str, str]) -> str:
    """Describe the machine, Python, and the versions found."""
    processor = platform.processor() or platform.machine()
    cpu = Path("/proc/cpuinfo")
    if cpu.exists():
        named = [
            line.split(":")[1].strip()
            for line in cpu.read_text(encoding="utf-8").splitlines()
            if line.startswith("model name")
        ]
        processor = named[0] if named else processor
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    packages = ", ".join(f"{name} {number}" for name, number in found.items())
    return (
        f"{os.cpu_count()} cores ({processor}), {memory:.0f} GiB; {platform.system()}, "
        f"Python {platform.python_version()}; {packages}."
    )


def page(
    title: str, command: str, about: str, tables: Sequence[Table], loads: Sequence[float]
) -> str:
    """Put the tables on one page, with what they were measured on.

    Parameters
    ----------
    title, command
        Heading of the page, and the command that made it.
    about
        What `machine` says.
    tables
        In their order on the page.
    loads
        Load averages at the start, between the parts and at the end.
    """
    busy = max(loads) > 1.25 * (os.cpu_count() or 1)
    lines = [
        f"# {title}",
        f"Measured on {time.strftime('%-d %B %Y, %H:%M UTC', time.gmtime())} by `{command}`, in "
        "one run. " + about,
        "Load average at the start, between the parts and at the end: "
        + ", ".join(f"{load:.1f}" for load in loads)
        + (
            ". **The machine was busy with other programs:** only the ratios mean something."
            if busy
            else "; the benchmark itself runs two threads at most."
        ),
        *map(str, tables),
    ]
    return "\n\n".join(lines) + "\n"
