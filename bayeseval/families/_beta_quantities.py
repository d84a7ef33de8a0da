"""What a model of stated probabilities says: mean answers over annotators, ends included."""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numba
import numpy as np
import xarray as xr
from scipy.special import expit

from bayeseval.families._beta_response import (
    DIFFERENCE,
    LOG_EXTREMITY,
    LOG_PRECISION,
    BetaResponse,
)
from bayeseval.families._declaration import Declaration, FloatArray
from bayeseval.families._marginal import (
    POINT,
    Cell,
    Own,
    SystemPairs,
    averaged,
    flat,
    nodes,
    over_people_and_items,
    people_and_items,
    thinned,
)

_MOST_EVALUATIONS = 1_000_000_000
"""Mean answers computed in some ten seconds; where it takes more, draws are thinned evenly."""

_EVALUATIONS_A_VALUE = 10
"""What a value that is kept counts for: a quantity has 100 million at most."""

_MOST_OBSERVED = 100_000
_LEAST = 1e-12
_ADDED_NODES = 15
_STRETCH_NODES = 11


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _average(
    difference: FloatArray,
    added_sd: FloatArray,
    stretch: FloatArray,
    stretch_sd: FloatArray,
    bias: FloatArray,
    kappa: FloatArray,
    added: FloatArray,
    added_weight: FloatArray,
    stretched: FloatArray,
    stretched_weight: FloatArray,
    result: FloatArray,
) -> None:
    """Add mean answers in both directions, dims (draw, pair, 2), averaged over the nodes."""
    for d in range(difference.shape[0]):
        for p in range(difference.shape[1]):
            one, turned = 0.0, 0.0
            for j in range(stretched.size):
                factor = math.exp(stretch[d] + stretch_sd[d] * stretched[j])
                for k in range(added.size):
                    weight = added_weight[k] * stretched_weight[j]
                    e = factor * (difference[d, p] + added_sd[d, p] * added[k])
                    one += weight * mean_answer(e + bias[d], kappa[d])
                    turned += weight * mean_answer(bias[d] - e, kappa[d])
            result[d, p, 0] += one
            result[d, p, 1] += turned


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _logistic(x: float) -> float:
    """Return 1 / (1 + exp(-x)) with all digits in both tails."""
    small = math.exp(-abs(x))
    return (1.0 if x > 0.0 else small) / (1.0 + small)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def mean_answer(e: float, kappa: float) -> float:
    """Return the mean answer at predictor ``e``, exact ends included.

    The precision of the beta part is not in it.
    """
    at_1 = _logistic(e - kappa)
    at_0 = _logistic(-e - kappa)
    return at_1 + (1.0 - at_1 - at_0) * _logistic(e)


def kappa_of(end_probability: FloatArray) -> FloatArray:
    """Return the threshold of the ends, from their chance between equal systems."""
    return np.log1p(2.0 * (1.0 - end_probability) / end_probability)


def drawn_answers(
    e: FloatArray, kappa: FloatArray, precision: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Draw answers at predictor ``e``, exact ends included."""
    uniform = rng.random(e.shape)
    a, b = np.maximum(expit(e) * precision, _LEAST), np.maximum(expit(-e) * precision, _LEAST)
    # A draw of a beta may round to an end; the ends are outcomes of their own.
    inside = np.clip(rng.beta(a, b), _LEAST, 1.0 - _LEAST)
    at_0, at_1 = uniform < expit(-e - kappa), uniform > expit(kappa - e)
    return np.where(at_0, 0.0, np.where(at_1, 1.0, inside))


@dataclass(frozen=True)
class BetaQuantities:
    """Readable quantities of a fitted model of stated probabilities.

    Parameters
    ----------
    declaration
        The model.
    posterior
        Draws by the names of the posterior contract.
    """

    declaration: Declaration[BetaResponse]
    posterior: xr.Dataset

    def stated(self, population: str | None, by: str | None) -> xr.DataArray:
        """Return mean answers, dims (chain, draw[, criterion], system, system_b[, level]).

        ``system`` is the one named first. Not a number where the model has no answer: pairs that
        were never asked, with pairs of their own.
        """
        declaration = self.declaration
        posterior = thinned(
            declaration,
            self.posterior,
            population=population,
            by=by,
            work=self._work(population),
            most=_MOST_EVALUATIONS,
        )
        return averaged(
            declaration,
            posterior,
            self._at,
            ("system", "system_b"),
            population=population,
            by=by,
        )

    def estimate(self, name: str, population: str | None, by: str | None) -> xr.DataArray:
        """Return what follows from mean answers in both directions of all pairs, dims as there."""
        stated = self.stated(population, by)
        turned = stated.rename({"system": "system_b", "system_b": "system"}).transpose(*stated.dims)
        match name:
            case "stated_probability":
                return stated
            case "incoherence":
                return stated + turned - 1.0
            case _:
                return 0.5 * (stated + 1.0 - turned)

    def answers(
        self, predictors: FloatArray, scalars: Mapping[str, FloatArray], rng: np.random.Generator
    ) -> FloatArray:
        """Draw probabilities, exact ends included, dims (sample, row)."""
        e = np.exp(predictors[LOG_EXTREMITY]) * predictors[DIFFERENCE]
        e = e + scalars.get("direction_bias", np.zeros((1, 1)))
        own = np.exp(-scalars["log_precision_mean"] - predictors[LOG_PRECISION])
        precision = 1.0 / (own + 4.0 * self.declaration.response.resolution**2)
        return drawn_answers(e, kappa_of(scalars["end_probability"]), precision, rng)

    def _work(self, population: str | None) -> int:
        """Return how many mean answers one draw takes in one cell."""
        names = {effect.name for effect in self.declaration.effects}
        each = _ADDED_NODES if names & {"taste", "interaction"} else 1
        each *= _STRETCH_NODES if "log_extremity" in names else 1
        if population == "observed":
            each = len(people_and_items(self.declaration, _MOST_OBSERVED))
        return len(self.declaration.coords["system"]) ** 2 * max(each, _EVALUATIONS_A_VALUE)

    def _at(self, cell: Cell) -> FloatArray:
        """Dims (draw, system, system_b)."""
        kappa = kappa_of(cell.flat("end_probability"))
        bias = cell.optional("direction_bias")

        def answer(difference: FloatArray, added_sd: FloatArray, own: Own) -> FloatArray:
            stretch, stretch_sd = own["log_extremity"]
            result = np.zeros((*difference.shape, 2))
            _average(
                difference,
                added_sd,
                stretch,
                stretch_sd,
                bias,
                kappa,
                *(nodes(_ADDED_NODES) if added_sd.any() else POINT),
                *(nodes(_STRETCH_NODES) if stretch_sd.any() else POINT),
                result,
            )
            return result

        found = over_people_and_items(
            cell,
            answer,
            own=("log_extremity",),
            most=_MOST_OBSERVED,
            further=self._departures(cell.draws),
        )
        pairs = SystemPairs(len(self.declaration.coords["system"]))
        return pairs.square(found[..., 0], found[..., 1])

    def _departures(self, draws: xr.Dataset) -> tuple[FloatArray, FloatArray]:
        """Return what pairs depart from qualities by, and the variance of what is not known."""
        response = self.declaration.response
        position = {pair: at for at, pair in enumerate(response.pairs)}
        codes = SystemPairs(len(self.declaration.coords["system"])).codes.T
        asked = np.array([position.get((int(a), int(b)), -1) for a, b in codes], dtype=np.intp)
        itself = codes[:, 0] == codes[:, 1]
        shape = (draws.sizes["chain"] * draws.sizes["draw"], len(codes))
        if response.structure == "pairs":
            # Nothing is known of pairs that were not asked, whatever fits the others best.
            pair = np.where(asked >= 0, flat(draws, "pair")[:, asked], np.nan)
            fitted = SystemPairs(len(self.declaration.coords["system"])).difference(
                flat(draws, "quality")
            )
            return np.where(itself, 0.0, pair - fitted), np.zeros(shape)
        if "pair_sd" not in draws:
            return np.zeros(shape), np.zeros(shape)
        departure = np.where(asked >= 0, flat(draws, "departure")[:, asked], 0.0)
        unknown = np.where((asked >= 0) | itself, 0.0, flat(draws, "pair_sd")[:, None] ** 2)
        return departure, unknown
