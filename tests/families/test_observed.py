"""The PyMC model with an observed variable: the density of a fit, by judgement."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pytensor.compile.maker import function
from scipy.special import ndtr

from bayeseval import BayesianBootstrap, ModelError, TrueSkill
from bayeseval.families._layout import value_name
from bayeseval.families._log_prior import log_priors
from bayeseval.families._observed import draw_prior
from bayeseval.judgements._counted import one_a_row
from tests.families.densities import INTERPRETED, built
from tests.families.examples import EXAMPLES, FIRST_WITH_DENSITY

WHOLE = ["Bradley-Terry, rankings", "Ordinal probit, long scale"]
# A Bradley-Terry model is among those.
CASES = [name for name in FIRST_WITH_DENSITY if name not in ("Bradley-Terry", "Thurstone")] + WHOLE


def one(example: str) -> SimpleNamespace:
    """Return an example's model, and that of a fit where the two are compared."""
    if example in WHOLE:
        return built(example)
    family, judgements = EXAMPLES[example]
    table = judgements()
    return SimpleNamespace(family=family, table=table, declaration=family.declare(table))


def unconstrained(model: Any) -> list[np.ndarray]:
    """Return a point in the coordinates of the model."""
    rng = np.random.default_rng(3)
    return [
        rng.normal(scale=0.5, size=shape)
        for shape in (
            tuple(model.initial_point()[model.rvs_to_values[v].name].shape) for v in model.free_RVs
        )
    ]


@pytest.mark.parametrize("example", CASES)
def test_the_model_is_that_of_a_fit_judgement_by_judgement(example: str) -> None:
    case = one(example)
    family, declaration = case.family, case.declaration
    model = family.build(case.table)
    inputs = [model.rvs_to_values[v] for v in model.free_RVs]
    gaussian = {value_name(effect) for effect in declaration.blocks}
    top = [
        v
        for v in model.free_RVs
        if v.name not in gaussian and not v.name.endswith(("_factor", "_steps"))
    ]
    priors = model.logp(vars=top, jacobian=False, sum=False)
    variables = [*model.free_RVs, *model.deterministics]
    values = model.replace_rvs_by_values(variables)
    compiled: Any = function(
        inputs,
        [*model.logp(vars=model.observed_RVs, sum=False), *priors, *values]
        + ([model.logp()] if example in WHOLE else []),
        mode=INTERPRETED,
        on_unused_input="ignore",
    )
    x = unconstrained(model)
    by_judgement, *rest = compiled(*x)
    if example in WHOLE:
        assert [v.name for v in model.free_RVs] == case.names
        assert rest.pop() == pytest.approx(float(np.asarray(case.log_density(*x))), rel=1e-9)

    lead = (None, None) if declaration.has_criterion else (None, None, None)
    named = {v.name: value[lead] for v, value in zip(variables, rest[len(top) :], strict=True)}
    draws = family.posterior_dataset(declaration, named)
    table = one_a_row(case.table)
    assert by_judgement.shape == (case.table.n_judgements,)
    expected = family.log_likelihood(declaration, table, draws.stack(sample=("chain", "draw")))[0]
    weight = 1.0
    if "rankings" in example:
        weight = np.repeat(family.row_weights(case.table), case.table.counts)
        assert weight.max() < 1.0
    np.testing.assert_allclose(by_judgement, weight * expected, rtol=1e-7, atol=1e-9)

    stated = float(log_priors(family, declaration, draws).to_array().sum())
    assert stated == pytest.approx(sum(float(np.sum(p)) for p in rest[: len(top)]), rel=1e-8)


def test_a_row_with_a_count_is_as_many_judgements() -> None:
    given = EXAMPLES["Bradley-Terry"][1]()
    table = one_a_row(given)
    assert table.n_rows == given.n_judgements
    assert (table.counts == 1).all()
    assert table == given


@pytest.mark.parametrize("family", [TrueSkill(), BayesianBootstrap()], ids=lambda f: f.name)
def test_a_family_that_draws_by_itself_says_that_it_has_no_model(family: Any) -> None:
    with pytest.raises(ModelError, match=rf"{family.name} draws by itself.*no PyMC model"):
        family.build(EXAMPLES["Bradley-Terry"][1]())


def test_prior_draws_are_those_of_the_stated_priors() -> None:
    case = one("Ordinal probit")
    found = draw_prior(case.family, case.declaration, draws=400, random_seed=1)
    assert found.sizes["draw"] == 400
    for effect in case.declaration.effects:
        # Half-normal: a mean of sqrt(2 / pi) scales.
        mean = float(found[f"{effect.name}_sd"].mean()) / effect.sd_scale
        assert mean == pytest.approx(np.sqrt(2.0 / np.pi), abs=0.12)
    cuts = found["population_thresholds"].values[0]
    shares = np.diff(ndtr(cuts), axis=-1, prepend=0.0, append=1.0)
    prior = np.array(case.declaration.response.category_prior)
    np.testing.assert_allclose(shares.mean(axis=0), prior / prior.sum(), atol=0.04)
