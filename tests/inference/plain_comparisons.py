"""A small family on linear predictors: logistic comparisons with lapses, written for tests."""

# pyright: reportArgumentType=false
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numba
import numpy as np
import numpy.typing as npt
import xarray as xr

from bayeseval.families import Estimand, ModelText
from bayeseval.families._cells import RowData
from bayeseval.families._declaration import (
    Declaration,
    Effect,
    FloatArray,
    IntArray,
    Prior,
    Scalar,
    Term,
)
from bayeseval.families._predictor_kernel import (
    ROWS,
    n_cells,
    predicted,
    predicted_reverse,
    predictor_forward,
    predictor_reverse,
)
from bayeseval.families._predictors import PredictorFamily
from bayeseval.judgements import Judgements


@numba.njit(nogil=True, error_model="numpy")
def lapse_kernel(
    predictors: FloatArray,
    answer: FloatArray,
    criterion: IntArray,
    scalars: FloatArray,
    options: FloatArray,
    log_p: FloatArray,
    predictors_bar: FloatArray,
    scalars_bar: FloatArray,
    count: FloatArray,
) -> None:
    """P(a) = (1 - lapse) F(e) + lapse / 2, e = exp(log consistency) (location + position)."""
    for cell in range(count.size):
        c = criterion[cell]
        factor = math.exp(predictors[1, cell])
        e = factor * (predictors[0, cell] + scalars[c, 0])
        sign = 1.0 if answer[0, cell] == 0.0 else -1.0
        f = 1.0 / (1.0 + math.exp(-sign * e))
        p = (1.0 - scalars[c, 1]) * f + 0.5 * scalars[c, 1]
        log_p[cell] = math.log(p)
        slope = count[cell] * (1.0 - scalars[c, 1]) * sign * f * (1.0 - f) / p
        predictors_bar[0, cell] = slope * factor
        predictors_bar[1, cell] = slope * e
        scalars_bar[c, 0] += slope * factor
        scalars_bar[c, 1] += count[cell] * (0.5 - f) / p


def lapse_log_density(n: int, x: Any, gradient: Any, value: Any, data: Any) -> int:
    """Fill log density and gradient with :func:`lapse_kernel`."""
    forward = predictor_forward(n, x, data)
    for begin in range(0, n_cells(data), ROWS):
        given = predicted(data, begin, forward[0])
        lapse_kernel(*given)
        predicted_reverse(data, begin, forward[0], given)
    return predictor_reverse(n, x, gradient, value, data, forward)


@dataclass(frozen=True, kw_only=True)
class LapseResponse:
    kind: str = "lapse"
    n_predictors: int = 2
    n_answers_read: int = 1

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return (
            Scalar(name="position_effect", prior=Prior(kind="normal", a=0.0, b=0.5)),
            Scalar(name="lapse", prior=Prior(kind="beta", a=20.0, b=200.0)),
        )

    @property
    def parameter_shapes(self) -> dict[str, tuple[int, ...]]:
        return {scalar.name: () for scalar in self.scalars}

    @property
    def options(self) -> FloatArray:
        return np.zeros(0)

    @property
    def kernel(self) -> Any:
        return lapse_kernel

    @property
    def log_density(self) -> Callable[..., int]:
        return lapse_log_density


@dataclass(frozen=True, kw_only=True)
class PlainComparisons(PredictorFamily):
    """Comparisons with quality, and optionally log consistency and taste."""

    name: ClassVar[str] = "PlainComparisons"
    protocol: ClassVar[str] = "pairwise"
    title: ClassVar[str] = "plain comparisons"
    win_title: ClassVar[str] = "probability that A wins one comparison with B"
    quality_scale: ClassVar[str] = "log odds"

    consistency: bool = False
    taste: bool = False

    def declare(self, judgements: Judgements) -> Declaration[LapseResponse]:
        n_systems = len(judgements.labels("system_a"))
        annotators = judgements.annotators or ()
        effects = [
            Effect(
                name="quality", dims=("system",), shape=(n_systems,), sign=1, sd_scale=1.0,
                zero_sum=True,
            )
        ]  # fmt: skip
        terms = [Term("quality", ("system_a",)), Term("quality", ("system_b",), weight=-1.0)]
        if self.consistency:
            effects.append(
                Effect(
                    name="log_consistency", dims=("annotator",), shape=(len(annotators),), sign=1,
                    sd_scale=0.5,
                )
            )  # fmt: skip
            terms.append(Term("log_consistency", ("annotator",), predictor=1))
        if self.taste:
            effects.append(
                Effect(
                    name="taste", dims=("system", "annotator"),
                    shape=(n_systems, len(annotators)), sign=1, sd_scale=0.5,
                )
            )  # fmt: skip
            terms += [
                Term("taste", ("system_a", "annotator")),
                Term("taste", ("system_b", "annotator"), weight=-1.0),
            ]
        coords = {"system": judgements.labels("system_a"), "annotator": annotators}
        if judgements.criteria:
            coords["criterion"] = judgements.criteria
        return Declaration(
            family=self.name,
            coords=coords,
            has_criterion=judgements.criteria is not None,
            effects=tuple(effects),
            response=LapseResponse(),
            left_out={},
            terms=tuple(terms),
        )

    def row_data(self, declaration: Declaration[Any], judgements: Judgements) -> RowData:
        return RowData(answers=[judgements.answers])

    def describe(self, declaration: Declaration[Any]) -> ModelText:
        return ModelText(("Comparisons.",), (), (), {})

    def estimands(self, declaration: Declaration[Any]) -> Mapping[str, Estimand]:
        return {}

    def estimate(
        self,
        name: str,
        declaration: Declaration[Any],
        posterior: xr.Dataset,
        *,
        population: str | None,
        by: str | None,
    ) -> xr.DataArray:
        quality = posterior["quality"]
        difference = quality - quality.rename(system="system_b")
        return difference.copy(data=1.0 / (1.0 + np.exp(-difference.values)))

    def predict(
        self,
        declaration: Declaration[Any],
        judgements: Judgements,
        draws: xr.Dataset,
        rng: np.random.Generator,
    ) -> npt.NDArray[Any]:
        return np.tile(judgements.answers, (draws.sizes["sample"], 1))

    @staticmethod
    def response_from(record: Mapping[str, Any]) -> LapseResponse:
        return LapseResponse(**record)
