"""Check the docstrings of the public names by numpydoc's rules.

Run as ``python -m tests.docstrings``; prints what is wrong and exits with 1. numpydoc is in the
dependency group ``lint``.
"""

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from types import FunctionType

import bayeseval
from tests.inventory import MODULES

MEMBERS = (classmethod, staticmethod, property, FunctionType)
RULES = {"PR01", "PR02", "PR04", "PR07", "RT03", "SS03", "GL07", "GL08"}
ELSEWHERE = re.compile(r"\b(as in|as for|likewise)\b", re.IGNORECASE)


def names() -> Iterator[str]:
    """Yield the public functions and classes, and the public methods that a class has of ours.

    Methods of a typing protocol are described where they are implemented. What overrides a method
    of a base class of the package says what is its own; the parameters stand with the base's.
    """
    for module in MODULES:
        exported = import_module(module).__all__
        again = () if module == "bayeseval" else bayeseval.__all__
        for name in (each for each in exported if each not in again):
            value = getattr(import_module(module), name)
            if not isinstance(value, type | FunctionType) or getattr(value, "_is_protocol", False):
                continue
            yield f"{module}.{name}"
            if isinstance(value, type):
                for member in _members(value):
                    first = _first_to_define(value, member)
                    described = f"{first.__module__}.{first.__qualname__}"
                    yield f"{f'{module}.{name}' if first is value else described}.{member}"


def _ours(cls: type) -> list[type]:
    """Return a class and its bases of the package that are no typing protocols."""
    return [
        base
        for base in cls.__mro__
        if base.__module__.startswith("bayeseval.") and not getattr(base, "_is_protocol", False)
    ]


def _members(cls: type) -> dict[str, None]:
    """Return names of public methods, without those that only the builder asks a family for."""
    return {
        member: None
        for base in _ours(cls)
        if base is cls or not base.__module__.startswith("bayeseval.families._")
        for member, value in vars(base).items()
        if not member.startswith("_") and isinstance(value, MEMBERS)
    }


def _first_to_define(cls: type, member: str) -> type:
    """Return the class of the package where a method is described."""
    return [base for base in _ours(cls) if member in vars(base)][-1]


def faults(name: str) -> Iterator[str]:
    """Yield the rules that a docstring breaks.

    A parameter may leave its type out where its description sends the reader to another docstring
    that has it; a private field of a record, or one that its base class describes, needs no
    description.
    """
    from numpydoc.docscrape import get_doc_object
    from numpydoc.validate import Validator, validate

    described = get_doc_object(Validator._load_obj(name))["Parameters"]
    referred = {
        each
        for parameter in described
        if ELSEWHERE.search(" ".join(parameter.desc))
        for each in parameter.name.split(", ")
    }
    loaded = Validator._load_obj(name)
    inherited = {
        each
        for base in (loaded.__mro__[1:] if isinstance(loaded, type) else ())
        if base.__module__.startswith("bayeseval.")
        for parameter in get_doc_object(base)["Parameters"]
        for each in parameter.name.split(", ")
    }
    for code, message in validate(name)["errors"]:
        if code not in RULES:
            continue
        if code == "PR04" and message.split('"')[1] in referred:
            continue
        if code == "PR01":
            lacking = {each.strip("'") for each in _quoted(message)}
            if all(each.startswith("_") or each in inherited for each in lacking):
                continue
        yield f"{name}: {code} {message}"


def _quoted(message: str) -> list[str]:
    inside = message[message.index("{") + 1 : message.index("}")]
    return [each.strip() for each in inside.split(",")]


if __name__ == "__main__":
    found = [fault for name in dict.fromkeys(names()) for fault in faults(name)]
    sys.stdout.write("".join(f"{fault}\n" for fault in found))
    sys.exit(bool(found))
