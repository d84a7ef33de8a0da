"""The options of the commands, those of a table of judgements among them."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from bayeseval._checks import nearest, some
from bayeseval.cli._text import ends, numbers, outcomes, reference_of
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


@dataclass(frozen=True, kw_only=True)
class Table:
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
    """How the judgements of a protocol are read; options are named as fields of `Table`.

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
        meaning={"scale": ends, "label": numbers},
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
        meaning={"label": outcomes},
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
        meaning={"label": numbers},
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
        meaning={"reference": reference_of},
    ),
}


def reads_judgements(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `Table`, gathered in its argument ``table``."""

    @wraps(command)
    def run(**values: Any) -> None:
        names = [option.name for option in fields(Table)]
        command(table=Table(**{name: values.pop(name) for name in names}), **values)

    parameters = list(signature(command).parameters.values())
    place = [parameter.name for parameter in parameters].index("table")
    first, rest = parameters[:place], parameters[place + 1 :]
    options = signature(Table).parameters.values()
    run.__dict__["__signature__"] = Signature([*first, *options, *rest])
    return run


def options_meant(message: str) -> list[str]:
    """Return the options for the arguments that a message of the package names, such as scale=."""
    arguments = {field.name: field.name for field in fields(Table)} | {
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
