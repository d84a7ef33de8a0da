"""The report: one self-contained page, or the same in Markdown."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bayeseval._checks import shown, some
from bayeseval._files import check_place, write_whole
from bayeseval._records import merely_few
from bayeseval._tables import Remark
from bayeseval.comparison import Comparison, compare, rank
from bayeseval.comparison._contract import Population, refuse_no_posterior
from bayeseval.errors import BayesEvalError
from bayeseval.judgements import Judgements
from bayeseval.ranking import Ranking, alarm_sentences
from bayeseval.reporting._about import convergence, model, origin, reading, study
from bayeseval.reporting._contract import ReportedPosterior
from bayeseval.reporting._document import Document, Section
from bayeseval.reporting._predictive import refuse_strangers
from bayeseval.reporting._results import Checks, Results, overview
from bayeseval.reporting._words import answer, leaders, sentence
from bayeseval.settings import IntervalKind, resolve_ci

SUFFIXES = (".html", ".htm", ".md")
MOST_CRITERIA = 12


def report(
    posterior: ReportedPosterior,
    judgements: Judgements,
    path: str | Path,
    *,
    title: str | None = None,
    rope: tuple[float, float] | None = None,
    population: Population = None,
    tier_prob: float = 0.95,
    top: int | Sequence[int] = (3,),
    draws: int = 200,
    random_seed: int = 0,
    ci_prob: float | None = None,
    ci_kind: IntervalKind | None = None,
) -> Path:
    """Write a report of a fitted model as one file.

    The page needs nothing but itself: no network, no script, no external font. It begins with the
    answer in words; a posterior that did not converge, or is an approximation, is marked at the top
    and at every table and figure.

    Parameters
    ----------
    posterior : Posterior
        Posterior of any family.
    judgements : Judgements
        The judgements that were fitted.
    path : str or Path
        Where to write; ``.html`` or ``.htm`` for the page, ``.md`` for Markdown without figures. An
        existing file is replaced.
    title : str, optional
        Title of the report.
    rope : (float, float), optional
        Region of practical equivalence of the win probability, around 0.5; adds verdicts.
    population : {"new", "observed"}, optional
        Annotators, items and levels of moderators that everything averages over, as in `rank`.
    tier_prob : float
        Probability that a boundary between tiers must reach.
    top : int or sequence of int
        The k of "probability to be among the best k".
    draws : int
        Number of simulated tables in the predictive check.
    random_seed : int
        Seed of the simulated answers.
    ci_prob, ci_kind : float, str, optional
        Interval; from `bayeseval.settings` where left out.

    Returns
    -------
    pathlib.Path
        The file that was written.

    Raises
    ------
    JudgementError
        If the judgements are not those that were fitted.
    BayesEvalError
        If the path or a setting is wrong.
    """
    target = _checked_path(path)
    if not isinstance(title, str | None):
        raise BayesEvalError(f"title= is a text; found {shown(title)}")
    refuse_no_posterior(posterior, "report")
    refuse_strangers(posterior, judgements)
    ci_prob, ci_kind = resolve_ci(ci_prob, ci_kind)
    settings: dict[str, Any] = {
        "population": population,
        "top": top,
        "tier_prob": tier_prob,
        "ci_prob": ci_prob,
        "ci_kind": ci_kind,
    }
    ranking = rank(posterior, **settings)
    comparison = None
    if len(posterior.systems) > 1:
        comparison = compare(
            posterior, rope=rope, population=population, ci_prob=ci_prob, ci_kind=ci_kind
        )
    by_level = {
        name: rank(posterior, by=name, **settings)
        for name in posterior.moderators
        if f"quality_by_{name}" in posterior.data["posterior"]
    }
    checks = Checks.make(
        posterior,
        judgements,
        ranking.criteria,
        draws=draws,
        random_seed=random_seed,
        population=population,
    )
    is_page = target.suffix.lower() != ".md"
    short = _short_alarms(ranking)
    sections = []
    if 1 < len(ranking.parts) <= MOST_CRITERIA:
        sections.append(Section("criteria", "All criteria", (overview(ranking).marked(short),)))
    for index, part in enumerate(ranking.parts, start=1):
        prefix = "" if part.criterion is None else f"c{index}-"
        results = Results(
            posterior=posterior,
            ranking=replace(ranking, parts=(part,)),
            comparison=_of_criterion(comparison, part.criterion),
            by_level=by_level,
            checks=checks,
            population=population,
            ci=(ci_prob, ci_kind),
            pictures=is_page,
            prefix=prefix,
        )
        heading = "Results" if part.criterion is None else f"Criterion: {part.criterion}"
        blocks = tuple(block.marked(short) for block in results.blocks())
        sections.append(Section(f"{prefix}results", heading, blocks))
    sections += [
        Section("study", "The study", tuple(study(judgements))),
        Section(
            "method",
            "The model and the computation",
            (model(posterior), convergence(posterior).marked(short)),
        ),
        Section("reading", "How to read this, and how not to", tuple(reading(ranking))),
        Section("origin", "Where these numbers come from", tuple(origin(posterior, judgements))),
    ]
    n_systems = len(posterior.systems)
    document = Document(
        title=title or f"Posterior ranking of {n_systems} system{'' if n_systems == 1 else 's'}",
        # Without the name of the class, which says nothing to a reader.
        subtitle=repr(judgements).split(": ", 1)[1],
        alarms=_long_alarms(ranking),
        marks=short,
        answers=_answers(ranking),
        sections=tuple(sections),
    )
    write_whole(target, _text(document, is_page=is_page).encode("utf-8", "replace"), "report")
    return target


def _answers(ranking: Ranking) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Answer by criterion; of several criteria each is two paragraphs, after one for all."""
    if len(ranking.parts) == 1:
        (part,) = ranking.parts
        return ((part.criterion or "", tuple(answer(ranking, part))),)
    answers: list[tuple[str, tuple[str, ...]]] = [("", (leaders(ranking),))]
    for part in ranking.parts:
        first, *rest = answer(ranking, part)
        answers.append((part.criterion or "", (first, *([" ".join(rest)] if rest else []))))
    return tuple(answers)


def _text(document: Document, *, is_page: bool) -> str:
    if is_page:
        from bayeseval.reporting._html import to_html

        return to_html(document)
    from bayeseval.reporting._markdown import to_markdown

    return to_markdown(document)


def _checked_path(path: str | Path) -> Path:
    if not isinstance(path, str | Path):
        raise BayesEvalError(
            f"path= names the file of a report; found {shown(path)} ({type(path).__name__})"
        )
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise BayesEvalError(
            f"a report is written as one of {some(SUFFIXES)}; the path {str(target)!r} ends in "
            f"{target.suffix!r}"
        )
    check_place(target, "report")
    return target


def _of_criterion(comparison: Comparison | None, criterion: str | None) -> Comparison | None:
    if comparison is None or criterion is None:
        return comparison
    table = comparison.table
    return replace(comparison, table=table[table["criterion"] == criterion])


def _long_alarms(ranking: Ranking) -> tuple[str, ...]:
    alarms: list[str] = []
    if ranking.problems:
        alarms += [
            (
                "TOO FEW DRAWS. Nothing says that the sampler failed, but nothing on this page may "
                "be reported from so few draws. What to do:"
                if merely_few(ranking.problems)
                else "NOT CONVERGED. The sampler did not reach the posterior: nothing on this page "
                "may be reported. What is wrong, and what to do:"
            ),
            *map(sentence, ranking.problems),
        ]
    if ranking.approximate is not None:
        remark = "These draws are an approximation of the posterior, not a sample from it"
        alarms.append(Remark(f"{remark}: {ranking.approximate}"))
    return (*alarms, *alarm_sentences((), None, ranking.components), *ranking.unjudged)


def _short_alarms(ranking: Ranking) -> tuple[str, ...]:
    see = "See the top of the page."
    failed = "Too few draws" if merely_few(ranking.problems) else "Not converged"
    marks = [f"{failed}: do not report. {see}"] if ranking.problems else []
    if ranking.approximate is not None:
        marks.append(Remark(f"Approximate draws. {see}"))
    if len(ranking.components) > 1 or ranking.unjudged:
        marks.append(f"Some of this rests on no judgement. {see}")
    return tuple(marks)
