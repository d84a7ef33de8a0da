"""Families whose answers depend on linear predictors: what they share.

A declaration says how Gaussian effects enter linear predictors (``Term``) and which few parameters
the response has (``Scalar``). Cells are made in ``_cells``, the compiled density in
``_predictor_density``.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from bayeseval.errors import ModelError
from bayeseval.families._cells import RowData, collapse_rows, row_codes
from bayeseval.families._declaration import Declaration, Effect, FloatArray, PredictorCells
from bayeseval.families._layout import (
    Geometry,
    effect_values,
    layout,
    n_parameters,
    put_back,
    taken_apart,
)
from bayeseval.families._marginal import averaged_over_levels
from bayeseval.families._predictor_density import PredictorDensity
from bayeseval.judgements import Judgements


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
        """Return a point of the sampler's space near the middle of the priors.

        Parameters
        ----------
        declaration : Declaration
            The model.
        cells : PredictorCells
            The collapsed judgements.
        rng : numpy.random.Generator
            Chains start apart from one another.

        Returns
        -------
        numpy.ndarray
            Dims (parameter,).
        """
        del cells
        response = declaration.response
        placed = layout(declaration, response.parameter_shapes)
        x = rng.uniform(-0.5, 0.5, n_parameters(placed))
        for block in declaration.blocks:
            part = placed[f"{block.name}_sd"].part
            x[part] = 0.5 * block.sd_scale * np.exp(x[part])
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
        values = put_back(declaration, taken_apart(declaration, placed, draws, geometry), geometry)
        for scalar in declaration.response.scalars:
            if scalar.prior.kind == "beta":
                values[scalar.name] = 1.0 / (1.0 + np.exp(-values[scalar.name]))
            elif scalar.prior.kind != "normal":
                values[scalar.name] = np.exp(values[scalar.name])
        return values

    def location(
        self, declaration: Declaration[Any], effect: Effect, values: dict[str, FloatArray]
    ) -> FloatArray:
        """Return the parameter that an effect varies around.

        Parameters
        ----------
        declaration : Declaration
            The model.
        effect : Effect
            Of the declaration.
        values : dict of str to numpy.ndarray
            Named values.

        Returns
        -------
        numpy.ndarray
            Dims (..., criterion).
        """
        del declaration
        return values[effect.around]

    def location_information(self, declaration: Declaration[Any], effect: Effect) -> float:
        """Return what the prior of that parameter knows of it: one over its variance.

        Parameters
        ----------
        declaration : Declaration
            The model.
        effect : Effect
            Of the declaration.

        Returns
        -------
        float
            Information.
        """
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
            values = self.levels(declaration, term.effect, draws)
            weight = data.weights[term.weight] if isinstance(term.weight, str) else term.weight
            at = (slice(None), *index_of, *(codes[column] for column in term.columns))
            result[term.predictor] += weight * values[at]
        return result

    def levels(self, declaration: Declaration[Any], name: str, draws: xr.Dataset) -> FloatArray:
        """Return the draws of what a term names, dims (sample, [criterion,] ...).

        Parameters
        ----------
        declaration : Declaration
            The model.
        name : str
            Name of an effect, or of something else that terms may name.
        draws : xarray.Dataset
            Draws along a dim ``sample``.

        Raises
        ------
        ModelError
            For draws that were not stored.
        """
        return stored_draws(declaration, draws, name, declaration.level(name).dims)

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


def stored_draws(
    declaration: Declaration[Any], draws: xr.Dataset, name: str, dims: Sequence[str]
) -> FloatArray:
    """Return draws by name, dims (sample, [criterion,] *dims), or say that they are not stored."""
    if name not in draws:
        raise ModelError(
            f"the draws of {name!r} were not stored, and this needs them; fit again with "
            "store='all'"
        )
    lead = ["sample", "criterion"] if declaration.has_criterion else ["sample"]
    return draws[name].transpose(*lead, *dims).values
