"""The machinery of families with linear predictors, on a response that is made for this test."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pandas as pd
import pytensor.tensor as pt
import pytest
from scipy.stats import norm

from bayeseval.errors import ModelError
from bayeseval.families._builder import build_model
from bayeseval.families._cells import RowData, collapse_rows
from bayeseval.families._declaration import Declaration, Effect, Prior, Scalar, Term
from bayeseval.families._predictor_kernel import (
    OFFSET,
    ROWS,
    n_cells,
    predicted,
    predicted_reverse,
    predictor_forward,
    predictor_reverse,
)
from bayeseval.families._predictors import PredictorFamily
from bayeseval.judgements import StrengthJudgements
from tests.families.densities import (
    INTERPRETED,
    geometry_of,
    log_slope_of_sds,
    log_volume,
    points,
)


@numba.njit(error_model="numpy")
def normal_kernel(
    predictors: Any,
    answer: Any,
    criterion: Any,
    scalars: Any,
    options: Any,
    log_p: Any,
    predictors_bar: Any,
    scalars_bar: Any,
    count: Any,
) -> None:
    for i in range(count.size):
        bias, spread, share, rate = scalars[criterion[i]]
        noise = spread * np.exp(predictors[1, i])
        residual = (answer[0, i] - options[0] - predictors[0, i] - bias - share * rate) / noise
        log_p[i] = -0.5 * residual**2 - np.log(noise) - 0.5 * np.log(2 * np.pi)
        slope = count[i] * residual / noise
        predictors_bar[0, i] = slope
        predictors_bar[1, i] = count[i] * (residual**2 - 1.0)
        scalars_bar[criterion[i], 0] += slope
        scalars_bar[criterion[i], 1] += count[i] * (residual**2 - 1.0) / spread
        scalars_bar[criterion[i], 2] += slope * rate
        scalars_bar[criterion[i], 3] += slope * share


def normal_log_density(n: Any, x: Any, gradient: Any, value: Any, data: Any) -> Any:
    forward = predictor_forward(n, x, data)
    for begin in range(0, n_cells(data), ROWS):
        given = predicted(data, begin, forward[0])
        normal_kernel(*given)
        predicted_reverse(data, begin, forward[0], given)
    return predictor_reverse(n, x, gradient, value, data, forward)


@dataclass(frozen=True)
class NormalResponse:
    kind = "normal_for_tests"
    n_predictors = 2
    n_answers_read = 1
    scalars = (
        Scalar(name="bias", prior=Prior(kind="normal", a=0.3, b=2.0)),
        Scalar(name="spread", prior=Prior(kind="half_normal", a=1.5)),
        Scalar(name="share", prior=Prior(kind="beta", a=2.0, b=5.0)),
        Scalar(name="rate", prior=Prior(kind="gamma", a=2.0, b=0.7)),
    )
    options = np.array([0.25])
    kernel = staticmethod(normal_kernel)
    log_density = staticmethod(normal_log_density)

    @property
    def parameter_shapes(self) -> dict[str, tuple[int, ...]]:
        return {scalar.name: () for scalar in self.scalars}

    def log_probability(self, predictors: Any, scalars: Any, answer: Any) -> Any:
        noise = scalars["spread"] * pt.exp(predictors[1])
        mean = predictors[0] + scalars["bias"] + scalars["share"] * scalars["rate"]
        residual = (answer[0] - float(self.options[0]) - mean) / noise
        return -0.5 * residual**2 - pt.log(noise) - 0.5 * np.log(2 * np.pi)


class NormalFamily(PredictorFamily):
    def row_data(self, declaration: Any, judgements: Any) -> RowData:
        del declaration
        a, b = judgements.codes("system_a"), judgements.codes("system_b")
        return RowData(
            answers=[judgements.answers],
            codes={"pair": np.minimum(a, b) * 3 + np.maximum(a, b)},
            weights={"side": np.where(a < b, 1.0, -1.0)},
        )


def strengths() -> StrengthJudgements:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "annotator": rng.choice(["ann", "bob", "cem"], 60),
            "a": rng.choice(["x", "y", "z"], 60),
            "criterion": rng.choice(["fluent", "true"], 60),
            "strength": rng.integers(-3, 4, 60),
        }
    )
    frame["b"] = frame["a"].map({"x": "y", "y": "z", "z": "x"})
    return StrengthJudgements.from_frame(
        frame,
        annotator="annotator",
        system_a="a",
        system_b="b",
        strength="strength",
        criterion="criterion",
        bounds=(-3, 3),
        positive="a",
        repeats=True,
    )


def declaration_of(judgements: StrengthJudgements) -> Declaration[Any]:
    return Declaration(
        family="NormalFamily",
        coords={
            "system": judgements.systems,
            "annotator": judgements.annotators or (),
            "criterion": judgements.criteria or (),
            "system_pair": tuple("abcdefghi"),
        },
        has_criterion=True,
        effects=(
            Effect(
                name="quality", dims=("system",), shape=(3,), sign=1, sd_scale=1.0, zero_sum=True
            ),
            Effect(name="pair", dims=("system_pair",), shape=(9,), sign=1, sd_scale=0.3),
            Effect(
                name="log_scale",
                dims=("annotator",),
                shape=(3,),
                sign=1,
                sd_scale=0.5,
                zero_sum=True,
                centring=1.0,
            ),
        ),
        response=NormalResponse(),
        left_out={},
        terms=(
            Term("quality", ("system_a",)),
            Term("quality", ("system_b",), weight=-1.0),
            Term("pair", ("pair",), weight="side"),
            Term("log_scale", ("annotator",), predictor=1),
        ),
    )


@pytest.fixture(scope="module")
def parts() -> SimpleNamespace:
    judgements = strengths()
    declaration = declaration_of(judgements)
    family = NormalFamily()
    cells = family.cells(declaration, judgements)
    return SimpleNamespace(
        judgements=judgements, declaration=declaration, family=family, cells=cells
    )


@pytest.mark.parametrize("informed", [False, True])
def test_density_is_that_of_the_pymc_model(parts: SimpleNamespace, informed: bool) -> None:
    geometry = geometry_of(parts.declaration) if informed else None
    density = parts.family.density(parts.declaration, parts.cells, geometry)
    model = build_model(parts.declaration, parts.cells)
    compiled = model.compile_fn(
        model.logp(),
        inputs=[model.rvs_to_values[variable] for variable in model.free_RVs],
        mode=INTERPRETED,
        point_fn=False,
    )
    for x in points(density.n_parameters)[:8]:
        values = parts.family.constrained(parts.declaration, x[None, None], geometry)
        arguments = []
        for variable in model.free_RVs:
            value = np.asarray(values[variable.name][0, 0])
            transform = model.rvs_to_transforms.get(variable)
            if transform is not None:
                value = transform.forward(pt.as_tensor(value), *variable.owner.inputs).eval()
            arguments.append(value)
        expected = float(np.asarray(compiled(*arguments)))
        for effect in parts.declaration.effects:
            sd = values[f"{effect.name}_sd"][0, 0]
            expected -= float(np.log(2.0 * sd).sum())
        expected += log_volume(parts.declaration, geometry, values)
        expected += log_slope_of_sds(parts.declaration, geometry, x)
        assert density(x)[0] == pytest.approx(expected, rel=1e-9)


def test_gradient_is_that_of_the_value(parts: SimpleNamespace) -> None:
    density = parts.family.density(parts.declaration, parts.cells, geometry_of(parts.declaration))
    rng = np.random.default_rng(11)
    x = rng.normal(scale=0.5, size=density.n_parameters)
    gradient = density(x)[1]
    for axis in range(x.size):
        step = np.eye(1, x.size, axis)[0] * 1e-5
        numeric = (density(x + step)[0] - density(x - step)[0]) / 2e-5
        assert gradient[axis] == pytest.approx(numeric, rel=1e-6, abs=1e-5)


def test_slopes_of_effects_are_those_of_the_likelihood(parts: SimpleNamespace) -> None:
    density = parts.family.density(parts.declaration, parts.cells)
    x = parts.family.start(parts.declaration, parts.cells, np.random.default_rng(1))
    n_effects = 2 * (3 + 9 + 3)
    slopes = density.effect_slopes(x, np.zeros(n_effects))
    for at in (0, 7, n_effects - 1):
        step = np.eye(1, n_effects, at)[0] * 1e-6

        def log_likelihood(offset: np.ndarray) -> float:
            # The prior depends on the point alone.
            return density.evaluated(x, density.tables.put({OFFSET: offset}))[0]

        numeric = (log_likelihood(step) - log_likelihood(-step)) / 2e-6
        assert slopes[at] == pytest.approx(numeric, rel=1e-5, abs=1e-6)


def test_equal_judgements_are_counted_once_whatever_their_order(parts: SimpleNamespace) -> None:
    judgements, cells = parts.judgements, parts.cells
    frame = judgements.to_frame()
    assert cells.n_cells == len(frame.drop(columns="count", errors="ignore").drop_duplicates())
    assert cells.count.sum() == judgements.n_judgements
    again = collapse_rows(
        judgements, parts.declaration, parts.family.row_data(parts.declaration, judgements)
    )
    np.testing.assert_array_equal(again.answer[:, again.row_cell][0], judgements.answers)
    systems = again.index[0] - 3 * again.criterion
    np.testing.assert_array_equal(systems[again.row_cell], judgements.codes("system_a"))


def test_log_likelihood_by_row_is_the_normal_density(parts: SimpleNamespace) -> None:
    density = parts.family.density(parts.declaration, parts.cells)
    x = np.random.default_rng(4).normal(size=(1, 3, density.n_parameters))
    values = parts.family.constrained(parts.declaration, x)
    draws = parts.family.posterior_dataset(parts.declaration, values)
    draws = draws.stack(sample=("chain", "draw"))
    found = parts.family.log_likelihood(parts.declaration, parts.judgements, draws)
    frame = parts.judgements.to_frame()
    for sample in range(3):
        one = draws.isel(sample=sample)
        for row in (0, 17, 59):
            label = frame.iloc[row]
            at = one.sel(criterion=label["criterion"])
            a, b = label["system_a"], label["system_b"]
            codes = sorted(["xyz".index(a), "xyz".index(b)])
            pair = float(at["pair"].values[codes[0] * 3 + codes[1]]) * (1 if a < b else -1)
            mean = float(at["quality"].sel(system=a) - at["quality"].sel(system=b)) + pair + 0.25
            mean += float(at["bias"] + at["share"] * at["rate"])
            noise = float(at["spread"] * np.exp(at["log_scale"].sel(annotator=label["annotator"])))
            expected = norm.logpdf(label["strength"], mean, noise)
            assert found[sample, row] == pytest.approx(expected, rel=1e-10)


def test_labels_that_were_not_fitted_are_refused(parts: SimpleNamespace) -> None:
    frame = parts.judgements.to_frame().assign(annotator="dee")
    other = StrengthJudgements.from_frame(
        frame,
        annotator="annotator",
        system_a="system_a",
        system_b="system_b",
        strength="strength",
        criterion="criterion",
        bounds=(-3, 3),
        positive="a",
        repeats=True,
    )
    density = parts.family.density(parts.declaration, parts.cells)
    values = parts.family.constrained(parts.declaration, np.zeros((1, 1, density.n_parameters)))
    draws = parts.family.posterior_dataset(parts.declaration, values)
    with pytest.raises(ModelError, match="annotator that the model was not fitted to: 'dee'"):
        parts.family.log_likelihood(parts.declaration, other, draws.stack(sample=("chain", "draw")))
