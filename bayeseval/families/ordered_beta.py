"""Stated probabilities as exact ends and a beta in between."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import xarray as xr

from bayeseval._checks import some
from bayeseval.errors import DesignError, ModelError
from bayeseval.families._beta_kernel import (
    AT_0,
    AT_1,
    BETWEEN,
    DIFFERENCE,
    LOG_EXTREMITY,
    LOG_PRECISION,
)
from bayeseval.families._beta_quantities import BetaQuantities, kappa_of
from bayeseval.families._beta_response import BetaResponse, Structure
from bayeseval.families._beta_text import describe_beta
from bayeseval.families._declaration import (
    Declaration,
    Effect,
    FloatArray,
    Term,
)
from bayeseval.families._design import Effects, choose_effects
from bayeseval.families._family import Estimand, ModelText
from bayeseval.families._pair_graph import (
    asked_pairs,
    circles,
    pair_labels,
    pair_scores,
)
from bayeseval.families._predictors import PredictorFamily, RowData
from bayeseval.judgements import Judgements, SPAJudgements
from bayeseval.judgements.identify import Identification, identify

_LARGEST_AUTO = 50_000
"""Most effects of one kind that are taken in without being asked for."""

_MOST_CIRCLES = 200
"""Likewise: circles of pairs, each of which concerns every judgement."""


@dataclass(frozen=True, kw_only=True)
class OrderedBeta(PredictorFamily):
    r"""Model stated probabilities as exactly 0, exactly 1, or a beta in between.

    .. math:: P(y = 0) = 1 - F(\eta + \kappa), \quad P(y = 1) = F(\eta - \kappa), \quad
              \eta = x_r (q_a - q_b + p_{ab} + t_{a,r} - t_{b,r}) + \beta

    with the logistic function F, an annotator's extremity x, the pair's own effect p, taste t and
    direction bias β; between the ends the answer is beta with mean F(η) and the annotator's
    precision. What is reported is the mean of what annotators would state, ends included. The full
    specification is the card in ``models/ordered_beta``.

    Parameters
    ----------
    structure : {"qualities", "pairs"}
        Whether a pair's answers come from the difference of two qualities, or every pair has a
        difference of its own: for designs in which the pairs link no single group of systems, or
        where one scale of quality is not to be assumed.
    effects : {"auto", "none"} or dict of str to bool
        Which of ``pair``, ``taste``, ``interaction``, ``log_extremity``, ``log_precision``,
        ``direction_bias`` (and, with a moderator m, ``deviation_m``) are in the model. "auto"
        takes what the design identifies. With ``structure="pairs"`` the pairs are always in.
    resolution : float
        Standard deviation that an answer near one half has at least. People answer in round
        numbers: without it, annotators who repeat one number would be taken as exact.
    quality_sd_scale, pair_sd_scale, pair_mean_sd_scale : float
        Half-normal prior scales of standard deviations on the scale of log odds: of the
        qualities; of the pairs' departures from them; of the pairs where they are alone.
        Departures are what no qualities can fit, which shows in circles of pairs.
    taste_sd_scale, interaction_sd_scale, deviation_sd_scale : float
        Likewise: taste, system by item, a moderator's deviation by system.
    log_extremity_sd_scale, log_precision_sd_scale : float
        Half-normal prior scales of how much the logs of annotators' extremity and precision vary.
    direction_bias_scale : float
        Normal prior scale of the advantage of the system named first.
    end_a, end_b : float
        Beta prior of the chance of an exact end between equal systems, which gives κ.
    precision_centre, log_precision_scale : float
        Prior median of the precision, and normal prior scale of its log.

    References
    ----------
    Ethayarajh & Jurafsky (2022), The authenticity gap in human evaluation, EMNLP,
    doi:10.18653/v1/2022.emnlp-main.406. Kubinec (2023), Ordered beta regression, Political
    Analysis 31, doi:10.1017/pan.2022.20.
    """

    name: ClassVar[str] = "OrderedBeta"
    protocol: ClassVar[str] = "spa"
    title: ClassVar[str] = "ordered beta"
    quality_scale: ClassVar[str] = (
        "log odds of what a typical annotator states of a comparison with an average system"
    )

    structure: Structure = "qualities"
    effects: Effects = "auto"
    resolution: float = 0.01
    quality_sd_scale: float = 1.0
    pair_sd_scale: float = 0.3
    pair_mean_sd_scale: float = 1.0
    taste_sd_scale: float = 0.5
    interaction_sd_scale: float = 0.5
    deviation_sd_scale: float = 0.5
    log_extremity_sd_scale: float = 0.5
    log_precision_sd_scale: float = 0.5
    direction_bias_scale: float = 0.5
    end_a: float = 1.0
    end_b: float = 9.0
    precision_centre: float = 5.0
    log_precision_scale: float = 1.0

    def __post_init__(self) -> None:
        if self.structure not in ("qualities", "pairs"):
            raise ModelError(f"structure= is 'qualities' or 'pairs'; found {self.structure!r}")
        if not 0 <= self.resolution < 0.5:
            raise ModelError(
                "resolution= is a standard deviation of a probability, from 0 to below 0.5; found "
                f"{self.resolution!r}"
            )
        for setting in fields(self):
            value = getattr(self, setting.name)
            number = setting.name.endswith(("_scale", "_centre")) or setting.name.startswith("end_")
            if number and not 0 < value < np.inf:
                raise ModelError(
                    f"{setting.name}= is a positive number, part of a prior; found {value!r}"
                )

    def declare(self, judgements: Judgements) -> Declaration[BetaResponse]:
        """Turn the family into a model of these judgements' design.

        Parameters
        ----------
        judgements : SPAJudgements
            The stated probabilities.

        Returns
        -------
        Declaration
            Effects, response, labels, and what was left out with the reason.

        Raises
        ------
        ModelError
            Where the judgements are no stated probabilities, or lack what an effect needs.
        DesignError
            Where there are none.
        """
        table = stated_probabilities(judgements, self.name)
        design, pairs = identify(table), asked_pairs(table)
        reasons, forcible = self._reasons(table, design, pairs)
        included, left_out = choose_effects(self.effects, reasons, forcible)
        biased = "direction_bias" in included
        first = "pair" if self.structure == "pairs" else "quality"
        names = [first, *(name for name in included if name != "direction_bias")]
        if len(design.components) > 1:
            left_out["differences between groups"] = (
                f"the systems fall into {len(design.components)} groups that were never compared "
                f"({'; '.join(some(group) for group in design.components[:3])}): the difference "
                "of two systems of different groups "
                + (
                    "is not known"
                    if self.structure == "pairs"
                    else "comes from the prior; structure='pairs' leaves it open"
                )
            )
        coords: dict[str, tuple[str, ...]] = {
            "system": table.systems,
            "system_pair": pair_labels(pairs, table.systems),
        }
        used = {dim for name in names for dim in self._dims(name)}
        if "pair" in names and self.structure == "qualities":
            n_circles = len(pairs) - design.n_systems + len(design.components)
            coords["circle"] = tuple(f"circle {k + 1}" for k in range(n_circles))
        for factor in ("annotator", "item"):
            if factor in used:
                coords[factor] = table.labels(factor)
        if table.criteria is not None:
            coords["criterion"] = table.criteria
        coords |= table.moderators
        return Declaration(
            family=self.name,
            coords=coords,
            has_criterion=table.criteria is not None,
            effects=tuple(self._effect(name, coords) for name in names),
            response=BetaResponse(
                structure=self.structure,
                pairs=pairs,
                resolution=self.resolution,
                direction_bias_scale=self.direction_bias_scale if biased else None,
                end_a=self.end_a,
                end_b=self.end_b,
                precision_centre=self.precision_centre,
                log_precision_scale=self.log_precision_scale,
            ),
            left_out=left_out,
            terms=tuple(term for name in names for term in _terms(name, coords)),
            components=design.components,
        )

    def _reasons(
        self, table: SPAJudgements, design: Identification, pairs: tuple[tuple[int, int], ...]
    ) -> tuple[dict[str, str | None], dict[str, str | None]]:
        """Say which effects are identified, and which can be built, as `choose_effects` asks."""
        reasons: dict[str, str | None] = {}
        forcible: dict[str, str | None] = {}
        if self.structure == "qualities":
            n_circles = len(pairs) - design.n_systems + len(design.components)
            none = "the pairs form no circle: qualities fit any answers to them"
            forcible["pair"] = None if n_circles > 0 else none
            reasons["pair"] = forcible["pair"]
            if n_circles > _MOST_CIRCLES:
                reasons["pair"] = (
                    f"{n_circles:,} circles of pairs are many; ask for effects={{'pair': True}} if "
                    "you want to wait"
                )
        nobody = None
        if table.annotators is None:
            nobody = "the judgements have no annotator identities"
        elif len(table.annotators) == 1:
            nobody = "there is one annotator"
        seldom = None
        if not design.annotators_judge_repeatedly:
            seldom = "no annotator answered twice"
        taste = None
        if not design.annotators_repeat_systems:
            taste = "no annotator judged the same system twice"
        size = design.n_systems * (design.n_annotators or 0)
        taste = taste or _many(size, "systems × annotators", "taste")
        reasons |= {
            "taste": nobody or taste,
            "log_extremity": nobody or seldom,
            "log_precision": nobody or seldom,
        }
        forcible |= dict.fromkeys(("taste", "log_extremity", "log_precision"), nobody)
        no_items = None
        if table.items is None:
            no_items = "no item column was named"
        elif len(table.items) == 1:
            no_items = "all judgements are of one item"
        once = None if design.outputs_judged_repeatedly else "every output was judged once"
        size = design.n_systems * (design.n_items or 0)
        once = once or _many(size, "systems × items", "interaction")
        reasons["interaction"], forcible["interaction"] = no_items or once, no_items
        turned = None
        if not _both_directions(table):
            turned = "every pair was asked in one direction only"
        reasons["direction_bias"], forcible["direction_bias"] = turned, None
        for moderator, levels in table.moderators.items():
            few = None if len(levels) > 1 else f"{moderator!r} has one level"
            if self.structure == "pairs":
                few = "pairs of their own have no qualities to vary; filter, and fit each level"
            reasons[f"deviation_{moderator}"] = forcible[f"deviation_{moderator}"] = few
        return reasons, forcible

    def _effect(self, name: str, coords: Mapping[str, tuple[str, ...]]) -> Effect:
        kind = "deviation" if name.startswith("deviation_") else name
        scale = "pair_mean" if name == "pair" and self.structure == "pairs" else kind
        dims = self._dims(name)
        return Effect(
            name=name,
            dims=dims,
            shape=tuple(len(coords[dim]) for dim in dims),
            sign=1,
            sd_scale=getattr(self, f"{scale}_sd_scale"),
            zero_sum=kind in ("quality", "deviation", "log_extremity", "log_precision"),
            around="log_precision_mean" if name == "log_precision" else "",
        )

    def _dims(self, name: str) -> tuple[str, ...]:
        match name.partition("_"):
            case ("deviation", _, moderator):
                return (moderator, "system")
            case ("quality", *_):
                return ("system",)
            case ("pair", *_):
                # Departures from one scale show in circles of pairs and nowhere else.
                return ("system_pair",) if self.structure == "pairs" else ("circle",)
            case ("taste", *_):
                return ("system", "annotator")
            case ("interaction", *_):
                return ("system", "item")
            case _:
                return ("annotator",)

    def row_data(self, declaration: Declaration[BetaResponse], judgements: Judgements) -> RowData:
        """Return which end an answer is, its logs, and which pair was asked in which direction.

        Parameters
        ----------
        declaration : Declaration
            The model.
        judgements : SPAJudgements
            The stated probabilities.

        Returns
        -------
        RowData
            Three columns; which pair and direction, or a weight for every circle of pairs.

        Raises
        ------
        ModelError
            For a system or a pair that the model was not fitted to.
        """
        y = judgements.answers
        inside = (y > 0.0) & (y < 1.0)
        held = np.where(inside, y, 0.5)
        what = np.where(inside, BETWEEN, np.where(y > 0.0, AT_1, AT_0))
        logs = [np.where(inside, log, 0.0) for log in (np.log(held), np.log1p(-held))]
        a, b = _positions(declaration, judgements)
        answers = [what, *logs]
        if declaration.effect("pair") is None:
            return RowData(answers=answers)
        place = {pair: at for at, pair in enumerate(declaration.response.pairs)}
        asked = [
            place.get((int(first), int(second)), -1)
            for first, second in zip(np.minimum(a, b), np.maximum(a, b), strict=True)
        ]
        codes = np.array(asked, dtype=np.int32)
        if (codes < 0).any():
            labels = declaration.coords["system"]
            new = sorted({f"{labels[a[row]]} ≻ {labels[b[row]]}" for row in np.where(codes < 0)[0]})
            raise ModelError(
                f"these judgements ask pairs that the model was not fitted to: {some(new)}"
            )
        direction = np.where(a < b, 1.0, -1.0)
        if "circle" not in declaration.coords:
            return RowData(answers=answers, codes={"pair": codes}, weights={"direction": direction})
        basis = circles(declaration.response.pairs, len(declaration.coords["system"]))
        return RowData(
            answers=answers,
            codes={
                f"circle_{k}": np.full(codes.size, k, dtype=np.int32) for k in range(basis.shape[1])
            },
            weights={f"circle_{k}": direction * basis[codes, k] for k in range(basis.shape[1])},
        )

    def posterior_dataset(
        self, declaration: Declaration[BetaResponse], values: dict[str, FloatArray]
    ) -> xr.Dataset:
        """Return every parameter under its name in the posterior contract.

        Parameters
        ----------
        declaration : Declaration
            The model.
        values : dict of str to numpy.ndarray
            Named values, dims (chain, draw, criterion, ...).

        Returns
        -------
        xarray.Dataset
            With the user's labels as coordinates, and ``kappa``. With qualities, ``departure`` is
            what each pair departs from them by. With pairs of their own, ``quality`` is what fits
            the pairs best: its differences are nearest to them by least squares, and it sums to
            zero within every group of systems that pairs link.
        """
        dataset = super().posterior_dataset(declaration, values)
        ends = dataset["end_probability"]
        dataset["kappa"] = ends.copy(data=kappa_of(ends.values))
        if "pair" not in dataset:
            return dataset
        pairs, n_systems = declaration.response.pairs, len(declaration.coords["system"])
        if declaration.response.structure == "pairs":
            pair = dataset["pair"].transpose(..., "system_pair")
            scores = pair_scores(pairs, n_systems, pair.values)
            dataset["quality"] = ((*pair.dims[:-1], "system"), scores)
        else:
            pair = dataset["pair"].transpose(..., "circle")
            departure = pair.values @ circles(pairs, n_systems).T
            dataset["departure"] = ((*pair.dims[:-1], "system_pair"), departure)
        return dataset

    @staticmethod
    def response_from(record: Mapping[str, Any]) -> BetaResponse:
        """Make the response from its saved fields.

        Parameters
        ----------
        record : mapping
            Fields of a ``BetaResponse`` as JSON holds them.

        Returns
        -------
        BetaResponse
            The response.
        """
        pairs = tuple((int(a), int(b)) for a, b in record["pairs"])
        return BetaResponse(**{**record, "pairs": pairs})

    def describe(self, declaration: Declaration[BetaResponse] | None = None) -> ModelText:
        """Describe the model in words, formulas and priors.

        Parameters
        ----------
        declaration : Declaration, optional
            A model declared for judgements; without it, the family without its optional effects.

        Returns
        -------
        ModelText
            Prints as text.
        """
        if declaration is not None:
            scales = {effect.name: effect.sd_scale for effect in declaration.effects}
            return describe_beta(declaration.response, scales, declaration)
        by_pairs = self.structure == "pairs"
        response = BetaResponse(
            structure=self.structure,
            pairs=(),
            resolution=self.resolution,
            direction_bias_scale=None,
            end_a=self.end_a,
            end_b=self.end_b,
            precision_centre=self.precision_centre,
            log_precision_scale=self.log_precision_scale,
        )
        scale = self.pair_mean_sd_scale if by_pairs else self.quality_sd_scale
        return describe_beta(response, {"pair" if by_pairs else "quality": scale}, None)

    def __str__(self) -> str:
        return f"Ordered beta for stated probabilities\n\n{self.describe()}"

    def estimands(self, declaration: Declaration[BetaResponse]) -> Mapping[str, Estimand]:
        """List the family's readable quantities.

        Parameters
        ----------
        declaration : Declaration
            The model.

        Returns
        -------
        dict of str to Estimand
            ``stated_probability`` and, with a direction bias, ``incoherence``.
        """
        found = {"stated_probability": STATED}
        if declaration.response.direction_bias_scale is not None:
            found["incoherence"] = INCOHERENCE
        return found

    def estimate(
        self,
        name: str,
        declaration: Declaration[BetaResponse],
        posterior: xr.Dataset,
        *,
        population: str = "new",
        by: str | None = None,
    ) -> xr.DataArray:
        """Compute one readable quantity from the draws.

        Parameters
        ----------
        name : str
            ``win_probability``, or one of :meth:`estimands`. The win probability is the stated
            probability, averaged over both directions of asking.
        declaration : Declaration
            The model.
        posterior : xarray.Dataset
            The draws; with very many systems they are thinned to 100 million values.
        population : {"new", "observed"}
            Average over new annotators and items, or over those in the data (where there are more
            than 4096 pairs of annotator and item, over a fixed sample of so many).
        by : str, optional
            A moderator: a value for each of its levels instead of their plain average.

        Returns
        -------
        xarray.DataArray
            Dims chain, draw, (criterion,) system, system_b(, level). Not a number for pairs that
            were never asked, where pairs have differences of their own.
        """
        if population not in ("new", "observed"):
            raise ModelError(f"population= is 'new' or 'observed'; found {population!r}")
        return of_stated(
            name, self.name, BetaQuantities(declaration, posterior).stated(population, by)
        )

    def predict(
        self,
        declaration: Declaration[BetaResponse],
        judgements: Judgements,
        draws: xr.Dataset,
        rng: np.random.Generator,
    ) -> npt.NDArray[np.float64]:
        """Draw a probability for every row, exact ends included.

        Parameters
        ----------
        declaration : Declaration
            The model.
        judgements : SPAJudgements
            Rows to predict; their labels are those of the fit.
        draws : xarray.Dataset
            Draws along a dim ``sample``.
        rng : numpy.random.Generator
            Source of the noise.

        Returns
        -------
        numpy.ndarray
            Dims (sample, row).
        """
        response = declaration.response
        predictors = self.row_predictors(declaration, judgements, draws)
        scalars = self.row_scalars(declaration, judgements, draws)
        e = np.exp(predictors[LOG_EXTREMITY]) * predictors[DIFFERENCE]
        e = e + scalars.get("direction_bias", np.zeros((1, 1)))
        own = np.exp(-scalars["log_precision_mean"] - predictors[LOG_PRECISION])
        precision = 1.0 / (own + 4.0 * response.resolution**2)
        return drawn_answers(e, kappa_of(scalars["end_probability"]), precision, rng)


STATED = Estimand(
    "stated_probability",
    "Stated probability",
    "the mean probability that annotators would state of the system being better than system_b, "
    "exact 0 and 1 included",
    "probability",
    (0.0, 1.0),
)
INCOHERENCE = Estimand(
    "incoherence",
    "Incoherence",
    "by how much the probabilities stated in both directions of a pair exceed one together",
    "probability",
    (-1.0, 1.0),
)


def of_stated(name: str, family: str, stated: xr.DataArray) -> xr.DataArray:
    """Return a quantity that follows from what is stated in both directions of all pairs."""
    turned = stated.rename({"system": "system_b", "system_b": "system"}).transpose(*stated.dims)
    if name == "stated_probability":
        return stated.rename(name)
    if name == "incoherence":
        return (stated + turned - 1.0).rename(name)
    if name == "win_probability":
        return (0.5 * (stated + 1.0 - turned)).rename(name)
    raise ModelError(
        f"{family} has no estimand {name!r}; it has 'stated_probability', 'incoherence' and "
        "'win_probability'"
    )


def drawn_answers(
    e: FloatArray, kappa: FloatArray, precision: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Draw answers at predictor ``e``, exact ends included."""
    from scipy.special import expit

    uniform = rng.random(e.shape)
    a, b = np.maximum(expit(e) * precision, 1e-12), np.maximum(expit(-e) * precision, 1e-12)
    # A draw of a beta may round to an end; the ends are outcomes of their own.
    inside = np.clip(rng.beta(a, b), np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0))
    at_0, at_1 = uniform < expit(-e - kappa), uniform > expit(kappa - e)
    return np.where(at_0, 0.0, np.where(at_1, 1.0, inside))


def stated_probabilities(judgements: Judgements, family: str) -> SPAJudgements:
    """Return the judgements, or say why they are none for these families."""
    if not isinstance(judgements, SPAJudgements):
        raise ModelError(
            f"{family} models SPAJudgements, probabilities that annotators state; found "
            f"{type(judgements).__name__}"
        )
    if judgements.n_rows == 0:
        raise DesignError("there are no probabilities to fit: the table has 0 rows")
    return judgements


def _many(size: int, what: str, effect: str) -> str | None:
    if size <= _LARGEST_AUTO:
        return None
    return f"{size:,} {what} are many; ask for effects={{{effect!r}: True}} if you want to wait"


def _both_directions(table: SPAJudgements) -> bool:
    """Tell whether some pair was asked in both directions, by whomever."""
    pairs = table.canonical()
    asked = np.unique(np.stack([pairs.first, pairs.second, pairs.forward]), axis=1)
    return asked.shape[1] > np.unique(asked[:2], axis=1).shape[1]


def _positions(
    declaration: Declaration[Any], judgements: Judgements
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return positions of both systems of every row among the systems of the fit."""
    known = {label: at for at, label in enumerate(declaration.coords["system"])}
    unknown = [label for label in judgements.systems if label not in known]
    if unknown:
        raise ModelError(
            f"these judgements have a system that the model was not fitted to: {some(unknown)}"
        )
    places = np.array([known[label] for label in judgements.systems], dtype=np.intp)
    return places[judgements.codes("system_a")], places[judgements.codes("system_b")]


def _terms(name: str, coords: Mapping[str, tuple[str, ...]]) -> tuple[Term, ...]:
    """Return how an effect enters: as a difference of two systems, by pair, or once."""
    if name == "pair":
        if "circle" not in coords:
            return (Term(name, ("pair",), weight="direction"),)
        names = (f"circle_{k}" for k in range(len(coords["circle"])))
        return tuple(Term(name, (circle,), weight=circle) for circle in names)
    if name == "quality" or name.startswith(("taste", "interaction", "deviation_")):
        rest = {"quality": (), "taste": ("annotator",), "interaction": ("item",)}
        columns = rest.get(name, ())
        before = (name.removeprefix("deviation_"),) if name.startswith("deviation_") else ()
        return tuple(
            Term(name, (*before, f"system_{side}", *columns), weight=sign)
            for side, sign in (("a", 1.0), ("b", -1.0))
        )
    predictor = LOG_EXTREMITY if name == "log_extremity" else LOG_PRECISION
    return (Term(name, ("annotator",), predictor),)
