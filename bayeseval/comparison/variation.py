"""How much of the answers' variation is the systems', the items', the annotators'."""

from collections.abc import Mapping

import numpy as np

from bayeseval._records import Record, Shown
from bayeseval.comparison._contract import (
    PosteriorLike,
    components_of,
    problems_of,
    refuse_no_posterior,
)
from bayeseval.comparison._intervals import interval
from bayeseval.errors import ModelError
from bayeseval.judgements._protocols import PAIRED
from bayeseval.ranking import alarm_sentences
from bayeseval.settings import ci_words, resolve_ci

_SOURCES: Mapping[str, tuple[str, ...]] = {
    "item": ("difficulty",),
    "system × item": ("interaction",),
    "annotator": ("severity", "position"),
    "system × annotator": ("taste",),
}
_WHY_NONE: Mapping[str, str] = {
    "LogMagnitude": (
        ": a magnitude is a log ratio whose noise is each annotator's own, and with a reference "
        "first a side of it. The posterior has the standard deviations of the sources that are in "
        "the model (quality_sd, difficulty_sd, modulus_sd, …), and variation() F ratios of log "
        "ratios"
    ),
    "OrdinalProbit": ": with discrimination it differs between annotators",
    "Thurstone": ": with discrimination it differs between annotators",
    "PreferenceStrength": ". For a slider fit PreferenceStrength(response='student_t')",
}


class VarianceShares(Record):
    """Shares of the variance of latent answers; see `variance_shares`.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a source (and criterion).
    title : str
        What it is, in words.
    notes : tuple of str
        What the shares are of.
    shown : tuple of Shown
        Which columns are printed, and how.
    """


def variance_shares(
    posterior: PosteriorLike,
    *,
    ci_prob: float | None = None,
    ci_kind: str | None = None,
) -> VarianceShares:
    """Divide the variance of a judgement among systems, items, annotators and the rest.

    The variance is that of one latent answer, on the scale of quality, of a random annotator to a
    random item and system (of two different systems, where two are compared). What systems
    contribute is the spread of the qualities at hand; the other sources are populations, with the
    standard deviations of the model. In a comparison item and annotator cancel unless they change
    the difference, so that only their interplay with the systems can have a share. Terms that are
    not in the model are part of the residual. Annotators who stretch the scale or are noisier
    than others are averaged over at their typical value.

    Parameters
    ----------
    posterior : Posterior
        A fit of a family whose noise has a variance on the scale of quality: ``OrdinalProbit``
        (without discrimination), ``Thurstone``, ``BradleyTerry``, ``PreferenceStrength`` with
        grades or Student's t.
    ci_prob, ci_kind : optional
        The intervals; by default those of the settings.

    Returns
    -------
    VarianceShares
        With ``to_frame()``; columns ``criterion`` (where there are several), ``source``, ``share``
        (posterior mean, between 0 and 1; the shares of one criterion sum to 1), ``sd``, ``lower``,
        ``upper``, and ``draws_used``, which is less than 1 where some draws have noise of infinite
        variance (two degrees of freedom or fewer) and are left out.

    Raises
    ------
    ModelError
        Where the noise has no variance on the scale of quality.
    """
    import pandas as pd

    refuse_no_posterior(posterior, "variance_shares")
    prob, kind = resolve_ci(ci_prob, ci_kind)  # type: ignore[arg-type]
    data = posterior.data["posterior"].to_dataset()
    paired = posterior.protocol in PAIRED
    rows = []
    for criterion in posterior.criteria or (None,):
        draws = data if criterion is None else data.sel(criterion=criterion)
        quality = draws["quality"].transpose("chain", "draw", "system").values
        # The difference of two different systems has twice the variance with n − 1 below.
        spread = quality.var(axis=-1, ddof=1 if paired else 0)
        parts = {"system": (2.0 if paired else 1.0) * spread}
        for source, names in _SOURCES.items():
            variances = [
                np.square(draws[f"{name}_sd"].values) for name in names if f"{name}_sd" in draws
            ]
            if variances:
                twice = 2.0 if paired and " × " in source else 1.0
                parts[source] = twice * np.sum(variances, axis=0)
        parts["residual"] = np.broadcast_to(_noise(posterior, draws), spread.shape)
        total = np.sum(list(parts.values()), axis=0)
        finite = np.isfinite(total)
        if not finite.any():
            raise ModelError(
                "the noise has infinite variance in every draw (two degrees of freedom or fewer), "
                "so that nothing has a share of it"
            )
        for source, part in parts.items():
            share = (part / total)[finite]
            lower, upper = interval(share, ci_prob=prob, ci_kind=kind)
            rows.append(
                {
                    **({} if criterion is None else {"criterion": criterion}),
                    "source": source,
                    "share": float(share.mean()),
                    "sd": float(share.std(ddof=1)),
                    "lower": float(lower),
                    "upper": float(upper),
                    "draws_used": float(finite.mean()),
                }
            )
    what = "the difference of two systems" if paired else "the latent answer"
    return VarianceShares(
        table=pd.DataFrame(rows),
        title="Shares of the variance of a judgement",
        notes=(
            *alarm_sentences(
                problems_of(posterior), posterior.approximate, components_of(posterior)
            ),
            (
                f"Of {what} as a typical annotator gives it in one judgement. Posterior mean and "
                f"{ci_words(prob, kind)} interval; terms not in the model are in the residual."
            ),
        ),
        shown=(
            Shown("source", "source", "label"),
            Shown("share", "share"),
            Shown(("lower", "upper"), ci_words(prob, kind), "interval"),
        ),
    )


def _noise(posterior: PosteriorLike, draws: object) -> np.ndarray:
    """Return the variance of one judgement's noise on the scale of quality, by draw."""
    name = posterior.family.name
    response = getattr(getattr(posterior, "declaration", None), "response", None)
    what = getattr(response, "response", None)
    data = {key: draws[key].values for key in draws}  # type: ignore[union-attr,index]
    if name in ("OrdinalProbit", "Thurstone") and "discrimination" not in data:
        return np.array(1.0)
    if name == "BradleyTerry":
        return np.array(np.pi**2 / 3.0)
    if name == "PreferenceStrength" and what == "graded":
        return np.array(1.0)
    if name == "PreferenceStrength" and what == "student_t":
        df = data["degrees_of_freedom"]
        spread = np.exp(2.0 * data["log_spread_mean"]) + getattr(response, "resolution", 0.0) ** 2
        return np.where(df > 2.0, spread * df / np.where(df > 2.0, df - 2.0, 1.0), np.inf)
    raise ModelError(
        f"variance_shares needs noise with a variance on the scale of quality; {name}"
        f"{'' if what is None else f' with response={what!r}'} has none{_WHY_NONE.get(name, '')}"
    )
