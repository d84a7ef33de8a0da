"""The command ``fit``."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from bayeseval._checks import nearest, some
from bayeseval.cli._json import (
    about_comparison,
    about_judgements,
    about_posterior,
    about_ranking,
    print_json,
)
from bayeseval.cli._options import Json, Table, reads_judgements
from bayeseval.cli._run import (
    INTERRUPTED,
    NOT_CONVERGED,
    refuse_unwritable,
    sampled,
    say,
    voice,
)
from bayeseval.cli._text import setting_of
from bayeseval.errors import BayesEvalError


@reads_judgements
def fit(
    *,
    table: Table,
    family: Annotated[
        str | None,
        typer.Option(help="Family of models, such as Thurstone; the protocol's default."),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Setting of the family, such as link=probit; can be repeated.",
        ),
    ] = None,
    thresholds: Annotated[
        Literal["free", "scaled", "shifted", "common"] | None,
        typer.Option(help="How annotators may differ in their use of the scale; likert; free."),
    ] = None,
    discrimination: Annotated[
        bool,
        typer.Option("--discrimination", help="Annotators differ in how well they tell; likert."),
    ] = False,
    correlated_criteria: Annotated[
        bool,
        typer.Option("--correlated-criteria", help="Model correlations between criteria; likert."),
    ] = False,
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EFFECT",
            help="Leave an effect out, such as taste; can be repeated; not pairwise.",
        ),
    ] = None,
    method: Annotated[
        Literal["nuts", "laplace", "auto"],
        typer.Option(
            help="Sample; or a quick approximation, marked as one; or whichever of them will do."
        ),
    ] = "nuts",
    draws: Annotated[int, typer.Option(help="Draws kept, of each chain.")] = 1000,
    tune: Annotated[
        int | None,
        typer.Option(help="Tuning steps of each chain; 1000, or 500 where these suffice."),
    ] = None,
    chains: Annotated[int, typer.Option(help="Number of chains.")] = 4,
    cores: Annotated[int | None, typer.Option(help="Chains at a time; all cores.")] = None,
    seed: Annotated[
        int | None, typer.Option(help="The same seed gives the same draws; fresh by default.")
    ] = None,
    target_accept: Annotated[
        float | None, typer.Option(help="Wanted acceptance rate; by default the family's own.")
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Exit with 3, with no ranking and no report, if not converged."
        ),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write the posterior to this netCDF file.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a report to this .html or .md file.")
    ] = None,
    as_json: Json = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Say nothing on standard error but errors.")
    ] = False,
) -> None:
    """Fit a file of judgements and print the ranking.

    A posterior that did not converge is marked wherever it is printed or written.
    """
    refuse_unwritable(out, "--out", (".nc",))
    refuse_unwritable(report, "--report", (".html", ".htm", ".md"))
    chosen: dict[str, Any] = dict(setting_of(text) for text in setting or ())
    chosen |= {} if thresholds is None else {"thresholds": thresholds}
    chosen |= {"discrimination": True} if discrimination else {}
    chosen |= {"criteria": "correlated"} if correlated_criteria else {}
    if without:
        if "effects" in chosen:
            raise BayesEvalError(
                f"--set effects={chosen['effects']} already says which effects there are; found "
                "--without as well. Take one of the two"
            )
        chosen["effects"] = dict.fromkeys(without, False)
    judgements = table.read()
    model = _family(table.protocol, family, chosen)
    with voice(quiet=quiet):
        say(repr(judgements), quiet=quiet)
        from bayeseval.comparison import compare as compare_systems
        from bayeseval.comparison import rank as rank_systems

        posterior = sampled(
            judgements,
            model,
            method=method,
            draws=draws,
            tune=tune,
            chains=chains,
            cores=cores,
            seed=seed,
            target_accept=target_accept,
            quiet=quiet,
        )
        files: dict[str, str] = {}
        failed: list[BayesEvalError] = []
        refused = strict and not posterior.convergence.ok
        ranking = None if refused else rank_systems(posterior)
        # A full disk takes the file, and must not take the result of the sampling with it.
        with _going_on(failed):
            if out is not None:
                files["posterior"] = str(posterior.save(out))
        with _going_on(failed):
            if report is not None and not refused:
                from bayeseval.reporting import report as write_report

                files["report"] = str(write_report(posterior, judgements, report))
        for kind, path in files.items():
            say(f"Wrote the {kind}: {path}", quiet=quiet)
    if as_json:
        print_json(
            {
                "judgements": about_judgements(judgements),
                "posterior": about_posterior(posterior),
                "ranking": None if ranking is None else about_ranking(ranking),
                "comparison": (
                    None
                    if ranking is None or len(posterior.systems) < 2
                    else about_comparison(compare_systems(posterior))
                ),
                "files": files,
            }
        )
    elif ranking is not None:
        typer.echo(repr(ranking))
    if failed:
        raise BayesEvalError("; ".join(map(str, failed)))
    if posterior.settings.interrupted:
        raise typer.Exit(INTERRUPTED)
    if refused:
        if quiet:
            typer.echo(str(posterior.convergence), err=True)
        raise typer.Exit(NOT_CONVERGED)


@contextmanager
def _going_on(failed: list[BayesEvalError]) -> Iterator[None]:
    """Keep an error for the end."""
    try:
        yield
    except BayesEvalError as error:
        failed.append(error)


def _family(protocol: str, name: str | None, settings: Mapping[str, Any]) -> Any:
    """Return a family of the protocol with these settings."""
    from bayeseval import families

    made: Any = families.family_named(name) if name else type(families.default_family(protocol))
    if made.protocol != protocol:
        there_are = [
            family.name
            for family in (getattr(families, public) for public in families.__all__)
            if getattr(family, "protocol", None) == protocol
        ]
        raise BayesEvalError(
            f"--family {made.name} models {made.protocol} judgements; of {protocol} judgements "
            f"there {'is' if len(there_are) == 1 else 'are'} {some(there_are)}"
        )
    known = [field.name for field in fields(made)]
    for setting in settings:
        if setting not in known:
            meant = nearest(setting, known)
            raise BayesEvalError(
                f"{made.name} has no setting {setting!r}; it has {some(known, most=12)}"
                + (f". Did you mean {meant!r}?" if meant else "")
            )
    return made(**settings)
