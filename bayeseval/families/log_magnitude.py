"""Magnitude estimates as a side of the reference and a log ratio with heavy tails."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
import xarray as xr

from bayeseval.errors import DesignError, ModelError
from bayeseval.families._answering import AnsweringFamily
from bayeseval.families._cells import RowData
from bayeseval.families._declaration import Declaration, FloatArray
from bayeseval.families._design import Effects
from bayeseval.families._family import Estimand
from bayeseval.families._magnitude_quantities import MagnitudeQuantities
from bayeseval.families._magnitude_response import (
    ABOVE,
    AT,
    BELOW,
    CENSORED,
    IMPRESSION,
    LOG_SCALE,
    LOG_SPREAD,
    MODULUS,
    SEVERITY,
    TIE_BAND,
    MagnitudeResponse,
)
from bayeseval.families._settings import advised, check_number, check_settings
from bayeseval.families.kinds import ABSOLUTE, MODERATOR, Kind, of_annotator
from bayeseval.families.needs import Facts, on_request
from bayeseval.judgements import Judgements, MagnitudeJudgements

_MODULUS_TO_A_REFERENCE, _MODULUS_OF_OWN = 0.3, 1.0
_BOTH_SIDES = 0.1
"""Share of the answers off the reference on their rarer side from which severity is told apart."""

_OF_SIDES = ("severity", "tie_band")
_AROUND_NOTHING = ("quality", "deviation", "log_scale")


def _answers_on_both_sides(facts: Facts) -> str | None:
    """Ask for answers above and below the reference."""
    table = facts.judgements
    above = table.counts[table.answers > 1].sum()
    below = table.counts[table.answers < 1].sum()
    if min(above, below) >= _BOTH_SIDES * (above + below):
        return None
    return (
        "nearly all answers off the reference are on one side of it, where it cannot be told from "
        "the tie band"
    )


@advised
@dataclass(frozen=True, kw_only=True)
class LogMagnitude(AnsweringFamily[MagnitudeResponse, MagnitudeJudgements]):
    r"""Model magnitudes as below, at or above the reference, then as a log ratio of that side.

    .. math:: P(\text{below}) = \Phi(-b_a - u), \quad P(\text{above}) = \Phi(u - b_a), \quad
              u = \ell - \rho_a + w / \lambda

    with w = quality[s] − difficulty[i] + interaction[s, i] + taste[s, a], a log ratio; on either
    side the log of magnitude / reference is Student's t around modulus[a] + w, cut at 0. Where
    there is no reference, or nobody answers exactly the reference, the log ratio is Student's t
    and there are no sides. The full specification is the card in ``models/log_magnitude``.

    Parameters
    ----------
    ties : {"auto"} or bool
        Whether answers at the reference have a probability of their own. "auto": where there is a
        reference and somebody answered exactly it; the description says what was decided.
    effects : {"auto", "none"} or dict of str to bool
        Which of ``difficulty``, ``interaction``, ``taste``, ``severity``, ``modulus``,
        ``log_spread``, ``tie_band``, ``log_scale`` (and, with a moderator m, ``effect_m`` and
        ``deviation_m``) are in the model. "auto" takes what the design identifies, and leaves out
        ``log_scale``, by which annotators stretch differences differently.
    criteria : {"separate", "correlated"}
        With several criteria: a model for each in one fit, or correlations between them for
        systems, annotators and items.
    resolution : float
        Standard deviation of a log ratio that even the most regular annotator has. Answers are
        round numbers: without it, annotators who repeat one number would be taken as exact.
    quality_sd_scale, difficulty_sd_scale, interaction_sd_scale, taste_sd_scale : float
        Half-normal prior scales of standard deviations: where there are sides, on the scale on
        which the noise of a decision between sides has standard deviation 1, otherwise of log
        ratios.
    effect_sd_scale, deviation_sd_scale : float
        Likewise: a moderator's main effect and its deviation by system.
    severity_sd_scale : float
        Likewise: how much annotators differ in preferring one side of the reference.
    modulus_sd_scale : float, optional
        Half-normal prior scale of the annotators' log unit: by default 0.3 where there are sides,
        and 1 where annotators have units of their own.
    log_spread_sd_scale, tie_band_sd_scale, log_scale_sd_scale : float
        Half-normal prior scales of the logs of annotators' spread, tie band and stretch.
    modulus_scale, level_scale : float
        Normal prior scales of the mean modulus, and of the level of an average system.
    spread_centre, log_spread_scale : float
        Prior median of the spread of a log ratio, and normal prior scale of its log.
    step_centre, log_step_scale : float
        Likewise: the log ratio that corresponds to one unit of the decision between sides.
    band_centre, log_band_scale : float
        Likewise: half the width of the band of ties, in the same units.
    degrees_shape, degrees_centre : float
        Gamma prior of the degrees of freedom: its shape and its mean.
    correlation_shape : float
        Shape of the LKJ prior of correlations between criteria; 1 is uniform.

    References
    ----------
    Bard, Robertson & Sorace (1996), Magnitude estimation of linguistic acceptability, Language 72.
    Novikova, Dušek & Rieser (2018), RankME, NAACL, doi:10.18653/v1/N18-2012.
    """

    name: ClassVar[str] = "LogMagnitude"
    protocol: ClassVar[str] = "magnitude"
    title: ClassVar[str] = "log magnitude"
    win_title: ClassVar[str] = (
        "probability that one annotator gives A a larger magnitude than B, equal ones counting half"
    )
    quality_scale: ClassVar[str] = (
        "log ratio of magnitudes: exp(quality[A] − quality[B]) is how many times as good as B a "
        "typical annotator judges A"
    )

    judged: ClassVar[type[Judgements]] = MagnitudeJudgements
    response_type: ClassVar[type[MagnitudeResponse]] = MagnitudeResponse
    quantities: ClassVar[type[MagnitudeQuantities]] = MagnitudeQuantities
    kinds: ClassVar[tuple[Kind, ...]] = (
        *(kind for kind in ABSOLUTE if MODERATOR not in kind.dims),
        of_annotator(
            "severity",
            "how much annotators differ in which side of the reference they prefer",
            "Annotators differ in which side of the reference they prefer.",
            _answers_on_both_sides,
            predictor=SEVERITY,
            sign=-1,
            correlated=True,
        ),
        of_annotator(
            "modulus",
            "how much annotators differ in the size of their numbers, as a log ratio",
            "Annotators differ in the size of their numbers.",
            predictor=MODULUS,
            around="modulus_mean",
            correlated=True,
        ),
        of_annotator(
            "log_spread",
            "how much annotators differ in how exactly they answer, on the log scale",
            "Annotators differ in how exactly they answer.",
            predictor=LOG_SPREAD,
            around="log_spread_mean",
        ),
        of_annotator(
            "tie_band",
            "how much annotators differ in the width of their band of ties, on the log scale",
            "Annotators differ in how wide their band of ties is.",
            predictor=TIE_BAND,
            around="log_tie_band_mean",
        ),
        of_annotator(
            "log_scale",
            "how much annotators differ in how far they spread systems, on the log scale",
            "Annotators differ in how far they spread systems.",
            on_request,
            predictor=LOG_SCALE,
        ),
        *(kind for kind in ABSOLUTE if MODERATOR in kind.dims),
    )

    ties: Literal["auto"] | bool = "auto"
    effects: Effects = "auto"
    criteria: Literal["separate", "correlated"] = "separate"
    resolution: float = 0.1
    quality_sd_scale: float = 1.0
    difficulty_sd_scale: float = 1.0
    interaction_sd_scale: float = 0.5
    taste_sd_scale: float = 0.5
    effect_sd_scale: float = 1.0
    deviation_sd_scale: float = 0.5
    severity_sd_scale: float = 1.0
    modulus_sd_scale: float | None = None
    log_spread_sd_scale: float = 0.3
    tie_band_sd_scale: float = 0.5
    log_scale_sd_scale: float = 0.5
    modulus_scale: float = 1.0
    level_scale: float = 1.0
    spread_centre: float = 0.3
    log_spread_scale: float = 0.5
    step_centre: float = 0.3
    log_step_scale: float = 1.0
    band_centre: float = 1.0
    log_band_scale: float = 1.0
    degrees_shape: float = 6.0
    degrees_centre: float = 12.0
    correlation_shape: float = 2.0

    def __post_init__(self) -> None:
        check_settings(self, "_scale", "_shape", "_centre")
        check_number("resolution", self.resolution, np.inf, "a number not below 0")

    def checked(self, judgements: Judgements) -> MagnitudeJudgements:
        """Return the magnitudes, or refuse what is none."""
        table = super().checked(judgements)
        if table.censored.all():
            raise DesignError("there is no positive magnitude to fit; all are zero or below")
        return table

    def kinds_of(self, facts: Facts) -> Sequence[Kind]:
        """Return the kinds of effects; those of sides only where there are sides."""
        no_sides = self._why_no_sides(self._own(facts.judgements))
        if no_sides is None:
            return self.kinds
        return [
            replace(kind, buildable=(*kind.buildable, lambda _: no_sides))
            if kind.name in _OF_SIDES
            else kind
            for kind in self.kinds
        ]

    def typical_kinds(self) -> Sequence[Kind]:
        """Return the kinds of effects that a description without judgements has."""
        gone = _OF_SIDES if self.ties is False else ()
        return [k for k in self.kinds if MODERATOR not in k.dims and k.name not in gone]

    def around_of(self, kind: Kind, response: MagnitudeResponse) -> str:
        """Return the parameter that an effect varies around: the level of an average answer."""
        if kind.around or kind.name.startswith(_AROUND_NOTHING):
            return kind.around
        return "level" if response.sides else "modulus_mean"

    def scale_of(self, kind: Kind, response: MagnitudeResponse) -> float:
        """Return the prior scale of an effect's standard deviation."""
        scale = getattr(self, kind.scale_field)
        if scale is None:
            return _MODULUS_TO_A_REFERENCE if response.sides else _MODULUS_OF_OWN
        return scale

    def response_to(
        self, facts: Facts, names: Sequence[str]
    ) -> tuple[MagnitudeResponse, dict[str, str]]:
        """Return how magnitudes come about, and why without ties where there are none."""
        del names
        table = self._own(facts.judgements)
        no_sides = self._why_no_sides(table)
        ratios = np.log(table.answers[~table.censored])
        # Without a reference the unit of the numbers means nothing: the median takes its place.
        unit = 0.0 if table.has_reference else float(np.median(ratios))
        ends = {"lowest": float(ratios.min()), "highest": float(ratios.max())}
        response = self._response_with(sides=no_sides is None, unit=unit, **ends)
        return response, {} if no_sides is None else {"ties": no_sides}

    def typical_response(self) -> MagnitudeResponse:
        """Return the response that a description without judgements is of."""
        return self._response_with(sides=self.ties is not False, unit=0.0, lowest=0.0, highest=0.0)

    def _why_no_sides(self, table: MagnitudeJudgements) -> str | None:
        if self.ties is False:
            return "left out on request"
        if not table.has_reference:
            if self.ties is True:
                raise ModelError(
                    "ties=True needs a reference to be as good as; these judgements were read "
                    "with reference=None"
                )
            return "no reference was shown"
        if self.ties == "auto" and not table.at_reference.any():
            return "no answer is exactly the reference"
        return None

    def row_data(
        self, declaration: Declaration[MagnitudeResponse], judgements: Judgements
    ) -> RowData:
        """Return what each answer is, and its log ratio, as the kernel reads them."""
        table, response = self._own(judgements), declaration.response
        censored = table.censored
        ratio = np.log(np.where(censored, 1.0, table.answers)) - response.unit
        if censored.any():
            # Below the smallest positive number given; never above the reference it is below of.
            limit = np.log(table.magnitudes[~censored].min() / table.references) - response.unit
            ratio = np.where(censored, np.minimum(limit, 0.0) if response.sides else limit, ratio)
        what = np.select([censored, ratio < 0, ratio > 0], [CENSORED, BELOW, ABOVE], AT)
        if not response.sides:
            what = np.where(censored, CENSORED, ABOVE)
        return RowData(answers=[what.astype(np.float64), ratio])

    def posterior_dataset(
        self, declaration: Declaration[MagnitudeResponse], values: dict[str, FloatArray]
    ) -> xr.Dataset:
        """Return every parameter under its name in the posterior contract."""
        found = super().posterior_dataset(declaration, values)
        return _scaled(declaration, found, 1.0)

    def in_own_units(
        self, declaration: Declaration[MagnitudeResponse], posterior: xr.Dataset
    ) -> xr.Dataset:
        """Return impressions as multiples of the step, which priors are about."""
        return _scaled(declaration, posterior, -1.0)

    def row_predictors(
        self,
        declaration: Declaration[MagnitudeResponse],
        judgements: Judgements,
        draws: xr.Dataset,
    ) -> FloatArray:
        """Return the linear predictors of every row as the kernel reads them."""
        found = super().row_predictors(declaration, judgements, draws)
        if declaration.response.sides:
            scalars = self.row_scalars(declaration, judgements, draws)
            found[IMPRESSION] /= np.exp(scalars["log_step"])
        return found

    def estimands(self, declaration: Declaration[MagnitudeResponse]) -> Mapping[str, Estimand]:
        """List the family's readable quantities."""
        response = declaration.response
        to = "the reference" if response.unit == 0.0 else "the median answer"
        bounds = (
            float(np.exp(min(response.lowest - response.unit, 0.0))),
            float(np.exp(max(response.highest - response.unit, 0.0))),
        )
        found = {
            "expected_ratio": Estimand(
                "expected_ratio",
                "Expected ratio",
                f"the mean of new answers as ratios to {to}, answers beyond those in the data "
                "counted as the most extreme of them",
                f"times {to}",
                bounds,
            ),
            "median_ratio": Estimand(
                "median_ratio",
                "Median ratio",
                f"the median of new answers as ratios to {to}",
                f"times {to}",
                None,
            ),
        }
        if response.sides:
            for name, words in (
                ("below", "below the reference"),
                ("as_good", "exactly the reference"),
                ("above", "above the reference"),
            ):
                found[f"{name}_probability"] = Estimand(
                    f"{name}_probability",
                    f"Probability of {words}",
                    f"the chance that one new answer about the system is {words}",
                    "probability",
                    (0.0, 1.0),
                )
        return found

    def tail_area(
        self,
        declaration: Declaration[MagnitudeResponse],
        judgements: Judgements,
        draws: xr.Dataset,
    ) -> FloatArray:
        """Return how far out each answer lies among the answers that the model expects there.

        Parameters
        ----------
        declaration : Declaration
            The model.
        judgements : MagnitudeJudgements
            The rows; their labels are those of the fit.
        draws : xarray.Dataset
            Draws along a dim ``sample``.

        Returns
        -------
        numpy.ndarray
            Dims (row,): twice the smaller of the probabilities of an answer at most and at least
            as large, averaged over the draws, at most 1.
        """
        predictors = self.row_predictors(declaration, judgements, draws)
        scalars = self.row_scalars(declaration, judgements, draws)
        what, ratio = self.row_data(declaration, judgements).answers
        return MagnitudeQuantities(declaration, draws).tail_area(predictors, scalars, what, ratio)


def _scaled(
    declaration: Declaration[MagnitudeResponse], draws: xr.Dataset, power: float
) -> xr.Dataset:
    """Multiply impressions by the step to a power; without sides they are log ratios already."""
    if not declaration.response.sides:
        return draws
    step = np.exp(power * draws["log_step"])
    # Effects that add to the impression, their sds, and qualities by level.
    impressions = {t.effect for t in declaration.terms if t.predictor == IMPRESSION}
    names = [
        name
        for name in map(str, draws.data_vars)
        if name.startswith("quality_by_")
        or name.removesuffix("_sd").removesuffix("_mean") in impressions
    ]
    return draws.assign({name: (draws[name] * step).transpose(*draws[name].dims) for name in names})
