"""What a model of strengths says of pairs: mean strength, preference and no preference."""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

import numba
import numpy as np
import xarray as xr
from scipy.special import betainc, expit, gammaln, stdtr

from bayeseval.families._beta_quantities import drawn_answers, kappa_of
from bayeseval.families._declaration import Declaration, FloatArray
from bayeseval.families._marginal import (
    POINT,
    Cell,
    Own,
    SystemPairs,
    averaged,
    nodes,
    over_people_and_items,
    people_and_items,
    thinned,
)
from bayeseval.families._strength_response import (
    BY_ANNOTATOR,
    DIFFERENCE,
    LOG_SCALE,
    OWN,
    StrengthResponse,
)

_MOST_EVALUATIONS = 200_000_000
"""Evaluations that take some ten seconds; with more, draws are thinned evenly."""

_SLIDER = 20
"""How many times as long an incomplete beta function, or that of a t, takes as a normal one."""

_MOST_OBSERVED = 4096
_STRETCH_NODES = 7
_OWN_NODES = {"graded": 7, "ordered_beta": 3, "student_t": 3}
_ADDED_NODES = {"graded": 1, "ordered_beta": 7, "student_t": 7}


@dataclass(frozen=True)
class StrengthQuantities:
    """Readable quantities of a fitted model of strengths.

    Parameters
    ----------
    declaration
        The model.
    posterior
        Draws by the names of the posterior contract.
    """

    declaration: Declaration[StrengthResponse]
    posterior: xr.Dataset

    def estimate(self, name: str, population: str | None, by: str | None) -> xr.DataArray:
        """Return an estimand's draws, dims (chain, draw[, criterion], system, system_b[, level]).

        The mean of both ways of showing a pair.
        """
        posterior = thinned(
            self.declaration,
            self.posterior,
            population=population,
            by=by,
            work=self._work(population),
            most=_MOST_EVALUATIONS,
        )
        found = averaged(
            self.declaration,
            posterior,
            self._at,
            ("system", "system_b", "quantity"),
            population=population,
            by=by,
        )
        strength, preferred, none = (found.isel(quantity=k) for k in range(3))
        return {
            "expected_strength": strength,
            "preference_probability": preferred,
            "no_preference_probability": none,
            "win_probability": preferred + 0.5 * none,
        }[name]

    def answers(
        self, predictors: FloatArray, scalars: Mapping[str, FloatArray], rng: np.random.Generator
    ) -> FloatArray:
        """Draw strengths, dims (sample, row)."""
        response, bound = self.declaration.response, self.declaration.response.bound
        difference, own = predictors[DIFFERENCE], predictors[BY_ANNOTATOR]
        e = np.exp(predictors[LOG_SCALE]) * (difference + scalars.get("side_bias", _NONE))
        match response.response:
            case "graded":
                shape = np.broadcast_shapes(*(scalars[n].shape for n in response.width_names))
                thresholds = response.thresholds_of(scalars, shape)
                latent = (e + rng.normal(size=e.shape)) * np.exp(-own)
                return sum(latent > cut for cut in np.moveaxis(thresholds, -1, 0)) - bound
            case "student_t":
                spread = np.exp(2.0 * (scalars["log_spread_mean"] + own)) + response.resolution**2
                df = np.broadcast_to(scalars["degrees_of_freedom"], e.shape)
                return np.clip(e + np.sqrt(spread) * rng.standard_t(df), -bound, bound)
            case "ordered_beta":
                own = np.exp(-scalars["log_precision_mean"] - own) + 4.0 * response.resolution**2
                kappa = kappa_of(scalars["end_probability"])
                answer = bound * (2.0 * drawn_answers(e, kappa, 1.0 / own, rng) - 1.0)
                if not response.middle:
                    return answer
                chance = 4.0 * scalars["middle_probability"] * expit(e) * expit(-e)
                none = (rng.random(e.shape) < chance) & (np.abs(answer) < bound)
                return np.where(none, 0.0, answer)

    def _work(self, population: str | None) -> int:
        """Return how long one draw takes in one cell, in evaluations of a distribution function."""
        response = self.declaration.response
        kind = response.response
        each = _STRETCH_NODES * _OWN_NODES[kind] * _ADDED_NODES[kind]
        if population == "observed":
            each = len(people_and_items(self.declaration, _MOST_OBSERVED))
        each *= response.n_grades - 1 if kind == "graded" else _SLIDER
        return len(self.declaration.coords["system"]) ** 2 * each

    def _at(self, cell: Cell) -> FloatArray:
        """Dims (draw, system, system_b, quantity)."""
        summary = _summary(self.declaration.response, cell)
        own_name = OWN[self.declaration.response.response]

        def answer(difference: FloatArray, added_sd: FloatArray, own: Own) -> FloatArray:
            found = summary.average(difference, added_sd, *own["log_scale"], *own[own_name])
            return np.moveaxis(found, 0, -1)

        found = over_people_and_items(
            cell, answer, own=("log_scale", own_name), most=_MOST_OBSERVED
        )
        strength, preferred, none = np.moveaxis(found, -1, 0)
        mirrored = np.stack([-strength, 1.0 - preferred - none, none], axis=-1)
        return SystemPairs(len(self.declaration.coords["system"])).square(found, mirrored)


@dataclass(frozen=True)
class _Summary:
    """Means over answers of one response, for given draws of its parameters."""

    response: StrengthResponse
    bias: FloatArray
    at: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
    """From location, log scale and the annotator's own to quantities, (quantity, draw, pair)."""

    added_inside: bool
    """Whether ``at`` wants the sd of what is added to the location, and integrates over it."""

    def average(
        self,
        difference: FloatArray,
        added_sd: FloatArray,
        scale: FloatArray,
        scale_sd: FloatArray,
        own: FloatArray,
        own_sd: FloatArray,
    ) -> FloatArray:
        """Average over normal effects and both ways of showing a pair, (quantity, draw, pair)."""
        kind = self.response.response
        total = np.zeros((3, *difference.shape))
        by_added = _nodes(_ADDED_NODES[kind], wanted=not self.added_inside and bool(added_sd.any()))
        by_scale = _nodes(_STRETCH_NODES, wanted=bool(scale_sd.any()))
        by_own = _nodes(_OWN_NODES[kind], wanted=bool(own_sd.any()))
        for added, scaled, owned in product(by_added, by_scale, by_own):
            weight = added[1] * scaled[1] * owned[1]
            moved = difference + added_sd * added[0]
            factor = np.exp(scale + scale_sd * scaled[0])
            third = own + own_sd * owned[0]
            inner = factor[:, None] * added_sd if self.added_inside else _NONE
            one = self.at(factor[:, None] * (moved + self.bias[:, None]), third, inner)
            other = self.at(factor[:, None] * (self.bias[:, None] - moved), third, inner)
            total[0] += weight * 0.5 * (one[0] - other[0])
            total[1] += weight * 0.5 * (one[1] + 1.0 - other[1] - other[2])
            total[2] += weight * 0.5 * (one[2] + other[2])
        return total


_NONE = np.zeros((1, 1))


def _nodes(n: int, *, wanted: bool) -> list[tuple[float, float]]:
    """Return nodes and weights of a standard normal; the middle alone where nothing varies."""
    at, weights = nodes(n) if wanted else POINT
    return [(float(x), float(w)) for x, w in zip(at, weights, strict=True)]


def _summary(response: StrengthResponse, cell: Cell) -> _Summary:
    bias = cell.optional("side_bias")
    if response.response == "graded":
        logs = {name: cell.flat(name) for name in response.width_names}
        thresholds = response.thresholds_of(logs, (cell.n_draws,))

        def graded(e: FloatArray, log_gap: FloatArray, added: FloatArray) -> FloatArray:
            found = np.zeros((3, *e.shape))
            noise = np.sqrt(1.0 + added**2)
            gaps = np.exp(log_gap)[:, None] * thresholds
            _grade_means(e, gaps, noise, response.bound, found)
            return found

        return _Summary(response, bias, graded, added_inside=True)
    if response.response == "student_t":
        df = cell.flat("degrees_of_freedom")
        mean_spread = cell.flat("log_spread_mean")

        def points(e: FloatArray, log_spread: FloatArray, added: FloatArray) -> FloatArray:
            del added
            own = np.exp(2.0 * (mean_spread + log_spread)) + response.resolution**2
            return _point_means(e, np.sqrt(own)[:, None], df[:, None], response.bound)

        return _Summary(response, bias, points, added_inside=False)
    kappa = kappa_of(cell.flat("end_probability"))[:, None]
    middle = cell.flat("middle_probability")[:, None] if response.middle else None
    mean_precision = cell.flat("log_precision_mean")

    def slider(e: FloatArray, log_precision: FloatArray, added: FloatArray) -> FloatArray:
        del added
        inverse = np.exp(-mean_precision - log_precision) + 4.0 * response.resolution**2
        return _slider_means(e, kappa, middle, 1.0 / inverse[:, None], response.bound)

    return _Summary(response, bias, slider, added_inside=False)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _grade_means(
    e: FloatArray, thresholds: FloatArray, noise: FloatArray, bound: float, found: FloatArray
) -> None:
    """Fill mean grade, chance of one above 0 and of exactly 0, dims (quantity, draw, pair)."""
    top = thresholds.shape[1]
    above, at_least = top // 2, (top - 1) // 2
    for d in range(e.shape[0]):
        for p in range(e.shape[1]):
            factor = 1.0 / (noise[d, p] * math.sqrt(2.0))
            mean, positive, not_negative = -bound, 0.0, 0.0
            for t in range(top):
                chance = 0.5 * math.erfc((thresholds[d, t] - e[d, p]) * factor)
                mean += chance
                if t == above:
                    positive = chance
                if t == at_least:
                    not_negative = chance
            found[0, d, p], found[1, d, p] = mean, positive
            found[2, d, p] = not_negative - positive


def _slider_means(
    e: FloatArray,
    kappa: FloatArray,
    middle: FloatArray | None,
    precision: FloatArray,
    bound: float,
) -> FloatArray:
    low, high, share = expit(-e - kappa), expit(e - kappa), expit(e)
    between = 1.0 - low - high
    none = np.zeros_like(e)
    if middle is not None:
        none = between * 4.0 * middle * share * expit(-e)
    inside = between - none
    a = np.maximum(share * precision, 1e-300)
    b = np.maximum(expit(-e) * precision, 1e-300)
    mean = bound * (high - low + inside * (2.0 * share - 1.0))
    return np.stack([mean, high + inside * betainc(b, a, 0.5), none])


def _point_means(e: FloatArray, spread: FloatArray, df: FloatArray, bound: float) -> FloatArray:
    # The integral of the distribution function, G' = T, has no closed form at one degree only.
    df = np.where(np.abs(df - 1.0) < 1e-3, 1.0 + 1e-3, df)
    constant = gammaln(0.5 * df + 0.5) - gammaln(0.5 * df) - 0.5 * np.log(np.pi * df)

    def integral(z: FloatArray) -> FloatArray:
        density = np.exp(constant - 0.5 * (df + 1.0) * np.log1p(z * z / df))
        return z * stdtr(df, z) + (df + z * z) / (df - 1.0) * density

    mean = bound - spread * (integral((bound - e) / spread) - integral((-bound - e) / spread))
    return np.stack([mean, stdtr(df, e / spread), np.zeros_like(e)])
