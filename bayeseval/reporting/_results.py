"""The results of one criterion: ranking, pairs, levels, annotators, fit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import xarray as xr

import bayeseval.reporting.plots as plots
from bayeseval._tables import (
    Column,
    Table,
    decimals_for,
    interval_text,
    number,
    probability,
    shorten,
)
from bayeseval.comparison import Comparison
from bayeseval.comparison._contract import EstimandLike, Population, slices, system_labels
from bayeseval.comparison._intervals import interval
from bayeseval.judgements import Judgements, MagnitudeJudgements, SPAJudgements
from bayeseval.ranking import Ranking, RankingPart
from bayeseval.reporting._contract import ReportedPosterior
from bayeseval.reporting._document import Block, Picture
from bayeseval.reporting._magnitudes import magnitude_sentences
from bayeseval.reporting._predictive import (
    Shares,
    Simulated,
    annotator_shares,
    overall_shares,
    simulate_answers,
)
from bayeseval.reporting._stated import StatedCheck, stated_check
from bayeseval.reporting._words import sentence
from bayeseval.settings import IntervalKind, ci_words

MOST_SYSTEMS_ALL_PAIRS = 7
MOST_SYSTEMS_FOLDED_PAIRS = 20
MOST_ANNOTATOR_PANELS = 9
MOST_LEVELS = 12
MOST_CATEGORIES = 11
HEADING_WIDTH = 24
# A figure needs two systems to say anything.
FEWEST_TO_DRAW = 2


def overview(ranking: Ranking) -> Block:
    """Tabulate the expected ranks of all criteria, one column a criterion."""
    import pandas as pd

    ranks = {
        part.criterion or "": part.table.set_index("system")["expected_rank"]
        for part in ranking.parts
    }
    order = tuple(pd.DataFrame(ranks).mean(axis=1).sort_values(kind="stable").index)
    decimals = 2 if len(order) < 10 else 1
    headings = shorten(list(ranks), HEADING_WIDTH)
    columns = [
        Column(heading, tuple(number(values[system], decimals) for system in order))
        for heading, values in zip(headings, ranks.values(), strict=True)
    ]
    return Block(
        anchor="criteria-ranks",
        heading="Expected ranks",
        tables=(
            Table(
                "Expected rank on each criterion",
                (Column("system", order, "label"), *columns),
                (
                    "1 = best.",
                    (
                        "The systems stand in the order of their mean over the criteria, which is "
                        "no ranking: it weighs all criteria alike and has no interval."
                    ),
                ),
            ),
        ),
    )


@dataclass(frozen=True, slots=True)
class Checks:
    """Predictive checks by criterion, from one set of simulated answers."""

    answers: Simulated
    overall: Mapping[str | None, Shares]
    annotators: Mapping[str | None, Sequence[Shares]]
    repeated_rows: bool
    stated: Mapping[str | None, StatedCheck]
    further: Mapping[str | None, Sequence[str]]

    @classmethod
    def make(
        cls,
        posterior: ReportedPosterior,
        judgements: Judgements,
        criteria: Sequence[str],
        *,
        draws: int,
        random_seed: int,
        population: Population,
    ) -> "Checks":
        """Simulate once, and sort the answers by criterion and annotator."""
        answers = simulate_answers(posterior, judgements, draws=draws, random_seed=random_seed)
        rows = {c: plots.criterion_rows(judgements, c) for c in (criteria or (None,))}
        named = judgements.annotators is not None
        return cls(
            answers=answers,
            overall={c: overall_shares(answers, judgements, r) for c, r in rows.items()},
            annotators={
                c: annotator_shares(answers, judgements, r) if named else []
                for c, r in rows.items()
            },
            repeated_rows=bool((judgements.counts != 1).any()),
            stated={
                c: stated_check(
                    posterior,
                    judgements,
                    c,
                    population=population,
                    draws=draws,
                    random_seed=random_seed,
                )
                for c in rows
            }
            if isinstance(judgements, SPAJudgements)
            else {},
            further={
                c: magnitude_sentences(
                    posterior, judgements, r, draws=draws, random_seed=random_seed
                )
                for c, r in rows.items()
            }
            if isinstance(judgements, MagnitudeJudgements)
            else {},
        )


@dataclass(frozen=True, slots=True)
class Results:
    """What is needed for the results of one criterion."""

    posterior: ReportedPosterior
    ranking: Ranking
    comparison: Comparison | None
    by_level: Mapping[str, Ranking]
    checks: Checks
    population: Population
    ci: tuple[float, IntervalKind]
    pictures: bool
    prefix: str

    @property
    def part(self) -> RankingPart:
        """The one part of the ranking."""
        return self.ranking.parts[0]

    @property
    def criterion(self) -> str | None:
        """The criterion, where there are criteria."""
        return self.part.criterion

    def blocks(self) -> Iterator[Block]:
        """Make the blocks, in the order of the page."""
        yield self._ranking()
        if self.comparison is not None:
            yield self._pairs(self.comparison)
        yield from self._readable()
        for name, ranking in self.by_level.items():
            yield self._levels(name, ranking)
        if plots.has_annotator_scale(self.posterior):
            yield self._annotators()
        yield self._fit()

    def _ranking(self) -> Block:
        pictures = []
        if self.pictures and len(self.part.systems) >= FEWEST_TO_DRAW:
            words = ci_words(*self.ci)
            pictures = [
                Picture(
                    plots.plot_ranking(self.ranking),
                    f"Quality and rank of each system, best first: posterior mean and {words} "
                    "interval. Every other tier is shaded.",
                    "Points with intervals; the numbers are in the table before this figure.",
                ),
                Picture(
                    plots.plot_rank_distribution(self.ranking),
                    "Probability of each rank (across) for each system (down). A row with one "
                    "strong cell has a certain rank; a long row has not.",
                    "Heat map of the rank distribution, systems by ranks.",
                ),
            ]
        return Block(
            anchor=f"{self.prefix}ranking",
            heading="Ranking",
            tables=tuple(self.ranking.tables()),
            pictures=tuple(pictures),
        )

    def _pairs(self, comparison: Comparison) -> Block:
        systems = self.part.systems
        sentences = []
        tables, folded = comparison.tables(), []
        if len(systems) > MOST_SYSTEMS_ALL_PAIRS:
            follows = dict(pairwise(systems))
            table = comparison.table
            near = table[table["system_a"].map(follows) == table["system_b"]]
            if len(systems) <= MOST_SYSTEMS_FOLDED_PAIRS:
                folded = tables
                sentences.append("The table holds neighbours in the ranking; all pairs follow.")
            else:
                sentences.append(
                    f"The table holds neighbours in the ranking. All {len(table):,} pairs: "
                    "compare(posterior).to_frame()."
                )
            tables = replace(comparison, table=near).tables()
        pictures = []
        if self.pictures:
            pictures.append(
                Picture(
                    plots.draw_comparison(comparison, systems),
                    "Probability that the system of the row is judged better than that of the "
                    "column in one new judgement, half of the ties included. Blue: above one half; "
                    "orange: below.",
                    "Matrix of win probabilities, systems by systems, in the order of the ranking.",
                )
            )
        return Block(
            anchor=f"{self.prefix}pairs",
            heading="Pairs",
            sentences=tuple(sentences),
            tables=tuple(tables),
            folded=tuple(folded),
            pictures=tuple(pictures),
        )

    def _readable(self) -> Iterator[Block]:
        """Tabulate the family's readable quantities that have one value a system."""
        columns, notes, tables = [], [], []
        order = self.part.systems
        other: Population = "observed" if self.population == "new" else "new"
        differ = False
        for spec in self.posterior.estimands.values():
            array = self.posterior.estimand(spec.name, population=self.population)
            further = {str(d) for d in array.dims} - {"chain", "draw", "system", "criterion"}
            if further == {"category"}:
                tables += self._categories(spec, array, other)
            if further:
                continue
            draws = self._by_system(array)
            columns += self._estimate(spec.title, draws)
            notes.append(sentence(f"{spec.title}: {spec.description}"))
            beside = self._by_system(self.posterior.estimand(spec.name, population=other))
            if self._differ(draws, beside):
                columns += self._estimate(f"{spec.title}, {other}", beside)
                differ = True
        if columns:
            notes.append(
                f"Posterior means and {ci_words(*self.ci)} intervals, averaged over "
                f"{self.population} annotators and items."
            )
            if differ:
                notes.append(
                    f"“{other}”: averaged over {other} annotators and items. Observed are those of "
                    "the study; new are others from the populations that the model infers from "
                    "them. Where the two lie far apart, the study says little about others."
                )
            tables.insert(
                0,
                Table(
                    "The systems in the units of the answers",
                    (Column("system", order, "label"), *columns),
                    tuple(notes),
                ),
            )
        if tables:
            yield Block(
                anchor=f"{self.prefix}readable",
                heading="In the units of the answers",
                tables=tuple(tables),
            )

    def _differ(self, draws: np.ndarray, beside: np.ndarray) -> bool:
        """Say whether the means differ by more than a small part of an interval's width."""
        lower, upper = interval(draws, ci_prob=self.ci[0], ci_kind=self.ci[1])
        apart = np.abs(draws.mean(axis=0) - beside.mean(axis=0))
        return bool((apart > 0.2 * (upper - lower)).any())

    def _by_system(self, array: xr.DataArray, *further: str) -> np.ndarray:
        """Return draws (sample, system[, …]), the systems in the order of the ranking."""
        (piece,) = slices(
            self.posterior,
            array,
            ("system", *further),
            criterion=self.criterion if "criterion" in array.dims else None,
            by=None,
            level=None,
        )
        labels = system_labels(array)
        return piece.draws[:, [labels.index(system) for system in self.part.systems]]

    def _estimate(self, title: str, draws: np.ndarray) -> list[Column]:
        lower, upper = interval(draws, ci_prob=self.ci[0], ci_kind=self.ci[1])
        decimals = decimals_for(lower, upper)
        ends = zip(lower, upper, strict=True)
        return [
            Column(title, tuple(number(v, decimals) for v in draws.mean(axis=0))),
            Column("interval", tuple(interval_text(a, b, decimals) for a, b in ends)),
        ]

    def _categories(
        self, spec: EstimandLike, array: xr.DataArray, other: Population
    ) -> Iterator[Table]:
        """Tabulate shares by category; cumulated ones say the same, and long scales do not fit."""
        draws = self._by_system(array, "category")
        if draws.shape[2] > MOST_CATEGORIES or not np.allclose(draws.sum(axis=2), 1):
            return
        beside = self._by_system(self.posterior.estimand(spec.name, population=other), "category")
        shown = [(self.population, draws)]
        shown += [(other, beside)] if self._differ(draws, beside) else []
        categories = shorten([str(label) for label in array["category"].values], HEADING_WIDTH)
        for population, values in shown:
            shares = [
                Column(category, tuple(probability(share) for share in column))
                for category, column in zip(categories, values.mean(axis=0).T, strict=True)
            ]
            yield Table(
                f"{spec.title[:1].upper()}{spec.title[1:]}, {population} annotators and items",
                (Column("system", self.part.systems, "label"), *shares),
                (f"Posterior means. The draws: posterior.estimand({spec.name!r}).",),
            )

    def _levels(self, name: str, ranking: Ranking) -> Block:
        chosen = ranking.select(criterion=self.criterion)
        shown = replace(chosen, parts=chosen.parts[:MOST_LEVELS])
        sentences = [f"The systems ranked within each level of {name}."]
        if len(chosen.parts) > MOST_LEVELS:
            sentences.append(
                f"The first {MOST_LEVELS} of {len(chosen.parts)} levels are shown; all of them: "
                f"rank(posterior, by={name!r})."
            )
        # The legend is that of the overall ranking; the titles say the level.
        tables = [
            replace(
                table,
                title=f"{name}: {part.level}",
                notes=(ranking.resolution[ranking.parts.index(part)],),
            )
            for part, table in zip(shown.parts, shown.tables(), strict=True)
        ]
        return Block(
            anchor=f"{self.prefix}by-{list(self.by_level).index(name) + 1}",
            heading=f"By {name}",
            sentences=tuple(sentences),
            tables=tuple(tables),
        )

    def _annotators(self) -> Block:
        pictures = []
        if self.pictures:
            criterion = self.criterion
            pictures.append(
                Picture(
                    plots.plot_thresholds(
                        self.posterior, criterion=criterion, ci_prob=self.ci[0], ci_kind=self.ci[1]
                    ),
                    "How annotators use the scale. Severity: larger is harsher, 0 is the "
                    "population. Thresholds: the quality at which an annotator goes from one "
                    "category to the next.",
                    "Severity and thresholds by annotator, the harshest first.",
                )
            )
        return Block(
            anchor=f"{self.prefix}annotators",
            heading="Annotators",
            sentences=(
                (
                    "Differences between annotators are part of the model, so that a harsh or "
                    "a narrow annotator does not count against the systems they judged."
                ),
            ),
            pictures=tuple(pictures),
        )

    def _fit(self) -> Block:
        overall = self.checks.overall[self.criterion]
        annotators = self.checks.annotators[self.criterion]
        words = ci_words(*self.ci)
        n_samples = len(overall.simulated)
        n_answers = overall.n_judgements
        answers = "the one answer" if n_answers == 1 else f"all {n_answers:,} answers"
        sentences = [
            (
                "If the model is right, the observed bars lie mostly within the intervals. "
                f"Over {answers}, {100 * overall.p_value:.0f} % of "
                f"{n_samples} simulated tables are at least as far from the expected shares as "
                "the observed one; a value near 0 % means a bad fit."
            )
        ]
        sentences.extend(self.checks.further.get(self.criterion, ()))
        if self.checks.repeated_rows:
            sentences.append(
                "Rows that stand for several judgements are simulated as one answer, so that the "
                "intervals are wider than they should be."
            )
        if annotators:
            small = sum(one.p_value < 0.05 for one in annotators)
            sentences.append(
                f"Annotator by annotator, {small} of {len(annotators)} have p below 0.05, where "
                f"about {0.05 * len(annotators):.2g} are expected by chance."
            )
        stated = self.checks.stated.get(self.criterion)
        if stated is not None:
            sentences += stated.sentences()
        pictures = []
        alarms = (self.ranking.problems, self.ranking.approximate)
        if self.pictures:
            pictures.append(
                Picture(
                    plots.draw_overall(self.checks.answers, overall, self.ci, alarms),
                    f"All answers. Bars: observed shares; points: expected, with {words} interval.",
                    "Bars of the observed shares by category with predictive intervals.",
                )
            )
            if annotators:
                worst = annotators[:MOST_ANNOTATOR_PANELS]
                who = "Every annotator, the worst fitting first"
                if len(worst) < len(annotators):
                    who = f"The {len(worst)} worst fitting of {len(annotators)} annotators"
                pictures.append(
                    Picture(
                        plots.draw_annotators(self.checks.answers, worst, self.ci, alarms),
                        f"{who}. Above each panel: the annotator, the number n of answers, and "
                        "the share p of simulated tables that are at least as far from the "
                        "expected shares.",
                        "Small bar charts, one an annotator, with predictive intervals.",
                    )
                )
        return Block(
            anchor=f"{self.prefix}fit",
            heading="Does the model fit?",
            sentences=tuple(sentences),
            tables=() if stated is None else stated.tables(),
            pictures=tuple(pictures),
        )
