"""What the text of an option means, where it is more than a word."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bayeseval._forms import Takes
from bayeseval.errors import BayesEvalError


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


def setting_of(text: str) -> tuple[str, Any]:
    """Read ``name=value``: true, false, a number, a list with commas, or a word."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise BayesEvalError(f"--set is NAME=VALUE, such as --set link=probit; found {text!r}")
    parts = [_value(part.strip()) for part in value.split(",")]
    return name.strip().replace("-", "_"), parts[0] if len(parts) == 1 else tuple(parts)


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


def _value(text: str) -> bool | int | float | str:
    if text in ("true", "false"):
        return text == "true"
    try:
        return _whole(float(text))
    except ValueError:
        return text


def _whole(number: float) -> int | float:
    return int(number) if number.is_integer() else number


def _as_it_is(value: Any) -> Any:
    return value


READERS: Mapping[Takes, Callable[[Any], Any]] = {
    "column": _as_it_is,
    "choice": _as_it_is,
    "ends": _ends,
    "numbers": _numbers,
    "outcomes": _outcomes,
    "number or column": _reference,
}
"""What an option's value becomes, by what it takes."""
