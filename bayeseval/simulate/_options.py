"""Options of simulations, refused in words by what their annotations say."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, Literal, TypeAliasType, get_args, get_origin

import numpy as np

from bayeseval._checks import is_number, nearest, numbers, shown, whole_number
from bayeseval.errors import DesignError

# Standard deviations end in _sd and may be zero, as these; the next ones are scales and shapes.
_NOT_NEGATIVE = ("_sd", "tie_band", "tie_propensity")
_POSITIVE = ("reference", "sharpness", "spread", "precision", "degrees_of_freedom")


def checks_options[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """Refuse options that are not of the kind that the function's annotations name."""
    known = signature(function).parameters

    @wraps(function)
    def checked(*args: P.args, **options: P.kwargs) -> R:
        # Names that are not known are refused by Python itself.
        for name, value in options.items():
            if name in known:
                _check(name, value, known[name].annotation)
        return function(*args, **options)

    return checked


def _check(name: str, value: object, annotation: Any) -> None:
    if isinstance(annotation, TypeAliasType):
        annotation = annotation.__value__
    if annotation is int:
        whole_number(value, name, least=0)
    elif annotation is float:
        _check_number(name, value)
    elif annotation is bool:
        if not isinstance(value, bool | np.bool_):
            raise DesignError(f"{name}= is True or False; found {shown(value)}")
    elif get_origin(annotation) is Literal:
        words = get_args(annotation)
        if not isinstance(value, str) or value not in words:
            meant = nearest(value, words)
            raise DesignError(
                f"{name}= is one of {', '.join(map(repr, words))}; found {shown(value)}"
                + (f". Did you mean {meant!r}?" if meant else "")
            )
    elif np.ndarray in get_args(annotation) and value is not None:
        numbers(value, name, DesignError)


def _check_number(name: str, value: object) -> None:
    what, fits = "a finite number", True
    if name in _POSITIVE:
        what = "a positive number"
        fits = is_number(value) and value > 0
    elif name.endswith(_NOT_NEGATIVE):
        what = "a number from 0 upwards"
        fits = is_number(value) and value >= 0
    if not (is_number(value) and fits and np.isfinite(value)):
        raise DesignError(f"{name}= is {what}; found {shown(value)}")
