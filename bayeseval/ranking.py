"""The record of a posterior ranking: what `rank` returns."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from bayeseval._checks import nearest, some
from bayeseval._ranking_part import RankingPart
from bayeseval._records import Printed, banner
from bayeseval._tables import Remark, Table
from bayeseval._text import probability
from bayeseval.errors import BayesEvalError
from bayeseval.settings import IntervalKind, ci_words, decision_words

if TYPE_CHECKING:
    import pandas as pd

TIER_RULE = (
    "A new tier starts where every system above the line is better than every system below it "
    "with probability at least {prob:g}. So two systems of different tiers differ with at least "
    "that probability; two of the same tier may differ too: see the pairs."
)

SURE_RULE = (
    "sure: +n −m, the system is better than n and worse than m of the others with probability at "
    "least {prob:g} each; from the rest it cannot be told."
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ranking(Printed):
    """A posterior ranking of systems.

    Parameters
    ----------
    parts : tuple of RankingPart
        One part a criterion and level of the moderator.
    by : str or None
        Moderator within whose levels the systems were ranked.
    top : tuple of int
        The k of the columns ``p_top_<k>``.
    ci_prob, ci_kind : float, str
        Probability and kind of every interval in the table.
    tier_prob : float
        Probability that a boundary between two tiers must reach.
    quality_scale : str
        Scale of ``quality`` in words.
    protocol, family, fingerprint : str
        Where the posterior came from.
    problems : tuple of str
        What is wrong with the sampler's convergence; empty where nothing is.
    approximate : str or None
        Why the draws are an approximation of the posterior, where they are.
    components : tuple of tuple of str
        Groups of systems that comparisons link; with more than one, differences between groups are
        the prior's.
    population : str or None
        What was averaged over, as in `rank`.
    unjudged : tuple of str
        What is to be said of cells that hold no judgement.
    averaged_over : str
        The same in words; empty where there is nothing to average over.
    design_notes : tuple of str
        What the design leaves uncertain about every difference; empty where nothing.
    """

    parts: tuple[RankingPart, ...]
    by: str | None
    top: tuple[int, ...]
    ci_prob: float
    ci_kind: IntervalKind
    tier_prob: float
    quality_scale: str
    protocol: str
    family: str
    fingerprint: str
    problems: tuple[str, ...] = ()
    approximate: str | None = None
    components: tuple[tuple[str, ...], ...] = ()
    population: Literal["new", "observed"] | None = None
    averaged_over: str = ""
    unjudged: tuple[str, ...] = ()
    design_notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[RankingPart]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def criteria(self) -> tuple[str, ...]:
        """Criteria of the parts, in order; empty where the judgements had none."""
        return tuple(dict.fromkeys(p.criterion for p in self.parts if p.criterion is not None))

    @property
    def levels(self) -> tuple[str, ...]:
        """Levels of the moderator, in order; empty where not ranked by one."""
        return tuple(dict.fromkeys(p.level for p in self.parts if p.level is not None))

    def select(self, *, criterion: str | None = None, level: str | None = None) -> "Ranking":
        """Keep one criterion, or one level of the moderator, or both.

        Parameters
        ----------
        criterion : str, optional
            Criterion to keep; all where left out.
        level : str, optional
            Level to keep; all where left out.

        Returns
        -------
        Ranking
            The ranking with the parts asked for.
        """
        for name, asked, known in (
            ("criterion", criterion, self.criteria),
            (f"level of {self.by}" if self.by else "level", level, self.levels),
        ):
            if asked is not None and asked not in known:
                meant = nearest(asked, known)
                raise BayesEvalError(
                    f"this ranking has no {name} {asked!r}; it has {some(known) or 'none'}"
                    + (f", did you mean {meant!r}?" if meant else "")
                )
        kept = tuple(
            part
            for part in self.parts
            if criterion in (None, part.criterion) and level in (None, part.level)
        )
        return replace(self, parts=kept)

    def to_frame(self) -> "pd.DataFrame":
        """Return the ranking as one data frame.

        Returns
        -------
        pandas.DataFrame
            One row a system (and criterion, and level), best first, with the columns

            - ``criterion``, ``level``: only where there are criteria, or a moderator was asked for.
            - ``position``: 1, 2, … in the order of the table.
            - ``system``: the user's label.
            - ``tier``: 1 = best, see `tier_rule`.
            - ``expected_rank``: posterior mean of the rank, 1 = best. Systems that are tied in a
              draw share the average of their ranks.
            - ``rank_lower``, ``rank_upper``: interval of the rank, of at least the stated
              probability, since ranks are whole numbers.
            - ``quality``, ``quality_sd``, ``quality_lower``, ``quality_upper``: posterior mean,
              standard deviation and interval on the scale of `quality_scale`. Larger is better.
              The intervals of two systems may overlap although their difference is certain.
            - ``p_best``: probability of rank 1. Sums to one over the systems.
            - ``p_top_<k>``: probability of one of the ranks 1 … k.
            - ``p_better_than_next``: probability that the system is better than the one in the
              next row; missing in the last row, and where `compare` says nothing of the two.
            - ``n_better_than``, ``n_worse_than``: number of systems, anywhere in the table, that
              it is better than, or worse than, with at least the probability of the tiers. All
              others it cannot be told from; `RankingPart.not_apart` lists them.
        """
        import pandas as pd

        frames = []
        for part in self.parts:
            frame = part.table.copy()
            if part.level is not None:
                frame.insert(0, "level", part.level)
            if part.criterion is not None:
                frame.insert(0, "criterion", part.criterion)
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    @property
    def rank_distribution(self) -> "pd.DataFrame":
        """Probability of each rank (columns) by system (index; with criterion and level if any)."""
        import pandas as pd

        pieces = {}
        for part in self.parts:
            key = tuple(label for label in (part.criterion, part.level) if label is not None)
            pieces[key] = part.distribution
        if list(pieces) == [()]:
            return pieces[()].copy()
        names = (["criterion"] if self.criteria else []) + (["level"] if self.levels else [])
        joined = pd.concat(pieces, names=[*names, "system"])
        joined.columns.name = "rank"
        return joined

    @property
    def tier_rule(self) -> str:
        """The rule of the tiers in words."""
        return TIER_RULE.format(prob=self.tier_prob)

    @property
    def resolution(self) -> tuple[str, ...]:
        """How many pairs can be told apart, one sentence a part."""
        return tuple(part.resolution(self.tier_prob, self.components) for part in self.parts)

    def _notes(self, part: RankingPart, *, tier: bool, sure: bool) -> tuple[str, ...]:
        """Say what was found of this part, then what the columns mean."""
        n_systems = len(part.systems)
        where = part.where(self.by) if len(self.parts) > 1 else ""
        # A moderator is the user's word and is not changed; "criterion" is ours.
        of = f"{where[:1] if part.criterion is None else 'C'}{where[1:]}: " if where else ""
        interval = ci_words(self.ci_prob, self.ci_kind)
        legend = (
            f"rank: expected rank, 1 = best; ranks and interval: {interval} interval of the "
            f"rank and of the quality. Quality: {self.quality_scale}; larger is better"
            + (f"; {self.averaged_over}." if self.averaged_over else ".")
        )
        if n_systems == 1:
            return (legend,)
        found = part.resolution(self.tier_prob, self.components)
        notes = [legend, of + found[0].lower() + found[1:] if of else found]
        contenders = part.not_apart(part.systems[0], self.tier_prob)
        if len(self.components) < 2 and 0 < len(contenders) < n_systems - 1:
            notes.append(f"{of}{part.systems[0]!r} cannot be told from {some(contenders)}.")
        if len(part.tiers) > 1:
            both = "both" if len(part.tiers) == 2 else f"all {len(part.tiers)}"
            notes.append(
                f"{of}{both if of else both.capitalize()} tiers are in the right order at once "
                f"with probability {probability(part.tiers_prob)}."
            )
        if sure:
            notes.append(SURE_RULE.format(prob=self.tier_prob))
        if len(self.components) < 2:
            notes += [self.tier_rule] if tier else []
            notes.append(decision_words(self.tier_prob, self.ci_prob))
        return (*notes, *self.design_notes)

    def tables(self) -> list[Table]:
        """Return the tables that are printed, one a part.

        Returns
        -------
        list of Table
            Headings and formatted cells.
        """
        alarms = alarm_sentences(self.problems, self.approximate, self.components)
        alarms += self.unjudged
        tables = []
        for part in self.parts:
            n_systems = len(part.table)
            within = sum(len(tier) * (len(tier) - 1) // 2 for tier in part.tiers)
            across = n_systems * (n_systems - 1) // 2 - within
            # Pairs told apart within a tier: the tiers alone would hide them.
            sure = part.decided(self.tier_prob) > across
            tier = len(part.tiers) > 1 or not sure
            columns = part.columns(self.top, tier=tier, sure=sure)
            where = part.where(self.by)
            title = f"Ranking of {n_systems} system{'' if n_systems == 1 else 's'}" + (
                f": {where}" if where else ""
            )
            notes = self._notes(part, tier=tier, sure=sure)
            tables.append(Table(title, columns, notes, alarms))
        return tables


def alarm_sentences(
    problems: tuple[str, ...],
    approximate: str | None,
    components: tuple[tuple[str, ...], ...] = (),
) -> tuple[str, ...]:
    """Say above a table that draws did not converge, are approximate, or are partly the prior's."""
    alarms: list[str] = []
    if problems:
        alarms += [f"{banner(problems)}, do not report these numbers.", *map(str, problems)]
    if approximate is not None:
        alarms.append(Remark(f"Approximate draws, not from MCMC: {approximate}"))
    if len(components) > 1:
        groups = "; ".join(some(group) for group in components[:3])
        groups += "; …" if len(components) > 3 else ""
        alarms.append(
            f"The systems fall into {len(components)} groups that never met ({groups}): "
            "differences between groups come from the prior and are no finding. Where the spread "
            "of quality is learnt, it is from all groups together: each moves the others' numbers."
        )
    return tuple(alarms)
