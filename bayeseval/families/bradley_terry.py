"""Bradley-Terry and Thurstone for pairwise judgements, with ties, position and annotators."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import xarray as xr

from bayeseval._checks import shown, some
from bayeseval.errors import ModelError
from bayeseval.families._answering import AnsweringFamily
from bayeseval.families._cells import RowData
from bayeseval.families._declaration import Declaration, FloatArray, PredictorCells
from bayeseval.families._design import Effects
from bayeseval.families._family import OUTCOME_PROBABILITY, Estimand
from bayeseval.families._pairwise_cells import cells_of_shares, ranking_weights
from bayeseval.families._pairwise_quantities import (
    PairwiseQuantities,
)
from bayeseval.families._pairwise_response import Link, PairwiseResponse, Ties
from bayeseval.families._settings import advised, check_number, check_settings, meant
from bayeseval.families.kinds import Kind, deviation, interaction, of_annotator, quality, taste
from bayeseval.families.needs import (
    Facts,
    identities,
    items_named,
    on_request,
    order_known,
    order_told,
    several_annotators,
)
from bayeseval.judgements import Judgements, PairwiseJudgements

type AnnotatorEffect = Literal["auto", "none", "consistency", "position", "taste"]

_NAMES = {"consistency": "log_consistency"}
_ANNOTATOR_EFFECTS = ("consistency", "position", "taste")
_TIE = 2
_LARGEST = float(np.finfo(np.float64).max)
# Beyond this many sparse effects sampling takes many minutes, and their standard deviation mixes
# slowly: 7,316 tastes from 8,931 votes took 25 busy minutes and left 247 effective draws of it.
_LARGEST_AUTO = 5_000
"""Most effects of one kind that are taken in without being asked for."""

_CENTRED_FROM = 20.0
"""Judgements a system from which PyMC sees qualities themselves, not divided by their sd."""


@advised
@dataclass(frozen=True, kw_only=True)
class BradleyTerry(AnsweringFamily[PairwiseResponse, PairwiseJudgements]):
    r"""Model comparisons by the difference of two qualities.

    .. math:: P(a \succ b) = F(\eta), \quad
              \eta = e^{\kappa_r} (q_a - q_b + \pi + \pi_r + t_{a,r} - t_{b,r} + u_{a,i} - u_{b,i})

    with the logistic distribution F (Bradley-Terry) or the normal one (Thurstone), quality q,
    position effects π, an annotator's taste t and consistency κ, and system-by-item effects u. The
    full specification is the card in ``models/bradley_terry``.

    Parameters
    ----------
    link : {"logit", "probit"}
        Bradley-Terry, or Thurstone-Mosteller, the model behind TrueSkill.
    ties : {"auto", "davidson", "rao_kupper", "half", "none"}
        What a tie is. "auto": with any tie, "davidson" for the logit and "rao_kupper" for the
        probit link; otherwise "none". "half" counts half a win each, a convention and no
        likelihood of ties.
    position : {"auto"} or bool
        Whether the output shown first may have an advantage. "auto": where the design tells it
        from quality: some pair was shown in both orders, or pairs form circles round which
        qualities alone could not explain it. Where the order of the columns means nothing, False.
    annotators : {"auto", "none", "consistency", "position", "taste"} or tuple of them
        How annotators differ. "auto": taste, where the design identifies it and there are at most
        5,000 of them.
    items : {"auto"} or bool
        Whether systems are better at some items than at others. "auto": where the design
        identifies it.
    quality_sd_scale, taste_sd_scale, interaction_sd_scale : float
        Half-normal prior scales of standard deviations, in the units of the noise of a comparison.
    position_sd_scale, log_consistency_sd_scale, deviation_sd_scale : float
        Likewise: the annotators' position effects, their log consistency, a moderator's deviation
        by system.
    position_effect_scale : float
        Normal prior scale of the position effect.
    log_tie_centre, log_tie_scale : float
        Normal prior of Davidson's log ν.
    tie_threshold_scale : float
        Half-normal prior scale of Rao and Kupper's threshold.

    References
    ----------
    Bradley & Terry (1952), Biometrika 39, doi:10.2307/2334029. Davidson (1970), JASA 65,
    doi:10.2307/2283595. Rao & Kupper (1967), JASA 62, doi:10.2307/2282923. Thurstone (1927),
    Psychological Review 34, doi:10.1037/h0070288.
    """

    name: ClassVar[str] = "BradleyTerry"
    protocol: ClassVar[str] = "pairwise"
    title: ClassVar[str] = "Bradley-Terry"
    win_title: ClassVar[str] = "probability that A wins one comparison with B, ties counting half"
    quality_scale: ClassVar[str] = "log odds of winning one comparison with an average system"

    judged: ClassVar[type[Judgements]] = PairwiseJudgements
    response_type: ClassVar[type[PairwiseResponse]] = PairwiseResponse
    quantities: ClassVar[type[PairwiseQuantities]] = PairwiseQuantities
    instead: ClassVar[str] = "Ratings, magnitudes and strengths become comparisons with to_pairwise"
    kinds: ClassVar[tuple[Kind, ...]] = (
        quality(),
        taste(most=_LARGEST_AUTO, ask="annotators='taste'"),
        of_annotator(
            "log_consistency",
            "how much annotators differ in how reliably they pick the better system",
            "Annotators differ in how consistent they are.",
            on_request,
            predictor=1,
        ),
        of_annotator(
            "position",
            "how much annotators differ in preferring the output shown first",
            "Annotators differ in how much they prefer the output shown first.",
            on_request,
            zero_sum=False,
        ),
        interaction(most=_LARGEST_AUTO, ask="items=True"),
        Kind(
            name="position_effect",
            dims=(),
            meaning="advantage of the output shown first",
            needs=(order_known, order_told),
        ),
        deviation(),
    )

    link: Link = "logit"
    ties: Literal["auto", "davidson", "rao_kupper", "half", "none"] = "auto"
    position: Literal["auto"] | bool = "auto"
    annotators: AnnotatorEffect | tuple[AnnotatorEffect, ...] = "auto"
    items: Literal["auto"] | bool = "auto"
    quality_sd_scale: float = 1.0
    taste_sd_scale: float = 0.5
    interaction_sd_scale: float = 0.5
    position_sd_scale: float = 0.5
    log_consistency_sd_scale: float = 0.3
    deviation_sd_scale: float = 0.5
    position_effect_scale: float = 1.0
    log_tie_centre: float = 0.0
    log_tie_scale: float = 1.0
    tie_threshold_scale: float = 1.0

    def __post_init__(self) -> None:
        check_settings(self, "_scale")
        if self.ties == "davidson" and self.link == "probit":
            raise ModelError(
                "Davidson's ties belong to link='logit'; with link='probit' take "
                "ties='rao_kupper', a threshold on the same scale"
            )
        wanted, known = self.annotators, ("auto", "none", *_ANNOTATOR_EFFECTS)
        if isinstance(wanted, list | tuple):
            object.__setattr__(self, "annotators", tuple(wanted))
            known = _ANNOTATOR_EFFECTS
        for effect in wanted if isinstance(wanted, list | tuple) else (wanted,):
            if effect not in known:
                raise ModelError(
                    f"annotators= is 'auto', 'none', or one or several of "
                    f"{some(_ANNOTATOR_EFFECTS)}; found {shown(wanted)}{meant(effect, known)}"
                )
        check_number("log_tie_centre", self.log_tie_centre, np.inf, "a number", least=-_LARGEST)

    def choice(self, facts: Facts) -> Effects:
        """Return which effects `annotators`, `items` and `position` ask for."""
        wanted = self.annotators if isinstance(self.annotators, tuple) else (self.annotators,)
        chosen = {}
        if wanted != ("auto",):
            names = {_NAMES.get(name, name) for name in wanted if name != "none"}
            nobody = identities(facts) or several_annotators(facts)
            if names and nobody is not None:
                raise ModelError(f"annotators={self.annotators!r} cannot be built: {nobody}")
            chosen = {name: name in names for name in ("taste", "log_consistency", "position")}
        if isinstance(self.items, bool):
            if self.items and (reason := items_named(facts)) is not None:
                raise ModelError(f"items=True cannot be built: {reason}")
            chosen["interaction"] = self.items
        if isinstance(self.position, bool):
            chosen["position_effect"] = self.position
        return chosen

    def response_to(
        self, facts: Facts, names: Sequence[str]
    ) -> tuple[PairwiseResponse, dict[str, str]]:
        """Return how outcomes come about, and what of it is a convention."""
        table = facts.judgements
        ties = self._tie_model(table)
        said = {}
        if ties == "half":
            said["ties"] = "counted as half a win each, a convention and no likelihood"
        if table.has("ranking"):
            worth = float((table.counts * ranking_weights(table)).sum())
            said["independence within a ranking"] = (
                f"comparisons of one ranking are never circular: the {table.n_judgements:,} of "
                f"{facts.levels('ranking'):,} rankings count as {worth:,.1f} independent ones"
            )
        return self._response(
            ties, position="position_effect" in names, consistency="log_consistency" in names
        ), said

    def _response(self, ties: Ties, *, position: bool, consistency: bool) -> PairwiseResponse:
        scale = self.position_effect_scale if position else None
        return self._response_with(ties=ties, position_scale=scale, consistency=consistency)

    def typical_response(self) -> PairwiseResponse:
        """Return the response that a description without judgements is of."""
        ties = self.ties
        if ties == "auto":
            ties = "davidson" if self.link == "logit" else "rao_kupper"
        return self._response(ties, position=self.position is not False, consistency=False)

    def centrings_of(self, used: Sequence[Kind], facts: Facts) -> Mapping[str, float]:
        """Return how PyMC sees effects; the compiled density has better coordinates."""
        del used
        table = facts.judgements
        crowded = table.n_judgements > _CENTRED_FROM * len(table.systems)
        return {"quality": 1.0 if crowded else 0.0}

    def _tie_model(self, judgements: Judgements) -> Ties:
        tied = judgements.answers == _TIE
        if self.ties != "auto":
            if self.ties == "none" and tied.any():
                raise ModelError(
                    f"ties='none', but {int(judgements.counts[tied].sum()):,} of "
                    f"{judgements.n_judgements:,} judgements are ties. Take ties='auto', or drop "
                    "them from the table, which favours whoever ties more seldom"
                )
            return self.ties
        if not tied.any():
            return "none"
        return "davidson" if self.link == "logit" else "rao_kupper"

    def row_data(
        self, declaration: Declaration[PairwiseResponse], judgements: Judgements
    ) -> RowData:
        """Return the shares of win, loss and tie of every row."""
        answers = judgements.answers
        shares = [(answers == code).astype(np.float64) for code in range(3)]
        if declaration.response.ties == "half":
            half = 0.5 * shares[_TIE]
            shares = [shares[0] + half, shares[1] + half, np.zeros_like(half)]
        return RowData(answers=shares)

    def row_weights(self, judgements: Judgements) -> FloatArray:
        """Return how much a comparison counts, given the ranking that it comes from."""
        return ranking_weights(judgements)

    def cells(
        self, declaration: Declaration[PairwiseResponse], judgements: Judgements
    ) -> PredictorCells:
        """Count judgements that agree in all but the outcome, which a cell keeps as shares.

        Without a position effect a cell holds both orders of presentation. Comparisons of one
        ranking count for less, see :func:`ranking_weights`.
        """
        return cells_of_shares(declaration, judgements, self.row_data(declaration, judgements))

    def posterior_dataset(
        self, declaration: Declaration[PairwiseResponse], values: dict[str, FloatArray]
    ) -> xr.Dataset:
        """Return every parameter under its name in the posterior contract."""
        dataset = super().posterior_dataset(declaration, values)
        if "log_tie_propensity" in dataset:
            dataset["tie_propensity"] = np.exp(dataset["log_tie_propensity"])
        return dataset

    def estimands(self, declaration: Declaration[PairwiseResponse]) -> Mapping[str, Estimand]:
        """List the family's readable quantities."""
        del declaration
        return {OUTCOME_PROBABILITY.name: OUTCOME_PROBABILITY}

    def row_chances(
        self, declaration: Declaration[PairwiseResponse], judgements: Judgements, draws: xr.Dataset
    ) -> tuple[FloatArray, FloatArray]:
        """Return the chances that a wins and of a tie for every row.

        Parameters
        ----------
        declaration : Declaration
            The model.
        judgements : PairwiseJudgements
            Rows; their labels are those of the fit.
        draws : xarray.Dataset
            Draws along a dim ``sample``.

        Returns
        -------
        tuple of numpy.ndarray
            Of a win and of a tie, each dims (sample, row) or what broadcasts to it.
        """
        predictors = self.row_predictors(declaration, judgements, draws)
        scalars = self.row_scalars(declaration, judgements, draws)
        return PairwiseQuantities(declaration, draws).chances(predictors, scalars)


@advised
@dataclass(frozen=True, kw_only=True)
class Thurstone(BradleyTerry):
    r"""Model comparisons by the difference of two qualities with normal noise.

    The Thurstone-Mosteller model, which TrueSkill approximates: :class:`BradleyTerry` with
    ``link="probit"``, whose parameters it has.

    Parameters
    ----------
    link : {"probit", "logit"}
        Normal noise; with "logit" it is Bradley-Terry.
    ties : {"auto", "rao_kupper", "half", "none"}
        What a tie is. "auto": a difference within a threshold, where there is any tie.
    position, items : {"auto"} or bool
        As in :class:`BradleyTerry`.
    annotators : {"auto", "none", "consistency", "position", "taste"} or tuple of them
        As in :class:`BradleyTerry`.
    quality_sd_scale, taste_sd_scale, interaction_sd_scale : float
        Half-normal prior scales of standard deviations, in those of the noise of a comparison.
    position_sd_scale, log_consistency_sd_scale, deviation_sd_scale : float
        Likewise.
    position_effect_scale, tie_threshold_scale : float
        Prior scales of the position effect (normal) and of the threshold (half-normal).
    log_tie_centre, log_tie_scale : float
        Prior of Davidson's log ν; used with ``link="logit"`` alone.

    References
    ----------
    Thurstone (1927), Psychological Review 34, doi:10.1037/h0070288. Glenn & David (1960), Ties in
    paired-comparison experiments, Biometrics 16, doi:10.2307/2527957.
    """

    name: ClassVar[str] = "Thurstone"
    title: ClassVar[str] = "Thurstone"
    quality_scale: ClassVar[str] = (
        "latent scale on which the noise of one comparison has standard deviation 1"
    )

    link: Link = "probit"
