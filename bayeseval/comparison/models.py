"""Which of several models of the same judgements predicts a further judgement best."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from bayeseval._checks import counted, some
from bayeseval._records import Record, Shown, printed
from bayeseval._tables import Table
from bayeseval.comparison._contract import PosteriorLike, problems_of
from bayeseval.errors import BayesEvalError, ModelError
from bayeseval.judgements import Judgements
from bayeseval.ranking import alarm_sentences

if TYPE_CHECKING:
    from bayeseval.families._family import DirectFamily, Family

type Models = Mapping[str, "Family | DirectFamily"] | Sequence["Family | DirectFamily"]

_LARGEST_K = 0.7
_LEAST_DIFFERENCE = 4.0
_LEAST_ERRORS = 2.0


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ModelComparison(Record):
    """Expected log predictive density of several models; see `compare_models`.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a model, best first.
    title : str
        What it is, in words.
    notes : tuple of str
        How to read it.
    shown : tuple of Shown
        Which columns are printed, and how.
    alarms : tuple of str
        What is wrong with single models: convergence, approximation, Pareto k.
    posteriors : dict of str to Posterior
        The fits by name.
    """

    alarms: tuple[str, ...] = ()
    posteriors: Mapping[str, PosteriorLike] = field(default_factory=dict)

    def tables(self) -> list[Table]:
        """Return the table that is printed.

        Returns
        -------
        list of Table
            Headings and formatted cells.
        """
        return [Table(self.title, printed(self.table, self.shown), self.notes, self.alarms)]


@overload
def compare_models(
    posteriors: Mapping[str, PosteriorLike], judgements: Judgements, /, *, draws: int = 250
) -> ModelComparison: ...
@overload
def compare_models(
    judgements: Judgements,
    models: Models,
    /,
    *,
    draws: int = 250,
    fit_draws: int = 1000,
    **settings: Any,
) -> ModelComparison: ...
def compare_models(
    first: Judgements | Mapping[str, PosteriorLike],
    second: Models | Judgements,
    /,
    *,
    draws: int = 250,
    fit_draws: int = 1000,
    **settings: Any,
) -> ModelComparison:
    """Compare models of the same judgements by leave-one-out cross-validation.

    Either ``compare_models(posteriors, judgements)`` with fits that there are, or
    ``compare_models(judgements, models, random_seed=1)``, which fits the models first.

    Parameters
    ----------
    first : dict of str to Posterior, or Judgements
        The fits by name: ties by Davidson against Rao and Kupper, logit against probit, with and
        without an effect; or the judgements.
    second : Judgements, or dict of str to Family, or sequence of Family
        What all of them were fitted to; or the models to fit. Those of a sequence are named by
        their family and the settings in which they differ. A row with a count stands for so many
        judgements, each of which is left out alone.
    draws : int
        Draws of each chain that are used, taken evenly.
    fit_draws : int
        Draws of each chain that the models are fitted with: ``draws=`` of `fit`.
    **settings
        Further settings of `fit`, for all models alike: ``random_seed``, ``method``, ``chains``, …

    Returns
    -------
    ModelComparison
        With ``to_frame()`` and ``posteriors``; columns ``model``, ``elpd`` (expected log predictive
        density of all judgements), ``se``, ``elpd_difference`` (from the best), ``se_difference``,
        ``verdict``, ``effective_parameters``, ``n_unreliable`` and ``share_unreliable`` (judgements
        whose Pareto k is too large for their importance weights to be trusted: above
        min(1 − 1/log10(draws), 0.7)) and ``largest_k``.

        The verdict is "best"; "predicts worse" where the difference is at least 4 and at least two
        of its standard errors, with all judgements and without the unreliable ones; otherwise "not
        decided".

    Raises
    ------
    BayesEvalError
        Where there are fewer than two, or a posterior is of other judgements.
    ModelError
        Where a model has no likelihood of its answers, such as ties that count half a win.

    References
    ----------
    Vehtari, Gelman & Gabry (2017), Statistics and Computing 27, doi:10.1007/s11222-016-9696-4.
    Sivula, Magnusson, Matamoros & Vehtari (2025), Bayesian Analysis, arXiv:2008.10296, on
    differences below 4 and on twice the standard error.

    Examples
    --------
    >>> compare_models(  # doctest: +SKIP
    ...     votes, [BradleyTerry(ties="davidson"), BradleyTerry(ties="rao_kupper")], random_seed=1
    ... )
    """
    if isinstance(first, Judgements):
        judgements, models = first, _named(second)
        posteriors = _fitted(judgements, models, {"draws": fit_draws, **settings})
    else:
        if not isinstance(second, Judgements):
            raise BayesEvalError(
                "compare_models takes (posteriors, judgements) or (judgements, models); found "
                f"({type(first).__name__}, {type(second).__name__})"
            )
        if settings:
            raise BayesEvalError(
                f"{some(settings)}: posteriors are fitted already, and are not fitted with these "
                "settings; pass judgements and models instead"
            )
        judgements, posteriors = second, _checked(first, second)
    return _compared(posteriors, judgements, draws)


def _named(models: object) -> "dict[str, Family | DirectFamily]":
    """Return the models by name; in a list, the name is what tells them apart."""
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    elif isinstance(models, Sequence) and not isinstance(models, str):
        named = {}
        for model in models:
            name = _name(model, models)
            if name in named:
                raise BayesEvalError(f"two of the models are the same: {name}")
            named[name] = model
    else:
        raise BayesEvalError(
            "models are a dict of names to families, or a list of families such as "
            f"[BradleyTerry(), Thurstone()]; found {type(models).__name__}"
        )
    if len(named) < 2:
        raise BayesEvalError(
            f"comparing models needs two of them or more; found {some(named) or 'none'}"
        )
    return named


def _name(model: Any, models: Sequence[Any]) -> str:
    """Name a model by its family, and by the settings in which others of the family differ."""
    if not _is_family(model):
        # What is no family is refused by fit, in the words of fit.
        return repr(model)
    same = [other for other in models if type(other) is type(model)]
    settings = [
        f"{setting.name}={getattr(model, setting.name)!r}"
        for setting in fields(model)
        if any(getattr(other, setting.name) != getattr(model, setting.name) for other in same)
    ]
    return model.name + (f"({', '.join(settings)})" if settings else "")


def _is_family(model: object) -> bool:
    return hasattr(model, "declare") and not isinstance(model, type)


def _fitted(
    judgements: Judgements, models: "Mapping[str, Family | DirectFamily]", settings: dict[str, Any]
) -> dict[str, PosteriorLike]:
    from bayeseval.inference import fit

    # Before minutes of sampling, not after: what cannot be compared is refused first.
    for name, model in models.items():
        if _is_family(model):
            _refuse_half_wins(name, model.declare(judgements))
    quick_first = sorted(models, key=lambda name: not getattr(models[name], "direct", False))
    posteriors: dict[str, PosteriorLike] = {}
    for name in quick_first:
        posterior = fit(judgements, models[name], **settings)
        posterior.log_likelihood(judgements, draws=1)
        posteriors[name] = posterior
    return {name: posteriors[name] for name in models}


def _checked(
    posteriors: Mapping[str, PosteriorLike], judgements: Judgements
) -> Mapping[str, PosteriorLike]:
    if not isinstance(posteriors, Mapping) or len(posteriors) < 2:
        raise BayesEvalError(
            "comparing models needs two of them or more, in a dict of names to posteriors; found "
            + (some(posteriors) if isinstance(posteriors, Mapping) else type(posteriors).__name__)
        )
    for name, posterior in posteriors.items():
        if posterior.fingerprint != judgements.fingerprint:
            raise BayesEvalError(
                f"the posterior {name!r} is of other judgements (fingerprint "
                f"{posterior.fingerprint}, these have {judgements.fingerprint}); compare models "
                "of the same table"
            )
    return posteriors


def _compared(posteriors: Mapping[str, Any], judgements: Judgements, draws: int) -> ModelComparison:
    import pandas as pd

    weight = judgements.counts.astype(float)
    rows, pointwise, unreliable, alarms = [], {}, {}, []
    for name, posterior in posteriors.items():
        _refuse_half_wins(name, posterior.declaration)
        log_likelihood = posterior.log_likelihood(judgements, draws=draws)
        found, limit = _left_out(posterior, log_likelihood)
        elpd = np.asarray(found.elpd_i.values, dtype=float)
        k = np.asarray(found.pareto_k.values, dtype=float)
        pointwise[name], unreliable[name] = elpd, ~(k <= limit)
        whole = _log_density(log_likelihood.values)
        n_unreliable = int(weight[unreliable[name]].sum())
        rows.append(
            {
                "model": name,
                "elpd": float(weight @ elpd),
                "se": _error(elpd, weight),
                "effective_parameters": float(weight @ (whole - elpd)),
                "n_unreliable": n_unreliable,
                "share_unreliable": float(n_unreliable / weight.sum()),
                "largest_k": float(np.nanmax(k)),
            }
        )
        alarms += [
            f"{name}: {sentence}"
            for sentence in alarm_sentences(problems_of(posterior), posterior.approximate)
        ]
        if n_unreliable:
            alarms.append(
                f"{name}: Pareto k is above {limit:.2g} for {counted(n_unreliable, 'judgement')} "
                f"({n_unreliable / weight.sum():.1%}; largest {np.nanmax(k):.2f}): left out, they "
                "move this posterior too far for importance weights to follow, and its elpd is "
                "probably too good."
            )
    table = pd.DataFrame(rows).sort_values("elpd", ascending=False, ignore_index=True)
    best = str(table["model"].iloc[0])
    differences = [pointwise[name] - pointwise[best] for name in table["model"]]
    table.insert(3, "elpd_difference", [float(weight @ d) for d in differences])
    table.insert(4, "se_difference", [_error(d, weight) for d in differences])
    verdicts = ["best"]
    for name, difference in zip(table["model"][1:], differences[1:], strict=True):
        kept = ~(unreliable[name] | unreliable[best])
        decided = _decided(difference, weight) and _decided(difference[kept], weight[kept])
        verdicts.append("predicts worse" if decided else "not decided")
    table.insert(5, "verdict", verdicts)
    return ModelComparison(
        table=table,
        title="Models by leave-one-out cross-validation",
        notes=(
            (
                "elpd: log probability that the model gives each judgement after the others, "
                "summed; larger predicts better. Verdict: a difference of less than "
                f"{_LEAST_ERRORS:g} of its standard errors, or than {_LEAST_DIFFERENCE:g}, decides "
                "nothing; nor does one that hangs on judgements of too large a Pareto k."
            ),
        ),
        shown=(
            Shown("model", "model", "label"),
            Shown("elpd", "elpd", decimals=1),
            Shown("se", "se", decimals=1),
            Shown("elpd_difference", "difference", decimals=1),
            Shown("se_difference", "its se", decimals=1),
            Shown("verdict", "verdict", "text"),
            Shown("effective_parameters", "eff. parameters", decimals=1),
            Shown("n_unreliable", "k too large", "count"),
        ),
        alarms=tuple(alarms),
        posteriors=dict(posteriors),
    )


def _decided(difference: np.ndarray, weight: np.ndarray) -> bool:
    """Tell whether a model predicts worse than the best by more than could be chance."""
    if not difference.size:
        return False
    worse = -float(weight @ difference)
    return worse >= max(_LEAST_DIFFERENCE, _LEAST_ERRORS * _error(difference, weight))


def _refuse_half_wins(name: str, declaration: Any) -> None:
    if getattr(declaration.response, "ties", None) == "half":
        raise ModelError(
            f"{name!r} counts a tie as half a win, which is a convention and no probability of the "
            "judgements: it has no elpd. Compare ties='davidson' and ties='rao_kupper'"
        )


def _left_out(posterior: Any, log_likelihood: Any) -> tuple[Any, float]:
    """Return what ArviZ says of every judgement left out, and the largest k to be trusted."""
    import arviz_stats
    import xarray as xr

    tree = xr.DataTree.from_dict(
        {
            "/log_likelihood": xr.Dataset({"judgement": log_likelihood}),
            "/posterior": xr.Dataset({"quality": posterior.posterior["quality"]}),
        }
    )
    n_draws = log_likelihood.sizes["chain"] * log_likelihood.sizes["draw"]
    with warnings.catch_warnings():
        # The table says it, by model and with the number of judgements.
        warnings.filterwarnings("ignore", message="Estimated shape parameter of Pareto")
        found = arviz_stats.loo(tree, pointwise=True, reff=1.0)
    return found, min(1.0 - 1.0 / math.log10(max(n_draws, 11)), _LARGEST_K)


def _log_density(values: np.ndarray) -> np.ndarray:
    """Return the log of the mean probability of every row's answer over the draws."""
    from scipy.special import logsumexp

    flat = values.reshape(-1, values.shape[-1])
    return logsumexp(flat, axis=0) - np.log(flat.shape[0])


def _error(values: np.ndarray, weight: np.ndarray) -> float:
    """Return the standard error of a sum over judgements."""
    n = float(weight.sum())
    mean = weight @ values / n
    return float(np.sqrt(n * (weight @ (values - mean) ** 2) / max(n - 1.0, 1.0)))
