"""A posterior as ArviZ knows it: the draws with answers, predictions, likelihood and prior."""

from collections.abc import Collection, Sequence
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr

from bayeseval._checks import generator, nearest, some, whole_number
from bayeseval.errors import ModelError
from bayeseval.families._family import DirectFamily
from bayeseval.judgements import Judgements
from bayeseval.judgements._counted import one_a_row

# A posterior is Any here: its record imports this module.

type Group = Literal[
    "observed_data",
    "constant_data",
    "log_likelihood",
    "log_prior",
    "posterior_predictive",
    "prior",
    "prior_predictive",
]

_GROUPS: tuple[str, ...] = get_args(Group.__value__)
_OF_A_MODEL = ("log_prior", "prior", "prior_predictive")
_PRIOR_DRAWS = 500
_DIM = "judgement"
MOST_VALUES = 250_000_000
"""Values of one group, 2 GB."""


def refuse_others(posterior: Any, judgements: Judgements) -> None:
    """Refuse judgements that the posterior is not of."""
    if posterior.fingerprint != judgements.fingerprint:
        raise ModelError(
            f"the posterior is of other judgements (fingerprint {posterior.fingerprint}, these "
            f"have {judgements.fingerprint}): pass those that were fitted"
        )


def refuse_too_many(what: str, n_chains: int, n_draws: int, n_rows: int) -> None:
    """Refuse a group that would not fit into memory."""
    size = n_chains * n_draws * n_rows
    if size > MOST_VALUES:
        most = max(1, MOST_VALUES // (n_chains * n_rows))
        raise ModelError(
            f"{what} would hold {size:,} values ({size * 8 / 1e9:.1f} GB); "
            f"ask for draws={most} of each chain"
        )


def spread(n_draws: int, wanted: int | None) -> np.ndarray:
    """Return the positions of so many draws of a chain, evenly."""
    kept = n_draws if wanted is None else min(whole_number(wanted, "draws", least=1), n_draws)
    return np.linspace(0, n_draws - 1, kept).round().astype(int)


def datatree(
    posterior: Any,
    judgements: Judgements,
    *,
    groups: Sequence[str],
    draws: int | None,
    random_seed: int,
) -> xr.DataTree:
    """Return the draws with the groups that ArviZ knows; see ``Posterior.to_datatree``."""
    _check(posterior, judgements, groups, draws)
    table = one_a_row(judgements)
    rng = generator(random_seed)
    family, declaration = posterior.family, posterior.declaration
    chosen = spread(posterior.posterior.sizes["draw"], draws)
    kept = posterior.posterior.isel(draw=chosen).assign_coords(draw=np.arange(chosen.size))
    found = {"/posterior": kept}
    if "sample_stats" in posterior.data:
        statistics = posterior.data["sample_stats"].to_dataset().isel(draw=chosen)
        found["/sample_stats"] = statistics.assign_coords(draw=kept["draw"])
    prior = None
    if {"prior", "prior_predictive"} & set(groups):
        from bayeseval.families._observed import draw_prior

        prior = draw_prior(
            family, declaration, draws=draws or _PRIOR_DRAWS, random_seed=random_seed
        )
    for group in groups:
        match group:
            case "observed_data":
                found[group] = _answers(table.as_given(table.answers)[0], {})
            case "constant_data":
                found[group] = _labels(table)
            case "log_likelihood":
                values = posterior.log_likelihood(table, draws=draws)
                found[group] = _answers(
                    values.values, {"chain": kept["chain"], "draw": kept["draw"]}
                )
            case "log_prior":
                from bayeseval.families._log_prior import log_priors

                found[group] = log_priors(family, declaration, kept)
            case "posterior_predictive":
                found[group] = _predicted(posterior, table, kept, rng)
            case "prior_predictive" if prior is not None:
                found[group] = _predicted(posterior, table, prior, rng)
            case _:
                found[group] = prior
    return xr.DataTree.from_dict(found)


def _check(
    posterior: Any, judgements: Judgements, groups: Sequence[str], draws: int | None
) -> None:
    refuse_others(posterior, judgements)
    if draws is not None:
        whole_number(draws, "draws", least=1)
    if isinstance(groups, str) or not isinstance(groups, Collection):
        raise ModelError(
            f"groups= is a sequence of names, such as ['log_likelihood']; found {groups!r}"
        )
    for group in groups:
        if group not in _GROUPS:
            close = nearest(group, list(_GROUPS))
            raise ModelError(
                f"there is no group {group!r}; there are {some(_GROUPS, most=len(_GROUPS))}"
                + (f". Did you mean {close!r}?" if close else "")
            )
    asked = [group for group in groups if group in _OF_A_MODEL]
    if asked and isinstance(posterior.family, DirectFamily):
        raise ModelError(
            f"{posterior.family.name} draws by itself and has no model with priors, so no "
            f"{some(asked)}: leave them out of groups="
        )


def _answers(values: np.ndarray, coords: dict[str, Any]) -> xr.Dataset:
    coords = coords | {_DIM: np.arange(values.shape[-1])}
    return xr.Dataset({"answer": ((*list(coords)[:-1], _DIM), values)}, coords=coords)


def _labels(table: Judgements) -> xr.Dataset:
    """Return what is known of every judgement besides its answer."""
    columns = {f.name: np.array(f.labels, dtype=object)[f.codes] for f in table.factors}
    return xr.Dataset(
        {name: (_DIM, values.astype(str)) for name, values in columns.items()},
        coords={_DIM: np.arange(table.n_rows)},
    )


def _predicted(
    posterior: Any, table: Judgements, draws: xr.Dataset, rng: np.random.Generator
) -> xr.Dataset:
    """Draw an answer to every judgement for each draw."""
    n_chains, n_draws = draws.sizes["chain"], draws.sizes["draw"]
    refuse_too_many("predictions", n_chains, n_draws, table.n_rows)
    coded = posterior.family.predict(
        posterior.declaration, table, draws.stack(sample=("chain", "draw")), rng
    )
    values = table.as_given(coded)[0].reshape(n_chains, n_draws, -1)
    return _answers(values, {"chain": draws["chain"].values, "draw": draws["draw"].values})
