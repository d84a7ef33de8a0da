"""From a design to effects: which are in, which are left out and why, and the collapsed cells."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from bayeseval._checks import nearest, some
from bayeseval.errors import ModelError
from bayeseval.families._declaration import Cells, Effect
from bayeseval.judgements import Judgements
from bayeseval.judgements.identify import Identification

type Effects = Literal["auto", "none"] | Mapping[str, bool]

_CENTRED_FROM = 40
"""Judgements a level from which the data, not the prior, hold an effect in place."""


def choose_effects(
    wanted: Effects, reasons: Mapping[str, str | None], forcible: Mapping[str, str | None]
) -> tuple[list[str], dict[str, str]]:
    """Decide which optional effects are in the model.

    Parameters
    ----------
    wanted
        "auto" for what the design identifies, "none", or a choice by effect; effects that the
        choice does not name are decided as in "auto".
    reasons
        By effect, None where the design identifies it, otherwise why not.
    forcible
        By effect, None where it can at least be built, otherwise what is missing.

    Returns
    -------
    included : list of str
        Effects in the model.
    left_out : dict of str to str
        The others, each with the reason.
    """
    if isinstance(wanted, str):
        if wanted not in ("auto", "none"):
            raise ModelError(
                f"effects= is 'auto', 'none' or a choice by effect such as "
                f"{{'difficulty': False}}; found {wanted!r}"
            )
        choice: Mapping[str, bool] = {} if wanted == "auto" else dict.fromkeys(reasons, False)
    else:
        choice = wanted
        for name in choice:
            if name not in reasons:
                close = nearest(name, list(reasons))
                raise ModelError(
                    f"effects= names {name!r}, which this family does not have; it has "
                    f"{some(reasons, most=8)}." + (f" Did you mean {close!r}?" if close else "")
                )
    included: list[str] = []
    left_out: dict[str, str] = {}
    for name, reason in reasons.items():
        if name in choice:
            if choice[name] and forcible[name] is not None:
                raise ModelError(f"effects={{{name!r}: True}} cannot be built: {forcible[name]}")
            if choice[name]:
                included.append(name)
            else:
                left_out[name] = "left out on request"
        elif reason is None:
            included.append(name)
        else:
            left_out[name] = reason
    return included, left_out


def absolute_effect_reasons(
    design: Identification,
) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """Say which of difficulty, interaction and taste an absolute protocol's design identifies.

    Returns
    -------
    reasons, forcible
        As :func:`choose_effects` takes them.

    Notes
    -----
    In a probit model the noise of one judgement has variance 1 by convention. An effect with one
    judgement a level cannot be told from that noise, whatever else is crossed.
    """
    no_items = None if design.has_items else "no item column was named"
    no_annotators = None if design.has_annotators else "the judgements have no annotator identities"
    one_item = None if (design.n_items or 0) > 1 else "all judgements are of one item"
    one_annotator = None if (design.n_annotators or 0) > 1 else "there is one annotator"
    one_system = None if design.n_systems > 1 else "there is one system"
    difficulty = (
        no_items
        or one_item
        or (None if design.items_judged_repeatedly else "every item was judged once")
    )
    interaction = (
        no_items
        or one_item
        or one_system
        or (None if design.items_shared_by_systems else "no item was judged with two systems")
        or (None if design.outputs_judged_repeatedly else "every output was judged once")
    )
    taste = (
        no_annotators
        or one_annotator
        or one_system
        or (
            None
            if design.annotators_repeat_systems
            else "no annotator judged the same system twice"
        )
    )
    reasons = {"difficulty": difficulty, "interaction": interaction, "taste": taste}
    return reasons, {"difficulty": no_items, "interaction": no_items, "taste": no_annotators}


def is_centred(counts: npt.NDArray[np.float64], *, zero_sum_levels: int | None = None) -> bool:
    """Choose the geometry of an effect from the judgements behind each of its levels.

    Parameters
    ----------
    counts
        Judgements by level.
    zero_sum_levels
        Number of levels where the effect sums to zero.

    Returns
    -------
    bool
        True where most levels have so many judgements that the data hold them in place: then the
        standard deviation follows the effects. With few judgements the effects follow the standard
        deviation, and a centred block would be a funnel (Betancourt & Girolami 2015,
        arXiv:1312.0906).
    """
    if zero_sum_levels is not None and zero_sum_levels <= 2:
        return False
    return bool(np.median(counts) >= _CENTRED_FROM)


def level_counts(judgements: Judgements, dims: Sequence[str]) -> npt.NDArray[np.float64]:
    """Count the judgements of every level of the dims, by criterion where there is one."""
    names = [*dims, "criterion"] if judgements.has("criterion") else list(dims)
    sizes = [len(judgements.labels(name)) for name in names]
    key = np.zeros(judgements.n_rows, dtype=np.int64)
    for name, size in zip(names, sizes, strict=True):
        key = key * size + judgements.codes(name)
    return np.bincount(key, weights=judgements.counts, minlength=int(np.prod(sizes)))


def collapse(
    judgements: Judgements,
    *,
    effects: Sequence[Effect],
    answer: npt.NDArray[np.int32],
    by_annotator: tuple[bool, bool],
) -> Cells:
    """Count judgements that agree in every index of the model and in the answer.

    Parameters
    ----------
    judgements
        The table.
    effects
        The model's effects; their dims are factors of the table.
    answer
        Answer of every row, coded.
    by_annotator
        Whether the response's parameters, and the discrimination, differ by annotator.

    Returns
    -------
    Cells
        Sorted by criterion, then by the effects' factors, so that neighbours share memory; the
        order of the rows does not matter.
    """
    factors = list(dict.fromkeys(dim for effect in effects for dim in effect.dims))
    if any(by_annotator) and "annotator" not in factors:
        factors.append("annotator")
    if judgements.has("criterion"):
        factors.insert(0, "criterion")
    columns = [judgements.codes(name) for name in factors]
    order = np.lexsort([answer, *reversed(columns)])
    stacked = np.stack([*columns, answer])[:, order]
    first = np.ones(order.size, dtype=bool)
    first[1:] = (stacked[:, 1:] != stacked[:, :-1]).any(axis=0)
    starts = np.flatnonzero(first)
    row_cell = np.empty(order.size, dtype=np.int32)
    row_cell[order] = np.cumsum(first) - 1
    count = np.add.reduceat(judgements.counts[order].astype(np.float64), starts)
    codes = dict(zip(factors, stacked[:-1, starts].astype(np.int64), strict=True))
    criterion = codes.get("criterion", np.zeros(starts.size, dtype=np.int64))
    n_criteria = len(judgements.labels("criterion")) if judgements.has("criterion") else 1

    index = np.empty((len(effects), starts.size), dtype=np.int32)
    offset = 0
    for row, effect in enumerate(effects):
        position = criterion
        for dim, size in zip(effect.dims, effect.shape, strict=True):
            position = position * size + codes[dim]
        index[row] = offset + position
        offset += n_criteria * effect.size
    annotators = len(judgements.labels("annotator")) if any(by_annotator) else 1
    by_row = [
        criterion * annotators + codes["annotator"] if by else fallback
        for by, fallback in zip(by_annotator, (criterion, np.zeros_like(criterion)), strict=True)
    ]
    return Cells(
        index=index,
        answer=stacked[-1, starts].astype(np.int32),
        response_row=by_row[0].astype(np.int32),
        noise_row=by_row[1].astype(np.int32),
        count=count,
        row_cell=row_cell,
    )
