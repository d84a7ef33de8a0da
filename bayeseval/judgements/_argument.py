"""The argument of functions of judgements that holds the table."""

from collections.abc import Callable
from functools import wraps
from inspect import signature

from bayeseval.errors import JudgementError
from bayeseval.judgements._table import Judgements


def takes_judgements[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """Refuse an argument that should be a table of judgements, in words that name the function.

    It is the one called ``judgements``, or the first where none is.
    """
    names = list(signature(function).parameters)
    place = names.index("judgements") if "judgements" in names else 0

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        # Where the argument is missing, Python's own message names it.
        name = names[place]
        given = args[place : place + 1] or ((kwargs[name],) if name in kwargs else ())
        if given and not isinstance(given[0], Judgements):
            raise JudgementError(
                f"{function.__name__} needs a table of judgements, such as LikertJudgements or "
                f"PairwiseJudgements; found {type(given[0]).__name__}. Make one with from_frame "
                "or read of a protocol's class."
            )
        return function(*args, **kwargs)

    return checked
