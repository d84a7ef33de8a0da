"""When a Bradley–Terry model has no finite maximum of the likelihood, and why, in words."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayeseval._checks import some
from bayeseval.errors import DesignError
from bayeseval.frequentist._bt_cells import Cells
from bayeseval.frequentist._tie_models import Model

REMEDY = (
    " Collect comparisons across, leave systems out, or fit the Bayesian BradleyTerry family, "
    "whose prior keeps every estimate finite."
)


def refuse_groups(a: np.ndarray, b: np.ndarray, outcome: np.ndarray, labels: Sequence[str]) -> None:
    """Raise where systems fall into groups that were never compared, or never lost to others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(labels)
    if n < 2:
        raise DesignError("a comparison needs at least two systems; no decided comparison is left.")
    wins = outcome != 1, outcome != 0
    winner = np.concatenate([a[wins[0]], b[wins[1]]])
    loser = np.concatenate([b[wins[0]], a[wins[1]]])
    graph = coo_array((np.ones(len(winner)), (winner, loser)), shape=(n, n)).tocsr()
    n_groups, group = connected_components(graph, directed=True, connection="weak")
    if n_groups > 1:
        named = "; ".join(
            f"group {index + 1}: {some(np.array(labels)[group == index].tolist())}"
            for index in range(min(n_groups, 4))
        )
        more = f"; and {n_groups - 4} more groups" if n_groups > 4 else ""
        raise DesignError(
            f"the systems fall into {n_groups} groups that were never compared with one another, "
            f"so that differences between groups are not identified: {named}{more}.{REMEDY}"
        )
    n_groups, group = connected_components(graph, directed=True, connection="strong")
    if n_groups == 1:
        return
    between = group[winner] != group[loser]
    beaten = np.unique(group[loser[between]])
    beating = np.unique(group[winner[between]])
    sentences = []
    for index in range(n_groups):
        members = some(np.array(labels)[group == index].tolist())
        if index not in beaten:
            sentences.append(f"{members} never lost to, or tied with, any other system")
        elif index not in beating:
            sentences.append(f"{members} never beat, or tied with, any other system")
    more = f" (and {len(sentences) - 4} more groups)" if len(sentences) > 4 else ""
    raise DesignError(
        f"no finite estimate exists: the systems fall into {n_groups} groups that are ordered "
        f"without exception: {'; '.join(sentences[:4])}{more}. Their differences run to infinity."
        f"{REMEDY}"
    )


def position_told(n: int, a: np.ndarray, b: np.ndarray) -> bool:
    """Tell whether a position effect is no difference of log-worths itself.

    It is one where some log-worths give every comparison that was shown the difference 1: with the
    same one always first, or with first places that make an order.
    """
    shown = np.unique(a * n + b)
    first, second = np.divmod(shown, n)
    laplacian = np.zeros((n, n))
    np.add.at(laplacian, (first, first), 1.0)
    np.add.at(laplacian, (second, second), 1.0)
    np.add.at(laplacian, (first, second), -1.0)
    np.add.at(laplacian, (second, first), -1.0)
    right = np.bincount(first, minlength=n) - np.bincount(second, minlength=n).astype(float)
    worth = np.linalg.solve(laplacian + 1.0, right)
    return bool(np.abs(worth[first] - worth[second] - 1).max() >= 1e-8)


def refuse_position(n: int, a: np.ndarray, b: np.ndarray) -> None:
    """Raise where a position effect is itself a difference of log-worths."""
    if not position_told(n, a, b):
        raise DesignError(
            "the position effect cannot be told apart from the systems: differences between them "
            "would explain any advantage of the system shown first. Show pairs in both orders, or "
            "leave the effect out."
        )


def refuse_separated(model: Model, cells: Cells, *, position_effect: bool) -> None:
    """Raise where the likelihood rises for ever in some direction, by linear programming.

    Parameters
    ----------
    model : {"logistic", "half", "davidson", "rao_kupper"}
        What happens with ties.
    cells : Cells
        The comparisons; their systems are known to be connected.
    position_effect : bool
        Whether the model has one.
    """
    from scipy import sparse
    from scipy.optimize import linprog

    n, n_cells = cells.n_systems, len(cells.a)
    index, one = np.arange(n_cells), np.ones(n_cells)
    # The last log-worth is zero.
    entries = [(index, cells.a, one), (index, cells.b, -one)]
    if position_effect:
        entries.append((index, np.full(n_cells, n), one))
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    whole = sparse.coo_array((values, (rows, columns)), shape=(n_cells, n + position_effect))
    design: Any = whole.tocsc()[:, [*range(n - 1), *range(n, n + position_effect)]].tocsr()
    won = sparse.diags_array(np.where(cells.outcome == 1, -1.0, 1.0)) @ design
    decided, tied = np.flatnonzero(cells.outcome < 2), np.flatnonzero(cells.outcome == 2)
    won, shared = won[decided], design[tied]
    bounds = [(-1.0, 1.0)] * (n - 1 + position_effect)
    parts = [(won, 0.0), (shared, 0.0), (-shared, 0.0)]
    has_tie = model in ("davidson", "rao_kupper")
    if model == "davidson":
        parts = [(won, 0.0), (won / 2, -1.0), (shared / 2, 1.0), (-shared / 2, 1.0)]
        bounds.append((-1.0, 1.0))
    elif model == "rao_kupper":
        parts = [(won, -1.0), (shared, 1.0), (-shared, 1.0)]
        bounds.append((0.0, 1.0))
    blocks = [
        sparse.hstack([part, np.full((part.shape[0], 1), slope)]) if has_tie else part
        for part, slope in parts
        if part.shape[0]
    ]
    matrix: Any = sparse.vstack(blocks).tocsr()
    result = linprog(
        -np.asarray(matrix.sum(axis=0)).ravel(),
        A_ub=-matrix,
        b_ub=np.zeros(matrix.shape[0]),
        bounds=bounds,
    )
    if -result.fun > 1e-7:
        which = "position effect" if position_effect else "tie parameter"
        raise DesignError(
            f"no finite estimate exists: with the {which} the model can explain these comparisons "
            "without exception, and its parameters run to infinity. Leave it out, collect more "
            "comparisons, or fit the Bayesian BradleyTerry family."
        )
