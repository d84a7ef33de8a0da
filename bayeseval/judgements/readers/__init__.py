"""Named formats of platforms and published collections."""

import inspect
from collections.abc import Callable

from bayeseval._checks import nearest, some
from bayeseval._forms import FORMS
from bayeseval.errors import JudgementError
from bayeseval.judgements._reading import Paths, naming_the_file, paths_of
from bayeseval.judgements._table import Judgements
from bayeseval.judgements.identities import anonymise as with_codes
from bayeseval.judgements.readers._platform import LABELLED, RECORDS
from bayeseval.judgements.readers.arena import (
    read_alpaca_eval,
    read_chatbot_arena,
    read_mt_bench,
)
from bayeseval.judgements.readers.crowd import read_crowdflower, read_mturk
from bayeseval.judgements.readers.esa import read_wmt_esa
from bayeseval.judgements.readers.inspect_logs import read_inspect
from bayeseval.judgements.readers.people import join_annotators
from bayeseval.judgements.readers.qualtrics import read_qualtrics
from bayeseval.judgements.readers.tools import read_argilla, read_label_studio
from bayeseval.judgements.readers.wmt import (
    mqm_scores,
    read_wmt_mqm,
    read_wmt_rankings,
)

__all__ = ["FORMATS", "join_annotators", "mqm_scores", "read"]

# Which files of a folder are read.
SUFFIXES = (*RECORDS, ".eval")
# Arguments that messages about a table recommend.
ADVISED = (*LABELLED, "scale", "labels", "missing", "outcomes", "bounds", "repeats", "zeros")

FORMATS: dict[str, Callable[..., Judgements]] = {
    "alpaca_eval": read_alpaca_eval,
    "argilla": read_argilla,
    "chatbot_arena": read_chatbot_arena,
    "crowdflower": read_crowdflower,
    "inspect": read_inspect,
    "label_studio": read_label_studio,
    "mt_bench": read_mt_bench,
    "mturk": read_mturk,
    "qualtrics": read_qualtrics,
    "wmt_esa": read_wmt_esa,
    "wmt_mqm": read_wmt_mqm,
    "wmt_rankings": read_wmt_rankings,
}


def read(path: Paths, *, format: str, anonymise: bool = False, **options: object) -> Judgements:
    """Read judgements in a named format.

    Parameters
    ----------
    path : str, Path or sequence of them
        The file, several of one layout, or a folder of such files.
    format : str
        ``"alpaca_eval"``, ``"argilla"``, ``"chatbot_arena"``, ``"crowdflower"``, ``"inspect"``,
        ``"label_studio"``, ``"mt_bench"``, ``"mturk"``, ``"qualtrics"``, ``"wmt_esa"``,
        ``"wmt_mqm"`` or ``"wmt_rankings"``. A plain table is read by a protocol's class:
        ``LikertJudgements.read``.
    anonymise : bool
        Replace annotators' identities by numbers, as `bayeseval.anonymise`.
    **options
        Options of the format, forwarded to its function ``FORMATS[format]``.

    Returns
    -------
    Judgements
        The protocol's table; ``origin`` says which columns were used.

    Raises
    ------
    JudgementError
        The format or an option is unknown, or the file is not what the format says.
    """
    if not isinstance(format, str) or format not in FORMATS:
        close = nearest(format, list(FORMATS))
        hint = f" Did you mean {close!r}?" if close else ""
        raise JudgementError(
            f"format= must be one of {some(FORMATS, most=20)}; found {format!r}.{hint} A plain "
            "table is read by a protocol's class, for example LikertJudgements.read."
        )
    reader = FORMATS[format]
    try:
        inspect.signature(reader).bind(path, **options)
    except TypeError as error:
        known = [name for name in inspect.signature(reader).parameters if name != "path"]
        raise JudgementError(
            f"format={format!r}: {error}; its options are {some(known, most=12)}."
        ) from None
    with naming_the_file(*paths_of(path, *SUFFIXES)):
        try:
            table = reader(path, **options)
        except JudgementError as error:
            raise JudgementError(f"{error}{_not_taken(str(error), format)}") from None
    return with_codes(table) if anonymise else table


def _not_taken(message: str, format: str) -> str:
    """Say what to do where a message of the table recommends what the format does not take."""
    parameters = inspect.signature(FORMATS[format]).parameters
    taken = set(parameters)
    if "declared" in parameters:
        taken |= {each.name for form in FORMS.values() for each in form.declared}
    advised = [name for name in ADVISED if f"{name}=" in message and name not in taken]
    if not advised:
        return ""
    arguments = " or ".join(f"{name}=" for name in advised)
    if "columns" in parameters and set(advised) <= set(LABELLED):
        return f" With format={format!r} it is a role of columns=, in place of {arguments}."
    return (
        f" (format={format!r} takes no {arguments}: for that read the file into a data frame and "
        "pass it to from_frame of the protocol's class.)"
    )
