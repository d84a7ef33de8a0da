"""Families whose answers depend on linear predictors: cells, compiled density, parameters by name.

A declaration says how Gaussian effects enter linear predictors (``Term``) and which few parameters
the response has (``Scalar``). A family brings the rest as one kernel,

    kernel(predictors, answer, criterion, scalars, options, log_p, predictors_bar, scalars_bar,
           count)

which fills the log probability of one judgement of every cell and its derivatives by the
predictors, times the count, and adds those by the parameters. Dims: predictors (predictor, cell),
answer (column, cell), criterion (cell,), scalars (criterion, scalar) on their natural scales,
options any fixed numbers, log_p (cell,), count (cell,). The response names the log
density that a kernel module makes of it (see ``_callback``) as its ``log_density``.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import xarray as xr
from scipy.special import betaln, gammaln

from bayeseval._checks import some
from bayeseval.errors import ModelError
from bayeseval.families._callback import CallbackDensity, Tables
from bayeseval.families._declaration import (
    Declaration,
    Effect,
    FloatArray,
    IntArray,
    PredictorCells,
    PredictorResponse,
    Prior,
    Scalar,
)
from bayeseval.families._effects_kernel import LOG_SQRT_2PI
from bayeseval.families._layout import (
    Geometry,
    axes_of,
    effect_starts,
    effect_tables,
    effect_values,
    layout,
    n_parameters,
    taken_apart,
)
from bayeseval.families._marginal import averaged_over_levels
from bayeseval.families._predictor_kernel import OFFSET
from bayeseval.judgements import Judgements

_KINDS = {"normal": 0, "half_normal": 1, "beta": 2, "gamma": 3}


type ScalarTables = tuple[npt.NDArray[np.int64], FloatArray, FloatArray, FloatArray]
"""Position and kind of every parameter, dims (scalar, 2); its prior's a, b and log constant."""


def scalar_tables(scalars: Sequence[Scalar], starts: Sequence[int]) -> ScalarTables:
    """Return the parameters as the kernels read them."""
    kinds = [_KINDS[scalar.prior.kind] for scalar in scalars]
    places = list(zip(starts, kinds, strict=True))
    priors = [scalar.prior for scalar in scalars]
    constants = [_log_constant(prior) for prior in priors]
    return (
        np.array(places, dtype=np.int64).reshape(-1, 2),
        np.array([prior.a for prior in priors], dtype=np.float64),
        np.array([prior.b for prior in priors], dtype=np.float64),
        np.array(constants, dtype=np.float64),
    )


def _log_constant(prior: Prior) -> float:
    match prior.kind:
        case "normal":
            return -math.log(prior.b) - LOG_SQRT_2PI
        case "half_normal":
            return 0.0
        case "beta":
            return -float(betaln(prior.a, prior.b))
        case "gamma":
            return prior.a * math.log(prior.b) - float(gammaln(prior.a))


class PredictorDensity(CallbackDensity):
    """Log density of a declaration with linear predictors on given cells, callable at a point.

    Parameters
    ----------
    declaration
        The model.
    cells
        The collapsed judgements.
    geometry
        What the data say of each effect, for the sampler's coordinates.
    """

    def __init__(
        self,
        declaration: Declaration[PredictorResponse],
        cells: PredictorCells,
        geometry: Geometry | None = None,
    ) -> None:
        self.declaration, self.cells, self.geometry = declaration, cells, geometry
        response = declaration.response
        placed = layout(declaration, response.parameter_shapes)
        starts = [placed[scalar.name].start for scalar in response.scalars]
        arrays = [
            *effect_tables(declaration, placed, geometry),
            *scalar_tables(response.scalars, starts),
            cells.index,
            cells.weight,
            np.array([term.predictor for term in declaration.terms], dtype=np.int64),
            cells.answer,
            cells.criterion,
            cells.count,
            response.options,
            np.array([declaration.n_criteria, response.n_predictors], dtype=np.int64),
            np.array(
                [
                    placed[effect.around].start if effect.around else -1
                    for effect in declaration.effects
                ],
                dtype=np.int64,
            ),
            (geometry or Geometry.flat(declaration)).weight,
            np.empty(0),
            np.empty(0),
        ]
        super().__init__(
            response.log_density,
            Tables(arrays),
            n_parameters(placed),
            offset=OFFSET,
        )


@dataclass(frozen=True, kw_only=True)
class RowData:
    """What a family reads of the judgements' rows besides their factors.

    Parameters
    ----------
    answers
        Columns of the answer in the response's own coding, each dims (row,).
    codes
        Further codes that terms name among their columns, such as an unordered pair.
    weights
        Weights by row that terms name.
    """

    answers: Sequence[npt.NDArray[Any]]
    codes: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    weights: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)


def collapse_rows(
    judgements: Judgements, declaration: Declaration[Any], data: RowData
) -> PredictorCells:
    """Count judgements that agree in every index, weight and answer.

    Parameters
    ----------
    judgements
        The table; its labels are those of the declaration.
    declaration
        The model.
    data
        Answers, and further codes and weights by row.

    Returns
    -------
    PredictorCells
        Sorted by criterion, then by the columns of the terms in their order; the order of the rows
        does not matter.
    """
    factors = list(
        dict.fromkeys(
            name for term in declaration.terms for name in term.columns if name not in data.codes
        )
    )
    if declaration.has_criterion:
        factors.insert(0, "criterion")
    columns = [judgements.codes(name) for name in factors]
    columns += [data.codes[name] for name in data.codes]
    columns += list(data.weights.values())
    columns += list(data.answers)
    first, row_cell = distinct_rows(columns, judgements.n_rows)
    count = np.bincount(row_cell, weights=judgements.counts, minlength=first.size)
    codes = {name: judgements.codes(name)[first] for name in factors}
    codes |= {name: values[first] for name, values in data.codes.items()}
    criterion = codes.get("criterion", np.zeros(first.size, dtype=np.int32))
    index, weight = term_indices(
        declaration, criterion, codes, {n: values[first] for n, values in data.weights.items()}
    )
    answer = np.empty((len(data.answers), first.size))
    for row, values in enumerate(data.answers):
        answer[row] = values[first]
    return PredictorCells(
        index=index,
        weight=weight,
        answer=answer,
        criterion=criterion.astype(np.int32),
        count=count.astype(np.float64),
        row_cell=row_cell.astype(np.int32),
    )


def term_indices(
    declaration: Declaration[Any],
    criterion: npt.NDArray[Any],
    codes: Mapping[str, npt.NDArray[Any]],
    weights: Mapping[str, npt.NDArray[Any]],
) -> tuple[IntArray, FloatArray]:
    """Return position among the effects and weight, dims (term, row)."""
    starts, start = {}, 0
    for effect in declaration.effects:
        starts[effect.name] = start
        start += declaration.n_criteria * effect.size
    shape = (len(declaration.terms), criterion.size)
    index, weight = np.empty(shape, dtype=np.int32), np.empty(shape)
    for row, term in enumerate(declaration.terms):
        effect = declaration.effect(term.effect)
        if effect is None:
            raise TypeError(f"a term names {term.effect!r}, which is no effect of the declaration")
        position = criterion.astype(np.int64)
        for column, size in zip(term.columns, effect.shape, strict=True):
            position = position * size + codes[column]
        index[row] = starts[term.effect] + position
        weight[row] = weights[term.weight] if isinstance(term.weight, str) else term.weight
    return index, weight


def distinct_rows(
    columns: Sequence[npt.NDArray[Any]], n_rows: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the first row of every distinct combination, and the combination of every row."""
    key, size = np.zeros(n_rows, dtype=np.int64), 1
    for column in columns:
        if column.dtype.kind in "iu" and column.size and column.min() >= 0:
            codes, levels = column.astype(np.int64), int(column.max()) + 1
        else:
            values, codes = np.unique(column, return_inverse=True)
            levels = values.size
        if size * levels >= 2**62:
            values, key = np.unique(key, return_inverse=True)
            size = values.size
        key = key * levels + codes
        size *= levels
    _, first, row_cell = np.unique(key, return_index=True, return_inverse=True)
    return first, row_cell


class PredictorFamily:
    """What families with linear predictors share: cells, density, parameters by name.

    A family adds ``declare``, ``row_data``, ``describe``, its readable estimands and ``predict``.
    """

    def row_data(self, declaration: Declaration[Any], judgements: Judgements) -> RowData:
        """Return the answers as the kernel reads them, with further codes and weights.

        Parameters
        ----------
        declaration : Declaration
            The model.
        judgements : Judgements
            Any table.

        Returns
        -------
        RowData
            One value a row.
        """
        del declaration
        return RowData(answers=[judgements.answers])

    def row_weights(self, judgements: Judgements) -> FloatArray:
        """Return how much one judgement of every row counts: 1, unless a family says otherwise.

        Parameters
        ----------
        judgements : Judgements
            Any table.

        Returns
        -------
        numpy.ndarray
            Dims (row,).
        """
        return np.ones(judgements.n_rows)

    def cells(self, declaration: Declaration[Any], judgements: Judgements) -> PredictorCells:
        """Collapse judgements that the model cannot tell apart.

        Parameters
        ----------
        declaration : Declaration
            The model.
        judgements : Judgements
            Any table.

        Returns
        -------
        PredictorCells
            Distinct cells with their counts.
        """
        return collapse_rows(judgements, declaration, self.row_data(declaration, judgements))

    def density(
        self,
        declaration: Declaration[Any],
        cells: PredictorCells,
        geometry: Geometry | None = None,
    ) -> PredictorDensity | None:
        """Return the compiled log density; None where criteria are correlated."""
        if declaration.is_correlated:
            return None
        return PredictorDensity(declaration, cells, geometry)

    def kernel_source(self, declaration: Declaration[Any]) -> str:
        """Return the source of the loop that evaluates the answers' log probability and slopes.

        Parameters
        ----------
        declaration : Declaration
            The model.

        Returns
        -------
        str
            A module in Python, as Numba compiles it.
        """
        function = declaration.response.kernel.py_func
        return Path(function.__code__.co_filename).read_text(encoding="utf-8")

    def start(
        self, declaration: Declaration[Any], cells: PredictorCells, rng: np.random.Generator
    ) -> FloatArray:
        """Return a point of the sampler's space near the middle of the priors."""
        del cells
        response = declaration.response
        placed = layout(declaration, response.parameter_shapes)
        x = rng.uniform(-0.5, 0.5, n_parameters(placed))
        for effect in declaration.effects:
            part = placed[f"{effect.name}_sd"].part
            x[part] = 0.5 * effect.sd_scale * np.exp(x[part])
        for scalar in response.scalars:
            part, prior = placed[scalar.name].part, scalar.prior
            match prior.kind:
                case "normal":
                    x[part] = prior.a + min(prior.b, 1.0) * x[part]
                case "half_normal":
                    x[part] += math.log(0.5 * prior.a)
                case _:
                    x[part] += math.log(prior.a / prior.b)
        return x

    def constrained(
        self,
        declaration: Declaration[Any],
        draws: FloatArray,
        geometry: Geometry | None = None,
    ) -> dict[str, FloatArray]:
        """Take the sampler's vectors apart into named values on their natural scales.

        Parameters
        ----------
        declaration : Declaration
            The model.
        draws : numpy.ndarray
            Dims (..., parameter).
        geometry : Geometry, optional
            The geometry that was sampled with.

        Returns
        -------
        dict of str to numpy.ndarray
            By the names of the PyMC model, each with dims (..., criterion, ...).
        """
        placed = layout(declaration, declaration.response.parameter_shapes)
        geometry = geometry or Geometry.flat(declaration)
        values = taken_apart(declaration, placed, draws, geometry)
        starts = effect_starts(declaration)
        for position, effect in enumerate(declaration.effects):
            if effect.around:
                own = effect_values(effect, values)
                weight = geometry.weight[starts[position] : starts[position + 1]]
                weight = weight.reshape(declaration.n_criteria, *effect.shape)
                moved = (weight * own).sum(axis=axes_of(effect))
                values[effect.around] = values[effect.around] - moved
        for scalar in declaration.response.scalars:
            if scalar.prior.kind == "beta":
                values[scalar.name] = 1.0 / (1.0 + np.exp(-values[scalar.name]))
            elif scalar.prior.kind != "normal":
                values[scalar.name] = np.exp(values[scalar.name])
        return values

    def location(
        self, declaration: Declaration[Any], effect: Effect, values: dict[str, FloatArray]
    ) -> FloatArray:
        """Return the parameter that an effect varies around, dims (..., criterion)."""
        del declaration
        return values[effect.around]

    def location_information(self, declaration: Declaration[Any], effect: Effect) -> float:
        """Return what the prior of that parameter knows of it: one over its variance."""
        (prior,) = (s.prior for s in declaration.response.scalars if s.name == effect.around)
        return 1.0 / prior.b**2

    def posterior_dataset(
        self, declaration: Declaration[Any], values: dict[str, FloatArray]
    ) -> xr.Dataset:
        """Return every parameter under its name in the posterior contract.

        Parameters
        ----------
        declaration : Declaration
            The model.
        values : dict of str to numpy.ndarray
            As :meth:`constrained` returns them, dims (chain, draw, criterion, ...).

        Returns
        -------
        xarray.Dataset
            With the user's labels as coordinates; with a moderator m, ``quality_by_m``.
        """
        data: dict[str, tuple[tuple[str, ...], FloatArray]] = {}

        def put(name: str, dims: tuple[str, ...], array: FloatArray) -> None:
            if declaration.has_criterion:
                data[name] = (("chain", "draw", "criterion", *dims), array)
            else:
                data[name] = (("chain", "draw", *dims), array[:, :, 0])

        effects = {}
        for effect in declaration.effects:
            effects[effect.name] = effect_values(effect, values)
            put(effect.name, effect.dims, effects[effect.name])
            put(f"{effect.name}_sd", (), values[f"{effect.name}_sd"])
            correlation = f"{effect.name}_correlation"
            if correlation in values:
                dims = ("chain", "draw", "criterion", "criterion_b")
                data[correlation] = (dims, values[correlation])
        for name, (dims, array) in averaged_over_levels(effects).items():
            put(name, dims, array)
        for scalar in declaration.response.scalars:
            put(scalar.name, (), values[scalar.name])
        coords = {name: list(labels) for name, labels in declaration.coords.items()}
        if declaration.is_correlated:
            coords["criterion_b"] = list(declaration.coords["criterion"])
        return xr.Dataset(
            {name: xr.Variable(dims, array) for name, (dims, array) in data.items()},
            coords=coords,
        )

    def row_predictors(
        self, declaration: Declaration[Any], judgements: Judgements, draws: xr.Dataset
    ) -> FloatArray:
        """Return the linear predictors of every row, dims (predictor, sample, row).

        Parameters
        ----------
        declaration : Declaration
            The model.
        judgements : Judgements
            Rows; their labels are those of the fit.
        draws : xarray.Dataset
            Draws along a dim ``sample``.

        Raises
        ------
        ModelError
            For a label that the model was not fitted to, or draws that were not stored.
        """
        data = self.row_data(declaration, judgements)
        codes = row_codes(declaration, judgements, data)
        index_of = [] if not declaration.has_criterion else [codes["criterion"]]
        n_predictors = declaration.response.n_predictors
        result = np.zeros((n_predictors, draws.sizes["sample"], judgements.n_rows))
        for term in declaration.terms:
            effect = declaration.effect(term.effect)
            if effect is None or term.effect not in draws:
                raise ModelError(
                    f"the draws of {term.effect!r} were not stored, and this needs them; fit "
                    "again with store='all'"
                )
            dims = (["criterion"] if declaration.has_criterion else []) + list(effect.dims)
            values = draws[term.effect].transpose("sample", *dims).values
            weight = data.weights[term.weight] if isinstance(term.weight, str) else term.weight
            at = (slice(None), *index_of, *(codes[column] for column in term.columns))
            result[term.predictor] += weight * values[at]
        return result

    def row_scalars(
        self, declaration: Declaration[Any], judgements: Judgements, draws: xr.Dataset
    ) -> dict[str, FloatArray]:
        """Return the response's parameters by row, each dims (sample, row) or (sample, 1)."""
        names = [scalar.name for scalar in declaration.response.scalars]
        if not declaration.has_criterion:
            return {name: draws[name].values[:, None] for name in names}
        data = self.row_data(declaration, judgements)
        at = row_codes(declaration, judgements, data)["criterion"]
        return {name: draws[name].transpose("sample", "criterion").values[:, at] for name in names}

    def log_likelihood(
        self, declaration: Declaration[Any], judgements: Judgements, draws: xr.Dataset
    ) -> FloatArray:
        """Return the log probability of every row's answer.

        Parameters
        ----------
        declaration : Declaration
            The model.
        judgements : Judgements
            Rows to evaluate; their labels are those of the fit.
        draws : xarray.Dataset
            Draws along a dim ``sample``.

        Returns
        -------
        numpy.ndarray
            Dims (sample, row).
        """
        response = declaration.response
        data = self.row_data(declaration, judgements)
        n_rows = judgements.n_rows
        answer = np.empty((len(data.answers), n_rows))
        for row, values in enumerate(data.answers):
            answer[row] = values
        criterion = np.zeros(n_rows, dtype=np.int32)
        if declaration.has_criterion:
            criterion = row_codes(declaration, judgements, data)["criterion"].astype(np.int32)
        shape = (declaration.n_criteria, len(response.scalars))
        scalars = np.empty((draws.sizes["sample"], *shape))
        for column, scalar in enumerate(response.scalars):
            values = draws[scalar.name]
            dims = ["sample", "criterion"] if declaration.has_criterion else ["sample"]
            scalars[..., column] = values.transpose(*dims).values.reshape(-1, shape[0])
        result = np.empty((draws.sizes["sample"], n_rows))
        one = np.ones(n_rows)
        step = max(1, 4_000_000 // max(n_rows * response.n_predictors, 1))
        for begin in range(0, draws.sizes["sample"], step):
            chunk = slice(begin, begin + step)
            predictors = self.row_predictors(declaration, judgements, draws.isel(sample=chunk))
            for position in range(predictors.shape[1]):
                response.kernel(
                    np.ascontiguousarray(predictors[:, position]),
                    answer,
                    criterion,
                    scalars[begin + position],
                    response.options,
                    result[begin + position],
                    np.empty((response.n_predictors, n_rows)),
                    np.zeros(shape),
                    one,
                )
        return result


def row_codes(
    declaration: Declaration[Any], judgements: Judgements, data: RowData
) -> dict[str, npt.NDArray[np.int64]]:
    """Return positions of each row's labels among the labels of the fit, by column."""
    dims = {}
    for term in declaration.terms:
        effect = declaration.effect(term.effect)
        if effect is not None:
            dims |= dict(zip(term.columns, effect.dims, strict=True))
    if declaration.has_criterion:
        dims["criterion"] = "criterion"
    codes = {name: np.asarray(values, dtype=np.int64) for name, values in data.codes.items()}
    for column, dim in dims.items():
        if column in codes:
            continue
        known = {label: at for at, label in enumerate(declaration.coords[dim])}
        labels = judgements.labels(column)
        unknown = [label for label in labels if label not in known]
        if unknown:
            raise ModelError(
                f"these judgements have a {dim} that the model was not fitted to: {some(unknown)}"
            )
        positions = np.array([known[label] for label in labels], dtype=np.int64)
        codes[column] = positions[judgements.codes(column)]
    return codes
