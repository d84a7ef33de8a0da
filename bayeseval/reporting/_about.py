"""The parts of a report that are not results: the study, the model, the reading, the origin."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from bayeseval._checks import some
from bayeseval._records import merely_few
from bayeseval._tables import Column, Table
from bayeseval.comparison._contract import FamilyLike, problems_of
from bayeseval.judgements import Judgements
from bayeseval.ranking import Ranking
from bayeseval.reporting._contract import ReportedPosterior, SettingsLike
from bayeseval.reporting._document import Block
from bayeseval.reporting._words import sentence
from bayeseval.settings import ci_words, decision_words

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 60
HEADINGS = {
    "n": "values",
    "shown": "reported",
    "r_hat": "R-hat",
    "r_hat_limit": "wanted below",
    "ess_bulk": "bulk ESS",
    "ess_tail": "tail ESS",
    "worst_at": "worst at",
}


def study(judgements: Judgements) -> Iterator[Block]:
    """Say what was asked of whom, what was dropped, and which filters were applied."""
    summary = judgements.summary()
    facts = [
        (section, name, value)
        for section, name, value in summary.facts
        if section not in ("dropped", "filters")
    ]
    yield Block(
        anchor="asked",
        heading="What was asked, and of whom",
        sentences=(
            judgements.meaning.asked,
            *summary.notes,
        ),
        tables=(
            Table(
                "The judgements",
                (
                    Column("what", tuple(" ".join(f[:2]).strip() for f in facts), "label"),
                    Column("found", tuple(value for _, _, value in facts), "label"),
                ),
            ),
        ),
    )
    dropped = judgements.dropped
    tables = []
    if dropped:
        tables.append(
            Table(
                "Rows of the input that are no judgement",
                (
                    Column("reason", tuple(entry.reason for entry in dropped), "label"),
                    Column("rows", tuple(f"{entry.n_rows:,}" for entry in dropped)),
                ),
            )
        )
    if judgements.audit:
        tables.append(
            Table(
                "Filters, in the order of their application",
                (
                    Column("rule", tuple(entry.rule for entry in judgements.audit), "label"),
                    Column("rows before", tuple(f"{e.rows_before:,}" for e in judgements.audit)),
                    Column("rows after", tuple(f"{e.rows_after:,}" for e in judgements.audit)),
                    Column(
                        "annotators removed",
                        tuple(
                            f"{len(e.annotators_removed)}: {some(e.annotators_removed)}"
                            if e.annotators_removed
                            else "none"
                            for e in judgements.audit
                        ),
                        "label",
                    ),
                ),
            )
        )
    sentences = [] if dropped else ["No row of the input was dropped."]
    sentences += [] if judgements.audit else ["No filter was applied to the judgements."]
    yield Block(
        anchor="dropped",
        heading="What was dropped and filtered",
        sentences=tuple(sentences),
        tables=tuple(tables),
    )


def model(posterior: ReportedPosterior) -> Block:
    """Describe the model and its priors."""
    text = posterior.describe()
    return Block(
        anchor="model",
        heading=f"Model: {posterior.family.name}",
        sentences=(*text.words, f"Quality: {posterior.quality_scale}."),
        formulas=tuple(text.formulas),
        tables=tuple(text.tables()),
    )


def convergence(posterior: ReportedPosterior) -> Block:
    """Say whether the sampler reached the posterior."""
    verdict = posterior.convergence
    problems = tuple(verdict.problems)
    if verdict.independent is not None and verdict.ok:
        return Block(anchor="convergence", heading="Draws", sentences=(str(verdict),))
    return Block(
        anchor="convergence",
        heading="Convergence",
        sentences=(
            (str(verdict),)
            if verdict.ok
            else (
                "There are too few draws to report:"
                if merely_few(problems_of(posterior))
                else "The sampler did NOT reach the posterior:"
                if verdict.independent is None
                else f"These draws must NOT be reported. They are {verdict.independent}:",
                *map(sentence, problems),
            )
        ),
        tables=_frame_table(
            verdict.to_frame(),
            "Diagnostics of the quantities that are reported",
            (
                "R-hat should be below 1.01 (the worst of hundreds of values scatters further: "
                "see its bound), bulk and tail ESS (effective numbers of draws) above 400."
            ),
        ),
    )


def _frame_table(frame: "pd.DataFrame", title: str, note: str) -> tuple[Table, ...]:
    if frame.empty:
        return ()
    shown = frame.head(MOST_ROWS)
    columns = []
    for name in shown.columns:
        values = shown[name]
        numeric = values.dtype.kind in "iuf"
        cells = tuple(_cell(value, str(name)) for value in values.tolist())
        columns.append(
            Column(HEADINGS.get(str(name), str(name)), cells, "number" if numeric else "label")
        )
    more = len(frame) - len(shown)
    notes = (note, f"{more} more rows are left out.") if more else (note,)
    return (Table(title, tuple(columns), notes),)


def _cell(value: object, column: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if value != value:
            return "–"
        return f"{value:,.0f}" if column.startswith("ess") else f"{value:.3f}"
    return str(value)


def reading(ranking: Ranking) -> Iterator[Block]:
    """Say how to read the numbers, and how not to."""
    words = ci_words(ranking.ci_prob, ranking.ci_kind)
    yield Block(
        anchor="how",
        heading="How to read it",
        sentences=(
            (
                "Every probability is a statement about the systems, given these judgements, the "
                "model and its priors. “P(best) 0.93” means: with probability 0.93 this system "
                "has the highest quality of those compared."
            ),
            (
                f"A {words} interval holds the quantity with probability {ranking.ci_prob:g}, "
                "under the same conditions."
            ),
            (
                "The expected rank averages over everything that the data leave open; the "
                "interval of the rank says how much that is."
            ),
            f"Tiers. {ranking.tier_rule}",
            decision_words(ranking.tier_prob, ranking.ci_prob),
            (
                "A win probability is a prediction for one new judgement. It stays near 0.5 "
                "where single judgements are noisy, even for two systems whose order is certain."
            ),
        ),
    )
    yield Block(
        anchor="how-not",
        heading="How not to read it",
        sentences=(
            "Two intervals that overlap do not show that two systems are alike: look up the pair.",
            (
                "“Cannot be told apart” does not mean equal. Equality needs a region of practical "
                "equivalence (rope=) and a probability of lying in it."
            ),
            (
                "Quality is relative to the systems compared: adding or removing a system moves "
                "the numbers and the ranks of the others."
            ),
            (
                "Neighbouring ranks are no equal steps. The first place may be certain, and the "
                "rest a toss."
            ),
            (
                "The results hold for annotators and items like those of the study. They say "
                "nothing about what the annotators were not asked."
            ),
        ),
    )


def _settings(family: FamilyLike) -> Iterator[tuple[str, str]]:
    """Name the family with the settings that are not its defaults, then those that are."""
    chosen, default = [], []
    for setting in fields(family) if is_dataclass(family) else ():
        value = getattr(family, setting.name)
        (default if value == setting.default else chosen).append(f"{setting.name}={value!r}")
    yield "family", f"{family.name}({', '.join(chosen)})"
    if default:
        yield "its settings left at their defaults", ", ".join(default)


def _runs_before(settings: SettingsLike) -> Iterator[tuple[str, str]]:
    """Say that the sampler ran again with shorter steps, and what it had met."""
    if settings.discarded:
        met = ", then ".join(f"{n:,}" for n in settings.discarded)
        yield (
            "sampled again with shorter steps",
            (
                f"target_accept={settings.target_accept}; divergent transitions before, in draws "
                f"that are not used: {met}"
            ),
        )


def origin(posterior: ReportedPosterior, judgements: Judgements) -> Iterator[Block]:
    """List fingerprint, seed, sampler, times and versions."""
    settings = posterior.settings
    made = [
        ("chains × draws (after tuning)", f"{settings.chains} × {settings.draws:,}"),
        ("tuning steps a chain", f"{settings.tune:,}"),
        *([("integrator", settings.integrator)] if settings.integrator else []),
        *_runs_before(settings),
    ]
    if posterior.convergence.independent is not None:
        made = [("independent draws", f"{settings.chains * settings.draws:,}")]
    rows = [
        ("fingerprint of the judgements", judgements.fingerprint),
        *([("the judgements were read as", judgements.origin)] if judgements.origin else []),
        *_settings(posterior.family),
        ("random seed", str(settings.random_seed)),
        ("sampler", settings.sampler),
        *made,
        *((f"seconds: {stage}", f"{time:.1f}") for stage, time in settings.seconds.items()),
        *((f"version of {name}", version) for name, version in settings.versions.items()),
    ]
    yield Block(
        anchor="provenance",
        heading="Fingerprint, seed and versions",
        tables=(
            Table(
                "Provenance",
                (
                    Column("what", tuple(name for name, _ in rows), "label"),
                    Column("value", tuple(value for _, value in rows), "text"),
                ),
            ),
        ),
    )
