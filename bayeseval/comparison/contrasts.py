"""Contrasts between pairs of systems, always A − B, and verdicts of practical equivalence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayeseval._checks import counted, some
from bayeseval._records import Printed
from bayeseval._tables import Column, Table
from bayeseval._text import decimals_for, interval_text, number, probability
from bayeseval.comparison._contract import (
    Population,
    PosteriorLike,
    checked_population,
    components_of,
    design_notes_of,
    problems_of,
    quality_draws,
    refuse_no_posterior,
    slices,
    system_labels,
)
from bayeseval.comparison._quantities import (
    checked_pairs,
    checked_rope,
    contrast_summaries,
    quantity_of,
)
from bayeseval.comparison._unjudged import unjudged_sentences, unjudged_systems
from bayeseval.comparison.ranks import checked_decision_prob, order_of, rank_probabilities
from bayeseval.errors import BayesEvalError
from bayeseval.ranking import alarm_sentences
from bayeseval.settings import IntervalKind, ci_words, decision_words, resolve_ci

if TYPE_CHECKING:
    import pandas as pd

VERDICT_RULE = (
    "Verdict: 'A better' ('B better') when the quantity lies above (below) the region "
    "[{low:g}, {high:g}] with probability at least {prob:g}, 'equivalent' when it lies inside with "
    "at least that probability, otherwise 'undecided'."
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Printed):
    """Contrasts between pairs of systems.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a pair; columns as in `to_frame`.
    quantity, title, unit : str
        What was compared, its name for readers and its unit.
    reference : float
        Value of the quantity at which A and B are alike: the middle of its range for a quantity
        that pairs have, such as 0.5 for a win probability, otherwise 0.
    of_pairs : bool
        Whether the quantity is one that pairs have; otherwise it is a difference A − B.
    larger_is_better : bool
        False where the quantity is the probability of one category, of which more is not better;
        "A better" is then to be read, and is printed, as "A larger".
    rope : tuple of float or None
        Region of practical equivalence.
    verdict_prob : float
        Probability from which on a verdict is given.
    by : str or None
        Moderator within whose levels the systems were compared.
    population : str or None
        What was averaged over, as in `compare`.
    ci_prob, ci_kind : float, str
        Probability and kind of the intervals.
    protocol, family, fingerprint : str
        Where the posterior came from.
    problems : tuple of str
        What is wrong with the sampler's convergence; empty where nothing is.
    approximate : str or None
        Why the draws are an approximation of the posterior, where they are.
    components : tuple of tuple of str
        Groups of systems that comparisons link; with more than one, differences between groups are
        the prior's.
    unjudged : tuple of str
        What is to be said of cells that hold no judgement.
    averaged_over : str
        The same in words; empty where there is nothing to average over.
    design_notes : tuple of str
        What the design leaves uncertain about every difference: few shared annotators or items,
        answers missing of some systems; empty where nothing is.
    """

    table: "pd.DataFrame"
    quantity: str
    title: str
    unit: str
    reference: float
    larger_is_better: bool
    rope: tuple[float, float] | None
    verdict_prob: float
    by: str | None
    population: Population
    ci_prob: float
    ci_kind: IntervalKind
    protocol: str
    family: str
    fingerprint: str
    problems: tuple[str, ...] = ()
    approximate: str | None = None
    of_pairs: bool = False
    components: tuple[tuple[str, ...], ...] = ()
    averaged_over: str = ""
    unjudged: tuple[str, ...] = ()
    design_notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.table)

    def to_frame(self) -> "pd.DataFrame":
        """Return the contrasts as a data frame.

        Returns
        -------
        pandas.DataFrame
            One row a pair, with the columns

            - ``criterion``, ``level``: only where there are criteria, or a moderator was asked for.
            - ``system_a``, ``system_b``: the pair.
            - ``estimate``: posterior mean of the win probability of A against B, or of the
              difference A − B of any other quantity. Positive (above 0.5) favours A.
            - ``sd``, ``lower``, ``upper``: its posterior standard deviation and interval.
            - ``p_a_better``: probability that the quantity is on A's side of `reference`, half of
              exact ties included. It and the interval are read from the same draws, so that
              they cannot contradict each other.
            - ``p_in_rope``, ``p_above_rope``, ``p_below_rope``: probabilities of the region of
              practical equivalence (ends included) and of its two sides; they sum to one. Only
              with ``rope=``.
            - ``verdict``: only with ``rope=``, see `verdict_rule`.
            - ``linked``: only where systems fall into groups that never met, or one was never
              judged at a level or on a criterion: whether a chain of
              comparisons links the two; otherwise the row shows the prior.

            A pair that was never compared, and of which the model knows nothing, has no numbers,
            and the verdict "not known".
        """
        return self.table.copy()

    @property
    def verdict_rule(self) -> str | None:
        """The rule of the verdicts in words; None without a region of practical equivalence."""
        if self.rope is None:
            return None
        rule = VERDICT_RULE.format(low=self.rope[0], high=self.rope[1], prob=self.verdict_prob)
        return rule if self.larger_is_better else rule.replace("better", "larger")

    @property
    def expected_wrong(self) -> float:
        """Expected number of pairs in which the side that looks better is not."""
        side = self.table["p_a_better"].to_numpy()
        return float(np.nansum(np.minimum(side, 1 - side)))

    def tables(self) -> list[Table]:
        """Return the tables that are printed, one a criterion and level.

        Returns
        -------
        list of Table
            Headings and formatted cells.
        """
        better = "better" if self.larger_is_better else "larger"
        known = int(self.table["p_a_better"].count())
        pairs = "the one pair" if len(self) == 1 else f"all {known} pairs"
        if known < len(self):
            pairs = f"the {counted(known, 'pair')} with an estimate"
        is_win = self.quantity == "win_probability"
        estimate = "P(A wins)" if is_win else "A, B" if self.of_pairs else "A − B"
        if is_win:
            meaning = "; 0.5 = alike"
        elif self.of_pairs:
            meaning = f" of A against B ({self.unit})"
        else:
            meaning = f" of A minus that of B ({self.unit})"
        notes = [
            (
                f"{estimate}: {self.title}"
                + meaning
                + f", posterior mean and {ci_words(self.ci_prob, self.ci_kind)} interval"
                + (f"; {self.averaged_over}." if self.averaged_over else ".")
            ),
            (
                f"P(A>B): probability that A is {better}: that the quantity is above "
                f"{self.reference:g}. Choosing the likelier side in {pairs}, "
                f"{_few(self.expected_wrong)} would be expected to be wrong."
            ),
            decision_words(self.verdict_prob, self.ci_prob, self.reference),
        ]
        if self.verdict_rule is not None:
            notes.append(self.verdict_rule)
        if self.table["estimate"].isna().any():
            notes.append(
                "–: the pair was never compared, and the model says nothing of it: there is no "
                "estimate to print."
            )
        if (self.table["lower"] == self.table["upper"]).any():
            notes.append(
                "An interval without width: nearly all draws give one value, as medians do where "
                "most answers are one number; it does not say that the two are alike."
            )
        notes += self.design_notes
        alarms = alarm_sentences(self.problems, self.approximate, self.components)
        alarms += self.unjudged
        keys = [name for name in ("criterion", "level") if name in self.table]
        groups = self.table.groupby(keys, sort=False) if keys else [((), self.table)]
        tables = []
        for key, frame in groups:
            where = ", ".join(
                f"{self.by if name == 'level' else name} {label}"
                for name, label in zip(keys, key, strict=True)
            )
            decimals = decimals_for(frame["lower"].to_numpy(), frame["upper"].to_numpy())
            ends = zip(frame["lower"], frame["upper"], strict=True)
            columns = [
                Column("A", tuple(frame["system_a"]), "label"),
                Column("B", tuple(frame["system_b"]), "label"),
                Column(estimate, tuple(number(v, decimals) for v in frame["estimate"])),
                Column("interval", tuple(interval_text(a, b, decimals) for a, b in ends)),
                Column("P(A>B)", tuple(probability(p) for p in frame["p_a_better"])),
            ]
            if self.rope is not None:
                inside = tuple(probability(p) for p in frame["p_in_rope"])
                columns += [
                    Column("P(rope)", inside),
                    Column("verdict", tuple(frame["verdict"]), "text"),
                ]
            if "linked" in frame:
                source = tuple("data" if linked else "prior" for linked in frame["linked"])
                columns.append(Column("from", source, "text"))
            title = f"{self.title[:1].upper()}{self.title[1:]}, {counted(len(frame), 'pair')}"
            title += f": {where}" if where else ""
            tables.append(Table(title, tuple(columns), tuple(notes), alarms))
        return tables


def compare(
    posterior: PosteriorLike,
    pairs: Sequence[tuple[str, str]] | None = None,
    *,
    rope: tuple[float, float] | None = None,
    quantity: str = "win_probability",
    category: str | float | None = None,
    criterion: str | None = None,
    by: str | None = None,
    level: str | None = None,
    population: Population = None,
    verdict_prob: float = 0.95,
    ci_prob: float | None = None,
    ci_kind: IntervalKind | None = None,
) -> Comparison:
    """Compare pairs of systems.

    Estimate, interval, probability that A is better and probability of practical equivalence
    all summarise the same draws: those of the quantity asked for. For the win probability, A is
    better when A would win more than half of new judgements; for the quality, and for any
    estimand, when A's value is larger than B's.

    Parameters
    ----------
    posterior : Posterior
        Posterior of any family.
    pairs : sequence of (str, str), optional
        Pairs (A, B); all pairs where left out, in the order of expected ranks, so that A is the
        higher ranked.
    rope : (float, float), optional
        Region of practical equivalence on the scale of the contrast: around 0.5 for a win
        probability, such as ``(0.45, 0.55)``; around 0 for a difference.
    quantity : str
        ``"win_probability"``, ``"quality"``, or the name of one of the posterior's estimands.
    category : str or float, optional
        Category, where the estimand has one for each.
    criterion : str, optional
        Criterion; each in turn where left out.
    by : str, optional
        Moderator within whose levels to compare; overall where left out.
    level : str, optional
        Level of ``by``; each in turn where left out.
    population : {"new", "observed"}, optional
        Left out, new annotators and items at the levels of moderators in the data, each level
        counting the same; "new", new ones at new levels of the population of levels, which is wider
        the fewer levels there are; "observed", the annotators, items and levels in the data.
    verdict_prob : float
        Probability from which on a verdict is given, above 0.5 and below 1.
    ci_prob : float, optional
        Probability of the intervals; `bayeseval.settings.ci_prob` where left out.
    ci_kind : {"eti", "hdi"}, optional
        Kind of the intervals; `bayeseval.settings.ci_kind` where left out.

    Returns
    -------
    Comparison
        One row a pair; see `Comparison.to_frame` for the columns.

    Raises
    ------
    BayesEvalError
        If a label or the quantity is unknown, or the region does not fit the quantity.
    """
    import pandas as pd

    refuse_no_posterior(posterior, "compare")
    ci_prob, ci_kind = resolve_ci(ci_prob, ci_kind)
    verdict_prob = checked_decision_prob(verdict_prob, "verdict_prob")
    population = checked_population(population)
    what = quantity_of(posterior, quantity, category, population, by)
    if rope is not None:
        rope = checked_rope(rope, what)
    labels = system_labels(what.array)
    if len(labels) < 2:
        raise BayesEvalError(
            f"comparing needs at least two systems; the posterior has {some(labels)} alone"
        )
    asked = None if pairs is None else checked_pairs(pairs, labels)
    by_quality = slices(
        posterior,
        quality_draws(posterior, by, population),
        ("system",),
        criterion=criterion,
        by=by,
        level=level,
    )
    by_quantity = slices(posterior, what.array, what.dims, criterion=criterion, by=by, level=level)
    components = components_of(posterior)
    group = dict.fromkeys(labels, 0)
    group |= {label: k for k, members in enumerate(components) for label in members}
    frames = []
    for ranked, piece in zip(by_quality, by_quantity, strict=True):
        if asked is None:
            order = order_of(ranked.draws, rank_probabilities(ranked.draws))
            a, b = (order[position] for position in np.triu_indices(len(order), 1))
        else:
            a, b = np.array(asked).T
        frame = pd.DataFrame(contrast_summaries(what, piece.draws, a, b, rope, ci_prob, ci_kind))
        frame.insert(0, "system_a", [labels[position] for position in a])
        frame.insert(1, "system_b", [labels[position] for position in b])
        alone = unjudged_systems(posterior, by, piece.level, piece.criterion)
        frame["linked"] = [
            group[labels[i]] == group[labels[j]] and not {labels[i], labels[j]} & alone
            for i, j in zip(a, b, strict=True)
        ]
        for name, label in (("level", piece.level), ("criterion", piece.criterion)):
            if label is not None:
                frame.insert(0, name, label)
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    if table["linked"].all():
        table = table.drop(columns="linked")
    if rope is not None:
        word = "better" if what.larger_is_better else "larger"
        table["verdict"] = np.select(
            [
                table["p_above_rope"] >= verdict_prob,
                table["p_below_rope"] >= verdict_prob,
                table["p_in_rope"] >= verdict_prob,
            ],
            [f"A {word}", f"B {word}", "equivalent"],
            default="undecided",
        )
        table.loc[table["estimate"].isna(), "verdict"] = "not known"
        if "linked" in table:
            table.loc[~table["linked"], "verdict"] = "not known"
    return Comparison(
        table=table,
        quantity=what.name,
        title=what.title,
        unit=what.unit,
        reference=what.reference,
        larger_is_better=what.larger_is_better,
        rope=rope,
        verdict_prob=verdict_prob,
        by=by,
        population=what.population,
        ci_prob=ci_prob,
        ci_kind=ci_kind,
        protocol=posterior.protocol,
        family=posterior.family.name,
        fingerprint=posterior.fingerprint,
        problems=problems_of(posterior),
        approximate=posterior.approximate,
        components=components,
        design_notes=design_notes_of(posterior),
        of_pairs=what.of_pairs,
        averaged_over=posterior.averaged_over(population, by, quality=what.name == "quality"),
        unjudged=unjudged_sentences(posterior, by, level, criterion),
    )


def _few(expected: float) -> str:
    """Write an expected number of pairs; draws cannot show that it is none."""
    return "fewer than 0.1" if expected < 0.05 else f"{expected:.1f}"
