"""Stated probabilities as exact ends and a beta in between."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import xarray as xr

from bayeseval._checks import some
from bayeseval.errors import ModelError
from bayeseval.families._answering import AnsweringFamily
from bayeseval.families._base import positions
from bayeseval.families._beta_quantities import BetaQuantities, kappa_of
from bayeseval.families._beta_response import (
    AT_0,
    AT_1,
    BETWEEN,
    LOG_EXTREMITY,
    LOG_PRECISION,
    BetaResponse,
    Structure,
)
from bayeseval.families._cells import RowData
from bayeseval.families._declaration import Declaration, FloatArray, Term
from bayeseval.families._design import Effects
from bayeseval.families._family import INCOHERENCE, Estimand
from bayeseval.families._pair_graph import (
    asked_pairs,
    circles,
    pair_labels,
    pair_scores,
)
from bayeseval.families._settings import advised, check_number, check_settings
from bayeseval.families.kinds import Kind, deviation, interaction, of_annotator, quality, taste
from bayeseval.families.needs import (
    Facts,
    annotators_judge_repeatedly,
    both_orders,
    order_told,
    several_comparisons,
)
from bayeseval.judgements import Judgements, SPAJudgements

_LARGEST_AUTO = 50_000
"""Most effects of one kind that are taken in without being asked for."""

_MOST_CIRCLES = 200
"""Likewise: circles of pairs, each of which concerns every judgement."""


def _n_circles(facts: Facts) -> int:
    design = facts.design
    pairs = asked_pairs(facts.judgements)
    return len(pairs) - design.n_systems + len(design.components)


def _some_circle(facts: Facts) -> str | None:
    """Ask for pairs that form a circle."""
    none = "the pairs form no circle: qualities fit any answers to them"
    return None if _n_circles(facts) > 0 else none


def _few_circles(facts: Facts) -> str | None:
    """Ask for no more circles than can be sampled quickly."""
    n_circles = _n_circles(facts)
    if n_circles <= _MOST_CIRCLES:
        return None
    return (
        f"{n_circles:,} circles of pairs are many; ask for effects={{'pair': True}} if you want to "
        "wait"
    )


def _pairs_have_no_qualities(facts: Facts) -> str | None:
    del facts
    return "pairs of their own have no qualities to vary; filter, and fit each level"


_PAIRS = Kind(
    name="pair",
    dims=("system_pair",),
    always=True,
    scale="pair_mean_sd_scale",
    meaning="how far pairs are from one half",
)
"""Differences of the pairs' own, where there are no qualities."""


@advised
@dataclass(frozen=True, kw_only=True)
class OrderedBeta(AnsweringFamily[BetaResponse, SPAJudgements]):
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
    win_title: ClassVar[str] = "mean probability that annotators state for A being better than B"
    quality_scale: ClassVar[str] = (
        "log odds of what a typical annotator states of a comparison with an average system"
    )

    judged: ClassVar[type[Judgements]] = SPAJudgements
    response_type: ClassVar[type[BetaResponse]] = BetaResponse
    quantities: ClassVar[type[BetaQuantities]] = BetaQuantities
    kinds: ClassVar[tuple[Kind, ...]] = (
        quality(),
        Kind(
            name="pair",
            # Departures from one scale show in circles of pairs and nowhere else.
            dims=("circle",),
            meaning="how far pairs depart from what any qualities could give",
            words="Pairs may depart from what any qualities could give, as circles of pairs show.",
            needs=(_few_circles,),
            buildable=(_some_circle,),
        ),
        taste(most=_LARGEST_AUTO),
        of_annotator(
            "log_extremity",
            "how much annotators differ in how far from one half they answer, as a log",
            "Annotators differ in how far from one half they answer.",
            annotators_judge_repeatedly,
            several_comparisons,
            predictor=LOG_EXTREMITY,
        ),
        of_annotator(
            "log_precision",
            "how much annotators differ in how exactly they answer, as a log",
            "Annotators differ in how exactly they answer.",
            annotators_judge_repeatedly,
            predictor=LOG_PRECISION,
            around="log_precision_mean",
        ),
        interaction(most=_LARGEST_AUTO),
        Kind(
            name="direction_bias",
            dims=(),
            meaning="advantage of the system named first",
            needs=(order_told,),
        ),
        deviation(),
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
    log_extremity_sd_scale: float = 0.3
    log_precision_sd_scale: float = 0.5
    direction_bias_scale: float = 0.5
    end_a: float = 1.0
    end_b: float = 9.0
    precision_centre: float = 5.0
    log_precision_scale: float = 1.0

    def __post_init__(self) -> None:
        check_settings(self, "_scale", "_centre", "end_a", "end_b")
        what = "a standard deviation of a probability, from 0 to below 0.5"
        check_number("resolution", self.resolution, 0.5, what)

    @property
    def pairs_alone(self) -> bool:
        """Whether a pair never asked has no answer."""
        return self.structure == "pairs"

    def all_kinds(self) -> Sequence[Kind]:
        """Return the kinds of effects of the structure."""
        if self.structure == "qualities":
            return self.kinds
        named = {kind.name: kind for kind in self.kinds}
        instead = {
            "deviation": replace(named["deviation"], buildable=(_pairs_have_no_qualities,)),
            "direction_bias": replace(named["direction_bias"], needs=(both_orders,)),
        }
        rest = (k for k in self.kinds if k.name not in ("quality", "pair"))
        return (_PAIRS, *(instead.get(kind.name, kind) for kind in rest))

    def response_to(
        self, facts: Facts, names: Sequence[str]
    ) -> tuple[BetaResponse, dict[str, str]]:
        """Return how stated probabilities come about."""
        pairs = asked_pairs(facts.judgements)
        return self._response(pairs, biased="direction_bias" in names), {}

    def typical_response(self) -> BetaResponse:
        """Return the response that a description without judgements is of."""
        return self._response((), biased=False)

    def _response(self, pairs: tuple[tuple[int, int], ...], *, biased: bool) -> BetaResponse:
        scale = self.direction_bias_scale if biased else None
        return self._response_with(pairs=pairs, direction_bias_scale=scale)

    def coords_of(
        self, facts: Facts, response: BetaResponse, used: Sequence[Kind]
    ) -> dict[str, tuple[str, ...]]:
        """Return the labels of every dimension of the model, pairs and circles among them."""
        coords = super().coords_of(facts, response, used)
        coords["system_pair"] = pair_labels(response.pairs, coords["system"])
        if any("circle" in kind.dims for kind in used):
            coords["circle"] = tuple(f"circle {k + 1}" for k in range(_n_circles(facts)))
        return coords

    def terms_of(self, kind: Kind, coords: Mapping[str, tuple[str, ...]]) -> Sequence[Term]:
        """Return how an effect enters: that of a pair by its direction, or by every circle."""
        if kind.name != "pair":
            return super().terms_of(kind, coords)
        if "circle" not in kind.dims:
            return (Term("pair", ("pair",), weight="direction"),)
        names = (f"circle_{k}" for k in range(len(coords["circle"])))
        return tuple(Term("pair", (circle,), weight=circle) for circle in names)

    def between_groups(self) -> str:
        """Say what is known of two systems of groups that were never compared."""
        if self.structure == "pairs":
            return "is not known"
        return "comes from the prior; structure='pairs' leaves it open"

    def row_data(self, declaration: Declaration[BetaResponse], judgements: Judgements) -> RowData:
        """Return which end an answer is, its logs, and which pair was asked in which direction."""
        y = judgements.answers
        inside = (y > 0.0) & (y < 1.0)
        held = np.where(inside, y, 0.5)
        what = np.where(inside, BETWEEN, np.where(y > 0.0, AT_1, AT_0))
        logs = [np.where(inside, log, 0.0) for log in (np.log(held), np.log1p(-held))]
        a, b = (
            positions(declaration, judgements, "system", factor)
            for factor in ("system_a", "system_b")
        )
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
        """Return every parameter under its name in the posterior contract."""
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

    def estimands(self, declaration: Declaration[BetaResponse]) -> Mapping[str, Estimand]:
        """List the family's readable quantities."""
        found = {"stated_probability": STATED}
        if declaration.response.direction_bias_scale is not None:
            found["incoherence"] = INCOHERENCE
        return found


STATED = Estimand(
    "stated_probability",
    "Stated probability",
    "the mean probability that annotators would state of the system being better than system_b, "
    "exact 0 and 1 included",
    "probability",
    (0.0, 1.0),
    dims=("system", "system_b"),
)
