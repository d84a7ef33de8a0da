"""The program: its commands in their order, and how it ends."""

import sys
from collections.abc import Sequence
from typing import Annotated, Never

import typer

from bayeseval.cli._demo import demo
from bayeseval.cli._fit import fit
from bayeseval.cli._options import options_meant
from bayeseval.cli._results import compare, rank, report, summary
from bayeseval.cli._run import INTERRUPTED, WRONG_INPUT
from bayeseval.errors import BayesEvalError

_SAME = {"output": "out"}


app = typer.Typer(
    name="bayeseval",
    help="Bayesian modelling of ratings: from human judgements to a posterior ranking.",
    epilog="Start with: bayeseval demo",
    no_args_is_help=True,
    add_completion=False,
    # Rich takes a tenth of a second to import, and its tracebacks hide the message.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    # One word for what is written, in every command; the other is taken as well, out of sight.
    context_settings={"token_normalize_func": lambda token: _SAME.get(token, token)},
)


def main(arguments: Sequence[str] | None = None) -> Never:
    """Run the command line and exit.

    Parameters
    ----------
    arguments : sequence of str, optional
        What stands after ``bayeseval``; that of the process by default.

    Raises
    ------
    SystemExit
        Always. Status 0; 2 for wrong input; 3 where sampling did not converge under ``--strict``;
        130 where it was interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal without Unicode shows an escape instead of ending in an error.
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")
    try:
        app(args=None if arguments is None else list(arguments), prog_name="bayeseval")
    except (BayesEvalError, OSError) as error:
        typer.echo(f"bayeseval: {error}", err=True)
        if options := options_meant(str(error)):
            typer.echo(f"On the command line: {', '.join(options)}.", err=True)
        sys.exit(WRONG_INPUT)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(0)


def _show_version(*, wanted: bool) -> None:
    if wanted:
        from bayeseval import __version__

        typer.echo(f"bayeseval {__version__}")
        raise typer.Exit


def _show_help(context: typer.Context, *, wanted: bool) -> None:
    if wanted:
        typer.echo(context.get_help())
        raise typer.Exit


# The group's help option is our own: typer's has no default, and to make sure of its type typer
# imports pydantic, even for `bayeseval fit --help`.
@app.callback(add_help_option=False)
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            is_eager=True,
            callback=lambda value: _show_version(wanted=value),
            help="Show the version and exit.",
        ),
    ] = False,
    wants_help: Annotated[
        bool,
        typer.Option(
            "--help",
            is_eager=True,
            callback=lambda ctx, value: _show_help(ctx, wanted=value),
            help="Show this message and exit.",
        ),
    ] = False,
) -> None:
    """Options of every command."""


for _command in (fit, rank, compare, report, summary, demo):
    app.command()(_command)
