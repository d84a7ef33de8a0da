"""Log density of a declaration with linear predictors in centred coordinates, with its Hessian.

The sampler's coordinates keep every shape near a standard normal; a normal approximation wants the
coordinates in which well-informed effects are nearest to normal: the effects themselves. Their
standard deviations, skewed and with a pole of the joint density at zero, are integrated out
(``_block_prior``). Rows that sum to zero have the n - 1 rotated coordinates of PyMC's
ZeroSumTransform. The Hessian is exact up to the differences that give the curvature of single
cells: per cell by predictor and by parameter of the response, scattered to all pairs of effects.
"""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import numba
import numpy as np
import numpy.typing as npt

from bayeseval.families._block_math import inner_product
from bayeseval.families._block_prior import Block
from bayeseval.families._declaration import (
    Declaration,
    FloatArray,
    IntArray,
    PredictorCells,
    PredictorResponse,
)
from bayeseval.families._layout import zero_sum_extend
from bayeseval.families._scalar_prior import (
    constrained_value,
    derivative,
    log_prior,
    middle,
    prior_slope,
)

_STEP = 1e-5


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _predict(
    index: IntArray,
    weight: FloatArray,
    target: npt.NDArray[np.int64],
    effects: FloatArray,
    predictors: FloatArray,
) -> None:
    predictors[:] = 0.0
    for t in range(index.shape[0]):
        row = predictors[target[t]]
        for cell in range(index.shape[1]):
            row[cell] += weight[t, cell] * effects[index[t, cell]]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _gather(
    index: IntArray,
    weight: FloatArray,
    target: npt.NDArray[np.int64],
    predictors_bar: FloatArray,
    effects_bar: FloatArray,
) -> None:
    effects_bar[:] = 0.0
    for t in range(index.shape[0]):
        row = predictors_bar[target[t]]
        for cell in range(index.shape[1]):
            effects_bar[index[t, cell]] += weight[t, cell] * row[cell]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _scatter(
    index: IntArray,
    weight: FloatArray,
    target: npt.NDArray[np.int64],
    curvature: FloatArray,
    by: int,
    out: FloatArray,
) -> None:
    """Add the curvature of the cells by predictor ``by`` to all pairs of effects."""
    for s in range(index.shape[0]):
        if target[s] != by:
            continue
        for t in range(index.shape[0]):
            row = curvature[target[t]]
            for cell in range(index.shape[1]):
                value = weight[s, cell] * weight[t, cell] * row[cell]
                out[index[s, cell], index[t, cell]] += value


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _scatter_mixed(
    index: IntArray,
    weight: FloatArray,
    target: npt.NDArray[np.int64],
    criterion: IntArray,
    mixed: FloatArray,
    out: FloatArray,
) -> None:
    """Add the cells' derivatives by predictor and parameter, dims out (effect, criterion)."""
    for t in range(index.shape[0]):
        row = mixed[target[t]]
        for cell in range(index.shape[1]):
            out[index[t, cell], criterion[cell]] += weight[t, cell] * row[cell]


class CentredDensity:
    """The log density of free effects and parameters, standard deviations integrated out.

    Parameters
    ----------
    declaration
        The model; its criteria are not correlated.
    cells
        The collapsed judgements.
    """

    def __init__(self, declaration: Declaration[PredictorResponse], cells: PredictorCells) -> None:
        self.declaration, self.cells = declaration, cells
        response, n_criteria = declaration.response, declaration.n_criteria
        blocks = []
        start = free = 0
        for effect in declaration.effects:
            for _ in range(n_criteria):
                blocks.append(
                    Block(
                        name=effect.name,
                        sd_scale=effect.sd_scale,
                        n_rows=effect.size // effect.shape[-1],
                        length=effect.shape[-1],
                        zero_sum=effect.zero_sum,
                        start=start,
                        free=slice(free, free + effect.free_size),
                    )
                )
                start += effect.size
                free += effect.free_size
        self.blocks = tuple(blocks)
        self.n_effects, self.n_free = start, free
        self.size = free + n_criteria * len(response.scalars)
        self._options = response.options
        self._target = np.array([term.predictor for term in declaration.terms], dtype=np.int64)
        shape = (response.n_predictors, cells.n_cells)
        self._predictors, self._bar = np.empty(shape), np.empty(shape)
        self._log_p = np.empty(cells.n_cells)

    def spawn(self) -> "CentredDensity":
        """Return the same density with working space of its own."""
        return CentredDensity(self.declaration, self.cells)

    def start(self) -> FloatArray:
        """Return the middle of the priors, all effects zero."""
        x = np.zeros(self.size)
        for at, scalar in enumerate(self.declaration.response.scalars):
            x[self._scalar(at)] = middle(scalar.prior)
        return x

    def _scalar(self, position: int) -> slice:
        n = self.declaration.n_criteria
        first = self.n_free + position * n
        return slice(first, first + n)

    def effects(self, x: FloatArray) -> FloatArray:
        """Return all effects from points with dims (…, parameter)."""
        found = np.empty((*x.shape[:-1], self.n_effects))
        for block in self.blocks:
            own = x[..., block.free].reshape(*x.shape[:-1], block.n_rows, -1)
            own = zero_sum_extend(own) if block.zero_sum else own
            found[..., block.start : block.stop] = own.reshape(*x.shape[:-1], -1)
        return found

    def named(self, x: FloatArray, rng: np.random.Generator) -> dict[str, FloatArray]:
        """Take points apart into values by the names of the PyMC model, effects themselves.

        Parameters
        ----------
        x
            Dims (chain, draw, parameter).
        rng
            Source of the standard deviations, drawn given the effects.
        """
        n = self.declaration.n_criteria
        effects = self.effects(x)
        values = {}
        for at, effect in enumerate(self.declaration.effects):
            own = self.blocks[at * n : (at + 1) * n]
            part = effects[..., own[0].start : own[-1].stop]
            values[effect.name] = part.reshape(*x.shape[:-1], n, *effect.shape)
            sds = [block.draw_sd(_squares(x[..., block.free]).ravel(), rng) for block in own]
            values[f"{effect.name}_sd"] = np.stack(sds, axis=-1).reshape(*x.shape[:-1], n)
        for at, scalar in enumerate(self.declaration.response.scalars):
            values[scalar.name] = constrained_value(scalar.prior, x[..., self._scalar(at)])
        return values

    def _scalars(self, x: FloatArray) -> FloatArray:
        """Return the response's parameters at points, dims (…, criterion, scalar)."""
        scalars = self.declaration.response.scalars
        found = np.empty((*x.shape[:-1], self.declaration.n_criteria, len(scalars)))
        for at, scalar in enumerate(scalars):
            found[..., at] = constrained_value(scalar.prior, x[..., self._scalar(at)])
        return found

    def _evaluate_cells(self, scalars: FloatArray) -> FloatArray:
        """Evaluate the cells at the predictors in memory; return slopes by the parameters."""
        cells, response = self.cells, self.declaration.response
        by_scalar = np.zeros_like(scalars)
        response.kernel(
            self._predictors,
            cells.answer,
            cells.criterion,
            scalars,
            self._options,
            self._log_p,
            self._bar,
            by_scalar,
            cells.count,
        )
        return by_scalar

    def _kernel(self, x: FloatArray) -> FloatArray:
        """Evaluate the cells at the predictors in memory; return slopes by the coordinates.

        Those of the response's parameters, prior included, dims (scalar, criterion).
        """
        response = self.declaration.response
        by_scalar = self._evaluate_cells(self._scalars(x))
        slopes = np.empty((len(response.scalars), self.declaration.n_criteria))
        for at, scalar in enumerate(response.scalars):
            own = x[self._scalar(at)]
            slopes[at] = by_scalar[:, at] * derivative(scalar.prior, own)
            slopes[at] += prior_slope(scalar.prior, own)
        return slopes

    def __call__(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Return the log density, up to a constant, and its gradient."""
        return self._evaluate(x)[:2]

    def log_densities(self, x: FloatArray) -> FloatArray:
        """Return the log density of many points, up to the same constant.

        Parameters
        ----------
        x
            Dims (point, parameter).
        """
        cells, effects = self.cells, self.effects(x)
        total = np.zeros(len(x))
        for block in self.blocks:
            total += block.prior(_squares(x[:, block.free])).log
        for at, scalar in enumerate(self.declaration.response.scalars):
            total += log_prior(scalar.prior, x[:, self._scalar(at)]).sum(axis=-1)
        several = getattr(self.declaration.response, "log_likelihoods", None)
        if several is not None:
            return total + several(cells, effects, self._scalars(x))
        for k, scalars in enumerate(self._scalars(x)):
            _predict(cells.index, cells.weight, self._target, effects[k], self._predictors)
            self._evaluate_cells(scalars)
            total[k] += inner_product(cells.count, self._log_p)
        return total

    def _evaluate(
        self, x: FloatArray, *, wide: bool = False
    ) -> tuple[float, FloatArray, FloatArray]:
        gradient = np.zeros(self.size)
        cells = self.cells
        _predict(cells.index, cells.weight, self._target, self.effects(x), self._predictors)
        slopes = self._kernel(x)
        gradient[self.n_free :] = slopes.ravel()
        total = inner_product(cells.count, self._log_p)
        effects_bar = np.empty(self.n_effects)
        _gather(cells.index, cells.weight, self._target, self._bar, effects_bar)
        for block in self.blocks:
            own = x[block.free]
            squares = np.array(own @ own)
            if wide:
                precision = 1.0 / block.sd_scale**2
                total -= 0.5 * precision * float(squares)
            else:
                prior = block.prior(squares)
                precision = float(prior.precision)
                total += float(prior.log)
            rows = effects_bar[block.start : block.stop].reshape(block.n_rows, block.length)
            rows = _zero_sum_reduce(rows) if block.zero_sum else rows
            gradient[block.free] = rows.ravel() - precision * own
        for at, scalar in enumerate(self.declaration.response.scalars):
            total += float(log_prior(scalar.prior, x[self._scalar(at)]).sum())
        return total, gradient, slopes

    def expansion(
        self, x: FloatArray, *, wide: bool = False
    ) -> tuple[float, FloatArray, FloatArray]:
        """Return log density, gradient, and minus the Hessian, dims (parameter, parameter).

        With ``wide`` they are those under standard deviations fixed at their prior scales.
        """
        cells, response = self.cells, self.declaration.response
        n_scalars = len(response.scalars)
        total, gradient, slopes = self._evaluate(x, wide=wide)
        here = self._bar.copy()
        likelihood = np.zeros((self.n_effects, self.n_effects))
        for by in range(response.n_predictors):
            row = self._predictors[by].copy()
            self._predictors[by] += _STEP
            self._kernel(x)
            self._predictors[by] = row
            curvature = (here - self._bar) / _STEP
            _scatter(cells.index, cells.weight, self._target, curvature, by, likelihood)
        result = np.zeros((self.size, self.size))
        free = slice(self.n_free)
        result[free, free] = self._free(self._free(likelihood).T)
        for at in range(n_scalars):
            ahead = x.copy()
            ahead[self._scalar(at)] += _STEP
            more = self._kernel(ahead)
            by_effect = np.zeros((self.n_effects, self.declaration.n_criteria))
            mixed = (here - self._bar) / _STEP
            _scatter_mixed(
                cells.index, cells.weight, self._target, cells.criterion, mixed, by_effect
            )
            result[free, self._scalar(at)] = self._free(by_effect)
            result[self._scalar(at), free] = result[free, self._scalar(at)].T
            for other in range(n_scalars):
                # Parameters of different criteria have nothing to do with one another.
                own = np.diag((slopes[other] - more[other]) / _STEP)
                result[self._scalar(other), self._scalar(at)] = own
        for block in self.blocks:
            own = x[block.free]
            diagonal = np.arange(block.free.start, block.free.stop)
            if wide:
                result[diagonal, diagonal] += 1.0 / block.sd_scale**2
                continue
            prior = block.prior(np.array(own @ own))
            result[diagonal, diagonal] += float(prior.precision)
            result[block.free, block.free] -= float(prior.precision_variance) * np.outer(own, own)
        return total, gradient, 0.5 * (result + result.T)

    def _free(self, matrix: FloatArray) -> FloatArray:
        """Carry derivatives by all effects, along the first axis, to the free ones."""
        result = np.empty((self.n_free, matrix.shape[1]))
        for block in self.blocks:
            rows = matrix[block.start : block.stop].reshape(block.n_rows, block.length, -1)
            if block.zero_sum:
                rows = np.moveaxis(_zero_sum_reduce(np.moveaxis(rows, 1, -1)), -1, 1)
            result[block.free] = rows.reshape(-1, matrix.shape[1])
        return result


def _squares(values: FloatArray) -> FloatArray:
    """Return sums of squares along the last axis."""
    return np.einsum("...k,...k->...", values, values)


def _zero_sum_reduce(values: FloatArray) -> FloatArray:
    """Carry derivatives back through ``zero_sum_extend``, along the last axis."""
    n = values.shape[-1]
    head, last = values[..., :-1], values[..., -1:]
    return head - head.sum(axis=-1, keepdims=True) / (np.sqrt(n) + n) - last / np.sqrt(n)
