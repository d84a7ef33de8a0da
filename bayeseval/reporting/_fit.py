"""Does the model fit: observed answers beside those that it expects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bayeseval._tables import Column, Table
from bayeseval._text import probability
from bayeseval.comparison._contract import Population
from bayeseval.judgements import Judgements, MagnitudeJudgements, SPAJudgements
from bayeseval.ranking import Ranking
from bayeseval.reporting._contract import ReportedPosterior
from bayeseval.reporting._document import Block, Picture
from bayeseval.reporting._magnitudes import magnitude_sentences
from bayeseval.reporting._predictive import (
    Grouped,
    Shares,
    Simulated,
    annotator_shares,
    coded_answers,
    grouped_checks,
    overall_shares,
    sorted_answers,
)
from bayeseval.reporting._stated import StatedCheck, stated_check
from bayeseval.reporting.plots.predictive import criterion_rows, draw_annotators, draw_overall
from bayeseval.settings import IntervalKind, ci_words

MOST_ANNOTATOR_PANELS = 9


@dataclass(frozen=True, slots=True)
class Checks:
    """Predictive checks by criterion, from one set of simulated answers."""

    answers: Simulated
    overall: Mapping[str | None, Shares]
    annotators: Mapping[str | None, Sequence[Shares]]
    grouped: Mapping[str | None, Sequence[Grouped]]
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
        array = coded_answers(posterior, judgements, draws=draws, random_seed=random_seed)
        simulated = array.transpose("sample", "row").values
        answers = sorted_answers(judgements, simulated)
        rows = {c: criterion_rows(judgements, c) for c in (criteria or (None,))}
        named = judgements.annotators is not None
        return cls(
            answers=answers,
            overall={c: overall_shares(answers, judgements, r) for c, r in rows.items()},
            annotators={
                c: annotator_shares(answers, judgements, r) if named else []
                for c, r in rows.items()
            },
            grouped={c: grouped_checks(answers, judgements, r) for c, r in rows.items()},
            repeated_rows=bool((judgements.counts != 1).any()),
            stated={
                c: stated_check(
                    posterior,
                    judgements,
                    c,
                    population=population,
                    simulated=simulated,
                )
                for c in rows
            }
            if isinstance(judgements, SPAJudgements)
            else {},
            further={
                c: magnitude_sentences(posterior, judgements, r, simulated=simulated)
                for c, r in rows.items()
            }
            if isinstance(judgements, MagnitudeJudgements)
            else {},
        )


def fit(
    checks: Checks,
    ranking: Ranking,
    ci: tuple[float, IntervalKind],
    *,
    pictures: bool,
    prefix: str,
) -> Block:
    """Say and show how well the answers of one criterion agree with what the model expects."""
    (part,) = ranking.parts
    overall = checks.overall[part.criterion]
    annotators = checks.annotators[part.criterion]
    words = ci_words(*ci)
    n_samples = len(overall.simulated)
    n_answers = overall.n_judgements
    answers = "the one answer" if n_answers == 1 else f"all {n_answers:,} answers"
    sentences = [
        (
            "If the model is right, the observed bars lie mostly within the intervals. "
            f"Over {answers}, {100 * overall.p_value:.0f} % of "
            f"{n_samples} simulated tables are at least as far from the expected shares as "
            "the observed one; a value near 0 % means a bad fit. Over all answers a model nearly "
            "always fits, since it learnt their shares; the table looks closer."
        )
    ]
    sentences.extend(checks.further.get(part.criterion, ()))
    if checks.repeated_rows:
        sentences.append(
            "Rows that stand for several judgements are simulated as one answer, so that the "
            "intervals are wider than they should be."
        )
    stated = checks.stated.get(part.criterion)
    if stated is not None:
        sentences += stated.sentences()
    drawn = []
    alarms = (ranking.problems, ranking.approximate)
    if pictures:
        drawn.append(
            Picture(
                draw_overall(checks.answers, overall, ci, alarms),
                f"All answers. Bars: observed shares; points: expected, with {words} interval.",
                "Bars of the observed shares by category with predictive intervals.",
            )
        )
        if annotators:
            worst = annotators[:MOST_ANNOTATOR_PANELS]
            who = "Every annotator, the worst fitting first"
            if len(worst) < len(annotators):
                who = f"The {len(worst)} worst fitting of {len(annotators)} annotators"
            drawn.append(
                Picture(
                    draw_annotators(checks.answers, worst, ci, alarms),
                    f"{who}. Above each panel: the annotator, the number n of answers, and "
                    "the share p of simulated tables that are at least as far from the "
                    "expected shares.",
                    "Small bar charts, one an annotator, with predictive intervals.",
                )
            )
    return Block(
        anchor=f"{prefix}fit",
        heading="Does the model fit?",
        sentences=tuple(sentences),
        tables=(
            *_grouped_table(checks.grouped[part.criterion]),
            *(() if stated is None else stated.tables()),
        ),
        pictures=tuple(drawn),
    )


def _grouped_table(grouped: Sequence[Grouped]) -> tuple[Table, ...]:
    """Tabulate how well the answers fit system by system, item by item, annotator by annotator."""
    if not grouped:
        return ()
    worst = tuple(
        "; ".join(f"{label} (n {n:,}, p {p:.2g})" for label, n, p in one.worst) for one in grouped
    )
    return (
        Table(
            "Does the model fit within each system, item and annotator?",
            (
                Column("answers by", tuple(one.name for one in grouped), "text"),
                Column("groups", tuple(f"{one.n_groups:,}" for one in grouped)),
                Column("p", tuple(probability(one.p_value) for one in grouped)),
                Column("worst fitting", worst, "label"),
            ),
            (
                (
                    "p: share of simulated tables in which the groups together lie at least as far "
                    "from the expected shares as the observed ones; below 0.05 the model lacks "
                    "something that moves these answers. The model has seen the answers, so that "
                    "p is seldom small by chance: less often than its value says."
                ),
                "In brackets: the number n of answers of the group, and its own p.",
            ),
        ),
    )
