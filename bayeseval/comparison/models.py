"""Which of several models of the same judgements predicts a further judgement best."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayeseval._checks import some
from bayeseval._records import Record, Shown
from bayeseval.comparison._contract import PosteriorLike, problems_of
from bayeseval.errors import BayesEvalError, ModelError
from bayeseval.judgements import Judgements
from bayeseval.ranking import alarm_sentences

_LARGEST_K = 0.7


class ModelComparison(Record):
    """Expected log predictive density of several models; see `compare_models`.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a model, best first.
    title : str
        What it is, in words.
    notes : tuple of str
        How to read it, and what is wrong with single models.
    shown : tuple of Shown
        Which columns are printed, and how.
    """


def compare_models(
    posteriors: Mapping[str, PosteriorLike], judgements: Judgements, *, draws: int = 250
) -> ModelComparison:
    """Compare models of the same judgements by leave-one-out cross-validation.

    Parameters
    ----------
    posteriors : dict of str to Posterior
        The fits by name: ties by Davidson against Rao and Kupper, logit against probit, with and
        without an effect.
    judgements : Judgements
        What all of them were fitted to. A row with a count stands for so many judgements, each of
        which is left out alone.
    draws : int
        Draws of each chain that are used, taken evenly.

    Returns
    -------
    ModelComparison
        With ``to_frame()``; columns ``model``, ``elpd`` (expected log predictive density of all
        judgements), ``se``, ``elpd_difference`` (from the best), ``se_difference``,
        ``effective_parameters`` and ``share_unreliable`` (judgements whose Pareto k is above 0.7).

    Raises
    ------
    BayesEvalError
        Where there are fewer than two, or a posterior is of other judgements.
    ModelError
        Where a model has no likelihood of its answers, such as ties that count half a win.

    References
    ----------
    Vehtari, Gelman & Gabry (2017), Statistics and Computing 27, doi:10.1007/s11222-016-9696-4.
    """
    import pandas as pd

    if len(posteriors) < 2:
        raise BayesEvalError(
            f"comparing models needs two of them or more; found {some(posteriors) or 'none'}"
        )
    for name, posterior in posteriors.items():
        if posterior.fingerprint != judgements.fingerprint:
            raise BayesEvalError(
                f"the posterior {name!r} is of other judgements (fingerprint "
                f"{posterior.fingerprint}, these have {judgements.fingerprint}); compare models "
                "of the same table"
            )
    weight = judgements.counts.astype(float)
    n = float(weight.sum())
    rows, pointwise, notes = [], {}, []
    for name, posterior in posteriors.items():
        found = _left_out(name, posterior, judgements, draws)
        elpd = np.asarray(found.elpd_i.values, dtype=float)
        pointwise[name] = elpd
        unreliable = np.asarray(found.pareto_k.values) > _LARGEST_K
        whole = _log_density(posterior, judgements, draws)
        rows.append(
            {
                "model": name,
                "elpd": float(weight @ elpd),
                "se": _error(elpd, weight, n),
                "effective_parameters": float(weight @ (whole - elpd)),
                "share_unreliable": float(weight[unreliable].sum() / n),
            }
        )
        notes += [
            f"{name}: {sentence}"
            for sentence in alarm_sentences(problems_of(posterior), posterior.approximate)
        ]
    table = pd.DataFrame(rows).sort_values("elpd", ascending=False, ignore_index=True)
    best = pointwise[table["model"].iloc[0]]
    differences = [pointwise[name] - best for name in table["model"]]
    table.insert(3, "elpd_difference", [float(weight @ d) for d in differences])
    table.insert(4, "se_difference", [_error(d, weight, n) for d in differences])
    notes.insert(
        0,
        "elpd: log probability that the model gives each judgement after the others, summed; "
        "larger predicts better. A difference of less than about twice its standard error, or "
        "than 4, decides nothing.",
    )
    if (table["share_unreliable"] > 0).any():
        notes.append(
            "Pareto k above 0.7: the importance weights of those judgements are unreliable, and "
            "with them the elpd."
        )
    return ModelComparison(
        table=table,
        title="Models by leave-one-out cross-validation",
        notes=tuple(notes),
        shown=(
            Shown("model", "model", "label"),
            Shown("elpd", "elpd", decimals=1),
            Shown("se", "se", decimals=1),
            Shown("elpd_difference", "difference", decimals=1),
            Shown("se_difference", "its se", decimals=1),
            Shown("effective_parameters", "effective parameters", decimals=1),
            Shown("share_unreliable", "Pareto k > 0.7", decimals=3),
        ),
    )


def _left_out(name: str, posterior: Any, judgements: Judgements, draws: int) -> Any:
    import arviz_stats
    import xarray as xr

    if getattr(posterior.declaration.response, "ties", None) == "half":
        raise ModelError(
            f"{name!r} counts a tie as half a win, which is a convention and no probability of the "
            "judgements: it has no elpd. Compare ties='davidson' and ties='rao_kupper'"
        )
    log_likelihood = posterior.log_likelihood(judgements, draws=draws)
    tree = xr.DataTree.from_dict(
        {
            "/log_likelihood": xr.Dataset({"judgement": log_likelihood}),
            "/posterior": xr.Dataset({"quality": posterior.posterior["quality"]}),
        }
    )
    return arviz_stats.loo(tree, pointwise=True, reff=1.0)


def _log_density(posterior: Any, judgements: Judgements, draws: int) -> np.ndarray:
    """Return the log of the mean probability of every row's answer over the draws."""
    from scipy.special import logsumexp

    values = posterior.log_likelihood(judgements, draws=draws).values
    flat = values.reshape(-1, values.shape[-1])
    return logsumexp(flat, axis=0) - np.log(flat.shape[0])


def _error(values: np.ndarray, weight: np.ndarray, n: float) -> float:
    """Return the standard error of a sum over judgements."""
    mean = weight @ values / n
    return float(np.sqrt(n * (weight @ (values - mean) ** 2) / max(n - 1.0, 1.0)))
