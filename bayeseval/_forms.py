"""How the judgements of each protocol stand in a file: the one declaration of it.

The classes of `bayeseval.judgements`, the readers of platforms and the command line take their
arguments from here. It imports nothing, so that the command line's help stays quick.
"""

from dataclasses import dataclass
from typing import Literal

type Kind = Literal["system", "answer", "column", "declared"]
type Takes = Literal["column", "ends", "numbers", "outcomes", "choice", "number or column"]


@dataclass(frozen=True, kw_only=True)
class Argument:
    """One argument that the reader of a protocol has and that of another may not.

    Parameters
    ----------
    name : str
        The reader's argument.
    kind : {"system", "answer", "column", "declared"}
        What it says: the column of a system; a column of the answer, of which one must be given; a
        further column; or something that is declared of all answers.
    takes : {"column", "ends", "numbers", "outcomes", "choice", "number or column"}
        What the option of the command line takes, and how its text is read.
    help : str
        What the option's help says, without the protocols; ``label`` has its own there.
    option : str, optional
        Name of the option; the argument's own where left out, none where empty.
    needed : bool
        Whether something must be declared.
    default : object
        What is declared otherwise.
    choices : tuple of str
        The words of a choice.
    """

    name: str
    kind: Kind
    takes: Takes = "column"
    help: str = ""
    option: str | None = None
    needed: bool = False
    default: object = None
    choices: tuple[str, ...] = ()

    @property
    def flag(self) -> str:
        """The option's name, with underscores."""
        return self.name if self.option is None else self.option


@dataclass(frozen=True)
class Form:
    """What one judgement of a protocol consists of in a file.

    Parameters
    ----------
    protocol : str
        Name of the protocol.
    arguments : tuple of Argument
        What its reader takes beside what all of them take, in the order in which it is said.
    """

    protocol: str
    arguments: tuple[Argument, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """Roles of the columns of systems."""
        return self._names("system")

    @property
    def answers(self) -> tuple[str, ...]:
        """Roles of the columns one of which holds the answer; the first is the answer's name."""
        return self._names("answer")

    @property
    def declared(self) -> tuple[Argument, ...]:
        """What is declared of all answers."""
        return tuple(each for each in self.arguments if each.kind == "declared")

    @property
    def options(self) -> dict[str, Argument]:
        """The arguments that have an option on the command line, by the option's name."""
        return {each.flag: each for each in self.arguments if each.flag}

    @property
    def needs(self) -> tuple[tuple[str, ...], ...]:
        """Options without which nothing can be read: of each group one must be given."""
        systems = tuple((name,) for name in self.systems)
        declared = tuple((each.flag,) for each in self.declared if each.needed)
        return (*systems, self.answers, *declared)

    def _names(self, kind: Kind) -> tuple[str, ...]:
        return tuple(each.name for each in self.arguments if each.kind == kind)


_ONE = (Argument(name="system", kind="system", help="Column of the system"),)
_TWO = (
    Argument(name="system_a", kind="system", help="Column of the system shown first"),
    Argument(name="system_b", kind="system", help="Column of the other system"),
)
_PAGE = Argument(name="page", kind="column", help="Column of what was on one screen")

LIKERT = Form(
    "likert",
    (
        *_ONE,
        Argument(name="rating", kind="answer", help="Column of the rating"),
        _PAGE,
        Argument(name="scale", kind="declared", takes="ends", help="Ends of the scale"),
        Argument(name="labels", kind="declared", takes="numbers", option="label"),
    ),
)
PAIRWISE = Form(
    "pairwise",
    (
        *_TWO,
        Argument(name="outcome", kind="answer", help="Column of the outcome: a, b or tie"),
        Argument(
            name="winner",
            kind="answer",
            help="Instead of --outcome, column of the winning system",
        ),
        Argument(name="outcomes", kind="declared", takes="outcomes", option="label"),
        Argument(
            name="ranking", kind="column", help="Column of the ranking that a pair comes from"
        ),
    ),
)
SPA = Form(
    "spa",
    (
        *_TWO,
        Argument(
            name="probability", kind="answer", help="Column of the probability that a is better"
        ),
        Argument(
            name="bounds", kind="declared", takes="ends", help="Ends of the scale", option="scale"
        ),
    ),
)
STRENGTH = Form(
    "strength",
    (
        *_TWO,
        Argument(name="strength", kind="answer", help="Column of the signed strength"),
        Argument(
            name="bounds",
            kind="declared",
            takes="ends",
            help="Ends of the scale",
            option="scale",
            needed=True,
        ),
        Argument(
            name="positive",
            kind="declared",
            takes="choice",
            help="Which system a positive strength favours",
            needed=True,
            choices=("a", "b"),
        ),
        Argument(name="graded", kind="declared", option=""),
        Argument(name="labels", kind="declared", takes="numbers", option="label"),
    ),
)
MAGNITUDE = Form(
    "magnitude",
    (
        *_ONE,
        Argument(name="magnitude", kind="answer", help="Column of the magnitude"),
        _PAGE,
        Argument(
            name="reference",
            kind="declared",
            takes="number or column",
            help="Magnitude of the reference, or its column, or none",
            needed=True,
        ),
        Argument(
            name="zeros",
            kind="declared",
            takes="choice",
            help="What to do with magnitudes of zero",
            default="refuse",
            choices=("refuse", "censor"),
        ),
    ),
)

FORMS = {form.protocol: form for form in (LIKERT, PAIRWISE, SPA, STRENGTH, MAGNITUDE)}
