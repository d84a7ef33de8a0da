"""The results of one criterion: ranking, pairs, levels, annotators, fit."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from bayeseval._tables import Column, Table
from bayeseval._text import number, shorten
from bayeseval.comparison import Comparison
from bayeseval.comparison._contract import Population
from bayeseval.ranking import Ranking, RankingPart
from bayeseval.reporting._contract import ReportedPosterior
from bayeseval.reporting._document import Block, Picture
from bayeseval.reporting._fit import Checks, fit
from bayeseval.reporting._readable import Readable
from bayeseval.reporting.plots import plot_rank_distribution, plot_ranking, plot_thresholds
from bayeseval.reporting.plots.thresholds import has_annotator_scale
from bayeseval.reporting.plots.wins import draw_comparison
from bayeseval.settings import IntervalKind, ci_words

MOST_SYSTEMS_ALL_PAIRS = 7
MOST_SYSTEMS_FOLDED_PAIRS = 20
MOST_LEVELS = 12
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
        yield from Readable(
            self.posterior, self.part, self.population, self.ci, self.prefix
        ).blocks()
        for name, ranking in self.by_level.items():
            yield self._levels(name, ranking)
        if has_annotator_scale(self.posterior):
            yield self._annotators()
        yield fit(self.checks, self.ranking, self.ci, pictures=self.pictures, prefix=self.prefix)

    def _ranking(self) -> Block:
        pictures = []
        if self.pictures and len(self.part.systems) >= FEWEST_TO_DRAW:
            words = ci_words(*self.ci)
            pictures = [
                Picture(
                    plot_ranking(self.ranking),
                    f"Quality and rank of each system, best first: posterior mean and {words} "
                    "interval. Every other tier is shaded.",
                    "Points with intervals; the numbers are in the table before this figure.",
                ),
                Picture(
                    plot_rank_distribution(self.ranking),
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
                    draw_comparison(comparison, systems),
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
                    plot_thresholds(
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
