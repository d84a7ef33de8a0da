"""Ordinal probit for Likert ratings, with thresholds that differ between annotators."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import xarray as xr
from scipy.special import ndtri

from bayeseval._checks import numbers
from bayeseval.errors import DesignError, ModelError
from bayeseval.families._answering import AnsweringFamily
from bayeseval.families._cells import RowData, row_codes
from bayeseval.families._declaration import Declaration, Effect, FloatArray, PredictorCells
from bayeseval.families._design import Effects, centrings, no_gaps_of_annotators
from bayeseval.families._family import Estimand, PriorText
from bayeseval.families._layout import Geometry, layout
from bayeseval.families._ordinal_posterior import (
    OrdinalQuantities,
    chunks,
    constrained,
    levels_of,
    thresholds_of,
)
from bayeseval.families._ordinal_response import LONGEST_SHORT_SCALE, OrdinalResponse
from bayeseval.families._settings import (
    advised,
    check_choice,
    check_flag,
    check_priors,
    check_word,
)
from bayeseval.families.kinds import ABSOLUTE, MODERATOR, Kind
from bayeseval.families.needs import Facts, identities, several_annotators
from bayeseval.judgements import Judgements, LikertJudgements

type Thresholds = Literal["common", "shifted", "scaled", "free"]

_STRUCTURES = ("common", "shifted", "scaled", "free")
_MOST_CATEGORIES = 101


@advised
@dataclass(frozen=True, kw_only=True)
class OrdinalProbit(AnsweringFamily[OrdinalResponse, LikertJudgements]):
    r"""Model ratings as a latent normal answer cut by the annotator's thresholds.

    .. math:: P(y \le k) = \Phi(d_a (c_{a,k} - z)), \quad
              z = q_s - b_i + u_{s,i} + t_{s,a}

    with quality q, difficulty b, system-by-item effects u, taste t, discrimination d and an
    annotator's thresholds c: those of the population, with gaps of the annotator's own, plus the
    annotator's severity. The full specification is the card in ``models/ordinal_probit``.

    Parameters
    ----------
    thresholds : {"free", "scaled", "shifted", "common"}
        What differs between annotators: every gap between thresholds ("free"), one factor for
        all gaps ("scaled"), only severity ("shifted"), or nothing ("common"). Each is a special
        case of the one before it.
    effects : {"auto", "none"} or dict of str to bool
        Which of ``difficulty``, ``interaction`` and ``taste`` (and, with a moderator m,
        ``effect_m`` and ``deviation_m``) are in the model. "auto" takes what the design
        identifies; a dict forces or drops single ones.
    discrimination : bool
        Whether annotators differ in how well they tell systems apart.
    criteria : {"separate", "correlated"}
        With several criteria: a model for each in one fit, or correlations between them for
        systems, annotators and items.
    category_prior : float or sequence of float, optional
        Dirichlet parameters of the population's category probabilities. Default 2 for each
        category; on scales of more than 12 points a smooth prior takes its place.
    quality_sd_scale, severity_sd_scale, difficulty_sd_scale, interaction_sd_scale : float
        Half-normal prior scales of standard deviations, on the scale where the noise of a single
        judgement has standard deviation 1.
    taste_sd_scale, effect_sd_scale, deviation_sd_scale, gap_sd_scale : float
        Likewise: taste, a moderator's main effect, a moderator's deviation by system, and log gaps.
    discrimination_sd_scale : float
        Likewise: log discrimination.
    mean_threshold_scale : float
        Scales of more than 12 points, whose prior is smooth: normal prior scale of the mean of
        the population's thresholds.
    width_centre : float
        Likewise: prior median of the distance from the first threshold to the last.
    log_width_scale : float
        Likewise: normal prior scale of the log of this distance.
    smoothness_sd_scale : float
        Likewise: half-normal prior scale of the standard deviation of the log ratio of the last
        gap between thresholds to the first; log gaps are a random walk along the scale.
    correlation_shape : float
        Shape of the LKJ prior of correlations between criteria; 1 is uniform.

    References
    ----------
    McCullagh (1980), Regression models for ordinal data, JRSS B 42, 109-142.
    Johnson & Albert (1999), Ordinal Data Modeling, Springer, doi:10.1007/b98832.
    """

    name: ClassVar[str] = "OrdinalProbit"
    protocol: ClassVar[str] = "likert"
    title: ClassVar[str] = "ordinal probit"
    win_title: ClassVar[str] = (
        "probability that one annotator rates A above B, equal ratings counting half"
    )
    quality_scale: ClassVar[str] = (
        "latent scale on which the noise of a single judgement has standard deviation 1"
    )

    judged: ClassVar[type[Judgements]] = LikertJudgements
    response_type: ClassVar[type[OrdinalResponse]] = OrdinalResponse
    quantities: ClassVar[type[Any]] = OrdinalQuantities
    kinds: ClassVar[tuple[Kind, ...]] = (
        ABSOLUTE[0],
        Kind(
            name="severity",
            dims=("annotator",),
            sign=-1,
            always=True,
            correlated=True,
            meaning="how much annotators differ in how harsh they are",
            words="Annotators differ in severity: a harsh one's thresholds all lie higher.",
        ),
        *ABSOLUTE[1:],
    )

    thresholds: Thresholds = "free"
    effects: Effects = "auto"
    discrimination: bool = False
    criteria: Literal["separate", "correlated"] = "separate"
    category_prior: float | Sequence[float] | None = None
    quality_sd_scale: float = 1.0
    severity_sd_scale: float = 1.0
    difficulty_sd_scale: float = 1.0
    interaction_sd_scale: float = 0.5
    taste_sd_scale: float = 0.5
    effect_sd_scale: float = 1.0
    deviation_sd_scale: float = 0.5
    gap_sd_scale: float = 0.5
    discrimination_sd_scale: float = 0.3
    mean_threshold_scale: float = 1.0
    width_centre: float = 3.5
    log_width_scale: float = 0.5
    smoothness_sd_scale: float = 1.0
    correlation_shape: float = 2.0

    def __post_init__(self) -> None:
        check_word("thresholds", self.thresholds, _STRUCTURES)
        check_choice(self.effects)
        check_flag("discrimination", self.discrimination)
        check_word("criteria", self.criteria, ("separate", "correlated"))
        check_priors(self, ("_scale", "_shape", "_centre"))
        if self.category_prior is not None:
            prior = np.atleast_1d(numbers(self.category_prior, "category_prior", ModelError))
            if prior.ndim > 1 or not (prior > 0).all():
                raise ModelError(
                    "category_prior= is a positive number, or one for each category from low to "
                    f"high; found {self.category_prior!r}"
                )
            if not np.isscalar(self.category_prior):
                object.__setattr__(self, "category_prior", tuple(prior.tolist()))

    def checked(self, judgements: Judgements) -> LikertJudgements:
        """Return the ratings, or refuse what is none."""
        if not isinstance(judgements, LikertJudgements):
            raise ModelError(
                f"OrdinalProbit models LikertJudgements; found {type(judgements).__name__}"
            )
        if judgements.scales:
            said = "; ".join(f"{name} {scale}" for name, scale in judgements.scales.items())
            raise ModelError(
                f"one fit has one scale, and the criteria have their own: {said}. Fit each "
                "criterion apart: be.fit(be.filter_where(ratings, lambda rows: "
                "rows['criterion'] == '…', rule='…'))."
            )
        n_categories = judgements.scale.n_categories
        if judgements.n_rows == 0:
            raise DesignError("there are no ratings to fit: the table has 0 rows")
        if n_categories < 2:
            raise DesignError(
                f"the scale has one category, {judgements.scale.labels[0]!r}; a rating says "
                "something only where it could have been another. Declare the scale that "
                "annotators saw: scale=(low, high)"
            )
        if n_categories > _MOST_CATEGORIES:
            raise DesignError(
                f"the scale has {n_categories} categories; OrdinalProbit takes 2 to "
                f"{_MOST_CATEGORIES}. Declare coarser steps"
            )
        return judgements

    def kinds_of(self, facts: Facts) -> Sequence[Kind]:
        """Return the kinds of effects; severity where annotators have names."""
        nobody = identities(facts) or several_annotators(facts)
        return self.all_kinds() if nobody is None else _without_severity(self.kinds)

    def all_kinds(self) -> Sequence[Kind]:
        """Return the kinds of effects; severity unless annotators share thresholds."""
        return _without_severity(self.kinds) if self.thresholds == "common" else self.kinds

    def typical_kinds(self) -> Sequence[Kind]:
        """Return the kinds of effects that a description without judgements has."""
        return [kind for kind in self.all_kinds() if MODERATOR not in kind.dims]

    def coords_of(
        self, facts: Facts, response: OrdinalResponse, used: Sequence[Kind]
    ) -> dict[str, tuple[str, ...]]:
        """Return the labels of every dimension of the model."""
        coords = super().coords_of(facts, response, used)
        table = self.checked(facts.judgements)
        if response.n_annotators and table.annotators is not None:
            coords["annotator"] = table.annotators
        if table.items is not None:
            coords["item"] = table.items
        coords["category"] = table.scale.labels
        coords["threshold"] = tuple(f"{low}|{high}" for low, high in pairwise(table.scale.labels))
        return coords

    def response_to(
        self, facts: Facts, names: Sequence[str]
    ) -> tuple[OrdinalResponse, dict[str, str]]:
        """Return how ratings come about, and why annotators are alike where they are."""
        del names
        table = self.checked(facts.judgements)
        nobody = identities(facts) or several_annotators(facts)
        n_annotators = 0 if nobody is not None else facts.levels("annotator")
        left_out = {"annotators": nobody} if nobody is not None else {}
        response = self._response(table.scale.values, n_annotators)
        if response.has_gaps and (reason := no_gaps_of_annotators(table)) is not None:
            response = replace(response, gaps="common")
            left_out["gaps between thresholds by annotator"] = reason
        return response, {} if self.thresholds == "common" else left_out

    def typical_response(self) -> OrdinalResponse:
        """Return the response that a description without judgements is of: five points."""
        prior = self.category_prior
        n_categories = 5 if prior is None or isinstance(prior, float | int) else len(prior)
        return self._response(tuple(float(k + 1) for k in range(n_categories)), n_annotators=2)

    def further_priors(self, response: OrdinalResponse, *, typical: bool) -> Sequence[PriorText]:
        """Return the priors of thresholds, gaps and discrimination."""
        return response.priors(typical=typical)

    def around_of(self, kind: Kind, response: OrdinalResponse) -> str:
        """Return the level of the thresholds, which a mean of effects cannot be told from."""
        return "" if kind.zero_sum else response.location

    def row_data(self, declaration: Declaration[Any], judgements: Judgements) -> RowData:
        """Return the categories, and the thresholds below and above each."""
        del declaration
        category = judgements.answers.astype(np.int32)
        return RowData(answers=[category], codes={"below": category, "above": category + 1})

    def centrings_of(self, used: Sequence[Kind], facts: Facts) -> Mapping[str, float]:
        """Return how PyMC sees effects, from how much the data say about their levels."""
        table = self.checked(facts.judgements)
        found = centrings(table, _normal_scores(table), {kind.name: kind.dims for kind in used})
        return {k.name: 0.0 if self.is_correlated(k, table) else found[k.name] for k in used}

    def start(
        self,
        declaration: Declaration[OrdinalResponse],
        cells: PredictorCells,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Return a point to start a chain from: thresholds near the ratings' own shares.

        Parameters
        ----------
        declaration : Declaration
            The model.
        cells : PredictorCells
            The collapsed ratings.
        rng : numpy.random.Generator
            Chains start apart from one another.

        Returns
        -------
        numpy.ndarray
            Dims (parameter,).
        """
        response = declaration.response
        placed = layout(declaration, response.parameter_shapes)
        x = super().start(declaration, cells, rng)
        thresholds = self._start_thresholds(declaration, cells)
        if response.category_prior is None:
            part = placed["threshold_roughness"].part
            x[part] = 0.5 * response.smoothness_sd_scale * np.exp(x[part])
            x[placed["threshold_centre"].part] += thresholds.mean(axis=-1)
            x[placed["threshold_width"].part] += np.log(thresholds[:, -1] - thresholds[:, 0])
        else:
            own = np.empty_like(thresholds)
            own[:, 0] = thresholds.mean(axis=-1)
            own[:, 1:] = np.log(np.diff(thresholds, axis=-1))
            x[placed["population_thresholds"].part] += own.ravel()
        return x

    def _start_thresholds(
        self, declaration: Declaration[OrdinalResponse], cells: PredictorCells
    ) -> FloatArray:
        response = declaration.response
        prior = response.category_prior or (1.0,) * response.n_categories
        shares = np.tile(np.asarray(prior), (declaration.n_criteria, 1))
        np.add.at(shares, (cells.criterion, cells.answer[0].astype(np.int64)), cells.count)
        shares /= shares.sum(axis=1, keepdims=True)
        return ndtri(np.cumsum(shares, axis=1)[:, :-1])

    def constrained(
        self,
        declaration: Declaration[OrdinalResponse],
        draws: FloatArray,
        geometry: Geometry | None = None,
    ) -> dict[str, FloatArray]:
        """Take the sampler's vectors apart into named values on their natural scales.

        Parameters
        ----------
        declaration : Declaration
            The model.
        draws : numpy.ndarray
            Dims (..., parameter).
        geometry : Geometry, optional
            The geometry that was sampled with.

        Returns
        -------
        dict of str to numpy.ndarray
            By the names of the PyMC model, each with dims (..., criterion, ...).
        """
        return constrained(declaration, draws, geometry)

    def location(
        self,
        declaration: Declaration[OrdinalResponse],
        effect: Effect,
        values: dict[str, FloatArray],
    ) -> FloatArray:
        """Return the mean of the population's thresholds.

        Parameters
        ----------
        declaration : Declaration
            The model.
        effect : Effect
            The effect whose mean moves with it.
        values : dict of str to numpy.ndarray
            As :meth:`constrained` returns them.

        Returns
        -------
        numpy.ndarray
            Dims (..., criterion).
        """
        del effect
        if declaration.response.category_prior is None:
            return values["threshold_centre"]
        return values["population_thresholds"].mean(axis=-1)

    def location_information(
        self, declaration: Declaration[OrdinalResponse], effect: Effect
    ) -> float:
        """Return what the prior knows of the mean of the population's thresholds.

        On a short scale their prior is a standard normal for each, but for the Dirichlet part.

        Parameters
        ----------
        declaration : Declaration
            The model.
        effect : Effect
            The effect whose mean moves with it.

        Returns
        -------
        float
            One over a variance.
        """
        del effect
        response = declaration.response
        if response.category_prior is None:
            return 1.0 / response.mean_threshold_scale**2
        return float(response.n_thresholds)

    def posterior_dataset(
        self, declaration: Declaration[OrdinalResponse], values: dict[str, FloatArray]
    ) -> xr.Dataset:
        """Return every parameter under its name in the posterior contract, thresholds included."""
        found = super().posterior_dataset(declaration, values)
        return found.assign(thresholds_of(declaration, values, found))

    def levels(
        self, declaration: Declaration[OrdinalResponse], name: str, draws: xr.Dataset
    ) -> FloatArray:
        """Return the draws of what a term names, thresholds without severity."""
        return levels_of(declaration, name, draws)

    def estimands(self, declaration: Declaration[OrdinalResponse]) -> Mapping[str, Estimand]:
        """List the family's readable quantities."""
        values = declaration.response.category_values
        return {
            "expected_rating": Estimand(
                "expected_rating",
                "Expected rating",
                "the mean rating that new judgements of the system would have",
                "rating points",
                (min(values), max(values)),
            ),
            "category_probability": Estimand(
                "category_probability",
                "Probability of each category",
                "the chance that one new judgement of the system falls in the category",
                "probability",
                (0.0, 1.0),
                dims=("system", "category"),
            ),
            "at_least_probability": Estimand(
                "at_least_probability",
                "Probability of at least",
                "the chance that one new judgement of the system is in the category or above",
                "probability",
                (0.0, 1.0),
                dims=("system", "category"),
            ),
        }

    def predict(
        self,
        declaration: Declaration[OrdinalResponse],
        judgements: Judgements,
        draws: xr.Dataset,
        rng: np.random.Generator,
    ) -> npt.NDArray[np.int16]:
        """Draw a rating for every row, as category codes from 0."""
        found = np.empty((draws.sizes["sample"], judgements.n_rows), dtype=np.int16)
        codes = row_codes(declaration, judgements, self.row_data(declaration, judgements))
        dims = ["criterion"] if declaration.has_criterion else []
        dims += [dim for dim in declaration.response.derived.dims if dim != "end"]
        per_draw = judgements.n_rows * declaration.response.n_categories
        for part in chunks(draws.sizes["sample"], per_draw):
            chunk = draws.isel(sample=part)
            latent, _, _, *log_discrimination = self.row_predictors(declaration, judgements, chunk)
            noise = rng.standard_normal(latent.shape)
            latent += noise * np.exp(-log_discrimination[0]) if log_discrimination else noise
            ends = self.levels(declaration, "thresholds", chunk)[..., 1:-1]
            thresholds = ends[(slice(None), *(codes[dim] for dim in dims))]
            if not dims:
                thresholds = thresholds[:, None, :]
            found[part] = (latent[..., None] > thresholds).sum(axis=-1)
        return found

    def _response(self, values: tuple[float, ...], n_annotators: int) -> OrdinalResponse:
        n_categories = len(values)
        gaps = self.thresholds if self.thresholds in ("scaled", "free") else "common"
        if n_categories == 2 or n_annotators == 0:
            gaps = "common"
        return OrdinalResponse(
            category_values=values,
            gaps=gaps,
            n_annotators=n_annotators,
            category_prior=self._category_prior(n_categories),
            mean_threshold_scale=self.mean_threshold_scale,
            width_centre=self.width_centre,
            log_width_scale=self.log_width_scale,
            smoothness_sd_scale=self.smoothness_sd_scale,
            gap_sd_scale=self.gap_sd_scale,
            discrimination=self.discrimination and n_annotators > 0,
            discrimination_sd_scale=self.discrimination_sd_scale,
        )

    def _category_prior(self, n_categories: int) -> tuple[float, ...] | None:
        prior = self.category_prior
        if prior is None:
            return None if n_categories > LONGEST_SHORT_SCALE else (2.0,) * n_categories
        if isinstance(prior, float | int):
            return (float(prior),) * n_categories
        if len(prior) != n_categories:
            raise ModelError(
                f"category_prior= has {len(prior)} values for a scale of {n_categories} "
                "categories; give one for each, from low to high, or one number for all"
            )
        return tuple(float(value) for value in prior)


def _without_severity(kinds: Sequence[Kind]) -> list[Kind]:
    return [kind for kind in kinds if kind.name != "severity"]


def _normal_scores(judgements: LikertJudgements) -> npt.NDArray[np.float64]:
    """Give each rating the normal quantile of the middle of its category's share."""
    shares = np.bincount(
        judgements.answers, weights=judgements.counts, minlength=judgements.scale.n_categories
    )
    middle = (np.cumsum(shares) - 0.5 * shares) / shares.sum()
    return ndtri(np.clip(middle, 1e-3, 1.0 - 1e-3))[judgements.answers]
