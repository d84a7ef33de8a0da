"""Every public function of judgements: bad arguments give a result or an error in words."""

import inspect
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import bayeseval as be
from bayeseval import agreement, comparison, frequentist, judgements, planning
from bayeseval.errors import BayesEvalError
from bayeseval.judgements import Judgements
from tests.bad_arguments import BAD, ends_in_words

MODULES = (agreement, comparison, frequentist, judgements, planning)


def functions() -> Iterator[tuple[str, Any]]:
    """Yield the public functions whose first argument alone has no default."""
    for module in MODULES:
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value) and not _needed(value)[1:]:
                yield name, value


def _needed(function: Any) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        each.name for each in parameters if each.default is each.empty and each.kind not in variable
    ]


@cache
def tables() -> tuple[Judgements, ...]:
    """Return a small table of each protocol."""
    pairs: dict[str, Any] = {"n_annotators": 8, "n_systems": 3, "random_seed": 0}
    outputs: dict[str, Any] = {"n_annotators": 4, "n_systems": 3, "n_items": 4, "random_seed": 0}
    return (
        be.simulate_likert(**outputs).judgements,
        be.simulate_magnitude(**outputs).judgements,
        be.simulate_pairwise(**pairs).judgements,
        be.simulate_spa(**pairs).judgements,
        be.simulate_strength(**pairs).judgements,
    )


FUNCTIONS = dict(functions())
OF_JUDGEMENTS = {
    name: each
    for name, each in FUNCTIONS.items()
    if next(iter(inspect.signature(each).parameters)) == "judgements" and _needed(each)
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_first_argument_that_is_nothing_of_the_kind_is_refused_in_words(name: str) -> None:
    bare = [f"{bad!r}{said}" for bad in BAD if (said := ends_in_words(FUNCTIONS[name], bad))]
    assert not bare


@pytest.mark.parametrize("name", OF_JUDGEMENTS)
def test_the_refusal_names_the_function_and_what_was_found(name: str) -> None:
    with pytest.raises(BayesEvalError, match=rf"{name}.* (needs|takes) .*(NoneType|None)"):
        OF_JUDGEMENTS[name](None)


@pytest.mark.parametrize("name", OF_JUDGEMENTS)
def test_bad_options_end_in_a_result_or_in_words(name: str) -> None:
    function = OF_JUDGEMENTS[name]
    options = list(inspect.signature(function).parameters)[1:]
    bare = [
        said
        for table in tables()
        if not _refused(function, table)
        for option in options
        for bad in BAD
        if (said := ends_in_words(function, table, **{option: bad}))
    ]
    assert not bare


def _refused(function: Any, table: Judgements) -> bool:
    try:
        function(table)
    except BayesEvalError:
        return True
    return False
