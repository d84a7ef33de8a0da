"""HUSE: how well a classifier that knows model and people tells generated from human text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from bayeseval._checks import nearest, some
from bayeseval._records import Record, Shown
from bayeseval.errors import DesignError, JudgementError
from bayeseval.settings import resolve_ci

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["HUSE", "HUSEStability", "HUSETexts", "huse", "huse_stability", "huse_texts"]

type TieRule = Literal["paper", "vote_model", "vote_half", "tolerance", "sklearn"]

TIE_RULES: dict[TieRule, str] = {
    "paper": "every text at the k-th smallest distance is a neighbour; a split vote says human",
    "vote_model": (
        "every text at the k-th smallest distance is a neighbour; a split vote says model"
    ),
    "vote_half": (
        "every text at the k-th smallest distance is a neighbour; a split vote is half an error"
    ),
    "tolerance": (
        "as the paper, but distances within 1e-12 of the k-th smallest count as equal to it"
    ),
    "sklearn": "scikit-learn's k neighbours, exactly k; a split vote says human",
}
MEASURES = ("HUSE", "HUSE-Q", "HUSE-D")
SHOWN = (
    Shown("measure", "measure", "text"),
    Shown("value", "value"),
    Shown("sd", "SD"),
    Shown(("lower", "upper"), "interval"),
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HUSE(Record):
    """HUSE, HUSE-Q and HUSE-D of one system.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`; columns as in `huse`.
    features : pandas.DataFrame
        One row a text: ``log_probability`` (a token), ``judgement`` (mean; its posterior mean where
        draws were given), ``is_model``, ``mistaken`` (share of errors of the left-out text).
    draws : pandas.DataFrame
        One row a draw or resample, with the columns of the three measures; empty without.
    k : int
        Number of neighbours.
    ties : str
        Rule for ties of distances and votes.
    """

    features: pd.DataFrame
    draws: pd.DataFrame
    k: int
    ties: TieRule

    def value(self, measure: str) -> float:
        """Return one of the measures.

        Parameters
        ----------
        measure : str
            "HUSE", "HUSE-Q" or "HUSE-D".

        Returns
        -------
        float
            Its value.
        """
        if measure not in MEASURES:
            raise DesignError(f"measure must be one of {some(MEASURES)}; got {measure!r}")
        return float(self.table.set_index("measure").loc[measure, "value"])  # type: ignore[arg-type]

    @property
    def huse(self) -> float:
        """Twice the leave-one-out error of the classifier on both features."""
        return self.value("HUSE")

    @property
    def huse_q(self) -> float:
        """The same on the judgement alone: quality."""
        return self.value("HUSE-Q")

    @property
    def huse_d(self) -> float:
        """1 + HUSE − HUSE-Q: diversity."""
        return self.value("HUSE-D")

    def plot(self, axes: "Axes | None" = None, *, resolution: int = 150) -> "Figure":
        """Plot the texts in the plane of both features, with the regions of the decision.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Where to draw; a new figure where left out.
        resolution : int
            Points of the grid of the regions, each way.

        Returns
        -------
        matplotlib.figure.Figure
            The figure; shading marks where the k nearest texts say that a text is the model's.
        """
        figure, axes = _canvas(axes)
        x = self.features["log_probability"].to_numpy()
        y = self.features["judgement"].to_numpy()
        model = self.features["is_model"].to_numpy(dtype=bool)
        sd = np.array([x.std(), y.std()])
        pad = 0.05 * np.array([np.ptp(x), np.ptp(y)])
        grid_x, grid_y = np.meshgrid(
            np.linspace(x.min() - pad[0], x.max() + pad[0], resolution),
            np.linspace(y.min() - pad[1], y.max() + pad[1], resolution),
        )
        points = np.stack([grid_x.ravel(), grid_y.ravel()], axis=1) / sd
        texts = np.stack([x, y], axis=1) / sd
        distances = np.sqrt(((points[:, None] - texts) ** 2).sum(axis=2))
        says_model = _votes(distances, model, self.k, "paper") > 0
        axes.contourf(
            grid_x,
            grid_y,
            says_model.reshape(grid_x.shape).astype(float),
            levels=[-0.5, 0.5, 1.5],
            colors=["#dbe7f3", "#f8ddc8"],
        )
        for of_model, label, mark, colour in (
            (False, "human", "o", "#1f5a8a"),
            (True, "model", "^", "#b3530b"),
        ):
            rows = model == of_model
            axes.scatter(x[rows], y[rows], s=16, marker=mark, color=colour, label=label)
        axes.set_xlabel("log probability a token, under the model")
        axes.set_ylabel("mean human judgement")
        axes.set_title(f"HUSE {self.huse:.2f}, HUSE-Q {self.huse_q:.2f}, HUSE-D {self.huse_d:.2f}")
        axes.legend(title="text by")
        return figure


def _canvas(axes: "Axes | None") -> "tuple[Figure, Axes]":
    if axes is not None:
        figure = axes.get_figure(root=True)
        if figure is None:
            raise DesignError("axes= belongs to no figure.")
        return figure, axes
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 4.5), layout="constrained")
    return figure, figure.add_subplot()


def huse(
    *,
    log_probability: npt.ArrayLike,
    length: npt.ArrayLike,
    judgement: npt.ArrayLike,
    is_model: npt.ArrayLike,
    k: int = 16,
    ties: TieRule = "paper",
    n_resamples: int = 0,
    ci_prob: float | None = None,
    random_seed: int | None = None,
) -> HUSE:
    r"""Compute HUSE, HUSE-Q and HUSE-D.

    HUSE is twice the leave-one-out error of a k-nearest-neighbour classifier that tells the model's
    texts from human ones by (log probability under the model / length, mean human judgement), both
    divided by their standard deviation: 1 where nobody could tell them apart, 0 where anybody
    could. HUSE-Q uses the judgement alone (quality), and HUSE-D = 1 + HUSE − HUSE-Q (diversity). An
    error above one half makes values above 1 possible.

    Parameters
    ----------
    log_probability : array of float, one a text
        Log probability of the whole text under the model.
    length : array of float, one a text
        Its length in tokens.
    judgement : array of float, one a text, or draws × texts
        Mean human judgement of the text. Draws of it from a fitted model (an xarray.DataArray with
        the dims ``text`` and ``draw``, or ``chain`` and ``draw``; or an array with draws first)
        give the posterior of HUSE.
    is_model : array of bool, one a text
        Whether the text is the model's, as against a human reference.
    k : int
        Number of neighbours.
    ties : {"paper", "vote_model", "vote_half", "tolerance", "sklearn"}
        What happens to ties of distances and of votes, of which mean judgements have many.
        ``"paper"`` reproduces the published figures: every text at the k-th smallest distance (as
        floating-point numbers compare) is a neighbour, and a split vote says human. The others
        show how much hangs on that rule.
    n_resamples : int
        Bootstrap resamples of texts, within the model's and within the human ones; copies of one
        text are left out together. Not with draws of the judgement.
    ci_prob : float, optional
        Probability of the intervals; `bayeseval.settings.ci_prob` where left out.
    random_seed : int, optional
        Seed of the bootstrap.

    Returns
    -------
    HUSE
        Three rows, with the columns ``measure``, ``value`` (posterior mean where draws were
        given), ``sd``, ``lower``, ``upper`` (over draws or resamples; NaN without), ``n_texts``.
        ``features`` and ``draws`` hold the texts and the distribution, ``plot()`` the plane. The
        bootstrap estimate is biased upwards in small samples: resamples hold fewer distinct
        neighbours.

    Raises
    ------
    DesignError
        If lengths differ, a number is missing, one of the sources is missing, there are too few
        texts for k, or all judgements are the same.

    References
    ----------
    Hashimoto, T., Zhang, H., & Liang, P. (2019). Unifying human and statistical evaluation for
    natural language generation. NAACL. https://doi.org/10.18653/v1/N19-1169
    """
    prob, _ = resolve_ci(ci_prob)
    ties = _checked_rule(ties)
    per_token, judged, model = _features(log_probability, length, judgement, is_model, k)
    posterior = judged.ndim == 2
    if posterior and n_resamples:
        raise DesignError("n_resamples= is for judgements without draws; the draws are the spread.")
    if posterior:
        each = [_measures(per_token, row, model, k, ties) for row in judged]
        values = np.array([row[0] for row in each])
        estimate = values.mean(axis=0)
        mistaken = np.mean([row[1] for row in each], axis=0)
    else:
        estimate, mistaken = _measures(per_token, judged, model, k, ties)
        rng = np.random.default_rng(random_seed)
        values = np.array(
            [
                _measures(per_token[chosen], judged[chosen], model[chosen], k, ties, chosen)[0]
                for chosen in (_resampled(model, rng) for _ in range(n_resamples))
            ]
        ).reshape(-1, 3)
    draws = pd.DataFrame(values, columns=list(MEASURES))
    tail = (1 - prob) / 2
    spread = len(values) > 1
    nothing = np.full(3, np.nan)
    lower, upper = np.quantile(values, [tail, 1 - tail], axis=0) if spread else (nothing, nothing)
    table = pd.DataFrame(
        {
            "measure": list(MEASURES),
            "value": estimate,
            "sd": values.std(axis=0, ddof=1) if spread else nothing,
            "lower": lower,
            "upper": upper,
            "n_texts": len(model),
        }
    )
    features = pd.DataFrame(
        {
            "log_probability": per_token,
            "judgement": judged.mean(axis=0) if posterior else judged,
            "is_model": model,
            "mistaken": mistaken,
        }
    )
    return HUSE(
        table=table,
        title=f"HUSE of {int(model.sum())} generated and {int((~model).sum())} human texts",
        notes=tuple(_notes(model, k, ties, prob, len(values), posterior=posterior)),
        shown=SHOWN,
        features=features,
        draws=draws if spread else draws.iloc[:0],
        k=k,
        ties=ties,
    )


def _notes(
    model: np.ndarray, k: int, ties: TieRule, prob: float, n_draws: int, *, posterior: bool
) -> list[str]:
    notes = [
        (
            "HUSE: twice the leave-one-out error on log p / length and judgement (1 = cannot be "
            "told apart); HUSE-Q: on the judgement alone; HUSE-D = 1 + HUSE − HUSE-Q. "
            f"k = {k}; ties: {TIE_RULES[ties]}."
        )
    ]
    if posterior:
        notes.append(f"Interval: {100 * prob:.10g} %, over {n_draws:,} draws of the judgements.")
    elif n_draws > 1:
        notes.append(
            f"Interval: {100 * prob:.10g} % percentile bootstrap over texts, {n_draws:,} resamples."
        )
    if abs(2 * model.mean() - 1) > 0.05:
        notes.append(
            f"{model.mean():.0%} of the texts are the model's: HUSE supposes as many of each."
        )
    return notes


def _checked_rule(ties: object) -> TieRule:
    if ties not in TIE_RULES:
        meant = nearest(ties, list(TIE_RULES)) if isinstance(ties, str) else None
        raise DesignError(
            f"ties must be one of {some(TIE_RULES)}; got {ties!r}"
            + (f". Did you mean {meant!r}?" if meant else "")
        )
    return cast(TieRule, ties)


def _features(
    log_probability: npt.ArrayLike,
    length: npt.ArrayLike,
    judgement: npt.ArrayLike,
    is_model: npt.ArrayLike,
    k: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    logp, size = (np.asarray(x, dtype=float) for x in (log_probability, length))
    judged = _draws_first(judgement)
    model = np.asarray(is_model)
    if model.dtype != bool:
        found = pd.unique(model.ravel())
        if not set(found.tolist()) <= {0, 1}:
            raise DesignError(
                f"is_model must hold True for the model's texts and False for human ones; found "
                f"{some(found.tolist())}. Compare with the label: is_model=source == 'model'."
            )
        model = model.astype(bool)
    n = len(model)
    for name, array in (("log_probability", logp), ("length", size), ("judgement", judged)):
        if array.shape[-1:] != (n,) or array.ndim > (2 if name == "judgement" else 1):
            raise DesignError(
                f"{name} must hold one value a text, {n} as is_model; found shape {array.shape}."
            )
        wrong = ~np.isfinite(array).reshape(-1, n).all(axis=0)
        if name == "length":
            wrong |= ~(array > 0)
        if wrong.any():
            raise DesignError(
                f"{name} must be a finite number{' above 0' if name == 'length' else ''}; "
                f"text {some(np.flatnonzero(wrong).tolist())} (counted from 0) is not."
            )
    if not 0 < model.sum() < n:
        raise DesignError(
            f"HUSE compares the model's texts with human ones; all {n} are "
            f"{'the model' if model.any() else 'human'}'s."
        )
    if not isinstance(k, int) or isinstance(k, bool) or not 1 <= k < n - 1:
        raise DesignError(f"k must be a whole number from 1 to {n - 2} for {n} texts; got {k!r}")
    if (np.ptp(judged, axis=-1) == 0).any():
        raise DesignError("all texts have the same mean judgement: it tells nothing apart.")
    per_token = logp / size
    if np.ptp(per_token) == 0:
        raise DesignError(
            "all texts have the same log probability a token: it tells nothing apart."
        )
    return per_token, judged, model


def _draws_first(judgement: npt.ArrayLike) -> np.ndarray:
    dims = getattr(judgement, "dims", None)
    if dims is not None and "text" in dims:
        others = [dim for dim in dims if dim != "text"]
        array = np.asarray(judgement.transpose(*others, "text"), dtype=float)  # type: ignore[union-attr]
        return array.reshape(-1, array.shape[-1]) if others else array
    return np.asarray(judgement, dtype=float)


def _resampled(model: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.concatenate(
        [
            rng.choice(rows, size=len(rows))
            for rows in (np.flatnonzero(~model), np.flatnonzero(model))
        ]
    )


def _measures(
    per_token: np.ndarray,
    judged: np.ndarray,
    model: np.ndarray,
    k: int,
    ties: TieRule,
    text: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the three measures, and the share of errors of each text on both features."""
    own = np.arange(len(model)) if text is None else text
    q = judged / (judged.std() or 1.0)
    p = per_token / (per_token.std() or 1.0)
    one = np.abs(q[:, None] - q)
    both = np.sqrt((p[:, None] - p) ** 2 + (q[:, None] - q) ** 2)
    # Copies of one text in a resample would give it away.
    same = own[:, None] == own
    errors = []
    for distances, columns in ((both, (p, q)), (one, (q,))):
        distances[same] = np.inf
        if ties == "sklearn" and text is None:
            votes = _sklearn_votes(np.stack(columns, axis=1), model, k)
        else:
            votes = _votes(distances, model, k, ties)
        errors.append(_mistaken(votes, model, ties))
    value, quality = (2 * float(error.mean()) for error in errors)
    return np.array([value, quality, 1 + value - quality]), errors[0]


def _votes(distances: np.ndarray, model: np.ndarray, k: int, ties: TieRule) -> np.ndarray:
    """Return the neighbours' votes for the model minus those for a human."""
    if ties == "sklearn":
        near = np.argsort(distances, axis=1, kind="stable")[:, :k]
        return np.where(model[near], 1, -1).sum(axis=1)
    limit = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    if ties == "tolerance":
        limit = limit + 1e-12
    return (distances <= limit) @ np.where(model, 1, -1)


def _sklearn_votes(features: np.ndarray, model: np.ndarray, k: int) -> np.ndarray:
    from sklearn.neighbors import NearestNeighbors

    fitted = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(features)
    near = fitted.kneighbors(return_distance=False)
    return np.where(model[near], 1, -1).sum(axis=1)


def _mistaken(votes: np.ndarray, model: np.ndarray, ties: TieRule) -> np.ndarray:
    says_model = votes >= 0 if ties == "vote_model" else votes > 0
    wrong = (says_model != model).astype(float)
    return np.where(votes == 0, 0.5, wrong) if ties == "vote_half" else wrong


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HUSEStability(Record):
    """How HUSE moves when fewer texts, or fewer judgements of each, are used.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`; columns as in `huse_stability`.
    """

    def plot(self, axes: "Axes | None" = None, *, measure: str = "HUSE") -> "Figure":
        """Plot mean and spread over the number of texts, one line a number of judgements.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            Where to draw; a new figure where left out.
        measure : str
            "HUSE", "HUSE-Q" or "HUSE-D".

        Returns
        -------
        matplotlib.figure.Figure
            The figure; bars are one standard deviation of the subsamples.
        """
        figure, axes = _canvas(axes)
        chosen = self.table[self.table["measure"] == measure]
        for index, (number, line) in enumerate(chosen.groupby("n_annotators")):
            axes.errorbar(
                line["n_texts"],
                line["mean"],
                yerr=line["sd"],
                capsize=3,
                color=f"C{index}",
                marker="os^Dvx"[index % 6],
                label=str(number),
            )
        axes.set_xlabel("texts")
        axes.set_ylabel(measure)
        axes.legend(title="judgements a text")
        return figure


def huse_stability(
    *,
    log_probability: npt.ArrayLike,
    length: npt.ArrayLike,
    ratings: npt.ArrayLike,
    is_model: npt.ArrayLike,
    n_texts: Sequence[int] | None = None,
    n_annotators: Sequence[int] | None = None,
    n_repeats: int = 50,
    k: int = 16,
    ties: TieRule = "paper",
    random_seed: int | None = None,
) -> HUSEStability:
    """Recompute HUSE from subsamples of texts and of judgements (Figure 5 of the paper).

    Parameters
    ----------
    log_probability, length, is_model : array, one a text
        As in `huse`.
    ratings : array of float, texts × judgements
        The single judgements of each text; NaN where missing.
    n_texts : sequence of int, optional
        Numbers of texts, half of each source; by default a quarter, half, three quarters, all.
    n_annotators : sequence of int, optional
        Numbers of judgements drawn for each text; by default about a quarter, half, all.
    n_repeats : int
        Subsamples of each size, drawn without replacement.
    k, ties
        As in `huse`; k is not scaled with the number of texts.
    random_seed : int, optional
        Seed.

    Returns
    -------
    HUSEStability
        One row a size and measure, with the columns ``n_texts``, ``n_annotators``, ``measure``,
        ``mean``, ``sd``, ``lower``, ``upper`` (5 % and 95 % of the subsamples), ``n_repeats``.

    Raises
    ------
    DesignError
        As in `huse`; or a size is larger than what there is.
    """
    ties = _checked_rule(ties)
    if n_repeats < 1:
        raise DesignError(f"n_repeats must be a whole number from 1; got {n_repeats}")
    matrix = np.asarray(ratings, dtype=float)
    if matrix.ndim != 2:
        raise DesignError(f"ratings must be texts × judgements; found shape {matrix.shape}.")
    there = np.isfinite(matrix)
    if not there.any(axis=1).all():
        empty = np.flatnonzero(~there.any(axis=1))
        raise DesignError(f"text {some(empty.tolist())} (counted from 0) has no judgement.")
    means = np.nanmean(matrix, axis=1)
    per_token, _, model = _features(log_probability, length, means, is_model, k)
    fewest, smaller = int(there.sum(axis=1).min()), int(min(model.sum(), (~model).sum()))
    texts = sorted(set(n_texts or (2 * (smaller * q // 4) for q in (1, 2, 3, 4))))
    annotators = sorted(set(n_annotators or (max(1, fewest * q // 4) for q in (1, 2, 4))))
    texts = texts if n_texts else [size for size in texts if size > k + 1]
    if not texts or texts[-1] > 2 * smaller or texts[0] < k + 2 or texts[0] < 2:
        raise DesignError(
            f"n_texts must lie between {k + 2} (k + 2) and {2 * smaller} (twice the smaller "
            f"source); got {texts}"
        )
    if annotators[0] < 1 or annotators[-1] > fewest:
        raise DesignError(
            f"n_annotators must lie between 1 and {fewest}, the fewest judgements that a text has; "
            f"got {annotators}"
        )
    rng = np.random.default_rng(random_seed)
    sources = np.flatnonzero(~model), np.flatnonzero(model)
    rows = []
    for size in texts:
        for number in annotators:
            values = []
            for _ in range(n_repeats):
                chosen = np.concatenate(
                    [rng.choice(rows_of, size=size // 2, replace=False) for rows_of in sources]
                )
                # The smallest of random keys: a draw without replacement in every row at once.
                keys = np.where(there[chosen], rng.random((len(chosen), matrix.shape[1])), np.inf)
                picked = np.argpartition(keys, number - 1, axis=1)[:, :number]
                judged = np.take_along_axis(matrix[chosen], picked, axis=1).mean(axis=1)
                values.append(_measures(per_token[chosen], judged, model[chosen], k, ties)[0])
            drawn = np.array(values)
            low, high = np.quantile(drawn, [0.05, 0.95], axis=0)
            rows += [
                {
                    "n_texts": size,
                    "n_annotators": number,
                    "measure": measure,
                    "mean": float(drawn[:, index].mean()),
                    "sd": float(drawn[:, index].std(ddof=1)) if n_repeats > 1 else float("nan"),
                    "lower": float(low[index]),
                    "upper": float(high[index]),
                    "n_repeats": n_repeats,
                }
                for index, measure in enumerate(MEASURES)
            ]
    return HUSEStability(
        table=pd.DataFrame(rows),
        title="HUSE of subsamples",
        notes=(f"{n_repeats} subsamples of each size; k = {k}; ties: {TIE_RULES[ties]}.",),
        shown=(
            Shown("n_texts", "texts", "count"),
            Shown("n_annotators", "judgements a text", "count"),
            Shown("measure", "measure", "text"),
            Shown("mean", "mean"),
            Shown("sd", "SD"),
            Shown(("lower", "upper"), "5 % to 95 %"),
        ),
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HUSETexts(Record):
    """The texts of a HUSE study, read from the crowd's raw rows.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`: one row a text, with ``text``, ``source``, ``is_model``,
        ``log_probability``, ``length``, ``judgement`` (mean), ``n_judgements``.
    ratings : numpy.ndarray, texts × judgements
        The single judgements, in the order of the rows; NaN beyond a text's own number.
    long : pandas.DataFrame
        One row a judgement: ``annotator``, ``text``, ``source``, ``rating``; for
        `LikertJudgements.from_frame`.
    """

    ratings: np.ndarray
    long: pd.DataFrame

    def huse(
        self,
        *,
        k: int = 16,
        ties: TieRule = "paper",
        n_resamples: int = 0,
        ci_prob: float | None = None,
        random_seed: int | None = None,
    ) -> HUSE:
        """Compute HUSE of these texts.

        Parameters
        ----------
        k, ties, n_resamples, ci_prob, random_seed
            As in `huse`.

        Returns
        -------
        HUSE
            The measures.
        """
        return huse(
            log_probability=self.table["log_probability"].to_numpy(),
            length=self.table["length"].to_numpy(),
            judgement=self.table["judgement"].to_numpy(),
            is_model=self.table["is_model"].to_numpy(),
            k=k,
            ties=ties,
            n_resamples=n_resamples,
            ci_prob=ci_prob,
            random_seed=random_seed,
        )


def huse_texts(
    frame: pd.DataFrame,
    *,
    model: str,
    labels: Mapping[str, float],
    annotator: str = "WorkerId",
    hit: str | None = "HITId",
    text: str = "Input.IDX",
    source: str = "Input.TYPE",
    length: str = "Input.NTOK",
    log_probability: str = "Input.LOGP",
    answer: str = "Answer.",
) -> HUSETexts:
    """Bring the raw rows of a Mechanical Turk batch, many texts a row, to one row a text.

    Parameters
    ----------
    frame : pandas.DataFrame
        The batch file: one row an assignment, with numbered columns for each of its texts.
    model : str
        The value of ``source`` that marks the model's texts.
    labels : mapping of str to float
        What each answer counts as, such as ``{"Invalid": 1, …, "Very Typical": 6}``.
    annotator : str
        Column of the worker.
    hit : str or None
        Column of the task that a row belongs to; a text is known by it, its source and its number.
        None where numbers are unique within a source.
    text, source, length, log_probability, answer : str
        Beginnings of the numbered columns; the number follows. ``length`` may hold the texts
        themselves: they are counted as tokens between single blanks.

    Returns
    -------
    HUSETexts
        One row a text in order of first appearance, its judgements, and the long form. Empty
        answers are left out and counted in a note.

    Raises
    ------
    JudgementError
        If columns are missing, an answer is not explained, a text has two log probabilities or
        lengths, or no text is the model's.
    """
    starts = {"text": text, "source": source, "length": length, "log_probability": log_probability}
    starts["answer"] = answer
    numbers_of = [
        {str(name)[len(start) :] for name in frame.columns if str(name).startswith(start)}
        for start in starts.values()
    ]
    common = set.intersection(*numbers_of)
    common = sorted((n for n in common if n.isdigit()), key=int)
    named = [annotator, *([] if hit is None else [hit])]
    lacking = [name for name in named if name not in frame.columns]
    if not common or lacking:
        lacking += [s for s in starts.values() if not any(str(c).startswith(s) for c in frame)]
        raise JudgementError(
            f"expected the columns {some(named)} and numbered columns {some(starts.values())}; "
            f"missing: {some(lacking) or 'a number that all of them share'}. The frame has "
            f"{some(map(str, frame.columns))}."
        )
    parts = [
        pd.DataFrame(
            {
                "annotator": frame[annotator],
                "hit": "" if hit is None else frame[hit].astype(str) + ":",
                "row": np.arange(len(frame)),
                "place": int(number),
            }
            | {role: frame[start + number] for role, start in starts.items()}
        )
        for number in common
    ]
    long = pd.concat(parts).sort_values(["row", "place"], kind="stable", ignore_index=True)
    long["text"] = long["hit"] + long["text"].astype(str)
    empty = long["answer"].isna() | long["answer"].astype(str).str.strip().eq("")
    n_empty, long = int(empty.sum()), long[~empty].reset_index(drop=True)
    unknown = sorted(set(long["answer"].astype(str)) - set(labels))
    if unknown:
        raise JudgementError(
            f"the answers {some(unknown)} are not explained; labels= has {some(labels, most=12)}."
        )
    long["rating"] = long["answer"].astype(str).map(dict(labels)).astype(float)
    if not pd.api.types.is_numeric_dtype(long["length"]):
        as_number = pd.to_numeric(long["length"], errors="coerce")
        tokens = long["length"].astype(str).str.count(" ") + 1
        long["length"] = tokens if as_number.isna().any() else as_number
    by_text = long.groupby(["source", "text"], sort=False)
    table = by_text.agg(
        log_probability=("log_probability", "first"),
        length=("length", "first"),
        judgement=("rating", "mean"),
        n_judgements=("rating", "size"),
    ).reset_index()
    for name in ("log_probability", "length"):
        several = by_text[name].nunique().to_numpy() > 1
        if several.any():
            raise JudgementError(
                f"a text must have one {name}; text {some(table.loc[several, 'text'].tolist())} "
                "has several."
            )
    table.insert(2, "is_model", table["source"].astype(str) == model)
    if not table["is_model"].any():
        raise JudgementError(
            f"no text has the source {model!r}; sources are "
            f"{some(table['source'].unique().tolist())}."
        )
    ratings = np.full((len(table), int(table["n_judgements"].max())), np.nan)
    ratings[by_text.ngroup().to_numpy(), by_text.cumcount().to_numpy()] = long["rating"]
    kept = long[["annotator", "text", "source", "rating"]].copy()
    notes = [f"Judgement: mean of {int(table['n_judgements'].median())} answers (median)."]
    if n_empty:
        notes.append(f"{n_empty:,} empty answers left out.")
    return HUSETexts(
        table=table[
            ["text", "source", "is_model", "log_probability", "length", "judgement", "n_judgements"]
        ],
        title=f"{len(table)} texts, {len(long):,} judgements",
        notes=tuple(notes),
        shown=(
            Shown("text", "text", "label"),
            Shown("source", "source", "label"),
            Shown("log_probability", "log p"),
            Shown("length", "tokens", "count"),
            Shown("judgement", "judgement"),
            Shown("n_judgements", "judgements", "count"),
        ),
        ratings=ratings,
        long=kept,
    )
