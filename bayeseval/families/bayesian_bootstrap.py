"""Stated probabilities without a likelihood: random weights on the annotators."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import xarray as xr

from bayeseval._checks import some
from bayeseval.errors import DesignError, ModelError
from bayeseval.families._bootstrap_means import (
    FEWEST,
    BootstrapResponse,
    Unit,
    answers_again,
    by_pair,
    means,
    pooled,
    scores,
    square,
    units_of,
    weighted,
)
from bayeseval.families._declaration import Declaration, FloatArray
from bayeseval.families._direct import DrawsByItself, by_criterion, labelled
from bayeseval.families._family import INCOHERENCE, DirectDraws, Estimand, ModelText, PriorText
from bayeseval.families._pair_graph import asked_pairs, pair_labels
from bayeseval.families._settings import advised, check_word
from bayeseval.judgements import Judgements, SPAJudgements

_FEW = 8
"""Units of a pair below which its interval is said to be too narrow."""


@advised
@dataclass(frozen=True, kw_only=True)
class BayesianBootstrap(DrawsByItself[BootstrapResponse, SPAJudgements]):
    r"""Draw the mean stated probability of every pair, with random weights on the annotators.

    In every draw the annotators get weights from a flat Dirichlet distribution, and a pair's
    probability is the weighted mean of what was stated:

    .. math:: P_{ab} = \sum_r w_r y_{rab} \Big/ \sum_r w_r, \quad
              w \sim \mathrm{Dirichlet}(1, \dots, 1)

    over the annotators who were asked about the pair. There is no likelihood that could be wrong:
    exact ends and heaps of round numbers enter as they are. It is the Bayesian twin of the
    t-test, and the check on the mean of a model. The full specification is the card in
    ``models/bayesian_bootstrap``.

    Parameters
    ----------
    unit : {"auto", "annotator", "item", "judgement"}
        What carries a weight; its answers to one question are averaged first. "auto": annotators
        where there are several, else items where there are several, else single judgements.

    References
    ----------
    Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9, doi:10.1214/aos/1176345338.
    """

    name: ClassVar[str] = "BayesianBootstrap"
    protocol: ClassVar[str] = "spa"
    judged: ClassVar[type[Judgements]] = SPAJudgements
    response_type: ClassVar[type[Any]] = BootstrapResponse
    title: ClassVar[str] = "Bayesian bootstrap"
    win_title: ClassVar[str] = "mean probability that annotators state for A being better than B"
    quality_scale: ClassVar[str] = (
        "probability: differences of quality come as near as they can, by least squares, to "
        "P[A ≻ B] − ½ of the pairs that were asked"
    )
    pairs_alone: ClassVar[bool] = True

    unit: Literal["auto"] | Unit = "auto"

    def __post_init__(self) -> None:
        check_word("unit", self.unit, ("auto", "annotator", "item", "judgement"))

    def declare(self, judgements: Judgements) -> Declaration[BootstrapResponse]:
        """Say what is weighed, and which pairs the judgements say something of."""
        table = self.checked(judgements)
        unit = self._unit(table)
        units, n_units = units_of(table, unit)
        if n_units == 1:
            raise DesignError(
                f"the judgements have one {unit}: its weight is always 1, and nothing says how "
                "much others would differ. Name items, take unit='judgement', or fit OrderedBeta"
            )
        pairs = asked_pairs(table)
        a, b = table.codes("system_a"), table.codes("system_b")
        directions = tuple(sorted({(int(x), int(y)) for x, y in zip(a, b, strict=True)}))
        left_out: dict[str, str] = {}
        alone, few = [], []
        answered = tuple(by_pair(table, pairs))
        for label, rows in answered:
            n = np.unique(units[rows]).size
            (alone if n < FEWEST else few if n < _FEW else []).append(label)
        if len(alone) == len(answered):
            raise DesignError(
                f"no pair was answered by {FEWEST} {unit}s: of two answers every draw lies "
                "between them, which says nothing of how others would differ. Name items or take "
                "unit='judgement' where they answered more often, or fit OrderedBeta"
            )
        if alone:
            left_out["hardly any answers"] = (
                f"fewer than {FEWEST} {unit}s answered {some(alone)}: how much others would "
                "differ is not known, and no interval is printed"
            )
        notes: tuple[str, ...] = ()
        if few:
            left_out["few answers"] = (
                f"fewer than {_FEW} {unit}s answered {some(few)}: the bootstrap knows no other "
                "answers than those given, so that these intervals are too narrow"
            )
            notes = (f"F{left_out['few answers'][1:]}.",)
        if table.items is not None and unit != "item":
            left_out["items"] = f"averaged within each {unit}"
        return self.declaration_of(
            table,
            BootstrapResponse(pairs=pairs, directions=directions, unit=unit, n_units=n_units),
            left_out,
            dims={
                "system_pair": pair_labels(pairs, table.systems),
                "direction": pair_labels(directions, table.systems),
            },
            # Printed beside every answer. The draws are the bootstrap's own, no approximation: what
            # is short is the data.
            notes=notes,
        )

    def between_groups(self) -> str:
        """Say what is known of two systems of groups that never met: nothing."""
        return "is not known"

    def _unit(self, table: SPAJudgements) -> Unit:
        if self.unit == "auto":
            if table.has("annotator") and len(table.labels("annotator")) > 1:
                return "annotator"
            if table.has("item") and len(table.labels("item")) > 1:
                return "item"
            return "judgement"
        if self.unit != "judgement" and not table.has(self.unit):
            raise ModelError(
                f"unit={self.unit!r} needs the {self.unit} of every judgement, which is not there"
            )
        return self.unit

    def draw(
        self,
        declaration: Declaration[BootstrapResponse],
        judgements: Judgements,
        *,
        draws: int,
        chains: int,
        rng: np.random.Generator,
    ) -> DirectDraws:
        """Weigh the units again and again.

        Besides ``quality`` there are ``stated`` by direction, as asked, and ``preferred`` by pair,
        both directions as one: not a number where fewer than three units answered a pair.
        """
        table, response = self.checked(judgements), declaration.response
        units, _ = units_of(table, response.unit)
        n_draws = chains * draws
        # Exponential variables are Dirichlet weights before they are divided by their sum, which a
        # ratio of two sums does not see. All pairs share them: an annotator is drawn as a whole.
        weights = rng.exponential(size=(n_draws, response.n_units))
        stated, preferred = [], []
        for rows in by_criterion(table):
            by_direction = means(table, rows, units, response.n_units)
            stated.append(weighted(weights, [by_direction.get(d) for d in response.directions]))
            preferred.append(
                weighted(weights, [pooled(by_direction, pair) for pair in response.pairs])
            )
        quality = [scores(declaration, one - 0.5) for one in preferred]
        values = {
            name: (dim, np.stack(of, axis=1).reshape(chains, draws, len(of), -1))
            for name, dim, of in (
                ("stated", "direction", stated),
                ("preferred", "system_pair", preferred),
                ("quality", "system", quality),
            )
        }
        return DirectDraws(
            posterior=labelled(declaration, ("chain", "draw"), values),
            approximate=None,
            method=f"independent draws of Dirichlet(1, …, 1) weights on {response.n_units} "
            f"{response.unit}s",
        )

    def describe(
        self, declaration: Declaration[BootstrapResponse] | Judgements | None = None
    ) -> ModelText:
        """Describe what is done in words and formulas."""
        declaration = self._declared(declaration)
        unit = "annotator" if declaration is None else declaration.response.unit
        return ModelText(
            words=(
                (
                    f"Every draw gives each {unit} a random weight, and the probability of a pair "
                    "is the weighted mean of what was stated. Nothing is assumed about how "
                    "answers are distributed; pairs inform each other only by sharing the weights."
                ),
                (
                    "Both directions of a pair count as one for the win probability: the mean of "
                    "P[A ≻ B] and 1 − P[B ≻ A]."
                ),
                (
                    "Quality is made of the pairs: scores that sum to zero and whose differences "
                    "come as near as they can, by least squares, to P[A ≻ B] − ½."
                ),
            ),
            formulas=(
                f"P_ab = Σ w[{unit}] y[{unit}, ab] / Σ w[{unit}]",
                "quality = argmin Σ (q_a − q_b − (P_ab − ½))² over the pairs asked",
            ),
            priors=(
                PriorText(
                    "w",
                    "Dirichlet(1, …, 1)",
                    f"weights of the {unit}s; answers that nobody gave have none",
                ),
            ),
            left_out={} if declaration is None else dict(declaration.left_out),
        )

    def estimands(self, declaration: Declaration[BootstrapResponse]) -> Mapping[str, Estimand]:
        """List what was asked and, where a pair was asked in both directions, ``incoherence``."""
        found = {STATED.name: STATED}
        asked = set(declaration.response.directions)
        if any((b, a) in asked for a, b in asked):
            found[INCOHERENCE.name] = INCOHERENCE
        return found

    def quantity(
        self, name: str, declaration: Declaration[BootstrapResponse], posterior: xr.Dataset
    ) -> xr.DataArray:
        """Compute a quantity of every two systems: not a number for pairs that were never asked."""
        response = declaration.response
        if name == "win_probability":
            array, pairs = posterior["preferred"].transpose(..., "system_pair"), response.pairs
        else:
            array, pairs = posterior["stated"].transpose(..., "direction"), response.directions
        result = square(declaration, array, pairs, mirror=name != INCOHERENCE.name)
        if name == INCOHERENCE.name:
            result = result + result.swapaxes(-1, -2) - 1.0
        systems = list(declaration.coords["system"])
        coords = {dim: array[dim].values for dim in array.dims[:-1]}
        return xr.DataArray(
            result,
            dims=(*array.dims[:-1], "system", "system_b"),
            coords={**coords, "system": systems, "system_b": systems},
        )

    def predict(
        self,
        declaration: Declaration[BootstrapResponse],
        judgements: Judgements,
        draws: xr.Dataset,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Draw for every row an answer that was given to its question, by weighted units.

        Of the draws only the number is used: what is drawn again are the answers of these
        judgements.
        """
        table = self.checked(judgements)
        return answers_again(table, declaration.response.unit, draws.sizes["sample"], rng)


STATED = Estimand(
    "stated_probability",
    "Stated probability",
    "the mean probability stated of the system being better than system_b, as asked; "
    "where the pair was asked the other way round only, one minus that",
    "probability",
    (0.0, 1.0),
    dims=("system", "system_b"),
)
