"""One part of a ranking, a criterion at a level of a moderator, and how it is printed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayeseval._checks import counted, nearest, some
from bayeseval._tables import Column
from bayeseval._text import MINUS, decimals_for, interval_text, number, probability
from bayeseval.errors import BayesEvalError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class RankingPart:
    """The ranking for one criterion at one level of the moderator.

    Parameters
    ----------
    criterion : str or None
        Criterion, where there are criteria.
    level : str or None
        Level of the moderator, where ranked by one.
    table : pandas.DataFrame
        One row a system, best first; columns as in `Ranking.to_frame`.
    distribution : pandas.DataFrame
        Probability of each rank (columns 1 … n) by system (index, best first). Rows and columns
        sum to one.
    tiers_prob : float
        Probability that all tiers are in the right order at once.
    better : pandas.DataFrame
        Probability that the system of the row is better than that of the column, half of exact ties
        included; missing on the diagonal, where no chain of comparisons links the two, and for a
        pair of which `compare` says nothing.
    """

    criterion: str | None
    level: str | None
    table: "pd.DataFrame"
    distribution: "pd.DataFrame"
    tiers_prob: float
    better: "pd.DataFrame"

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems, best first."""
        return tuple(self.table["system"])

    @property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """Systems by tier, best tier first."""
        return tuple(tuple(group) for _, group in self.table.groupby("tier")["system"])

    def separable(self, prob: float) -> int:
        """Count the neighbouring pairs whose order holds with at least this probability."""
        return int((self.table["p_better_than_next"].dropna() >= prob).sum())

    def decided(self, prob: float) -> int:
        """Count the pairs, neighbours or not, whose order holds with at least this probability."""
        return int((self.better.to_numpy() >= prob).sum())

    def not_apart(self, system: str, prob: float) -> tuple[str, ...]:
        """List the systems that cannot be told from one with this probability, best first."""
        if system not in self.systems:
            meant = nearest(system, self.systems)
            raise BayesEvalError(
                f"there is no system {system!r} in this ranking; it has {some(self.systems)}"
                + (f". Did you mean {meant!r}?" if meant else "")
            )
        place = self.systems.index(system)
        better = self.better.to_numpy()
        apart = (better[place] >= prob) | (better[:, place] >= prob)
        return tuple(
            other
            for other, told in zip(self.systems, apart, strict=True)
            if other != system and not told
        )

    def where(self, by: str | None) -> str:
        """Say criterion and level in words; empty where there are none."""
        words = [] if self.criterion is None else [f"criterion {self.criterion}"]
        words += [] if self.level is None else [f"{by} {self.level}"]
        return ", ".join(words)

    def resolution(self, prob: float, components: Sequence[Sequence[str]] = ()) -> str:
        """Say how many pairs can be told apart with this probability, one sentence.

        Parameters
        ----------
        prob : float
            The probability.
        components : sequence of sequence of str
            Groups of systems that comparisons link.

        Returns
        -------
        str
            The sentence.
        """
        pairs = len(self.systems) - 1
        if pairs < 1:
            return "There is one system: nothing to tell apart."
        if len(components) > 1:
            return (
                "There are no tiers: no judgement compares systems of different groups. Rank each "
                "group by itself, or see the pairs."
            )
        near, found = self.separable(prob), self.decided(prob)
        if pairs == 1:
            can = "can" if found else "cannot"
            return f"The two systems {can} be told apart (probability at least {prob:g})."
        total = (pairs + 1) * pairs // 2
        unknown = total - self.better.count().sum() // 2
        count = "None" if found == 0 else "All" if found == total else f"{found:,}"
        among = f"; of the {pairs} neighbouring pairs, {near or 'none'}" * (0 < found < total)
        return (
            f"{count} of the {total:,} pairs can be told apart (probability at least "
            f"{prob:g}){among}."
            + (
                f" Nothing is known of {counted(unknown, 'pair')} that no judgements, or too few, "
                "bear on here: the order there, and ranks and P(best), rest on what is known of "
                "others."
            )
            * bool(unknown)
        )

    def columns(self, top: Sequence[int], *, tier: bool, sure: bool) -> tuple[Column, ...]:
        """Return the columns that are printed.

        Parameters
        ----------
        top : sequence of int
            The k of the columns ``P(top k)``.
        tier, sure : bool
            Whether tiers are printed, and how many others a system is surely better and worse than.

        Returns
        -------
        tuple of Column
            Headings and formatted cells.
        """
        frame, n_systems = self.table, len(self.table)
        decimals = decimals_for(
            frame["quality_lower"].to_numpy(), frame["quality_upper"].to_numpy()
        )
        # A single system is the best for certain, and not by its draws.
        show = "{:g}".format if n_systems == 1 else probability
        ranks = zip(frame["rank_lower"], frame["rank_upper"], strict=True)
        return (
            Column("system", tuple(frame["system"]), "label"),
            *([Column("tier", tuple(map(str, frame["tier"])))] if tier else []),
            *([Column("sure", _sure(frame))] if sure else []),
            Column(
                "rank",
                tuple(number(r, 2 if n_systems < 10 else 1) for r in frame["expected_rank"]),
            ),
            Column("ranks", tuple(f"{a}–{b}" if a != b else str(a) for a, b in ranks)),
            Column("P(best)", tuple(show(p) for p in frame["p_best"])),
            *(
                Column(f"P(top {k})", tuple(show(p) for p in frame[f"p_top_{k}"]))
                for k in top
                if 1 < k < n_systems
            ),
            Column("quality", tuple(number(q, decimals) for q in frame["quality"])),
            Column(
                "interval",
                tuple(
                    interval_text(a, b, decimals)
                    for a, b in zip(frame["quality_lower"], frame["quality_upper"], strict=True)
                ),
            ),
        )


def _sure(frame: "pd.DataFrame") -> tuple[str, ...]:
    """Write for every system how many others it is surely better than, and worse than."""
    pairs = zip(frame["n_better_than"], frame["n_worse_than"], strict=True)
    return tuple(f"+{better} {MINUS}{worse}" for better, worse in pairs)
