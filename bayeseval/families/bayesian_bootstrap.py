"""Stated probabilities without a likelihood: random weights on the annotators."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import xarray as xr

from bayeseval._checks import some
from bayeseval.errors import DesignError, ModelError
from bayeseval.families._declaration import Declaration, FloatArray
from bayeseval.families._direct import DrawsByItself
from bayeseval.families._family import DirectDraws, Estimand, ModelText, PriorText
from bayeseval.families._marginal import checked_population
from bayeseval.families._pair_graph import Pairs, asked_pairs, pair_labels, pair_scores
from bayeseval.families._settings import advised, check_word
from bayeseval.judgements import Judgements, SPAJudgements
from bayeseval.judgements.identify import identify

type Unit = Literal["annotator", "item", "judgement"]

_FEW = 8
"""Units of a pair below which its interval is said to be too narrow."""
_FEWEST = 3
"""Units of a pair from which on it has draws: of two, every draw lies between the two answers."""


@dataclass(frozen=True, kw_only=True)
class BootstrapResponse:
    """What was asked, and what carries a weight.

    Parameters
    ----------
    pairs
        Positions of the two systems of every pair that was asked, the lower one first.
    directions
        Positions of the two systems of every question, the one named first in front.
    unit
        What carries a weight.
    n_units
        How many there are.
    """

    pairs: Pairs
    directions: Pairs
    unit: Unit
    n_units: int

    @property
    def kind(self) -> str:
        """Which density evaluates the answers; there is none."""
        return "bayesian_bootstrap"

    @property
    def varies_by(self) -> tuple[str, ...]:
        """Whose answers are averaged over."""
        return () if self.unit == "judgement" else (self.unit,)

    @property
    def parameter_shapes(self) -> dict[str, tuple[int, ...]]:
        """No parameters."""
        return {}


@advised
@dataclass(frozen=True, kw_only=True)
class BayesianBootstrap(DrawsByItself):
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
        """Say what is weighed, and which pairs the judgements say something of.

        Parameters
        ----------
        judgements : SPAJudgements
            The stated probabilities.

        Returns
        -------
        Declaration
            Labels, pairs, and what was left out with the reason.

        Raises
        ------
        ModelError
            Where the judgements are no stated probabilities, or have no such unit.
        DesignError
            Where there are none, or a single unit, which has nothing to be weighed against.
        """
        table = _checked(judgements)
        unit = self._unit(table)
        units, n_units = _units(table, unit)
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
        answered = tuple(_by_pair(table, pairs))
        for label, rows in answered:
            n = np.unique(units[rows]).size
            (alone if n < _FEWEST else few if n < _FEW else []).append(label)
        if len(alone) == len(answered):
            raise DesignError(
                f"no pair was answered by {_FEWEST} {unit}s: of two answers every draw lies "
                "between them, which says nothing of how others would differ. Name items or take "
                "unit='judgement' where they answered more often, or fit OrderedBeta"
            )
        if alone:
            left_out["hardly any answers"] = (
                f"fewer than {_FEWEST} {unit}s answered {some(alone)}: how much others would "
                "differ is not known, and no interval is printed"
            )
        notes: tuple[str, ...] = ()
        if few:
            left_out["few answers"] = (
                f"fewer than {_FEW} {unit}s answered {some(few)}: the bootstrap knows no other "
                "answers than those given, so that these intervals are too narrow"
            )
            notes = (f"F{left_out['few answers'][1:]}.",)
        for moderator in table.moderators:
            left_out[moderator] = "the bootstrap pools its levels; filter, and fit each level"
        if table.items is not None and unit != "item":
            left_out["items"] = f"averaged within each {unit}"
        design = identify(table)
        if len(design.components) > 1:
            left_out["differences between groups"] = (
                f"the systems fall into {len(design.components)} groups that were never compared "
                f"({'; '.join(some(group) for group in design.components[:3])}): the difference "
                "of two systems of different groups is not known"
            )
        coords: dict[str, tuple[str, ...]] = {
            "system": table.systems,
            "system_pair": pair_labels(pairs, table.systems),
            "direction": pair_labels(directions, table.systems),
        }
        if table.criteria is not None:
            coords["criterion"] = table.criteria
        return Declaration(
            family=self.name,
            coords=coords,
            has_criterion=table.criteria is not None,
            effects=(),
            response=BootstrapResponse(
                pairs=pairs, directions=directions, unit=unit, n_units=n_units
            ),
            left_out=left_out,
            components=design.components,
            # Printed beside every answer. The draws are the bootstrap's own, no approximation: what
            # is short is the data.
            design_notes=(*design.design_notes, *notes),
        )

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

        Parameters
        ----------
        declaration : Declaration
            What was asked.
        judgements : SPAJudgements
            The stated probabilities.
        draws, chains : int
            How many draws.
        rng : numpy.random.Generator
            Source of the weights.

        Returns
        -------
        DirectDraws
            ``quality``; ``stated`` by direction, as asked; ``preferred`` by pair, both directions
            as one. A pair is not a number where fewer than three units answered it.
        """
        table, response = _checked(judgements), declaration.response
        units, _ = _units(table, response.unit)
        n_draws = chains * draws
        # Exponential variables are Dirichlet weights before they are divided by their sum, which a
        # ratio of two sums does not see. All pairs share them: an annotator is drawn as a whole.
        weights = rng.exponential(size=(n_draws, response.n_units))
        stated, preferred = [], []
        for rows in _by_criterion(table):
            by_direction = _means(table, rows, units, response.n_units)
            stated.append(_weighted(weights, [by_direction.get(d) for d in response.directions]))
            preferred.append(
                _weighted(weights, [_pooled(by_direction, pair) for pair in response.pairs])
            )
        values = {"stated": np.stack(stated, axis=1), "preferred": np.stack(preferred, axis=1)}
        scores = [_scores(declaration, one - 0.5) for one in preferred]
        values["quality"] = np.stack(scores, axis=1)
        dims = {"stated": "direction", "preferred": "system_pair", "quality": "system"}
        data = {}
        for name, array in values.items():
            parts = array.reshape(chains, draws, *array.shape[1:])
            if declaration.has_criterion:
                data[name] = (("chain", "draw", "criterion", dims[name]), parts)
            else:
                data[name] = (("chain", "draw", dims[name]), parts[:, :, 0])
        coords = {name: list(labels) for name, labels in declaration.coords.items()}
        return DirectDraws(
            posterior=xr.Dataset(
                {name: xr.Variable(at, array) for name, (at, array) in data.items()}, coords=coords
            ),
            approximate=None,
            method=f"independent draws of Dirichlet(1, …, 1) weights on {response.n_units} "
            f"{response.unit}s",
        )

    @staticmethod
    def response_from(record: Mapping[str, Any]) -> BootstrapResponse:
        """Make the response from its saved fields.

        Parameters
        ----------
        record : mapping
            Fields of a ``BootstrapResponse`` as JSON holds them.

        Returns
        -------
        BootstrapResponse
            The response.
        """
        both = {
            name: tuple((int(a), int(b)) for a, b in record[name])
            for name in ("pairs", "directions")
        }
        return BootstrapResponse(**{**record, **both})

    def describe(self, declaration: Declaration[BootstrapResponse] | None = None) -> ModelText:
        """Describe what is done in words and formulas.

        Parameters
        ----------
        declaration : Declaration, optional
            As declared for judgements.

        Returns
        -------
        ModelText
            Prints as text.
        """
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

    def __str__(self) -> str:
        return f"{self.title} for stated probabilities\n\n{self.describe()}"

    def estimands(self, declaration: Declaration[BootstrapResponse]) -> Mapping[str, Estimand]:
        """List the readable quantities.

        Parameters
        ----------
        declaration : Declaration
            What was asked.

        Returns
        -------
        dict of str to Estimand
            ``stated_probability`` and, where a pair was asked in both directions, ``incoherence``.
        """
        found = {
            "stated_probability": Estimand(
                "stated_probability",
                "Stated probability",
                "the mean probability stated of the system being better than system_b, as asked; "
                "where the pair was asked the other way round only, one minus that",
                "probability",
                (0.0, 1.0),
                dims=("system", "system_b"),
            )
        }
        asked = set(declaration.response.directions)
        if any((b, a) in asked for a, b in asked):
            found["incoherence"] = Estimand(
                "incoherence",
                "Incoherence",
                "by how much the probabilities stated in both directions of a pair exceed one "
                "together",
                "probability",
                (-1.0, 1.0),
                dims=("system", "system_b"),
            )
        return found

    def estimate(
        self,
        name: str,
        declaration: Declaration[BootstrapResponse],
        posterior: xr.Dataset,
        *,
        population: str | None = None,
        by: str | None = None,
    ) -> xr.DataArray:
        """Compute one readable quantity from the draws.

        Parameters
        ----------
        name : str
            ``win_probability``, or one of :meth:`estimands`.
        declaration : Declaration
            What was asked.
        posterior : xarray.Dataset
            The draws.
        population : {"new", "observed"}, optional
            All are the same: the bootstrap knows no other annotators than those of the data.
        by : str, optional
            Must be left out: the bootstrap has no moderators.

        Returns
        -------
        xarray.DataArray
            Dims chain, draw, (criterion,) system, system_b. Not a number for pairs that were never
            asked.
        """
        checked_population(population)
        if by is not None:
            raise ModelError(
                f"by={by!r} cannot be answered: {self.name} has no moderators; filter the "
                "judgements, and fit each level"
            )
        response = declaration.response
        if name == "win_probability":
            array, pairs = posterior["preferred"].transpose(..., "system_pair"), response.pairs
            result = _square(declaration, array, pairs)
        elif name in ("stated_probability", "incoherence"):
            array, pairs = posterior["stated"].transpose(..., "direction"), response.directions
            result = _square(declaration, array, pairs, mirror=name == "stated_probability")
        else:
            raise ModelError(
                f"{self.name} has no estimand {name!r}; it has 'win_probability', "
                "'stated_probability' and 'incoherence'"
            )
        if name == "incoherence":
            result = result + result.swapaxes(-1, -2) - 1.0
        systems = list(declaration.coords["system"])
        coords = {dim: array[dim].values for dim in array.dims[:-1]}
        return xr.DataArray(
            result,
            dims=(*array.dims[:-1], "system", "system_b"),
            coords={**coords, "system": systems, "system_b": systems},
            name=name,
        )

    def predict(
        self,
        declaration: Declaration[BootstrapResponse],
        judgements: Judgements,
        draws: xr.Dataset,
        rng: np.random.Generator,
    ) -> npt.NDArray[np.float64]:
        """Draw for every row an answer that was given to its question, by weighted units.

        Parameters
        ----------
        declaration : Declaration
            What was asked.
        judgements : SPAJudgements
            The judgements.
        draws : xarray.Dataset
            Draws along a dim ``sample``, of which only the number is used: what is drawn again
            are the answers of these judgements.
        rng : numpy.random.Generator
            Source of weights and answers.

        Returns
        -------
        numpy.ndarray
            Dims (sample, row).
        """
        table = _checked(judgements)
        units, n_units = _units(table, declaration.response.unit)
        n_samples = draws.sizes["sample"]
        weights = rng.exponential(size=(n_samples, n_units))
        result = np.empty((n_samples, table.n_rows))
        a, b = table.codes("system_a"), table.codes("system_b")
        for every in _by_criterion(table):
            question = a[every].astype(np.int64) * len(table.systems) + b[every]
            for one in np.unique(question):
                rows = every[question == one]
                shares = weights[:, units[rows]] * table.counts[rows]
                steps = np.cumsum(shares, axis=1)
                at = rng.random((n_samples, rows.size)) * steps[:, -1:]
                for sample in range(n_samples):
                    chosen = np.searchsorted(steps[sample], at[sample], side="right")
                    result[sample, rows] = table.answers[rows[np.minimum(chosen, rows.size - 1)]]
        return result

    def log_likelihood(
        self,
        declaration: Declaration[BootstrapResponse],
        judgements: Judgements,
        draws: xr.Dataset,
    ) -> FloatArray:
        """Refuse: there is no likelihood.

        Parameters
        ----------
        declaration : Declaration
            What was asked.
        judgements : SPAJudgements
            The judgements.
        draws : xarray.Dataset
            Draws.

        Raises
        ------
        ModelError
            Always.
        """
        del declaration, judgements, draws
        raise ModelError(
            f"{self.name} has no likelihood, so that it cannot be compared by one; fit OrderedBeta"
        )


def _checked(judgements: Judgements) -> SPAJudgements:
    if not isinstance(judgements, SPAJudgements):
        raise ModelError(
            "BayesianBootstrap takes SPAJudgements, probabilities that annotators state; found "
            f"{type(judgements).__name__}"
        )
    if judgements.n_rows == 0:
        raise DesignError("there are no probabilities to fit: the table has 0 rows")
    return judgements


def _units(table: SPAJudgements, unit: Unit) -> tuple[npt.NDArray[np.intp], int]:
    """Return the unit of every row, and how many units there are."""
    if unit != "judgement":
        return table.codes(unit).astype(np.intp), len(table.labels(unit))
    return np.arange(table.n_rows), table.n_rows


def _by_criterion(table: SPAJudgements) -> Iterator[npt.NDArray[np.intp]]:
    if table.criteria is None:
        yield np.arange(table.n_rows)
        return
    for code in range(len(table.criteria)):
        yield np.flatnonzero(table.codes("criterion") == code)


def _by_pair(table: SPAJudgements, pairs: Pairs) -> Iterator[tuple[str, npt.NDArray[np.intp]]]:
    """Return each pair's label, with the criterion where there are several, and its rows."""
    canonical = table.canonical()
    labels = pair_labels(pairs, table.systems)
    for code, every in enumerate(_by_criterion(table)):
        where = "" if table.criteria is None else f" ({table.criteria[code]})"
        for label, (a, b) in zip(labels, pairs, strict=True):
            here = (canonical.first[every] == a) & (canonical.second[every] == b)
            if here.any():
                yield label + where, every[here]


type _Means = dict[tuple[int, int], tuple[npt.NDArray[np.intp], FloatArray]]


def _means(
    table: SPAJudgements,
    rows: npt.NDArray[np.intp],
    units: npt.NDArray[np.intp],
    n_units: int,
) -> _Means:
    """Return for each question the units that answered it, and the mean answer of each."""
    a, b = table.codes("system_a")[rows], table.codes("system_b")[rows]
    found: _Means = {}
    for one in sorted({(int(x), int(y)) for x, y in zip(a, b, strict=True)}):
        here = rows[(a == one[0]) & (b == one[1])]
        counts = np.bincount(units[here], weights=table.counts[here], minlength=n_units)
        sums = np.bincount(
            units[here], weights=table.counts[here] * table.answers[here], minlength=n_units
        )
        who = np.flatnonzero(counts)
        found[one] = (who, sums[who] / counts[who])
    return found


def _pooled(means: _Means, pair: tuple[int, int]) -> tuple[npt.NDArray[np.intp], FloatArray] | None:
    """Bring both directions of a pair to one, as the test does: a unit's mean of the two."""
    a, b = pair
    forward, backward = means.get((a, b)), means.get((b, a))
    if backward is None:
        return forward
    turned = (backward[0], 1.0 - backward[1])
    if forward is None:
        return turned
    who = np.concatenate([forward[0], turned[0]])
    values = np.concatenate([forward[1], turned[1]])
    keys, position = np.unique(who, return_inverse=True)
    return keys, np.bincount(position, weights=values) / np.bincount(position)


def _weighted(
    weights: FloatArray, answers: list[tuple[npt.NDArray[np.intp], FloatArray] | None]
) -> FloatArray:
    """Return weighted means, dims (draw, question); no number from fewer than `_FEWEST` units."""
    result = np.full((weights.shape[0], len(answers)), np.nan)
    for column, answer in enumerate(answers):
        if answer is not None and answer[0].size >= _FEWEST:
            who, values = answer
            own = weights[:, who]
            result[:, column] = (own @ values) / own.sum(axis=1)
    return result


def _scores(declaration: Declaration[BootstrapResponse], margin: FloatArray) -> FloatArray:
    """Return the scores of the systems, from the pairs that have a number."""
    n_systems = len(declaration.coords["system"])
    known = ~np.isnan(margin).all(axis=0)
    pairs = tuple(pair for pair, has in zip(declaration.response.pairs, known, strict=True) if has)
    return pair_scores(pairs, n_systems, margin[:, known])


def _square(
    declaration: Declaration[BootstrapResponse],
    array: xr.DataArray,
    pairs: Pairs,
    *,
    mirror: bool = True,
) -> FloatArray:
    """Put values by pair into a matrix of systems; mirrored where the other direction has none."""
    n_systems = len(declaration.coords["system"])
    result = np.full((*array.shape[:-1], n_systems, n_systems), np.nan)
    asked = set(pairs)
    for column, (a, b) in enumerate(pairs):
        result[..., a, b] = array.values[..., column]
        if mirror and (b, a) not in asked:
            result[..., b, a] = 1.0 - array.values[..., column]
    diagonal = np.arange(n_systems)
    result[..., diagonal, diagonal] = 0.5
    return result
