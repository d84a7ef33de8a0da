"""What a design can tell: which effects it identifies and which systems it connects."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from bayeseval._checks import some
from bayeseval.judgements._table import Judgements, natural_order


@dataclass(frozen=True)
class Identification:
    """What a table of judgements can identify.

    "Repeatedly" always means: more than once for the same criterion.

    Parameters
    ----------
    protocol : str
        Protocol of the judgements.
    n_systems : int
        Number of systems.
    n_annotators, n_items : int or None
        Number of annotators and of items; None where there are no identities, or no items.
    has_annotators, has_items, has_criteria : bool
        Whether the table names them.
    outputs_judged_repeatedly : bool
        Some system's output for an item is judged more than once: system-by-item effects can be
        told from the noise of a judgement.
    annotators_judge_repeatedly : bool
        Some annotator judges more than once: severity can be told from noise.
    annotators_judge_several_systems : bool
        Some annotator judges two systems or more: annotator and system are not confounded.
    annotators_repeat_systems : bool
        Some annotator judges one system more than once: system-by-annotator effects (taste) can be
        told from the noise of a judgement.
    items_judged_repeatedly : bool
        Some item is judged more than once: difficulty can be told from noise.
    items_shared_by_systems : bool
        Some item is judged with two systems or more: item and system are not confounded.
    components : tuple of tuple of str
        Systems that are linked by a chain of shared annotators or items. Between components a
        comparison rests on the populations of annotators and items being alike.
    notes : tuple of str
        Sentences for people: what limits the design.
    """

    protocol: str
    n_systems: int
    n_annotators: int | None
    n_items: int | None
    has_annotators: bool
    has_items: bool
    has_criteria: bool
    outputs_judged_repeatedly: bool
    annotators_judge_repeatedly: bool
    annotators_judge_several_systems: bool
    annotators_repeat_systems: bool
    items_judged_repeatedly: bool
    items_shared_by_systems: bool
    components: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]

    @property
    def connected(self) -> bool:
        """Whether all systems are in one component."""
        return len(self.components) == 1

    def __str__(self) -> str:
        return "\n".join(self.notes) if self.notes else "Nothing limits this design."


def identify(judgements: Judgements) -> Identification:
    """Say what a table of judgements can identify; ``fit`` asks this before it builds a model.

    Parameters
    ----------
    judgements : Judgements
        Judgements of any protocol.

    Returns
    -------
    Identification
        Facts about the design, and notes in words.
    """
    system = _long(judgements, judgements.system_factors)
    times = len(judgements.system_factors)
    weight = np.tile(judgements.counts, times)
    annotator = _tiled(judgements, "annotator", times)
    item = _tiled(judgements, "item", times)
    criterion = _tiled(judgements, "criterion", times)
    single = np.zeros(len(judgements.answers), dtype=np.int64)
    one_row = {
        name: judgements.codes(name).astype(np.int64) if judgements.has(name) else single
        for name in ("annotator", "item", "criterion")
    }
    answers = judgements.counts
    has_annotators, has_items = annotator is not None, item is not None
    within = criterion if criterion is not None else np.zeros(len(system), dtype=np.int64)
    components = _components(judgements.systems, system, annotator, item)
    facts = {
        "outputs_judged_repeatedly": has_items and _repeated(weight, system, item, within),
        "annotators_judge_repeatedly": has_annotators
        and _repeated(answers, one_row["annotator"], one_row["criterion"]),
        "annotators_judge_several_systems": has_annotators and _several(annotator, system),
        "annotators_repeat_systems": has_annotators
        and _repeated(weight, annotator, system, within),
        "items_judged_repeatedly": has_items
        and _repeated(answers, one_row["item"], one_row["criterion"]),
        "items_shared_by_systems": has_items and _several(item, system),
    }
    return Identification(
        protocol=judgements.protocol,
        n_systems=len(judgements.systems),
        n_annotators=None if judgements.annotators is None else len(judgements.annotators),
        n_items=None if judgements.items is None else len(judgements.items),
        has_annotators=has_annotators,
        has_items=has_items,
        has_criteria=criterion is not None,
        components=components,
        notes=_notes(judgements, components, facts),
        **facts,
    )


def _long(judgements: Judgements, factors: tuple[str, ...]) -> np.ndarray:
    return np.concatenate([judgements.codes(name) for name in factors]).astype(np.int64)


def _tiled(judgements: Judgements, factor: str, times: int) -> np.ndarray | None:
    if not judgements.has(factor):
        return None
    return np.tile(judgements.codes(factor).astype(np.int64), times)


def _cells(*codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct combinations (one row each) and every row's combination."""
    cell = np.zeros(len(codes[0]), dtype=np.int64)
    for code in codes:
        # Renumbered at every step, so that no product of sizes can overflow.
        cell = np.unique(cell * (int(code.max()) + 1) + code, return_inverse=True)[1]
    first = np.unique(cell, return_index=True)[1]
    return np.stack([code[first] for code in codes], axis=1), cell


def _repeated(weight: np.ndarray, *codes: np.ndarray) -> bool:
    _, cell = _cells(*codes)
    return bool((np.bincount(cell, weights=weight) > 1).any())


def _several(of: np.ndarray, among: np.ndarray) -> bool:
    pairs, _ = _cells(of, among)
    return bool((np.bincount(pairs[:, 0]) > 1).any())


def _components(
    systems: tuple[str, ...],
    system: np.ndarray,
    annotator: np.ndarray | None,
    item: np.ndarray | None,
) -> tuple[tuple[str, ...], ...]:
    links = [other for other in (annotator, item) if other is not None]
    if not links:
        return (systems,)
    n_nodes = len(systems)
    from_nodes, to_nodes = [], []
    for other in links:
        from_nodes.append(system)
        to_nodes.append(other + n_nodes)
        n_nodes += int(other.max()) + 1
    return group_labels(systems, np.concatenate(from_nodes), np.concatenate(to_nodes), n_nodes)


def group_labels(
    labels: tuple[str, ...], from_nodes: np.ndarray, to_nodes: np.ndarray, n_nodes: int
) -> tuple[tuple[str, ...], ...]:
    """Return the first ``len(labels)`` nodes by connected component, largest first."""
    graph = coo_array(
        (np.ones(len(from_nodes), dtype=np.int8), (from_nodes, to_nodes)), shape=(n_nodes, n_nodes)
    )
    _, member = connected_components(graph.tocsr(), directed=False)
    groups: dict[int, list[str]] = {}
    for node, label in enumerate(labels):
        groups.setdefault(int(member[node]), []).append(label)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group))
    return tuple(tuple(group) for group in ordered)


def _notes(
    judgements: Judgements,
    components: tuple[tuple[str, ...], ...],
    facts: dict[str, bool],
) -> tuple[str, ...]:
    notes = []
    if len(judgements.systems) == 1:
        notes.append("There is one system: nothing can be compared or ranked.")
    if judgements.annotators is None:
        notes.append(
            "The table has no annotator identities: differences between annotators stay in the "
            "noise, and intervals are too narrow where one annotator gave many judgements."
        )
    elif len(judgements.annotators) == 1:
        notes.append(
            "There is one annotator: results speak of this annotator, not of a population."
        )
    elif not facts["annotators_judge_several_systems"] and len(judgements.systems) > 1:
        notes.append(
            "Every annotator judges one system only: differences between systems and between "
            "groups of annotators can be told apart through the population of annotators alone."
        )
    if judgements.items is None:
        notes.append("The table names no items: results may not carry over to new items.")
    elif len(judgements.items) == 1:
        notes.append("There is one item: results speak of this item, not of a population.")
    elif not facts["outputs_judged_repeatedly"]:
        notes.append(
            "No output is judged twice: system-by-item effects cannot be told from the noise of a "
            "judgement."
        )
    if len(components) > 1:
        shown = "; ".join(some(group) for group in components[:3])
        notes.append(
            f"The systems fall into {len(components)} groups that share no annotator and no item "
            f"({shown}{'; …' if len(components) > 3 else ''}): a comparison between groups rests "
            "on their annotators and items being alike."
        )
    notes.extend(_look_alikes(judgements))
    return tuple(notes)


def _look_alikes(judgements: Judgements) -> list[str]:
    """Name labels that differ by case or by blanks alone; they are kept apart, as written."""
    notes = []
    for factor in judgements.factors:
        if factor.name == "system_b":
            continue
        folded: dict[str, list[str]] = {}
        for label in factor.labels:
            folded.setdefault(" ".join(label.split()).casefold(), []).append(label)
        alike = [group for group in folded.values() if len(group) > 1]
        if alike:
            shown = natural_order(alike[0])
            more = f", and {len(alike) - 1} more such groups" if len(alike) > 1 else ""
            notes.append(
                f"Some labels of {factor.name} differ in case or blanks only: {some(shown)}{more}. "
                "They are kept apart."
            )
    return notes
