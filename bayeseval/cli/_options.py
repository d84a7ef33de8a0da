"""The options of the commands, those of a table of judgements among them."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from bayeseval._checks import nearest, some
from bayeseval._forms import FORMS, Argument, Form
from bayeseval.cli._text import READERS
from bayeseval.errors import BayesEvalError

if TYPE_CHECKING:
    from bayeseval.judgements import Judgements

PosteriorFile = Annotated[Path, typer.Argument(metavar="POSTERIOR", help="File that fit wrote.")]
CiProb = Annotated[float | None, typer.Option(help="Probability of the intervals; 0.95.")]
CiKind = Annotated[
    Literal["eti", "hdi"] | None,
    typer.Option(help="Equal-tailed or highest-density intervals; eti."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]
Rope = Annotated[
    tuple[float, float] | None,
    typer.Option(metavar="LOW HIGH", help="Region of practical equivalence, such as 0.45 0.55."),
]
Criterion = Annotated[str | None, typer.Option(help="Criterion; each in turn where left out.")]
By = Annotated[str | None, typer.Option(help="Moderator within whose levels to look.")]
Population = Annotated[
    Literal["new", "observed"] | None,
    typer.Option(
        help="Left out: new annotators and items, levels in the data; new: new levels too; "
        "observed: all of the data."
    ),
]
Level = Annotated[str | None, typer.Option(help="Level of --by; each in turn where left out.")]


def _listed(names: Iterable[str], last: str) -> str:
    *most, end = names
    return f"{', '.join(most)} {last} {end}" if most else end


def _flags(options: Iterable[str], between: str = ", ") -> str:
    return between.join("--" + option.replace("_", "-") for option in options)


def _help(option: str) -> str:
    """Return the help of an option that not all protocols have, and which those are."""
    having = {name: form.options[option] for name, form in FORMS.items() if option in form.options}
    argument = next(iter(having.values()))
    if argument.takes == "choice":
        return argument.help + (f"; {argument.default}." if argument.default else ".")
    return f"{argument.help}; {_listed(having, 'and')}."


def _inferring(option: str) -> list[str]:
    """Return the protocols that take an option and do not need it."""
    return [
        name
        for name, form in FORMS.items()
        if option in form.options and not form.options[option].needed
    ]


@dataclass(frozen=True, kw_only=True)
class Table:
    """A file and what its columns mean: the options of every command that reads judgements.

    ``own`` has the values of the options of `OWN`, which not all protocols have.
    """

    file: Annotated[
        Path, typer.Argument(help="Judgements: CSV, TSV, JSON, JSON lines, Parquet or Excel.")
    ]
    protocol: Annotated[
        str,
        typer.Option(
            help=f"How people were asked: {_listed(FORMS, 'or')}.",
        ),
    ] = "likert"
    annotator: Annotated[str | None, typer.Option(help="Column of the annotator.")] = None
    no_annotator: Annotated[
        bool, typer.Option("--no-annotator", help="The export has no annotator identities.")
    ] = False
    own: Mapping[str, Any] = field(default_factory=dict)
    item: Annotated[str | None, typer.Option(help="Column of the item.")] = None
    criterion: Annotated[str | None, typer.Option(help="Column of the criterion.")] = None
    page: Annotated[str | None, typer.Option(help=_help("page"))] = None
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
            help=f"{_help('scale')} Inferred for {_listed(_inferring('scale'), 'and')} where left "
            "out.",
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
        form = self._form()
        if (self.annotator is None) != self.no_annotator:
            raise BayesEvalError(
                "say who judged: --annotator COLUMN, or --no-annotator for an export without "
                f"identities; found {'neither' if self.annotator is None else 'both'}"
            )
        shared = {"page": self.page, "scale": self.scale, "label": self.label}
        given = {name: value for name, value in {**self.own, **shared}.items() if value is not None}
        if foreign := sorted(set(given) - set(form.options)):
            verb = "is" if len(foreign) == 1 else "are"
            raise BayesEvalError(
                f"{_flags(foreign)} {verb} not for {self.protocol} judgements, which have "
                f"{_flags(form.options)}. --protocol says how people were asked: {some(FORMS)}"
            )
        lacking = [names for names in form.needs if not set(names) & set(given)]
        if lacking:
            needed, absent = (
                [_flags(names, " or ") for names in groups] for groups in (form.needs, lacking)
            )
            raise BayesEvalError(
                f"{self.protocol} judgements need {' and '.join(needed)}, each with a column or "
                f"value; there is no {' and no '.join(absent)}"
            )
        from bayeseval.judgements import anonymise
        from bayeseval.judgements._protocols import PROTOCOLS

        # The five classes differ in what they declare, so that the base has no such method.
        reader: Any = PROTOCOLS[self.protocol]
        table: Judgements = reader.read(
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
            **{
                argument.name: READERS[argument.takes](given[option])
                for option, argument in form.options.items()
                if option in given
            },
        )
        return anonymise(table) if self.anonymise else table

    def _form(self) -> Form:
        if self.protocol in FORMS:
            return FORMS[self.protocol]
        meant = nearest(self.protocol, list(FORMS))
        raise BayesEvalError(
            f"--protocol is {some(FORMS)}; found {self.protocol!r}"
            + (f". Did you mean {meant!r}?" if meant else "")
        )


def _own_options() -> dict[str, Argument]:
    """Return the options that only some protocols have, those for systems first."""
    every = [
        argument
        for form in FORMS.values()
        for option, argument in form.options.items()
        if option not in Table.__dataclass_fields__
    ]
    every.sort(key=lambda argument: argument.kind != "system")
    return {argument.flag: argument for argument in every}


OWN = _own_options()


def _as_parameter(option: str, argument: Argument) -> Parameter:
    kind: Any = Literal[argument.choices] if argument.takes == "choice" else str
    annotation = Annotated[kind | None, typer.Option(help=_help(option))]
    return Parameter(option, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def reads_judgements(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `Table`, gathered in its argument ``table``."""

    @wraps(command)
    def run(**values: Any) -> None:
        own = {option: values.pop(option) for option in OWN}
        shared = {option: values.pop(option) for option in options if option != "own"}
        command(table=Table(own=own, **shared), **values)

    options = signature(Table).parameters
    parameters: list[Parameter] = []
    for parameter in signature(command).parameters.values():
        parameters += options.values() if parameter.name == "table" else [parameter]
    place = [parameter.name for parameter in parameters].index("own")
    parameters[place : place + 1] = [_as_parameter(*each) for each in OWN.items()]
    run.__dict__["__signature__"] = Signature(parameters)
    return run


def options_meant(message: str) -> list[str]:
    """Return the options for the arguments that a message of the package names, such as scale=."""
    same = ("method", "draws", "tune", "chains", "cores", "target_accept", "rope", "by")
    arguments = (
        {option: option for option in (*Table.__dataclass_fields__, *same) if option != "own"}
        | {
            argument.name: option
            for form in FORMS.values()
            for option, argument in form.options.items()
        }
        | {"moderators": "moderator", "random_seed": "seed", "effects": "without"}
    )
    named = dict.fromkeys(
        "no_annotator" if (name, value) == ("annotator", "None") else arguments[name]
        for name, value in re.findall(r"\b([a-z_]+)=(None\b)?", message)
        if name in arguments
    )
    return ["--" + option.replace("_", "-") for option in named]
