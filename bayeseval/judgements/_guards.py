"""How far a design lets systems be compared: shares in numbers, and what they mean in words."""

from collections import Counter
from typing import NamedTuple

import numpy as np

from bayeseval.judgements._cells import cells
from bayeseval.judgements._table import Judgements

# Below these a share is not worth a sentence: conventions, not estimates. What one judgement in
# twenty can move is small beside the interval of a difference.
FEW = 0.05

STRENGTHS_WITH_ORDER = (
    "PreferenceStrength() allows for it where the order can be told from the systems"
)


class Shares(NamedTuple):
    """How far judgements of different systems share their annotators and their items.

    Within a criterion, where there are criteria: severity and difficulty are the criterion's own.

    Parameters
    ----------
    linked_judgements : float or None
        Share of the judgements by annotators who judged several systems.
    nested_items : float or None
        Share of the items that are judged with one system only.
    """

    linked_judgements: float | None
    nested_items: float | None


def shares(judgements: Judgements) -> Shares:
    """Return the shares; None where answers compare systems, or there is nothing to share."""
    if judgements.is_paired or len(judgements.systems) < 2:
        return Shares(None, None)
    linked = nested = None
    if judgements.has("annotator") and len(judgements.labels("annotator")) > 1:
        several, member = _of_several_systems(judgements, "annotator")
        linked = float(np.average(several[member], weights=judgements.counts))
    if judgements.has("item") and len(judgements.labels("item")) > 1:
        several, _ = _of_several_systems(judgements, "item")
        nested = float(1 - several.mean())
    return Shares(linked, nested)


def _of_several_systems(judgements: Judgements, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Tell which annotators or items meet several systems, and every row's annotator or item."""
    of = [judgements.codes(name)]
    if judgements.has("criterion"):
        of.append(judgements.codes("criterion"))
    _, member = cells(of)
    first, _ = cells([member, judgements.codes("system")])
    return np.bincount(member[first]) > 1, member


def design_notes(judgements: Judgements, found: Shares) -> tuple[str, ...]:
    """Say what makes differences between systems less certain than they look.

    Nothing is said of a complete crossed design, nor of shares below one in twenty.
    """
    within = " on the same criterion" if judgements.has("criterion") else ""
    notes = []
    linked, nested = found
    if linked is not None and linked < 1 - FEW:
        if linked == 0:
            notes.append(
                f"Every annotator judges one system only{within}: differences between systems and "
                "between groups of annotators can be told apart through the population of "
                "annotators alone."
            )
        else:
            notes.append(
                f"{_percent(linked)} of the judgements are by annotators who judged more than one "
                f"system{within}: differences between systems are "
                f"{'mostly' if linked < 0.5 else 'partly'} differences between groups of "
                "annotators, which are taken to be alike on average."
            )
    if nested is not None and nested > FEW:
        whose = (
            "Each item belongs to one system"
            if nested == 1
            else f"{_percent(nested)} of the items belong to one system only"
        )
        notes.append(
            f"{whose}{within}: there the difficulty of an item and the quality of its output "
            "cannot be told apart, and the items of different systems are taken to be alike on "
            "average."
        )
    return (*notes, *_missing_notes(judgements))


def order_notes(judgements: Judgements, what: str, advice: str) -> tuple[str, ...]:
    """Say that an advantage of the first place is in results, where one order prevails.

    Parameters
    ----------
    judgements : Judgements
        Any table; of what is no pair, or has no order of presentation, nothing is said.
    what : str
        The numbers that it is in, in the plural.
    advice : str
        What the end of the sentence says of them.
    """
    if not judgements.order_known:
        return ()
    n = len(judgements.systems)
    a, b = judgements.codes("system_a"), judgements.codes("system_b")
    first = np.bincount(a * n + b, weights=judgements.counts, minlength=n * n).reshape(n, n)
    uneven, met = np.abs(first - first.T).sum(axis=1), (first + first.T).sum(axis=1)
    # With this share in excess in one order, an advantage of the first place moves a system's rate
    # by that share of itself: from half of it on it is said.
    if not (uneven[met > 0] >= met[met > 0] / 2).any():
        return ()
    return (
        (
            "ORDER OF PRESENTATION IS NOT BALANCED: an advantage of the system shown first, or a "
            f"handicap, is in these {what}; {advice}."
        ),
    )


def _missing_notes(judgements: Judgements) -> list[str]:
    """Say where answers are missing, if by a twentieth more often of one system than of another."""
    missing: Counter[str] = Counter()
    rows: dict[str, int] = {}
    for entry in judgements.dropped:
        for system, n_missing, n_rows in entry.by_system:
            missing[system] += n_missing
            rows[system] = n_rows
    # A system of which every answer is missing is in no table, and is named all the same.
    told = [s for s in rows if s in judgements.systems or missing[s] == rows[s]]
    if len(told) < 2:
        return []
    told.sort(key=lambda system: missing[system] / rows[system])
    fewest, most = told[0], told[-1]
    if missing[most] / rows[most] - missing[fewest] / rows[fewest] < FEW:
        return []

    def said(system: str) -> str:
        share = _percent(missing[system] / rows[system])
        return f"{share} of the rows of {system!r} ({missing[system]:,} of {rows[system]:,})"

    note = (
        f"Answers are missing for {said(most)} and {said(fewest)}"
        f"{', the most and the fewest' if len(told) > 2 else ''}: if they are missing because of "
        "what was to be judged, the systems do not compare like with like."
    )
    return [note]


def _percent(share: float) -> str:
    # Neither "0 %" of something nor "100 %" of not quite everything.
    if 0 < share < 0.01:
        return "Less than 1 %"
    return f"{min(share, 0.99) if share < 1 else 1:.0%}".replace("%", " %")
