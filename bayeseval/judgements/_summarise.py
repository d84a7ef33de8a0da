"""What every summary says: counts, what was dropped, and what the design can identify."""

from collections.abc import Sequence

import numpy as np

from bayeseval._checks import counted
from bayeseval.judgements._table import Judgements
from bayeseval.judgements.identify import identify
from bayeseval.judgements.summary import Fact, Summary


def summarise(
    judgements: Judgements, *, answer_facts: Sequence[Fact], notes: Sequence[str] = ()
) -> Summary:
    """Return the summary of a table, with what its protocol says of the answers."""
    facts: list[Fact] = []
    names = [*judgements.system_factors[:1], "annotator", "item", "criterion"]
    for name in names:
        if judgements.has(name):
            labels = judgements.labels(name)
            plural = {"criterion": "criteria", "system_a": "systems"}.get(name, f"{name}s")
            facts.append((plural, "", f"{len(labels):,} ({_shown(labels)})"))
        elif name == "annotator":
            facts.append(("annotators", "", "no identities in this export"))
    for name, levels in judgements.moderators.items():
        facts.append((f"moderator {name}", "", f"{len(levels):,} ({_shown(levels)})"))
    facts.append(("judgements", "", f"{judgements.n_judgements:,}"))
    if judgements.annotators is not None:
        each = np.bincount(judgements.codes("annotator"), weights=judgements.counts)
        facts.append(
            (
                "judgements an annotator",
                "",
                f"{int(each.min()):,} to {int(each.max()):,}, median {np.median(each):g}",
            )
        )
    facts += answer_facts
    if judgements.origin:
        facts.append(("read as", "", judgements.origin))
    facts += [("dropped", d.reason, counted(d.n_rows, "row")) for d in judgements.dropped]
    facts += [
        ("filters", entry.rule, f"{entry.rows_before:,} → {entry.rows_after:,} rows")
        for entry in judgements.audit
    ]
    return Summary(
        title=repr(judgements),
        facts=tuple(facts),
        notes=(*notes, *identify(judgements).notes),
    )


def _shown(labels: Sequence[str]) -> str:
    first = ", ".join(label if len(label) <= 40 else f"{label[:39]}…" for label in labels[:5])
    return first + (", …" if len(labels) > 5 else "")
