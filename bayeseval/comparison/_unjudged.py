"""Cells of a result of which no judgement exists: what is said of them is the model's."""

import numpy as np

from bayeseval._checks import some
from bayeseval.comparison._contract import PosteriorLike


def unjudged_systems(
    posterior: PosteriorLike, by: str | None, level: str | None, criterion: str | None
) -> frozenset[str]:
    """Return the systems that were never judged at a level, or on a criterion.

    Parameters
    ----------
    posterior
        The posterior; one without counts of judgements says nothing.
    by, level
        A moderator and one of its levels, or None.
    criterion
        A criterion, or None.
    """
    if "judged" not in posterior.data.children:
        return frozenset()
    counts = posterior.data["judged"].to_dataset()
    name = "rows" if by is None else f"rows_by_{by}"
    if name not in counts:
        return frozenset()
    at = {dim: label for dim, label in ((by, level), ("criterion", criterion)) if label is not None}
    cell = counts[name].sel({dim: label for dim, label in at.items() if dim in counts[name].dims})
    other = [dim for dim in cell.dims if dim != "system"]
    nowhere = (cell == 0).all(other)
    found = cell["system"].values[nowhere.values]
    return frozenset(map(str, found))


def unjudged_sentences(
    posterior: PosteriorLike, by: str | None, level: str | None, criterion: str | None
) -> tuple[str, ...]:
    """Name above a table the cells without judgements; of a mean over levels, all it rests on."""
    if "judged" not in posterior.data.children:
        return ()
    counts = posterior.data["judged"].to_dataset()
    names = [f"rows_by_{name}" for name in ([by] if by else posterior.moderators)] or ["rows"]
    wanted = {by: level, "criterion": criterion}
    cells = []
    for array in (counts[name] for name in names if name in counts):
        for at in np.argwhere(array.values == 0):
            label = {str(d): str(array[d].values[i]) for d, i in zip(array.dims, at, strict=True)}
            if any(label.get(str(d), known) != known for d, known in wanted.items() if known):
                continue
            system = label.pop("system")
            cells.append(", ".join([system, *(f"{dim} {known}" for dim, known in label.items())]))
    if not cells:
        return ()
    words = f"No judgement exists of {some(cells)}: what is said of it, or is averaged over it, "
    return (f"{words}comes from the model and is no finding.",)
