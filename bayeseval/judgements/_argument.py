"""The first argument of functions of judgements."""

from collections.abc import Callable
from functools import wraps
from inspect import signature

from bayeseval.errors import JudgementError
from bayeseval.judgements._table import Judgements


def takes_judgements[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """Refuse a first argument that is no table of judgements, in words that name the function."""
    first = next(iter(signature(function).parameters))

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        # Where the argument is missing, Python's own message names it.
        given = args[:1] or ((kwargs[first],) if first in kwargs else ())
        if given and not isinstance(given[0], Judgements):
            raise JudgementError(
                f"{function.__name__} needs a table of judgements, such as LikertJudgements or "
                f"PairwiseJudgements; found {type(given[0]).__name__}. Make one with from_frame "
                "or read of a protocol's class."
            )
        return function(*args, **kwargs)

    return checked
