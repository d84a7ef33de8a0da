"""What a design can tell: which effects it identifies and which systems it connects."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from bayeseval._checks import some
from bayeseval.judgements._argument import takes_judgements
from bayeseval.judgements._cells import cells
from bayeseval.judgements._factors import look_alikes
from bayeseval.judgements._guards import design_notes, shares
from bayeseval.judgements._identification import Identification
from bayeseval.judgements._table import Judgements


@takes_judgements
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
    times = len(judgements.system_factors)
    weight = np.tile(judgements.counts, times)
    system = np.concatenate([judgements.codes(name) for name in judgements.system_factors])
    annotator, item, criterion = (
        np.tile(judgements.codes(name), times) if judgements.has(name) else None
        for name in ("annotator", "item", "criterion")
    )
    within = np.zeros(len(system), dtype=np.int32) if criterion is None else criterion
    rows = slice(judgements.n_rows)
    outputs = annotators = repeats = several = items = shared = False
    annotator_overlap = item_overlap = None
    if annotator is not None:
        annotators = _repeated(judgements.counts, annotator[rows], within[rows])
        several = _several(annotator, system)
        repeats = _repeated(weight, annotator, system, within)
    if item is not None:
        items = _repeated(judgements.counts, item[rows], within[rows])
        shared = _several(item, system)
        outputs = _repeated(weight, system, item, within)
        item_overlap = _mean_partners(item, system)
        if annotator is not None:
            annotator_overlap = _mean_partners(item, annotator)
    pairs = _pairs(judgements) if times == 2 else {}
    shared_by = shares(judgements)
    found = Identification(
        protocol=judgements.protocol,
        n_systems=len(judgements.systems),
        n_annotators=None if judgements.annotators is None else len(judgements.annotators),
        n_items=None if judgements.items is None else len(judgements.items),
        has_annotators=annotator is not None,
        has_items=item is not None,
        has_criteria=criterion is not None,
        outputs_judged_repeatedly=outputs,
        annotators_judge_repeatedly=annotators,
        annotators_judge_several_systems=several,
        annotators_repeat_systems=repeats,
        items_judged_repeatedly=items,
        items_shared_by_systems=shared,
        annotator_overlap=annotator_overlap,
        item_overlap=item_overlap,
        linked_judgements=shared_by.linked_judgements,
        nested_items=shared_by.nested_items,
        design_notes=design_notes(judgements, shared_by),
        **({"components": _components(judgements.systems, system, annotator, item)} | pairs),  # type: ignore[arg-type]
    )
    return _with_notes(found, judgements)


def _repeated(weight: np.ndarray, *codes: np.ndarray) -> bool:
    _, cell = cells(codes)
    return bool((np.bincount(cell, weights=weight) > 1).any())


def _several(of: np.ndarray, among: np.ndarray) -> bool:
    first, _ = cells([of, among])
    return bool((np.bincount(of[first]) > 1).any())


def _mean_partners(of: np.ndarray, among: np.ndarray) -> float:
    first, _ = cells([of, among])
    return float(np.bincount(of[first]).mean())


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
    edges = (np.concatenate(from_nodes), np.concatenate(to_nodes))
    return _grouped(systems, *edges, n_nodes)[0]


def _grouped(
    labels: tuple[str, ...],
    from_nodes: np.ndarray,
    to_nodes: np.ndarray,
    n_nodes: int,
    *,
    directed: bool = False,
) -> tuple[tuple[tuple[str, ...], ...], np.ndarray]:
    """Return the first ``len(labels)`` nodes by component, largest first, and their numbers."""
    graph = coo_array(
        (np.ones(len(from_nodes), dtype=np.int8), (from_nodes, to_nodes)), shape=(n_nodes, n_nodes)
    )
    _, member = connected_components(graph.tocsr(), directed=directed, connection="strong")
    groups: dict[int, list[str]] = {}
    for node, label in enumerate(labels):
        groups.setdefault(int(member[node]), []).append(label)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), labels.index(group[0])))
    return tuple(tuple(group) for group in ordered), member[: len(labels)]


def _pairs(judgements: Judgements) -> dict[str, object]:
    systems = judgements.systems
    a, b = judgements.codes("system_a"), judgements.codes("system_b")
    n = len(systems)
    won = judgements.points()
    pair, turned = a.astype(np.int64) * n + b, b.astype(np.int64) * n + a
    counts = judgements.counts
    shown = np.bincount(pair, weights=counts, minlength=n * n).reshape(n, n)
    score = np.bincount(pair, weights=counts * won, minlength=n * n)
    score += np.bincount(turned, weights=counts * (1 - won), minlength=n * n)
    score = score.reshape(n, n)
    total = shown + shown.T
    upper = np.triu(np.ones((n, n), dtype=bool), 1)
    met = upper & (total > 0)
    rarer = np.minimum(shown, shown.T)[met] / total[met]
    never = np.argwhere(upper & (total == 0))
    components, _ = _grouped(systems, a, b, n)
    beaten = np.argwhere(score > 0)
    strong, _ = _grouped(systems, beaten[:, 0], beaten[:, 1], n, directed=True)
    lost, gained = score.sum(axis=0), score.sum(axis=1)
    return {
        "components": components,
        "pairs_met": int(met.sum()),
        "pairs_possible": n * (n - 1) // 2,
        "pairs_never_met": tuple((systems[i], systems[j]) for i, j in never),
        "unbeaten": tuple(systems[k] for k in np.flatnonzero(lost == 0)),
        "winless": tuple(systems[k] for k in np.flatnonzero(gained == 0)),
        "one_way": len(strong) > len(components),
        "order_balance": float(rarer.mean()),
        "order_identified": _order_identified(judgements) if judgements.order_known else None,
    }


def _order_identified(judgements: Judgements) -> bool:
    """Tell whether, on some criterion, no qualities explain an advantage of the first place.

    Such qualities would differ by one and the same step in every pair, the system shown first being
    ahead: the vector of ones would lie in the span of the design. Steps are laid out along a tree
    of pairs; the other pairs either agree with them or tell the two apart.
    """
    n = len(judgements.systems)
    a, b = judgements.codes("system_a"), judgements.codes("system_b")
    criterion = judgements.codes("criterion") if judgements.has("criterion") else np.zeros_like(a)
    first, _ = cells([criterion, a, b])
    for one in np.unique(criterion):
        rows = first[criterion[first] == one]
        before, after = a[rows], b[rows]
        ahead = set(zip(before.tolist(), after.tolist(), strict=True))
        graph = coo_array((np.ones(len(rows)), (before, after)), shape=(n, n)).tocsr()
        step, seen = np.zeros(n), np.zeros(n, dtype=bool)
        for start in np.unique(before):
            if seen[start]:
                continue
            order, parent = breadth_first_order(graph, start, directed=False)
            seen[order] = True
            for node in order[1:].tolist():
                up = int(parent[node])
                step[node] = step[up] + (-1 if (up, node) in ahead else 1)
        if (step[before] - step[after] != 1).any():
            return True
    return False


def _with_notes(found: Identification, judgements: Judgements) -> Identification:
    notes = [
        *_people_notes(found),
        *found.design_notes,
        *_group_notes(found),
        *_criterion_notes(judgements),
        *look_alikes(judgements.factors),
    ]
    return Identification(**{**found.__dict__, "notes": tuple(notes)})


def _people_notes(found: Identification) -> list[str]:
    notes = []
    if found.n_systems == 1:
        notes.append("There is one system: nothing can be compared or ranked.")
    if not found.has_annotators:
        notes.append(
            "The table has no annotator identities: differences between annotators stay in the "
            "noise, and intervals are too narrow where one annotator gave many judgements."
        )
    elif found.n_annotators == 1:
        notes.append(
            "There is one annotator: results speak of this annotator, not of a population."
        )
    if not found.has_items:
        notes.append("The table names no items: results may not carry over to new items.")
    elif found.n_items == 1:
        notes.append("There is one item: results speak of this item, not of a population.")
    elif not found.outputs_judged_repeatedly:
        notes.append(
            "No output is judged twice: system-by-item effects cannot be told from the noise of a "
            "judgement."
        )
    return notes


def _group_notes(found: Identification) -> list[str]:
    notes = []
    pairs = found.pairs_met is not None
    if not found.connected:
        shown = "; ".join(some(group) for group in found.components[:3])
        shown += "; …" if len(found.components) > 3 else ""
        if pairs:
            notes.append(
                f"The systems fall into {len(found.components)} groups that never met ({shown}): a "
                "difference between groups is the prior's and no finding."
            )
        else:
            notes.append(
                f"The systems fall into {len(found.components)} groups that share no annotator and "
                f"no item ({shown}): a comparison between groups rests on their annotators and "
                "items being alike."
            )
    if found.unbeaten:
        notes.append(
            f"{some(found.unbeaten)} never lost a point: how far ahead is for the prior to say."
        )
    if found.winless:
        notes.append(
            f"{some(found.winless)} never won a point: how far behind is for the prior to say."
        )
    if found.one_way and not found.unbeaten and not found.winless:
        notes.append(
            "Some group of systems never lost a point to another: how far apart these groups are "
            "is for the prior to say."
        )
    if found.order_balance == 0 and found.order_identified:
        notes.append(
            "Every pair was shown in one order only: what tells preference for a position from "
            "quality is that qualities have to agree round circles of pairs."
        )
    elif found.order_balance == 0 and found.order_identified is False:
        notes.append(
            "Every pair was shown in one order only, and qualities alone would explain any "
            "preference for a position: the two cannot be told apart."
        )
    return notes


def _criterion_notes(judgements: Judgements) -> list[str]:
    """Name criteria on which a system has no judgement, or on which all answers are the same."""
    if judgements.criteria is None:
        return []
    criterion = judgements.codes("criterion")
    met = np.zeros((len(judgements.criteria), len(judgements.systems)), dtype=bool)
    for name in judgements.system_factors:
        met[criterion, judgements.codes(name)] = True
    notes = []
    for label, judged in zip(judgements.criteria, met, strict=True):
        if not judged.all():
            absent = [judgements.systems[code] for code in np.flatnonzero(~judged)]
            notes.append(
                f"On criterion {label!r} nobody judged {some(absent)}: what is said of "
                f"{'it' if len(absent) == 1 else 'them'} there is the prior's and no finding."
            )
    constant = [
        label
        for code, label in enumerate(judgements.criteria)
        if len(np.unique(judgements.answers[criterion == code])) == 1
    ]
    if constant:
        notes.append(
            f"All answers are the same on {'criterion' if len(constant) == 1 else 'criteria'} "
            f"{some(constant)}: there is nothing to tell systems apart by."
        )
    return notes
