"""One output of several systems: labels that name all of them, and how its judgement is shared."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bayeseval._checks import some
from bayeseval.errors import JudgementError
from bayeseval.judgements._argument import takes_judgements
from bayeseval.judgements._factors import AuditEntry, Factor, frozen_array, recoded
from bayeseval.judgements._table import Judgements

_SEPARATORS = ("+", ",", ";", "|", "/", "&", " ")


def notes_on_joint_systems(judgements: Judgements) -> tuple[str, ...]:
    """Return a note where labels of systems are made of labels of other systems."""
    for separator in _SEPARATORS:
        joint = _joint(judgements.systems, separator)
        if joint:
            said = (
                f"{some(joint)} {'is' if len(joint) == 1 else 'are'} made of the names of other "
                "systems: one output of several? Such a name is taken for a system of its own; "
                f"split_systems(judgements, {separator!r}) gives its judgements to the others."
            )
            return (said,)
    return ()


def _joint(systems: Sequence[str], separator: str) -> list[str]:
    """Return labels of which every part, two or more, is a system."""
    known = set(systems)
    return [label for label in systems if len(p := _parts(label, separator)) > 1 and p <= known]


def _parts(label: str, separator: str) -> set[str]:
    return {part.strip() for part in label.split(separator) if part.strip()}


@takes_judgements
def split_systems[Table: Judgements](judgements: Table, separator: str = "+") -> Table:
    """Give the judgements of an output that several systems share to these systems.

    Where systems produced the same output, exports name it by all of them, as "A+B". Each judgement
    of it goes to one of its systems, drawn evenly by a hash of annotator and item: judgements are
    shared, not multiplied, so that nobody's answer counts twice, and what one annotator said of one
    item stays together. Labels that are no system's own are left as they are ("GPT-4+RAG" beside no
    "RAG"). Without annotators and items judgements are dealt out in the order of their labels.

    Parameters
    ----------
    judgements : Judgements
        A table of any protocol.
    separator : str
        What stands between the names.

    Returns
    -------
    Judgements
        The table without joint labels, with a line in its audit trail.

    Raises
    ------
    JudgementError
        No label is made of the labels of other systems.
    """
    if not isinstance(separator, str) or not separator:
        raise JudgementError(f"separator= must be a text such as '+'; found {separator!r}.")
    systems = judgements.systems
    joint = _joint(systems, separator)
    if not joint:
        raise JudgementError(
            f"no system's label is made of the labels of others with {separator!r} between; the "
            f"systems are {some(systems)}."
        )
    labels = tuple(label for label in systems if label not in joint)
    position = {label: code for code, label in enumerate(labels)}
    options = [
        np.array(sorted(position[part] for part in _parts(label, separator)))
        if label in joint
        else np.array([position[label]])
        for label in systems
    ]
    draw = _draws(judgements)
    codes = {name: judgements.codes(name) for name in judgements.system_factors}
    found = {name: np.zeros(judgements.n_rows, dtype=np.int32) for name in codes}
    for name, code in codes.items():
        for system, choices in enumerate(options):
            rows = np.flatnonzero(code == system)
            found[name][rows] = choices[draw[rows] % len(choices)]
    if judgements.is_paired:
        a, b = (found[name] for name in judgements.system_factors)
        for row in np.flatnonzero(a == b):
            # "A+B" beside "A": the other one.
            first, second = (options[code[row]] for code in codes.values())
            apart = [(x, y) for x in first for y in second if x != y]
            a[row], b[row] = apart[draw[row] % len(apart)]
    factors = [
        Factor(f.name, labels, frozen_array(found[f.name])) if f.name in found else f
        for f in judgements.factors
    ]
    entry = AuditEntry(
        rule=f"judgements of {some(joint)} given to one of these systems each",
        rows_before=judgements.n_rows,
        rows_after=judgements.n_rows,
    )
    return replace(judgements, factors=recoded(factors), audit=(*judgements.audit, entry))


def _draws(judgements: Judgements) -> np.ndarray:
    """Return a whole number a row that annotator and item decide, in any order of rows."""
    names = [name for name in ("annotator", "item") if judgements.has(name)]
    if not names:
        known = [judgements.answers, *(f.codes for f in judgements.factors)]
        draw = np.zeros(judgements.n_rows, dtype=np.int64)
        draw[np.lexsort(known)] = np.arange(judgements.n_rows)
        return draw
    columns = [judgements.codes(name) for name in names]
    units, unit = np.unique(np.stack(columns), axis=1, return_inverse=True)
    drawn = []
    for codes in units.T:
        said = "\0".join(judgements.labels(n)[c] for n, c in zip(names, codes, strict=True))
        drawn.append(int.from_bytes(hashlib.sha256(said.encode()).digest()[:6]))
    return np.array(drawn, dtype=np.int64)[unit.ravel()]
