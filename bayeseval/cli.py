"""The command line: the package's main functions as commands.

Results go to standard output, everything else to standard error. Only typer is imported at the top,
so that help is quick.
"""

import json
import logging
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Never

import typer

from bayeseval._checks import nearest, some
from bayeseval._files import write_whole
from bayeseval.errors import BayesEvalError

if TYPE_CHECKING:
    from bayeseval.comparison import Comparison
    from bayeseval.inference import Posterior
    from bayeseval.judgements import Judgements
    from bayeseval.ranking import Ranking

WRONG_INPUT = 2
NOT_CONVERGED = 3
INTERRUPTED = 130

_DEMO_SEED = 1
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
        if options := _options_meant(str(error)):
            typer.echo(f"On the command line: {', '.join(options)}.", err=True)
        sys.exit(WRONG_INPUT)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(0)


def _options_meant(message: str) -> list[str]:
    """Return the options for the arguments that a message of the package names, such as scale=."""
    arguments = {field.name: field.name for field in fields(_Table)} | {
        "labels": "label",
        "moderators": "moderator",
        "bounds": "scale",
        "outcomes": "label",
        "random_seed": "seed",
        "effects": "without",
        **{
            name: name
            for name in (
                "method",
                "draws",
                "tune",
                "chains",
                "cores",
                "target_accept",
                "rope",
                "by",
            )
        },
    }
    named = dict.fromkeys(
        "no_annotator" if (name, value) == ("annotator", "None") else arguments[name]
        for name, value in re.findall(r"\b([a-z_]+)=(None\b)?", message)
        if name in arguments
    )
    return ["--" + option.replace("_", "-") for option in named]


@dataclass(frozen=True, kw_only=True)
class _Table:
    """A file and what its columns mean: the options of every command that reads judgements."""

    file: Annotated[
        Path, typer.Argument(help="Judgements: CSV, TSV, JSON, JSON lines, Parquet or Excel.")
    ]
    protocol: Annotated[
        str,
        typer.Option(
            help="How people were asked: likert, pairwise, spa, strength or magnitude.",
        ),
    ] = "likert"
    annotator: Annotated[str | None, typer.Option(help="Column of the annotator.")] = None
    no_annotator: Annotated[
        bool, typer.Option("--no-annotator", help="The export has no annotator identities.")
    ] = False
    system: Annotated[
        str | None, typer.Option(help="Column of the system; likert and magnitude.")
    ] = None
    system_a: Annotated[
        str | None,
        typer.Option(help="Column of the system shown first; pairwise, spa and strength."),
    ] = None
    system_b: Annotated[
        str | None, typer.Option(help="Column of the other system; pairwise, spa and strength.")
    ] = None
    rating: Annotated[str | None, typer.Option(help="Column of the rating; likert.")] = None
    outcome: Annotated[
        str | None, typer.Option(help="Column of the outcome: a, b or tie; pairwise.")
    ] = None
    winner: Annotated[
        str | None,
        typer.Option(help="Instead of --outcome, column of the winning system; pairwise."),
    ] = None
    ranking: Annotated[
        str | None, typer.Option(help="Column of the ranking that a pair comes from; pairwise.")
    ] = None
    probability: Annotated[
        str | None, typer.Option(help="Column of the probability that a is better; spa.")
    ] = None
    strength: Annotated[
        str | None, typer.Option(help="Column of the signed strength; strength.")
    ] = None
    positive: Annotated[
        Literal["a", "b"] | None, typer.Option(help="Which system a positive strength favours.")
    ] = None
    magnitude: Annotated[str | None, typer.Option(help="Column of the magnitude; magnitude.")] = (
        None
    )
    reference: Annotated[
        str | None,
        typer.Option(help="Magnitude of the reference, or its column, or none; magnitude."),
    ] = None
    zeros: Annotated[
        Literal["refuse", "censor"] | None,
        typer.Option(help="What to do with magnitudes of zero; refuse."),
    ] = None
    item: Annotated[str | None, typer.Option(help="Column of the item.")] = None
    criterion: Annotated[str | None, typer.Option(help="Column of the criterion.")] = None
    page: Annotated[
        str | None, typer.Option(help="Column of what was on one screen; likert and magnitude.")
    ] = None
    moderator: Annotated[
        list[str] | None,
        typer.Option(help="Column that quality may vary by, such as the day; can be repeated."),
    ] = None
    count: Annotated[
        str | None, typer.Option(help="Column that says how often the row was observed.")
    ] = None
    scale: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="LOW HIGH",
            help="Ends of the scale; likert, spa and strength. Inferred for likert and spa where "
            "left out.",
        ),
    ] = None
    label: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT=VALUE",
            help="What an answer's text means, such as Poor=1, or left=a for pairwise; TEXT= alone "
            "is no answer. Can be repeated.",
        ),
    ] = None
    repeats: Annotated[
        bool,
        typer.Option(
            "--repeats", help="Several answers of one annotator to one question are meant."
        ),
    ] = False
    missing: Annotated[
        list[str] | None,
        typer.Option(help="Cell that means nothing is there, such as NA; can be repeated."),
    ] = None
    anonymise: Annotated[
        bool, typer.Option("--anonymise", help="Numbers in place of annotators' identities.")
    ] = False
    separator: Annotated[
        str | None, typer.Option(help="What stands between the columns; from the suffix.")
    ] = None
    encoding: Annotated[str, typer.Option(help="Encoding of the file, such as cp1252.")] = "utf-8"

    def read(self) -> "Judgements":
        """Read the judgements."""
        protocol = self._protocol()
        if (self.annotator is None) != self.no_annotator:
            raise BayesEvalError(
                "say who judged: --annotator COLUMN, or --no-annotator for an export without "
                f"identities; found {'neither' if self.annotator is None else 'both'}"
            )
        given = {
            name
            for each in _PROTOCOLS.values()
            for name in each.own
            if getattr(self, name) is not None
        }
        if foreign := sorted(given - set(protocol.own)):
            verb = "is" if len(foreign) == 1 else "are"
            raise BayesEvalError(
                f"{_flags(foreign)} {verb} not for {self.protocol} judgements, which have "
                f"{_flags(protocol.own)}. --protocol says how people were asked: "
                f"{some(_PROTOCOLS)}"
            )
        lacking = [name for name in protocol.needs if not given.intersection(name.split("|"))]
        if lacking:
            needed, absent = (
                [_flags(name.split("|"), " or ") for name in names]
                for names in (protocol.needs, lacking)
            )
            raise BayesEvalError(
                f"{self.protocol} judgements need {' and '.join(needed)}, each with a column or "
                f"value; there is no {' and no '.join(absent)}"
            )
        from bayeseval import judgements

        reader = getattr(judgements, protocol.judgements)
        own: dict[str, Any] = {}
        for name, argument in protocol.own.items():
            value = getattr(self, name)
            if value is not None:
                own[argument] = protocol.meaning[name](value) if name in protocol.meaning else value
        table = reader.read(
            self.file,
            annotator=self.annotator,
            item=self.item,
            criterion=self.criterion,
            moderators=tuple(self.moderator or ()),
            count=self.count,
            repeats=self.repeats,
            missing=("", *(self.missing or ())),
            separator=self.separator,
            encoding=self.encoding,
            **own,
        )
        return judgements.anonymise(table) if self.anonymise else table

    def _protocol(self) -> "_Protocol":
        if self.protocol in _PROTOCOLS:
            return _PROTOCOLS[self.protocol]
        meant = nearest(self.protocol, list(_PROTOCOLS))
        raise BayesEvalError(
            f"--protocol is {some(_PROTOCOLS)}; found {self.protocol!r}"
            + (f". Did you mean {meant!r}?" if meant else "")
        )


@dataclass(frozen=True, kw_only=True)
class _Protocol:
    """How the judgements of a protocol are read; options are named as fields of `_Table`.

    Parameters
    ----------
    judgements : str
        The class that reads them.
    needs : tuple of str
        Options without which nothing can be read; ``one|other`` where either will do.
    own : mapping of str to str
        Options that not all protocols have, and the reader's argument for each.
    meaning : mapping of str to callable
        Options whose text is not yet what the reader takes.
    """

    judgements: str
    needs: tuple[str, ...]
    own: Mapping[str, str]
    meaning: Mapping[str, Callable[[Any], Any]]


def _flags(options: Iterable[str], between: str = ", ") -> str:
    return between.join("--" + option.replace("_", "-") for option in options)


def _reads_judgements(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `_Table`, gathered in its argument ``table``."""

    @wraps(command)
    def run(**values: Any) -> None:
        names = [option.name for option in fields(_Table)]
        command(table=_Table(**{name: values.pop(name) for name in names}), **values)

    parameters = list(signature(command).parameters.values())
    place = [parameter.name for parameter in parameters].index("table")
    first, rest = parameters[:place], parameters[place + 1 :]
    options = signature(_Table).parameters.values()
    run.__dict__["__signature__"] = Signature([*first, *options, *rest])
    return run


def _whole(number: float) -> int | float:
    return int(number) if number.is_integer() else number


def _ends(scale: tuple[float, float]) -> tuple[int | float, ...]:
    return tuple(_whole(end) for end in scale)


def _numbers(labels: Sequence[str]) -> dict[str, int | float | None]:
    return dict(_meaning(label) for label in labels)


def _outcomes(labels: Sequence[str]) -> dict[str, str | None]:
    """Read ``left=a``; the reader says which outcomes there are."""
    found = {}
    for label in labels:
        text, equals, outcome = label.rpartition("=")
        if not equals:
            raise BayesEvalError(
                f"--label is TEXT=OUTCOME, such as --label left=a; found {label!r} without '='"
            )
        found[text] = outcome.strip() or None
    return found


def _reference(text: str) -> float | str | None:
    if text == "none":
        return None
    try:
        return float(text)
    except ValueError:
        return text


def _meaning(label: str) -> tuple[str, int | float | None]:
    text, equals, number = label.rpartition("=")
    if not equals:
        raise BayesEvalError(
            f"--label is TEXT=NUMBER, such as --label Poor=1; found {label!r} without '='"
        )
    if not number.strip():
        return text, None
    try:
        return text, _whole(float(number))
    except ValueError:
        raise BayesEvalError(
            f"--label is TEXT=NUMBER, such as --label Poor=1; found {number!r} where the number "
            "should be"
        ) from None


_PAIR = {"system_a": "system_a", "system_b": "system_b"}
_PROTOCOLS: dict[str, _Protocol] = {
    "likert": _Protocol(
        judgements="LikertJudgements",
        needs=("system", "rating"),
        own={
            "system": "system",
            "rating": "rating",
            "page": "page",
            "scale": "scale",
            "label": "labels",
        },
        meaning={"scale": _ends, "label": _numbers},
    ),
    "pairwise": _Protocol(
        judgements="PairwiseJudgements",
        needs=("system_a", "system_b", "outcome|winner"),
        own={
            **_PAIR,
            "outcome": "outcome",
            "winner": "winner",
            "label": "outcomes",
            "ranking": "ranking",
        },
        meaning={"label": _outcomes},
    ),
    "spa": _Protocol(
        judgements="SPAJudgements",
        needs=("system_a", "system_b", "probability"),
        own={**_PAIR, "probability": "probability", "scale": "bounds"},
        meaning={},
    ),
    "strength": _Protocol(
        judgements="StrengthJudgements",
        needs=("system_a", "system_b", "strength", "scale", "positive"),
        own={
            **_PAIR,
            "strength": "strength",
            "scale": "bounds",
            "positive": "positive",
            "label": "labels",
        },
        meaning={"label": _numbers},
    ),
    "magnitude": _Protocol(
        judgements="MagnitudeJudgements",
        needs=("system", "magnitude", "reference"),
        own={
            "system": "system",
            "magnitude": "magnitude",
            "page": "page",
            "reference": "reference",
            "zeros": "zeros",
        },
        meaning={"reference": _reference},
    ),
}


def _setting(text: str) -> tuple[str, Any]:
    """Read ``name=value``: true, false, a number, a list with commas, or a word."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise BayesEvalError(f"--set is NAME=VALUE, such as --set link=probit; found {text!r}")
    parts = [_value(part.strip()) for part in value.split(",")]
    return name.strip().replace("-", "_"), parts[0] if len(parts) == 1 else tuple(parts)


def _value(text: str) -> bool | int | float | str:
    if text in ("true", "false"):
        return text == "true"
    try:
        return _whole(float(text))
    except ValueError:
        return text


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


_PosteriorFile = Annotated[Path, typer.Argument(metavar="POSTERIOR", help="File that fit wrote.")]
_CiProb = Annotated[float | None, typer.Option(help="Probability of the intervals; 0.95.")]
_CiKind = Annotated[
    Literal["eti", "hdi"] | None,
    typer.Option(help="Equal-tailed or highest-density intervals; eti."),
]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]
_Rope = Annotated[
    tuple[float, float] | None,
    typer.Option(metavar="LOW HIGH", help="Region of practical equivalence, such as 0.45 0.55."),
]
_Criterion = Annotated[str | None, typer.Option(help="Criterion; each in turn where left out.")]
_By = Annotated[str | None, typer.Option(help="Moderator within whose levels to look.")]
_Population = Annotated[
    Literal["new", "observed"] | None,
    typer.Option(
        help="Left out: new annotators and items, levels in the data; new: new levels too; "
        "observed: all of the data."
    ),
]
_Level = Annotated[str | None, typer.Option(help="Level of --by; each in turn where left out.")]


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


@app.command()
@_reads_judgements
def fit(
    *,
    table: _Table,
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
    as_json: _Json = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Say nothing on standard error but errors.")
    ] = False,
) -> None:
    """Fit a file of judgements and print the ranking.

    A posterior that did not converge is marked wherever it is printed or written.
    """
    _refuse_unwritable(out, "--out", (".nc",))
    _refuse_unwritable(report, "--report", (".html", ".htm", ".md"))
    chosen: dict[str, Any] = dict(_setting(text) for text in setting or ())
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
    with _voice(quiet=quiet):
        _say(repr(judgements), quiet=quiet)
        from bayeseval.comparison import compare as compare_systems
        from bayeseval.comparison import rank as rank_systems

        posterior = _sampled(
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
        if out is not None:
            files["posterior"] = str(posterior.save(out))
        refused = strict and not posterior.convergence.ok
        ranking = None if refused else rank_systems(posterior)
        if report is not None and not refused:
            from bayeseval.reporting import report as write_report

            files["report"] = str(write_report(posterior, judgements, report))
        for kind, path in files.items():
            _say(f"Wrote the {kind}: {path}", quiet=quiet)
    if as_json:
        _print_json(
            {
                "judgements": _about_judgements(judgements),
                "posterior": _about(posterior),
                "ranking": None if ranking is None else _about_ranking(ranking),
                "comparison": (
                    None
                    if ranking is None or len(posterior.systems) < 2
                    else _about_comparison(compare_systems(posterior))
                ),
                "files": files,
            }
        )
    elif ranking is not None:
        typer.echo(repr(ranking))
    if posterior.settings.interrupted:
        raise typer.Exit(INTERRUPTED)
    if refused:
        if quiet:
            typer.echo(str(posterior.convergence), err=True)
        raise typer.Exit(NOT_CONVERGED)


@app.command()
def rank(
    *,
    posterior: _PosteriorFile,
    criterion: _Criterion = None,
    by: _By = None,
    level: _Level = None,
    top: Annotated[
        list[int] | None, typer.Option(help="The k of P(among the best k); can be repeated; 3.")
    ] = None,
    tier_prob: Annotated[
        float, typer.Option(help="Probability that a boundary between tiers must reach.")
    ] = 0.95,
    ci_prob: _CiProb = None,
    ci_kind: _CiKind = None,
    population: _Population = None,
    as_json: _Json = False,
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
        _print_json({"posterior": _about(loaded), "ranking": _about_ranking(ranking)})
    else:
        typer.echo(repr(ranking))


@app.command()
def compare(
    *,
    posterior: _PosteriorFile,
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
    rope: _Rope = None,
    criterion: _Criterion = None,
    by: _By = None,
    level: _Level = None,
    population: _Population = None,
    ci_prob: _CiProb = None,
    ci_kind: _CiKind = None,
    as_json: _Json = False,
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
        _print_json({"posterior": _about(loaded), "comparison": _about_comparison(comparison)})
    else:
        typer.echo(repr(comparison))


@app.command()
@_reads_judgements
def report(
    *,
    posterior: _PosteriorFile,
    table: _Table,
    output: Annotated[
        Path, typer.Option("--out", help="Where to write: .html for a page, .md for Markdown.")
    ] = Path("report.html"),
    title: Annotated[str | None, typer.Option(help="Title of the report.")] = None,
    rope: _Rope = None,
    ci_prob: _CiProb = None,
    ci_kind: _CiKind = None,
) -> None:
    """Write a report of a fitted posterior.

    It needs the judgements again, with the same options as the fit.
    """
    _refuse_unwritable(output, "--out", (".html", ".htm", ".md"))
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


@app.command()
@_reads_judgements
def summary(*, table: _Table, as_json: _Json = False) -> None:
    """Say what a file of judgements holds.

    And what of it is dropped, and what the design can identify.
    """
    judgements = table.read()
    found = judgements.summary()
    if as_json:
        facts = [dict(zip(("section", "name", "value"), fact, strict=True)) for fact in found.facts]
        _print_json(
            {
                "judgements": _about_judgements(judgements),
                "facts": facts,
                "notes": found.notes,
            }
        )
    else:
        typer.echo(repr(found))


@app.command()
def demo(
    *,
    output: Annotated[
        Path, typer.Option("--out", help="Folder to write to; made where needed.")
    ] = Path("bayeseval-demo"),
    draws: Annotated[int, typer.Option(help="Draws kept, of each of four chains.")] = 2000,
) -> None:
    """Go the whole way on simulated ratings.

    Writes a file of ratings, fits them, prints the ranking and writes the report.
    """
    import numpy as np

    output.mkdir(parents=True, exist_ok=True)
    typer.echo("These data are SIMULATED: 30 annotators rate outputs of 5 systems for 20 items.")
    from bayeseval.simulate import simulate_likert

    simulated = simulate_likert(
        n_annotators=30,
        n_systems=5,
        n_items=20,
        n_categories=5,
        design="ragged",
        share_judged=0.25,
        quality=np.array([0.7, 0.45, 0.35, -0.4, -1.1]),
        interaction_sd=0.4,
        taste_sd=0.4,
        random_seed=_DEMO_SEED,
    )
    ratings = output / "ratings.csv"
    text = simulated.judgements.to_frame().to_csv(index=False)
    write_whole(ratings, text.encode(), "file of ratings")
    table = _Table(
        file=ratings,
        annotator="annotator",
        system="system",
        item="item",
        rating="rating",
        scale=(1, 5),
    )
    judgements = table.read()
    _say(repr(judgements))
    from bayeseval.comparison import rank as rank_systems
    from bayeseval.families import OrdinalProbit
    from bayeseval.reporting import report as write_report

    with _voice():
        posterior = _sampled(judgements, OrdinalProbit(), draws=draws, seed=_DEMO_SEED)
    typer.echo(repr(rank_systems(posterior)))
    true = simulated.truth["quality"].to_series().sort_values(ascending=False)
    typer.echo(
        "\nThe true order, known because the data are simulated: "
        + " > ".join(f"{system} ({quality:+.2f})" for system, quality in true.items())
    )
    saved = posterior.save(output / "posterior.nc")
    page = write_report(
        posterior,
        judgements,
        output / "report.html",
        title="Demonstration on simulated ratings: posterior ranking of 5 systems",
    )
    typer.echo(
        f"\nIn {output.resolve()}:\n"
        f"  {ratings.name:13} the simulated ratings\n"
        f"  {saved.name:13} the posterior; bayeseval rank {saved}\n"
        f"  {page.name:13} the report; open it in a browser\n"
        "The same for a file of your own:\n"
        f"  bayeseval fit {ratings} --annotator annotator --system system --item item "
        f"--rating rating --scale 1 5 --draws {draws} --seed {_DEMO_SEED} --out posterior.nc "
        "--report report.html"
    )


def _sampled(
    judgements: "Judgements",
    family: Any,
    *,
    method: Literal["nuts", "laplace", "auto"] = "nuts",
    draws: int = 1000,
    tune: int | None = None,
    chains: int = 4,
    cores: int | None = None,
    seed: int | None = None,
    target_accept: float | None = None,
    quiet: bool = False,
) -> "Posterior":
    """Fit, and say on standard error how it went."""
    import warnings

    from bayeseval.errors import ConvergenceWarning
    from bayeseval.inference import fit as fit_family

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        posterior = fit_family(
            judgements,
            family,
            method=method,
            draws=draws,
            tune=tune,
            chains=chains,
            cores=cores,
            random_seed=seed,
            target_accept=target_accept,
            progressbar=not quiet,
        )
    if posterior.settings.interrupted:
        _say(
            f"Interrupted: {posterior.settings.draws:,} of {draws:,} draws of each chain are kept.",
            quiet=quiet,
        )
    _say(str(posterior.convergence), quiet=quiet)
    return posterior


def _say(text: str, *, quiet: bool = False) -> None:
    if not quiet:
        typer.echo(text, err=True)


@contextmanager
def _voice(*, quiet: bool = False) -> Iterator[None]:
    """Let the package's messages through, or only its warnings."""
    logger = logging.getLogger("bayeseval")
    before = logger.level
    logger.setLevel(logging.ERROR if quiet else logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(before)


def _refuse_unwritable(path: Path | None, option: str, suffixes: tuple[str, ...]) -> None:
    """Find out before minutes of sampling, not after, that a result cannot be written."""
    if path is None:
        return
    if path.suffix.lower() not in suffixes:
        raise BayesEvalError(f"{option} names a file that ends in {some(suffixes)}; found {path}")
    if path.is_dir():
        raise BayesEvalError(f"{option} must be a file; {path} is a folder")
    if not path.absolute().parent.is_dir():
        raise BayesEvalError(f"{option}: there is no folder {path.parent}; make it first")


def _about_judgements(judgements: "Judgements") -> dict[str, object]:
    annotators, items = judgements.annotators, judgements.items
    scale = getattr(judgements, "scale", None)
    return {
        "protocol": judgements.protocol,
        "fingerprint": judgements.fingerprint,
        "n_judgements": judgements.n_judgements,
        "n_rows": judgements.n_rows,
        "n_annotators": None if annotators is None else len(annotators),
        "n_items": None if items is None else len(items),
        "systems": judgements.systems,
        "criteria": judgements.criteria,
        "moderators": judgements.moderators,
        "scale": scale
        and {name: getattr(scale, name) for name in ("labels", "values", "declared")},
        "dropped": judgements.dropped,
    }


def _about(posterior: "Posterior") -> dict[str, object]:
    convergence = posterior.convergence
    return {
        "protocol": posterior.protocol,
        "family": {"name": posterior.family.name, **_record(posterior.family)},
        "effects": [effect.name for effect in posterior.declaration.effects],
        "left_out": posterior.declaration.left_out,
        "fingerprint": posterior.fingerprint,
        "quality_scale": posterior.quality_scale,
        "approximate": posterior.approximate,
        "settings": posterior.settings,
        "convergence": {
            "ok": convergence.ok,
            "problems": convergence.problems,
            "divergences": convergence.divergences,
            "independent": convergence.independent,
            "quantities": convergence.to_frame(),
        },
    }


def _about_ranking(ranking: "Ranking") -> dict[str, object]:
    return {
        "by": ranking.by,
        "population": ranking.population,
        "averaged_over": ranking.averaged_over,
        "ci_prob": ranking.ci_prob,
        "ci_kind": ranking.ci_kind,
        "tier_prob": ranking.tier_prob,
        "tier_rule": ranking.tier_rule,
        "systems": ranking.to_frame(),
        "rank_distribution": [
            {
                "criterion": part.criterion,
                "level": part.level,
                "probability": {
                    system: list(row)
                    for system, row in zip(
                        part.distribution.index, part.distribution.to_numpy(), strict=True
                    )
                },
            }
            for part in ranking
        ],
    }


def _about_comparison(comparison: "Comparison") -> dict[str, object]:
    return {
        "quantity": comparison.quantity,
        "title": comparison.title,
        "unit": comparison.unit,
        "reference": comparison.reference,
        "by": comparison.by,
        "population": comparison.population,
        "averaged_over": comparison.averaged_over,
        "rope": comparison.rope,
        "verdict_prob": comparison.verdict_prob,
        "verdict_rule": comparison.verdict_rule,
        "ci_prob": comparison.ci_prob,
        "ci_kind": comparison.ci_kind,
        "pairs": comparison.to_frame(),
    }


def _print_json(document: Mapping[str, object]) -> None:
    from bayeseval import __version__

    plain = _plain({"bayeseval": __version__, **document})
    typer.echo(json.dumps(plain, ensure_ascii=False, allow_nan=False, indent=2))


def _record(record: Any) -> dict[str, object]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _plain(value: Any) -> Any:
    """Turn records, tables and NumPy's numbers into what JSON has; a missing number is null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if is_dataclass(value):
        return _plain(_record(value))
    if hasattr(value, "to_dict"):
        return _plain(value.to_dict(orient="records"))
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return value


if __name__ == "__main__":
    main()
