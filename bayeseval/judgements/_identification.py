"""The record of what a design can tell."""

from dataclasses import dataclass, field

import pandas as pd


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
        Groups of systems. For pairs: linked by a chain of comparisons; between groups a difference
        is the prior's. Otherwise: linked by a chain of shared annotators or items; between groups a
        comparison rests on their populations being alike.
    pairs_met, pairs_possible : int or None
        How many pairs of systems were compared, of how many; None where answers are no pairs.
    pairs_never_met : tuple of (str, str)
        Pairs of systems that were never compared.
    unbeaten, winless : tuple of str
        Pairs only: systems that never lost a point, nor half of one, and systems that never won
        any: by maximum likelihood their quality is infinite.
    one_way : bool
        Pairs only: systems fall into groups such that one group never lost a point to the other,
        so that maximum likelihood has no finite solution.
    order_balance : float or None
        Pairs only: mean over pairs that met of the share of the rarer presentation order; 0.5 is
        balanced, 0 means that each pair was shown in one order only.
    order_identified : bool or None
        Pairs only: whether an advantage of the system shown first can be told from quality: there
        are no qualities whose differences would look like it in every pair. None where the pairs
        have no order of presentation, as those of a ranking.
    linked_judgements : float or None
        Share of the judgements by annotators who judged several systems; within a criterion, where
        there are criteria. None for pairs, and where there is one system or one annotator at most.
    nested_items : float or None
        Share of the items that are judged with one system only, likewise.
    annotator_overlap, item_overlap : float or None
        Mean number of annotators an item has, and of systems an item is judged with.
    notes : tuple of str
        Sentences for people: what limits the design.
    design_notes : tuple of str
        Those of them that rankings and comparisons repeat: how far systems share annotators and
        items, and of which systems answers are missing.
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
    pairs_met: int | None = None
    pairs_possible: int | None = None
    pairs_never_met: tuple[tuple[str, str], ...] = ()
    unbeaten: tuple[str, ...] = ()
    winless: tuple[str, ...] = ()
    one_way: bool = False
    order_balance: float | None = None
    order_identified: bool | None = None
    linked_judgements: float | None = None
    nested_items: float | None = None
    annotator_overlap: float | None = None
    item_overlap: float | None = None
    notes: tuple[str, ...] = field(default=())
    design_notes: tuple[str, ...] = field(default=())

    @property
    def connected(self) -> bool:
        """Whether all systems are in one component."""
        return len(self.components) == 1

    def to_frame(self) -> pd.DataFrame:
        """Return one row a fact.

        Returns
        -------
        pandas.DataFrame
            Columns ``fact`` and ``value``, both text.
        """
        plain = {k: v for k, v in self.__dict__.items() if k not in ("notes", "design_notes")}
        rows = [(name.replace("_", " "), str(value)) for name, value in plain.items()]
        return pd.DataFrame(rows, columns=["fact", "value"])

    def __str__(self) -> str:
        can = {
            "annotator effects": self.annotators_judge_repeatedly,
            "item effects": self.items_judged_repeatedly,
            "system-by-item effects": self.outputs_judged_repeatedly,
            "system-by-annotator effects": self.annotators_repeat_systems,
        }
        lines = [
            "can be told from noise: "
            + (", ".join(n for n, yes in can.items() if yes) or "nothing"),
            "cannot: " + (", ".join(name for name, yes in can.items() if not yes) or "nothing"),
        ]
        if self.pairs_possible:
            lines.append(f"pairs of systems that met: {self.pairs_met} of {self.pairs_possible}")
        if self.order_balance is not None:
            lines.append(f"presentation order: the rarer one {self.order_balance:.0%} of the time")
        return "\n".join([*lines, *self.notes])
