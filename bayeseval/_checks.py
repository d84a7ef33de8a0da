"""Wording shared by messages: a few labels, a number with its noun, the nearest spelling."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from importlib.util import find_spec
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeGuard

from bayeseval.errors import BayesEvalError, DesignError, JudgementError

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator

QUOTES = ("'", '"')
# A cell can hold a whole text, and a message should fit a screen.
MOST_SHOWN = 40


def shown(value: object, *, most: int = MOST_SHOWN, quoted: bool = True) -> str:
    """Write a value for a message: quoted as Python does, control characters escaped, cut."""
    text = repr(value) if quoted else repr(str(value))[1:-1]
    if len(text) <= most + 2:
        return text
    return f"{text[:most]}…{text[0] if quoted and text[0] in QUOTES else ''}"


def some(labels: Iterable[object], *, most: int = 5) -> str:
    """Quote at most ``most`` labels and say how many more there are."""
    quoted = [shown(label) for label in labels]
    if len(quoted) <= most:
        return ", ".join(quoted)
    return f"{', '.join(quoted[:most])} and {len(quoted) - most} more"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun: "1 judgement", "1,200 judgements"."""
    return f"{number:,} " + (noun if number == 1 else plural or f"{noun}s")


def nearest(name: object, candidates: Sequence[str]) -> str | None:
    """Return the candidate spelled most like ``name``, or None where none comes close."""
    if not isinstance(name, str):
        return None
    folded = {candidate.casefold(): candidate for candidate in candidates}
    matches = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[matches[0]] if matches else None


def whole_number(value: object, name: str, *, least: int) -> int:
    """Return a whole number that is large enough, or raise with the argument's name."""
    if (
        isinstance(value, Integral | float)
        and not isinstance(value, bool)
        and value % 1 == 0
        and int(value) >= least
    ):
        return int(value)
    raise DesignError(f"{name}= is a whole number from {least} upwards; got {shown(value)}")


def is_number(value: object) -> TypeGuard[float]:
    """Tell numbers from texts and flags."""
    return isinstance(value, Real) and not isinstance(value, bool)


def numbers(value: object, name: str, error: type[BayesEvalError] = BayesEvalError) -> "np.ndarray":
    """Return an array of finite numbers, or raise with the argument's name."""
    import numpy as np

    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if not np.isfinite(found).all():
        raise error(f"{name}= must hold finite numbers; found {shown(value)}")
    return found


def listed(
    value: object, name: str, *, example: str, error: type[BayesEvalError] = BayesEvalError
) -> tuple[Any, ...]:
    """Return what a list holds, or raise with the argument's name where it is none."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(value)
    raise error(f"{name}= must be a list, such as {example}; found {shown(value)}")


def checked_kind(value: object, kind: type, *, function: str, made_by: str) -> None:
    """Refuse what is not of the kind that a function draws or reads, in words that name both."""
    if not isinstance(value, kind):
        raise BayesEvalError(
            f"{function} takes what {made_by} returned; found {type(value).__name__}"
        )


def names_of(value: object, name: str, *, example: str) -> tuple[str, ...]:
    """Return the names that a list holds, one at least, or raise with the argument's name."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        found = tuple(value)
        if found and all(isinstance(each, str) for each in found):
            return found
        odd = [each for each in found if not isinstance(each, str)]
        if odd:
            raise DesignError(
                f"there is no factor {shown(odd[0])}: {name}= must list names of factors, such as "
                f"{example}; got {shown(value)}"
            )
    raise DesignError(f"{name}= must list names of factors, such as {example}; got {shown(value)}")


def generator(random_seed: Any) -> "Generator":
    """Return numpy's generator of random numbers, or raise where the seed is none."""
    from numpy.random import default_rng

    try:
        return default_rng(random_seed)
    except (TypeError, ValueError):
        raise BayesEvalError(
            f"random_seed must be a whole number from 0 upwards, or None; got {shown(random_seed)}"
        ) from None


# Squares of squares (an ICC's degrees of freedom, Greenhouse and Geisser's epsilon) and sums of a
# million of them are still numbers.
_LARGEST_SQUARABLE = 1e70


def squarable(values: "np.ndarray", *, what: str) -> "np.ndarray":
    """Return values as they are, or refuse those whose squares are infinite or zero.

    Parameters
    ----------
    values : numpy.ndarray of float
        Answers.
    what : str
        The function that asks, for the message.
    """
    largest = float(abs(values).max(initial=0.0))
    if largest == 0 or 1 / _LARGEST_SQUARABLE <= largest <= _LARGEST_SQUARABLE:
        return values
    raise JudgementError(
        f"{what} computes with squares of answers, and the largest here, {largest:g}, is too "
        f"{'large' if largest > 1 else 'small'} for that. Give answers in another unit: all "
        f"{'divided' if largest > 1 else 'multiplied'} by one power of ten."
    )


def need_extra(
    extra: str,
    *packages: str,
    what: str,
    otherwise: str,
    error: type[BayesEvalError] = BayesEvalError,
) -> None:
    """Refuse what packages of an extra do, where one of them is not installed.

    Parameters
    ----------
    extra
        Name of the extra.
    packages
        What is imported.
    what
        What needs them, to begin the message with.
    otherwise
        What to do without, to end it with.
    error
        Kind of the error.
    """
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise error(
            f"{what} needs {' and '.join(missing)}, not installed here: "
            f"pip install 'bayeseval[{extra}]', or {otherwise}."
        )
