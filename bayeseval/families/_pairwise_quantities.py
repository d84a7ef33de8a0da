"""What a model of comparisons says: chances of win, tie and loss over annotators and items."""

# Numba sees an element of an array as a number; the stubs of NumPy do not.
# pyright: reportArgumentType=false, reportReturnType=false

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numba
import numpy as np
import numpy.typing as npt
import xarray as xr

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
from bayeseval.families._pairwise_response import PairwiseResponse

OUTCOMES = ("win", "tie", "loss")

LOGIT, PROBIT = 0, 1
DECIDED, DAVIDSON, RAO_KUPPER = 0, 1, 2
_TIE_CODES = {"davidson": DAVIDSON, "rao_kupper": RAO_KUPPER, "half": DECIDED, "none": DECIDED}

_MOST_EVALUATIONS = 1_000_000_000
"""Outcomes computed in some ten seconds; where it takes more, draws are thinned evenly."""

_EVALUATIONS_A_VALUE = 10
"""What a value that is kept counts for: a quantity has 100 million at most."""

_MOST_OBSERVED = 100_000
_ADDED_NODES = 15
_STRETCH_NODES = 7


@numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _outcome(e: float, tie: float, link: int, ties: int) -> tuple[float, float]:
    """Return the chances of a win and of a tie; ``tie`` is log ν or the threshold."""
    if ties == DAVIDSON:
        small = math.exp(-abs(e))
        middle = math.exp(tie - 0.5 * abs(e))
        total = 1.0 + small + middle
        return (1.0 if e > 0.0 else small) / total, middle / total
    threshold = tie if ties == RAO_KUPPER else 0.0
    if link == LOGIT:
        win = 1.0 / (1.0 + math.exp(threshold - e))
        loss = 1.0 / (1.0 + math.exp(threshold + e))
    else:
        win = 0.5 * math.erfc((threshold - e) / math.sqrt(2.0))
        loss = 0.5 * math.erfc((threshold + e) / math.sqrt(2.0))
    return win, max(0.0, 1.0 - win - loss)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _average(
    difference: FloatArray,
    added_sd: FloatArray,
    stretch: FloatArray,
    stretch_sd: FloatArray,
    position: FloatArray,
    tie: FloatArray,
    link: int,
    ties: int,
    added: FloatArray,
    added_weight: FloatArray,
    stretched: FloatArray,
    stretched_weight: FloatArray,
    result: FloatArray,
) -> None:
    """Add chances of win and tie, dims (draw, pair, 2), averaged over nodes and both orders."""
    for d in range(difference.shape[0]):
        for j in range(stretched.size):
            factor = math.exp(stretch[d] + stretch_sd[d] * stretched[j])
            for p in range(difference.shape[1]):
                for k in range(added.size):
                    weight = 0.5 * added_weight[k] * stretched_weight[j]
                    moved = difference[d, p] + added_sd[d, p] * added[k]
                    for order in range(2):
                        first = position[d] if order == 0 else -position[d]
                        win, same = _outcome(factor * (moved + first), tie[d], link, ties)
                        result[d, p, 0] += weight * win
                        result[d, p, 1] += weight * same


def outcome_chances(
    e: FloatArray, tie: FloatArray | float, link: str, ties: str
) -> tuple[FloatArray, FloatArray]:
    """Return the chances that a wins and of a tie, given the predictor of every judgement."""
    if ties == "davidson":
        size = np.abs(e)
        small, middle = np.exp(-size), np.exp(tie - 0.5 * size)
        total = 1.0 + small + middle
        return np.where(e > 0, 1.0, small) / total, middle / total
    from scipy.special import expit, ndtr

    distribution = expit if link == "logit" else ndtr
    threshold = tie if ties == "rao_kupper" else 0.0
    win, loss = distribution(e - threshold), distribution(-e - threshold)
    return win, np.maximum(0.0, 1.0 - win - loss)


def tie_parameter(draws: xr.Dataset) -> xr.DataArray:
    """Return what the tie model calls its parameter: log ν, the threshold, or zero."""
    for name in ("log_tie_propensity", "tie_propensity"):
        if name in draws:
            return draws[name]
    return xr.zeros_like(draws["quality_sd"])


@dataclass(frozen=True)
class PairwiseQuantities:
    """Readable quantities of a fitted model of comparisons.

    Parameters
    ----------
    declaration
        The model.
    posterior
        Draws by the names of the posterior contract.
    """

    declaration: Declaration[PairwiseResponse]
    posterior: xr.Dataset

    def outcomes(self, population: str | None, by: str | None) -> tuple[xr.DataArray, xr.DataArray]:
        """Return the chances of win and tie, dims (chain, draw[, criterion], system, system_b)."""
        declaration = self.declaration
        posterior = thinned(
            declaration,
            self.posterior,
            population=population,
            by=by,
            work=self._work(population),
            most=_MOST_EVALUATIONS,
        )
        found = averaged(
            declaration,
            posterior,
            self._at,
            ("system", "system_b", "outcome"),
            population=population,
            by=by,
        )
        return found.isel(outcome=0), found.isel(outcome=1)

    def estimate(self, name: str, population: str | None, by: str | None) -> xr.DataArray:
        """Return chances of outcomes; both orders of presentation count alike."""
        win, tied = self.outcomes(population, by)
        if name == "win_probability":
            return win + 0.5 * tied
        loss = 1.0 - win - tied
        whole = xr.concat([win, tied, loss], dim=xr.Variable("outcome", list(OUTCOMES)))
        return whole.transpose(*win.dims, "outcome")

    def chances(
        self, predictors: FloatArray, scalars: Mapping[str, FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the chances that a wins and of a tie, dims (sample, row)."""
        response, none = self.declaration.response, np.zeros((1, 1))
        e = predictors[0] + scalars.get("position_effect", none)
        if response.consistency:
            e = e * np.exp(predictors[1])
        tie = scalars.get("log_tie_propensity", scalars.get("tie_propensity", none))
        return outcome_chances(e, tie, response.link, response.ties)

    def answers(
        self, predictors: FloatArray, scalars: Mapping[str, FloatArray], rng: np.random.Generator
    ) -> npt.NDArray[np.int8]:
        """Draw outcomes: 0 a wins, 1 b wins, 2 a tie, dims (sample, row)."""
        win, tied = self.chances(predictors, scalars)
        u = rng.random(win.shape)
        return np.where(u < win, 0, np.where(u < win + tied, 2, 1)).astype(np.int8)

    def _work(self, population: str | None) -> int:
        """Return how many outcomes one draw takes in one cell."""
        names = {effect.name for effect in self.declaration.effects}
        each = _ADDED_NODES if names & {"taste", "interaction", "position"} else 1
        each *= _STRETCH_NODES if "log_consistency" in names else 1
        if population == "observed":
            each = len(people_and_items(self.declaration, _MOST_OBSERVED))
        return len(self.declaration.coords["system"]) ** 2 * max(each, _EVALUATIONS_A_VALUE)

    def _at(self, cell: Cell) -> FloatArray:
        """Return chances of win and tie, dims (draw, system, system_b, 2)."""
        tie = tie_parameter(cell.draws).transpose("chain", "draw").values.ravel()
        response = self.declaration.response
        link, ties = LOGIT if response.link == "logit" else PROBIT, _TIE_CODES[response.ties]
        position = cell.optional("position_effect")

        def answer(difference: FloatArray, added_sd: FloatArray, own: Own) -> FloatArray:
            stretch, stretch_sd = own["log_consistency"]
            theirs, position_sd = own["position"]
            added_sd = np.hypot(added_sd, position_sd[:, None])
            result = np.zeros((*difference.shape, 2))
            _average(
                difference,
                added_sd,
                stretch,
                stretch_sd,
                position + theirs,
                tie,
                link,
                ties,
                *(nodes(_ADDED_NODES) if added_sd.any() else POINT),
                *(nodes(_STRETCH_NODES) if stretch_sd.any() else POINT),
                result,
            )
            return result

        own = ("log_consistency", "position")
        found = over_people_and_items(cell, answer, own=own, most=_MOST_OBSERVED)
        mirrored = found.copy()
        mirrored[..., 0] = 1.0 - found.sum(axis=-1)
        # Between two outputs of one system a win is as likely as a loss, whoever comes first.
        return SystemPairs(len(self.declaration.coords["system"])).square(found, mirrored)
