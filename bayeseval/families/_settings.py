"""Settings of families: words that are listed, numbers of priors, and the nearest spelling."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from functools import wraps
from types import UnionType
from typing import Any, Literal, TypeAliasType, Union, get_args, get_origin

import numpy as np

from bayeseval._checks import is_number, nearest, shown, some
from bayeseval.errors import ModelError
from bayeseval.families._family import ModelText, PriorText

_FLAGS = (bool, np.bool_)

# Settings that the prior of a parameter of a response is made of. Not listed is what has a setting
# of its own name: side_bias has side_bias_scale.
_SOURCES = {
    "log_width": ("width_centre", "log_width_scale"),
    "threshold_roughness": ("smoothness_sd_scale",),
    "log_tie_propensity": ("log_tie_centre", "log_tie_scale"),
    "tie_propensity": ("tie_threshold_scale",),
    "end_probability": ("end_a", "end_b"),
    "middle_probability": ("middle_a", "middle_b"),
    "log_precision_mean": ("precision_centre", "log_precision_scale"),
    "log_spread_mean": ("spread_centre", "log_spread_scale"),
    "degrees_of_freedom": ("degrees_shape", "degrees_rate", "degrees_centre"),
    "modulus_mean": ("modulus_scale",),
    "log_step": ("step_centre", "log_step_scale"),
    "log_tie_band_mean": ("band_centre", "log_band_scale"),
}


def check_word(setting: str, value: object, words: Sequence[str], *, flag: bool = False) -> None:
    """Refuse a setting that is no listed word (nor, with ``flag``, True or False)."""
    if (flag and isinstance(value, _FLAGS)) or (isinstance(value, str) and value in words):
        return
    options = [*map(repr, words), *(("True", "False") if flag else ())]
    listed = (
        f"{', '.join(options[:-1])} or {options[-1]}"
        if len(options) < 4
        else f"one of {', '.join(options)}"
    )
    raise ModelError(f"{setting}= is {listed}; found {shown(value)}{meant(value, words)}")


def check_settings(family: Any, *positive: str) -> None:
    """Refuse words and flags that a family's annotations do not list, and priors' numbers.

    Parameters
    ----------
    family
        The family.
    positive
        How the names of the numbers end that have to be above zero.
    """
    for setting in fields(family):
        if setting.name == "effects":
            check_choice(family.effects)
            continue
        words, flag, others = _listed(setting.type)
        if words and not others:
            check_word(setting.name, getattr(family, setting.name), words, flag=flag)
    check_priors(family, positive)


def _listed(annotation: Any) -> tuple[list[str], bool, bool]:
    """Return the words that an annotation lists, and whether flags and others are allowed."""
    if isinstance(annotation, TypeAliasType):
        return _listed(annotation.__value__)
    if get_origin(annotation) is Literal:
        return list(get_args(annotation)), False, False
    if get_origin(annotation) in (Union, UnionType):
        words, flags, others = zip(*map(_listed, get_args(annotation)), strict=True)
        return [word for each in words for word in each], any(flags), any(others)
    return [], annotation is bool, annotation is not bool


def check_flag(setting: str, value: object) -> None:
    """Refuse a setting that is neither True nor False; every word would count as True."""
    if not isinstance(value, _FLAGS):
        raise ModelError(f"{setting}= is True or False; found {shown(value)}")


def check_choice(value: object) -> None:
    """Refuse an ``effects=`` that is neither a listed word nor a choice by effect."""
    if isinstance(value, str) and value in ("auto", "none"):
        return
    if not isinstance(value, Mapping):
        off = " Did you mean 'none'?" if isinstance(value, _FLAGS) and not value else ""
        raise ModelError(
            "effects= is 'auto', 'none' or a choice by effect such as {'interaction': False}; "
            f"found {shown(value)}.{off or meant(value, ('auto', 'none'))[1:]}"
        )
    for name, wanted in value.items():
        if not isinstance(wanted, _FLAGS):
            raise ModelError(
                f"effects={{{shown(name)}: …}} is True or False; found {shown(wanted)}. Leave the "
                "effect out of the choice to have the design decide"
            )


def check_number(
    setting: str, value: object, below: float, what: str, *, least: float = 0.0
) -> None:
    """Refuse a setting that is no number from ``least`` to below ``below``: ``what`` in words."""
    if not is_number(value) or not least <= value < below:
        raise ModelError(f"{setting}= is {what}; found {shown(value)}")


def check_priors(family: Any, numbers: tuple[str, ...]) -> None:
    """Refuse settings, of names that end in one of ``numbers``, that are no positive numbers."""
    for setting in fields(family):
        value = getattr(family, setting.name)
        if not setting.name.endswith(numbers) or (value is None and setting.default is None):
            continue
        if not is_number(value) or not 0 < value < np.inf:
            raise ModelError(
                f"{setting.name}= is a positive number, part of a prior; found {shown(value)}"
            )


def advised[Family](cls: type[Family]) -> type[Family]:
    """Have a family answer settings that it does not have with those that it has."""
    made: Callable[..., None] = cls.__init__
    known = [setting.name for setting in fields(cls)]  # type: ignore[arg-type]
    words = [s.name for s in fields(cls) if not isinstance(s.default, float)]  # type: ignore[arg-type]

    @wraps(made)
    def __init__(self: Family, *unnamed: object, **settings: object) -> None:
        if unnamed:
            raise ModelError(
                f"settings of {cls.__name__} are named, such as "
                f"{cls.__name__}({words[0]}={shown(unnamed[0])}); found {some(unnamed)}"
            )
        for name in settings:
            if name not in known:
                numbers = " and numbers of priors" if len(known) > len(words) else ""
                raise ModelError(
                    f"{cls.__name__} has no setting {shown(name)}; it has "
                    f"{some(words, most=8)}{numbers}.{meant(name, known)}"
                )
        made(self, **settings)

    cls.__init__ = __init__
    return cls


def marked(family: Any, text: ModelText) -> ModelText:
    """Mark the priors of a description whose numbers are not the family's defaults."""
    changed = {
        setting.name: setting.default
        for setting in fields(family)
        if setting.default is not MISSING and getattr(family, setting.name) != setting.default
    }

    def mark(prior: PriorText) -> PriorText:
        name = prior.parameter
        block = "log_width" if name.startswith("log_width_") else name
        own = prior.settings or _SOURCES.get(block, (f"{name}_scale",))
        defaults = [f"{setting}={changed[setting]}" for setting in own if setting in changed]
        return replace(prior, default=", ".join(defaults))

    return replace(text, priors=tuple(map(mark, text.priors)))


def meant(value: object, words: Sequence[str]) -> str:
    """Offer the listed word that is spelled most like what was found."""
    close = nearest(value, words) if isinstance(value, str) else None
    return f". Did you mean {close!r}?" if close else ""
