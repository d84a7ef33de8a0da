"""Strengths of preference: grades, sliders with ends and middle, or points with heavy tails."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
import xarray as xr

from bayeseval._checks import some
from bayeseval.errors import ModelError
from bayeseval.families._answering import AnsweringFamily
from bayeseval.families._beta_quantities import kappa_of
from bayeseval.families._cells import RowData
from bayeseval.families._declaration import Declaration, FloatArray
from bayeseval.families._design import Effects
from bayeseval.families._family import Estimand
from bayeseval.families._settings import advised, check_number, check_settings
from bayeseval.families._strength_quantities import StrengthQuantities
from bayeseval.families._strength_response import (
    BETWEEN,
    BY_ANNOTATOR,
    DIFFERENCE,
    HIGH,
    LOG_SCALE,
    LOW,
    MIDDLE,
    OWN,
    Strength,
    StrengthResponse,
    Thresholds,
)
from bayeseval.families.kinds import Kind, deviation, interaction, of_annotator, quality, taste
from bayeseval.families.needs import (
    Facts,
    annotators_judge_repeatedly,
    order_told,
    several_comparisons,
)
from bayeseval.judgements import Judgements, StrengthJudgements
from bayeseval.judgements._strengths import MOST_GRADES

_LARGEST_AUTO = 50_000
"""Most effects of one kind that are taken in without being asked for."""


def _several_thresholds(facts: Facts) -> str | None:
    """Ask for gaps between grades."""
    table = facts.judgements
    several = isinstance(table, StrengthJudgements) and table.bound > 0.5
    return None if several else "there are only two grades, with one threshold at 0"


@advised
@dataclass(frozen=True, kw_only=True)
class PreferenceStrength(AnsweringFamily[StrengthResponse, StrengthJudgements]):
    r"""Model signed strengths of preference by the difference of two qualities.

    .. math:: \eta = e^{s_r} (q_a - q_b + u_{a,i} - u_{b,i} + t_{a,r} - t_{b,r} + \beta)

    with an annotator's use of the scale s, system-by-item effects u, taste t and side bias β.
    Grades are intervals of η plus standard normal noise; a slider is an end, exactly the middle, or
    a beta in between; points are Student's t around η. The full specification is the card in
    ``models/preference_strength``.

    Parameters
    ----------
    response : {"auto", "graded", "ordered_beta", "student_t"}
        How a strength comes about. "auto": grades are "graded", a slider is "ordered_beta".
        "student_t" keeps quality in points of the scale, and its tails keep single outlying
        answers from moving it.
    thresholds : {"symmetric", "free"}
        Graded: whether the grades of both sides have the same widths. "free" leaves every width
        open; swapping the two systems then is no mirror.
    effects : {"auto", "none"} or dict of str to bool
        Which of ``interaction``, ``taste``, ``log_scale``, the response's own ``log_gap``,
        ``log_precision`` or ``log_spread``, ``side_bias`` (and, with a moderator m,
        ``deviation_m``) are in the model. "auto" takes what the design identifies.
    resolution : float
        Smallest standard deviation of a slider's answer, as a share of half the slider: people
        stop at round numbers, and would otherwise be taken as exact.
    quality_sd_scale, interaction_sd_scale, taste_sd_scale, deviation_sd_scale : float
        Half-normal prior scales of standard deviations: of latent preference, or with
        ``response="student_t"`` in halves of the bound.
    log_scale_sd_scale, log_gap_sd_scale, log_precision_sd_scale, log_spread_sd_scale : float
        Half-normal prior scales of how much the logs of annotators' scale use, gaps between
        grades, precision and spread vary.
    side_bias_scale : float
        Normal prior scale of the advantage of the system shown as a, in the units of quality.
    width_centre, log_width_scale : float
        Prior median of the width of a grade, and normal prior scale of its log.
    end_a, end_b, middle_a, middle_b : float
        Beta priors of the chances of an end of the slider, and of its exact middle, between equal
        systems.
    precision_centre, log_precision_scale : float
        Prior median of the slider's precision, and normal prior scale of its log.
    spread_centre, log_spread_scale : float
        Prior median of the spread in halves of the bound, and normal prior scale of its log.
    degrees_shape, degrees_rate : float
        Gamma prior of the degrees of freedom.

    References
    ----------
    Belz & Kow (2010), Comparing rating scales and preference judgements in language evaluation,
    INLG. Agresti (1992), Analysis of ordinal paired comparison data, Applied Statistics 41,
    doi:10.2307/2347562. Kubinec (2023), Ordered beta regression, doi:10.1017/pan.2022.20.
    """

    name: ClassVar[str] = "PreferenceStrength"
    protocol: ClassVar[str] = "strength"
    title: ClassVar[str] = "preference strength"
    win_title: ClassVar[str] = (
        "probability that one annotator prefers A to B, no preference counting half"
    )
    quality_scale: ClassVar[str] = (
        "preference over an average system: in standard deviations of the noise of one graded "
        "comparison, log odds on a slider, or points with response='student_t'"
    )

    judged: ClassVar[type[Judgements]] = StrengthJudgements
    response_type: ClassVar[type[StrengthResponse]] = StrengthResponse
    quantities: ClassVar[type[StrengthQuantities]] = StrengthQuantities
    kinds: ClassVar[tuple[Kind, ...]] = (
        quality(),
        interaction(most=_LARGEST_AUTO),
        taste(most=_LARGEST_AUTO),
        of_annotator(
            "log_scale",
            "how much annotators differ in how far they go on the scale, as a log",
            "Annotators differ in how far they go on the scale; the mean of its logs is 0, so that "
            "quality is on the scale of a typical annotator.",
            annotators_judge_repeatedly,
            several_comparisons,
            predictor=LOG_SCALE,
        ),
        of_annotator(
            "log_gap",
            "how much annotators differ in how wide their grades are, as a log",
            "Annotators differ in how wide their grades are, all by one factor.",
            annotators_judge_repeatedly,
            buildable=(_several_thresholds,),
            predictor=BY_ANNOTATOR,
        ),
        of_annotator(
            "log_precision",
            "how much annotators differ in how exactly they answer, as a log",
            "Annotators differ in how exactly they answer.",
            annotators_judge_repeatedly,
            predictor=BY_ANNOTATOR,
            around="log_precision_mean",
        ),
        of_annotator(
            "log_spread",
            "how much the spread of annotators' answers differs, as a log",
            "The spread of answers differs between annotators.",
            annotators_judge_repeatedly,
            predictor=BY_ANNOTATOR,
            around="log_spread_mean",
        ),
        Kind(
            name="side_bias",
            dims=(),
            meaning="advantage of the system shown as a",
            needs=(order_told,),
        ),
        deviation(),
    )

    response: Literal["auto"] | Strength = "auto"
    thresholds: Thresholds = "symmetric"
    effects: Effects = "auto"
    resolution: float = 0.02
    quality_sd_scale: float = 1.0
    interaction_sd_scale: float = 0.5
    taste_sd_scale: float = 0.5
    deviation_sd_scale: float = 0.5
    log_scale_sd_scale: float = 0.3
    log_gap_sd_scale: float = 0.5
    log_precision_sd_scale: float = 0.5
    log_spread_sd_scale: float = 0.5
    side_bias_scale: float = 0.5
    width_centre: float = 0.5
    log_width_scale: float = 1.0
    end_a: float = 1.0
    end_b: float = 9.0
    middle_a: float = 1.0
    middle_b: float = 4.0
    precision_centre: float = 5.0
    log_precision_scale: float = 1.0
    spread_centre: float = 0.6
    log_spread_scale: float = 1.0
    degrees_shape: float = 2.0
    degrees_rate: float = 0.1

    def __post_init__(self) -> None:
        check_settings(self, "_scale", "_centre", "_a", "_b", "_shape", "_rate")
        if self.thresholds == "free" and self.response not in ("auto", "graded"):
            raise ModelError(f"response={self.response!r} has no thresholds that could be free")
        check_number(
            "resolution", self.resolution, 1.0, "a share of half the slider, from 0 to below 1"
        )

    def kinds_of(self, facts: Facts) -> Sequence[Kind]:
        """Return the kinds of effects that the response to these strengths can have."""
        own = OWN[self._response_of(self.checked(facts.judgements))]
        return [
            replace(kind, needs=()) if self._may_be_asymmetric(kind) else kind
            for kind in self.kinds
            if kind.name == own or kind.name not in OWN.values()
        ]

    def _may_be_asymmetric(self, kind: Kind) -> bool:
        return kind.name == "side_bias" and self.thresholds == "free"

    def choice(self, facts: Facts) -> Effects:
        """Return which optional effects the user asked for.

        A choice may name the effects of every response: the same settings for several files.
        """
        if isinstance(self.effects, str):
            return self.effects
        own = OWN[self._response_of(self.checked(facts.judgements))]
        return {k: v for k, v in self.effects.items() if k == own or k not in OWN.values()}

    def response_to(
        self, facts: Facts, names: Sequence[str]
    ) -> tuple[StrengthResponse, dict[str, str]]:
        """Return how strengths come about, and what nobody answered."""
        table = self.checked(facts.judgements)
        response, has_middle = self._response_of(table), bool((table.answers == 0).any())
        unanswered = {"no preference": "nobody answered exactly the middle"}
        return self._response(
            response, table.bound, middle=has_middle, biased="side_bias" in names
        ), (unanswered if response == "ordered_beta" and not has_middle else {})

    def typical_response(self) -> StrengthResponse:
        """Return the response that a description without judgements is of.

        Grades −3..3, or a slider −100..100 where another response is asked for.
        """
        response = "graded" if self.response == "auto" else self.response
        bound = 3.0 if response == "graded" else 100.0
        return self._response(response, bound, middle=True, biased=False)

    def unit_of(self, kind: Kind, response: StrengthResponse) -> float:
        """Return what a prior scale is multiplied by: points have the size of the scale."""
        return _unit(response.response, response.bound) if kind.predictor == DIFFERENCE else 1.0

    def coords_of(
        self, facts: Facts, response: StrengthResponse, used: Sequence[Kind]
    ) -> dict[str, tuple[str, ...]]:
        """Return the labels of every dimension of the model, thresholds of grades among them."""
        coords = super().coords_of(facts, response, used)
        if response.response == "graded":
            coords["threshold"] = threshold_labels(response.bound)
        return coords

    def _response_of(self, table: StrengthJudgements) -> Strength:
        whole = bool((np.mod(table.answers + table.bound, 1.0) == 0).all())
        whole = whole and float(2.0 * table.bound).is_integer()
        few = 2.0 * table.bound + 1.0 <= MOST_GRADES
        if self.response == "graded" and not whole:
            raise ModelError(
                "response='graded' needs whole grades; these strengths are positions of a slider: "
                "take response='ordered_beta', or 'student_t'"
            )
        if self.response == "graded" and not few:
            raise ModelError(
                f"response='graded' takes at most {MOST_GRADES} grades; found "
                f"{2 * table.bound + 1:g}: take response='ordered_beta', or 'student_t'"
            )
        if self.response != "auto":
            return self.response
        return "graded" if table.graded and few else "ordered_beta"

    def _response(
        self, response: Strength, bound: float, *, middle: bool, biased: bool
    ) -> StrengthResponse:
        unit = _unit(response, bound)
        # A standard deviation of y01 near one half is half of one on -1..1.
        resolution = self.resolution * (bound if response == "student_t" else 0.5)
        return self._response_with(
            response=response,
            bound=bound,
            middle=middle and response == "ordered_beta",
            resolution=resolution,
            side_bias_scale=self.side_bias_scale * unit if biased else None,
            spread_centre=self.spread_centre * unit,
        )

    def row_data(
        self, declaration: Declaration[StrengthResponse], judgements: Judgements
    ) -> RowData:
        """Return the answers as the response reads them."""
        table, response = self._own(judgements), declaration.response
        y, bound = table.answers, response.bound
        if table.bound != bound:
            raise ModelError(
                f"the model was fitted to strengths of −{bound:g}..{bound:g}; these go from "
                f"−{table.bound:g} to {table.bound:g}"
            )
        ends = np.select([y == -bound, y == bound], [LOW, HIGH], BETWEEN)
        if response.response == "graded":
            grade = np.round(y + bound)
            if (grade != y + bound).any():
                raise ModelError(
                    f"the model has whole grades; found {some(np.unique(y[grade != y + bound]))}"
                )
            return RowData(answers=response.answer_of(grade))
        if response.response == "student_t":
            return RowData(answers=[ends, y])
        what = np.where((y == 0) & response.middle, MIDDLE, ends)
        inside = what == BETWEEN
        share = np.where(inside, 0.5 * (y / bound + 1.0), 0.5)
        logs = [np.where(inside, log, 0.0) for log in (np.log(share), np.log1p(-share))]
        return RowData(answers=[what, *logs])

    def posterior_dataset(
        self, declaration: Declaration[StrengthResponse], values: dict[str, FloatArray]
    ) -> xr.Dataset:
        """Return every parameter under its name in the posterior contract."""
        dataset = super().posterior_dataset(declaration, values)
        response = declaration.response
        if response.response == "graded":
            dims = dataset["quality"].transpose(..., "system").dims[:-1]
            shape = tuple(dataset.sizes[dim] for dim in dims)
            thresholds = response.thresholds_of(dataset, shape)
            dataset["population_thresholds"] = ((*dims, "threshold"), thresholds)
        elif response.response == "ordered_beta":
            ends = dataset["end_probability"]
            dataset["kappa"] = ends.copy(data=kappa_of(ends.values))
        return dataset

    def estimands(self, declaration: Declaration[StrengthResponse]) -> Mapping[str, Estimand]:
        """List the family's readable quantities."""
        response = declaration.response
        found = {
            "expected_strength": Estimand(
                "expected_strength",
                "Expected strength",
                "the mean strength by which annotators prefer the system to system_b",
                "points of the scale",
                (-response.bound, response.bound),
                dims=("system", "system_b"),
            ),
            "preference_probability": Estimand(
                "preference_probability",
                "Preferred",
                "how often annotators prefer the system to system_b, however strongly",
                "probability",
                (0.0, 1.0),
                dims=("system", "system_b"),
            ),
        }
        middle_grade = response.response == "graded" and response.n_grades % 2 == 1
        if middle_grade or response.middle:
            found["no_preference_probability"] = Estimand(
                "no_preference_probability",
                "No preference",
                "how often annotators prefer neither the system nor system_b",
                "probability",
                (0.0, 1.0),
                dims=("system", "system_b"),
            )
        return found


def threshold_labels(bound: float) -> tuple[str, ...]:
    """Return labels such as ``0|1`` of the thresholds between grades, from below."""
    grades = np.arange(round(2.0 * bound) + 1) - bound
    return tuple(f"{low:g}|{high:g}" for low, high in pairwise(grades))


def _unit(response: Strength, bound: float) -> float:
    """Return what the prior scales of quality are multiplied by."""
    return 0.5 * bound if response == "student_t" else 1.0
