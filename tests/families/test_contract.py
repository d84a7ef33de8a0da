"""What every family keeps to, asked of the examples in ``models/<family>/examples.py``.

One density, two builders: the compiled density is the PyMC model's, value and gradient. Names and
order of what was judged do not matter. A declaration can be stored and says what is in it.
"""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from bayeseval.families import _FAMILIES
from bayeseval.families._layout import layout, value_name
from bayeseval.inference._storage import declaration_from, declaration_record
from bayeseval.judgements import Judgements
from tests.families.densities import (
    assert_density_of_pymc,
    assert_gradient_of_value,
    built,
    geometry_or_none,
    points,
)
from tests.families.examples import EXAMPLES, FIRST_WITH_DENSITY, WITH_DENSITY, folders_of, given

INFORMED = pytest.mark.parametrize("informed", [False, True], ids=["plain", "informed"])
DIRECT = [name for name in EXAMPLES if name not in WITH_DENSITY]


def assert_given(family: Any, what: str) -> None:
    folder = next(folders_of(family))
    assert given(family, what), (
        f"{family.name} gives no {what}, so nothing checks its density. Write them in "
        f"models/{folder.name}/examples.py; see “Add a family” in CONTRIBUTING.md."
    )


@pytest.mark.parametrize("family", _FAMILIES, ids=lambda family: family.name)
def test_every_family_gives_examples(family: Any) -> None:
    assert_given(family, "EXAMPLES")
    # A family that draws by itself has no prior to draw studies from.
    if hasattr(family, "density"):
        assert_given(family, "SIMULATED")


def test_a_family_without_examples_is_told() -> None:
    class NormalRating:
        name = "NormalRating"

    with pytest.raises(AssertionError, match=r"NormalRating gives no EXAMPLES.*normal_rating/exam"):
        assert_given(NormalRating, "EXAMPLES")


@INFORMED
@pytest.mark.parametrize("example", WITH_DENSITY)
def test_compiled_density_is_that_of_the_pymc_model(example: str, informed: bool) -> None:
    case = built(example)
    geometry = geometry_or_none(case.declaration, informed=informed)
    density = case.family.density(case.declaration, case.cells, geometry)
    assert_density_of_pymc(density, case, geometry)


@INFORMED
@pytest.mark.parametrize("example", WITH_DENSITY)
def test_gradient_is_that_of_the_value(example: str, informed: bool) -> None:
    case = built(example)
    geometry = geometry_or_none(case.declaration, informed=informed)
    density = case.family.density(case.declaration, case.cells, geometry)
    assert_gradient_of_value(density, density.n_parameters)


@pytest.mark.parametrize("centring", [0.0, 0.4, 1.0])
def test_centring_does_not_change_the_model(centring: float) -> None:
    # Effects are common to all families: the example has those with and without zero sums.
    case = built("Ordinal probit, moderator, criteria", centring)
    assert_density_of_pymc(case.family.density(case.declaration, case.cells), case, None)


@pytest.mark.parametrize("example", FIRST_WITH_DENSITY)
def test_a_likelihood_half_as_large_again_is_noticed(example: str) -> None:
    case = built(example)
    more = replace(case.cells, count=1.5 * case.cells.count)
    with pytest.raises(AssertionError):
        assert_density_of_pymc(case.family.density(case.declaration, more), case, None)


@pytest.mark.parametrize("example", FIRST_WITH_DENSITY)
def test_slopes_half_as_large_again_are_noticed(example: str) -> None:
    case = built(example)
    density = case.family.density(case.declaration, case.cells)

    def steeper(x: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = density(x)
        return value, 1.5 * gradient

    with pytest.raises(AssertionError):
        assert_gradient_of_value(steeper, density.n_parameters)


@pytest.mark.parametrize("example", WITH_DENSITY)
def test_chains_start_at_finite_points(example: str) -> None:
    case = built(example)
    density = case.family.density(case.declaration, case.cells)
    for seed in range(3):
        x = case.family.start(case.declaration, case.cells, np.random.default_rng(seed))
        value, gradient = density(x)
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()


def in_order(table: Judgements, rows: np.ndarray) -> Judgements:
    """Return the same judgements with their rows in another order."""
    by_row = {
        field.name: value[rows]
        for field in fields(table)
        if isinstance(value := getattr(table, field.name), np.ndarray)
    }
    factors = tuple(replace(factor, codes=factor.codes[rows]) for factor in table.factors)
    return replace(table, factors=factors, **by_row)


def renamed(table: Judgements, new: np.ndarray) -> Judgements:
    """Return the judgements with system k under the name of system ``new[k]``."""
    factors = tuple(
        replace(factor, codes=new[factor.codes].astype(factor.codes.dtype))
        if factor.name in table.system_factors
        else factor
        for factor in table.factors
    )
    return replace(table, factors=factors)


@pytest.mark.parametrize("example", WITH_DENSITY)
def test_the_order_of_rows_does_not_change_the_density(example: str) -> None:
    case = built(example)
    shuffled = in_order(case.table, np.random.default_rng(1).permutation(case.table.n_rows))
    declaration = case.family.declare(shuffled)
    density = case.family.density(case.declaration, case.cells)
    again = case.family.density(declaration, case.family.cells(declaration, shuffled))
    for x in points(density.n_parameters)[:3]:
        assert again(x)[0] == pytest.approx(density(x)[0], rel=1e-12)
        np.testing.assert_allclose(again(x)[1], density(x)[1], rtol=1e-8, atol=1e-8)


def renamed_point(case: Any, x: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Return the point at which system ``new[k]`` has the effects that system k has at ``x``."""
    declaration = case.declaration
    placed = layout(declaration, declaration.response.parameter_shapes)
    values = case.family.constrained(declaration, x[None])
    point, expected = x.copy(), dict(values)
    for effect in declaration.effects:
        if "system" not in effect.dims:
            continue
        name, part = value_name(effect), placed[value_name(effect)].part
        axis = values[name].ndim - len(effect.dims) + effect.dims.index("system")
        expected[name] = np.take(values[name], np.argsort(new), axis=axis)
        # Given the standard deviations effects are linear in the sampler's coordinates.
        moved = case.family.constrained(declaration, x + np.eye(x.size)[part])[name]
        slopes = (moved - values[name]).reshape(moved.shape[0], -1)
        change = (expected[name] - values[name]).ravel()
        point[part] += np.linalg.lstsq(slopes.T, change, rcond=None)[0]
    for name, value in case.family.constrained(declaration, point[None]).items():
        np.testing.assert_allclose(value, expected[name], rtol=1e-9, atol=1e-9)
    return point


@pytest.mark.parametrize("example", WITH_DENSITY)
def test_names_of_systems_do_not_change_the_density(example: str) -> None:
    case = built(example)
    declaration = case.declaration
    new = np.roll(np.arange(len(case.table.systems)), 1)
    table = renamed(case.table, new)
    other = case.family.declare(table)
    density = case.family.density(declaration, case.cells)
    again = case.family.density(other, case.family.cells(other, table))
    placed = layout(declaration, declaration.response.parameter_shapes)
    for x in points(density.n_parameters)[:3]:
        for effect in declaration.effects:
            # Names decide which system of a pair comes first: departures of pairs turn their signs.
            if {"system_pair", "circle"} & set(effect.dims):
                x[placed[value_name(effect)].part] = 0.0
        point = renamed_point(case, x, new)
        assert again(point)[0] == pytest.approx(density(x)[0], rel=1e-9)


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_declaration_survives_being_stored(example: str) -> None:
    family, judgements = EXAMPLES[example]
    declaration = family.declare(judgements())
    record = json.loads(json.dumps(declaration_record(declaration)))
    again = declaration_from(record, type(family))
    assert declaration_record(again) == declaration_record(declaration)
    assert again.response == declaration.response
    assert str(family.describe(again)) == str(family.describe(declaration))


@pytest.mark.parametrize("example", EXAMPLES)
def test_description_names_every_parameter(example: str) -> None:
    family, judgements = EXAMPLES[example]
    declaration = family.declare(judgements())
    text = str(family.describe(declaration))
    names = [f"{effect.name}_sd" for effect in declaration.blocks]
    names += [effect.name for effect in declaration.effects]
    names += [scalar.name for scalar in getattr(declaration.response, "scalars", ())]
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.parametrize("example", DIRECT)
def test_draws_do_not_depend_on_names_of_systems(example: str) -> None:
    family, judgements = EXAMPLES[example]
    table = judgements()
    new = np.roll(np.arange(len(table.systems)), 1)
    quality = [
        family.draw(
            family.declare(one), one, draws=100, chains=2, rng=np.random.default_rng(1)
        ).posterior["quality"]
        for one in (table, renamed(table, new))
    ]
    mean, other = (each.mean(("chain", "draw")) for each in quality)
    # Names may decide what is drawn first: the means agree within their Monte Carlo error.
    error = np.sqrt(2 / 200) * quality[0].std(("chain", "draw"))
    np.testing.assert_array_less(
        abs(other.isel(system=new).values - mean.values), 4.5 * error.values + 1e-9
    )


@pytest.mark.parametrize("example", FIRST_WITH_DENSITY)
def test_threads_do_not_share_working_space(example: str) -> None:
    case = built(example)
    density = case.family.density(case.declaration, case.cells)
    some = points(density.n_parameters)
    alone = [density(x)[0] for x in some]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(20):
            assert [value for value, _ in pool.map(density, some)] == alone
