"""What every summary says: counts, what was dropped, and what the design can identify."""

from collections.abc import Sequence

import numpy as np

from bayeseval._checks import counted
from bayeseval.judgements._table import Judgements
from bayeseval.judgements.identify import identify
from bayeseval.judgements.joint import notes_on_joint_systems
from bayeseval.judgements.summary import Fact, Summary

# A scale of more categories than a list of five to eleven with steps between is shown in bands.
MOST_CATEGORIES = 21
N_BANDS = 10


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
        notes=(*notes, *notes_on_joint_systems(judgements), *identify(judgements).notes),
    )


def category_facts(section: str, labels: Sequence[str], numbers: np.ndarray) -> list[Fact]:
    """Return how often each category was chosen; of many, by ten bands and the most frequent."""
    total = int(numbers.sum())

    def share(number: int) -> str:
        return f"{number:,} ({number / total:.1%})"

    if len(labels) <= MOST_CATEGORIES:
        return [
            (section, label, share(n)) for label, n in zip(labels, numbers.tolist(), strict=True)
        ]
    bands = np.array_split(np.arange(len(labels)), N_BANDS)
    facts = [
        (section, f"{labels[band[0]]}–{labels[band[-1]]}", share(int(numbers[band].sum())))
        for band in bands
    ]
    used = int((numbers > 0).sum())
    often = np.argsort(-numbers, kind="stable")[:5]
    said = ", ".join(f"{labels[k]} ({numbers[k] / total:.1%})" for k in often if numbers[k])
    facts.append(("categories used", "", f"{used:,} of {len(labels):,}"))
    facts.append(("most frequent", "", said))
    return facts


def _shown(labels: Sequence[str]) -> str:
    first = ", ".join(label if len(label) <= 40 else f"{label[:39]}…" for label in labels[:5])
    return first + (", …" if len(labels) > 5 else "")
