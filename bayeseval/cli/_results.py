"""The commands that read a posterior or a file of judgements: rank, compare, report, summary."""

from pathlib import Path
from typing import Annotated

import typer

from bayeseval._checks import some
from bayeseval.cli._json import (
    about_comparison,
    about_judgements,
    about_posterior,
    about_ranking,
    print_json,
)
from bayeseval.cli._options import (
    By,
    CiKind,
    CiProb,
    Criterion,
    Json,
    Level,
    Population,
    PosteriorFile,
    Rope,
    Table,
    reads_judgements,
)
from bayeseval.cli._run import refuse_unwritable
from bayeseval.errors import BayesEvalError


def rank(
    *,
    posterior: PosteriorFile,
    criterion: Criterion = None,
    by: By = None,
    level: Level = None,
    top: Annotated[
        list[int] | None, typer.Option(help="The k of P(among the best k); can be repeated; 3.")
    ] = None,
    tier_prob: Annotated[
        float, typer.Option(help="Probability that a boundary between tiers must reach.")
    ] = 0.95,
    ci_prob: CiProb = None,
    ci_kind: CiKind = None,
    population: Population = None,
    as_json: Json = False,
) -> None:
    """Rank the systems of a fitted posterior."""
    from bayeseval.comparison import rank as rank_systems
    from bayeseval.inference import load

    loaded = load(posterior)
    ranking = rank_systems(
        loaded,
        criterion=criterion,
        by=by,
        level=level,
        top=tuple(top or (3,)),
        tier_prob=tier_prob,
        population=population,
        ci_prob=ci_prob,
        ci_kind=ci_kind,
    )
    if as_json:
        print_json({"posterior": about_posterior(loaded), "ranking": about_ranking(ranking)})
    else:
        typer.echo(repr(ranking))


def compare(
    *,
    posterior: PosteriorFile,
    pairs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[A B]...", help="Pairs of systems; all where left out."),
    ] = None,
    quantity: Annotated[
        str, typer.Option(help="win_probability, quality, or one of the family's estimands.")
    ] = "win_probability",
    category: Annotated[
        str | None, typer.Option(help="Category, where the quantity has one value for each.")
    ] = None,
    rope: Rope = None,
    criterion: Criterion = None,
    by: By = None,
    level: Level = None,
    population: Population = None,
    ci_prob: CiProb = None,
    ci_kind: CiKind = None,
    as_json: Json = False,
) -> None:
    """Compare pairs of systems of a fitted posterior.

    A difference is always A − B, so that positive favours A.
    """
    labels = pairs or []
    if len(labels) % 2:
        raise BayesEvalError(
            f"systems to compare come in pairs, A B; found {len(labels)} of them: {some(labels)}"
        )
    from bayeseval.comparison import compare as compare_systems
    from bayeseval.inference import load

    loaded = load(posterior)
    comparison = compare_systems(
        loaded,
        list(zip(labels[::2], labels[1::2], strict=True)) or None,
        quantity=quantity,
        category=category,
        rope=rope,
        criterion=criterion,
        by=by,
        level=level,
        population=population,
        ci_prob=ci_prob,
        ci_kind=ci_kind,
    )
    if as_json:
        print_json(
            {"posterior": about_posterior(loaded), "comparison": about_comparison(comparison)}
        )
    else:
        typer.echo(repr(comparison))


@reads_judgements
def report(
    *,
    posterior: PosteriorFile,
    table: Table,
    output: Annotated[
        Path, typer.Option("--out", help="Where to write: .html for a page, .md for Markdown.")
    ] = Path("report.html"),
    title: Annotated[str | None, typer.Option(help="Title of the report.")] = None,
    rope: Rope = None,
    ci_prob: CiProb = None,
    ci_kind: CiKind = None,
) -> None:
    """Write a report of a fitted posterior.

    It needs the judgements again, with the same options as the fit.
    """
    refuse_unwritable(output, "--out", (".html", ".htm", ".md"))
    judgements = table.read()
    from bayeseval.inference import load
    from bayeseval.reporting import report as write_report

    path = write_report(
        load(posterior),
        judgements,
        output,
        title=title,
        rope=rope,
        ci_prob=ci_prob,
        ci_kind=ci_kind,
    )
    typer.echo(str(path))


@reads_judgements
def summary(*, table: Table, as_json: Json = False) -> None:
    """Say what a file of judgements holds.

    And what of it is dropped, and what the design can identify.
    """
    judgements = table.read()
    found = judgements.summary()
    if as_json:
        facts = [dict(zip(("section", "name", "value"), fact, strict=True)) for fact in found.facts]
        print_json(
            {
                "judgements": about_judgements(judgements),
                "facts": facts,
                "notes": found.notes,
            }
        )
    else:
        typer.echo(repr(found))
