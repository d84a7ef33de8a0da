"""R-hat and effective draws of each quantity, what they are held to, and what is wrong in words."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import xarray as xr

LARGEST_RHAT = 1.01
SMALLEST_ESS = 400
# What no table and no figure shows only has to be right enough for what they do show. A hundred
# effective draws give a mean to a tenth of its posterior sd, and R-hat of so few scatters up to
# about 1.05.
LARGEST_RHAT_BEHIND = 1.05
SMALLEST_ESS_BEHIND = 100
SMALLEST_BFMI = 0.3
_MOST_CUT_OFF = 0.01
# How often R-hat of chains that agree may pass its bound: with 1,000 effective draws that is the
# share of values beyond 1.01 (`scatter_of_rhat`), where chains are four.
_CHANCE = 0.001
# How a problem begins that more draws alone solve; `Convergence.merely_few` knows it by that.
TOO_FEW = "too few"


def diagnosed(chosen: xr.Dataset, limit: float) -> list[dict[str, Any]]:
    """Return worst values and where they stand, one row a variable.

    ``limit`` is what R-hat of one value is held to.
    """
    import arviz_stats

    # The quality of a single system is 0 in every draw: nothing that could converge.
    varies = chosen.std(("chain", "draw"), skipna=False) != 0
    rows = []
    for name in chosen.data_vars:
        values, moving = chosen[name], varies[name]
        if not bool(moving.any()):
            continue
        with np.errstate(invalid="ignore", divide="ignore"):
            bulk = arviz_stats.ess(values, method="bulk").where(moving, np.inf)
            tail = arviz_stats.ess(values, method="tail").where(moving, np.inf)
            rhat = None
            if values.sizes["chain"] > 1:
                rhat = arviz_stats.rhat(values).where(moving, 1.0)
        worst = np.nan if rhat is None else float(rhat.max(skipna=False))
        rows.append(
            {
                "quantity": str(name),
                "n": int(moving.sum()),
                "r_hat": worst,
                # Most runs need no more than the bound of one value: effective draws take time.
                "r_hat_limit": limit
                if rhat is None or not worst >= limit
                else _limit_of_many(values, rhat, limit),
                "ess_bulk": float(bulk.min(skipna=False)),
                "ess_tail": float(tail.min(skipna=False)),
                "worst_at": _where(bulk if rhat is None else -rhat),
            }
        )
    return rows


def _limit_of_many(values: xr.DataArray, rhat: xr.DataArray, limit: float) -> float:
    """Return what the worst R-hat of many values is held to.

    Parameters
    ----------
    values
        Draws with dims (chain, draw, …).
    rhat
        R-hat by value.
    limit
        What R-hat of one value is held to.
    """
    import arviz_stats

    at = {str(dim): int(i) for dim, i in rhat.argmax(...).items()} if rhat.ndim else {}
    worst = values.isel(at)
    # R-hat is the worse of ranks and of their distances from the middle; draws of the sampler are
    # often far better for means than for these.
    ess = min(float(arviz_stats.ess(worst, method=how)) for how in ("bulk", "folded"))
    if ess < SMALLEST_ESS:
        return limit
    n_chains = values.sizes["chain"]
    one, many = (
        float(scatter_of_rhat(np.array([ess]), n_chains, _CHANCE / n)[0]) for n in (1, rhat.size)
    )
    return max(limit, 1.0 + min(many, (limit - 1.0) * many / one))


def _where(values: xr.DataArray) -> str:
    """Name the labels of the smallest value."""
    if values.ndim == 0:
        return ""
    # A value that is no number is the worst of all.
    least = np.nan_to_num(values.values, nan=-np.inf)
    position = np.unravel_index(int(np.argmin(least)), values.shape)
    return ", ".join(
        str(values[dim].values[i]) for dim, i in zip(values.dims, position, strict=True)
    )


def problems_of_chains(
    table: pd.DataFrame,
    divergences: int,
    bfmi: float,
    cut_off: int,
    n_chains: int,
    n_draws: int,
    tune: int,
) -> list[str]:
    problems = []
    if n_chains == 1:
        problems.append(
            "one chain only: R-hat compares chains, so it cannot be known whether another would "
            "agree; ask for chains=4"
        )
    problems += of_draws(
        table,
        n_chains,
        n_draws,
        tune,
        is_all=not divergences
        and bfmi >= SMALLEST_BFMI
        and cut_off <= _MOST_CUT_OFF * n_chains * n_draws,
    )
    if divergences:
        problems.append(
            f"{divergences} divergent transitions: the sampler met a region that it could not "
            "follow, so the posterior may lack it. Try target_accept=0.99; if they remain, a "
            "standard deviation near zero is likely, see the table for the smallest ESS"
        )
    if bfmi < SMALLEST_BFMI:
        problems.append(
            f"E-BFMI {bfmi:.2f}, wanted above {SMALLEST_BFMI}: the sampler moves slowly between "
            "energies, as with a standard deviation that the data hardly inform. Give that effect "
            "a narrower prior or drop it"
        )
    if cut_off > _MOST_CUT_OFF * n_chains * n_draws:
        problems.append(
            f"{cut_off} trajectories were cut off at the largest tree depth: slow, and a sign of "
            "strongly correlated parameters. Raise max_treedepth, or drop an effect"
        )
    return problems


def of_draws(
    table: pd.DataFrame, n_chains: int, n_draws: int, tune: int, *, is_all: bool
) -> list[str]:
    """Judge R-hat and effective draws; ``is_all`` says that the sampler had no other trouble.

    Where draws are few, R-hat of chains that agree scatters beyond its bound: then more draws are
    the first remedy, and a change of the model none.
    """
    problems = []
    shown = table["shown"].to_numpy(dtype=bool)
    limit = table["r_hat_limit"].to_numpy()
    r_hat = table["r_hat"].to_numpy()
    smallest = table[["ess_bulk", "ess_tail"]].min(axis=1).to_numpy()
    short = smallest / np.where(shown, SMALLEST_ESS, SMALLEST_ESS_BEHIND)
    # Not "at or above": a value that could not be computed is no good value.
    bad = ~(r_hat < limit) if n_chains > 1 else np.zeros(len(table), dtype=bool)
    # Times the draws, for the bounds to be kept.
    factor = 1.0 / max(float(np.nan_to_num(short.min(initial=1.0))), 1e-3)
    # The worse of bulk and tails, as R-hat is the worse of both.
    scatter = scatter_of_rhat(smallest, n_chains)
    few = is_all and bool((r_hat < np.minimum(1.0 + scatter, LARGEST_RHAT_BEHIND))[bad].all())
    if few and bad.any():
        factor = max(factor, float((scatter / (limit - 1.0))[bad].max()))
    wanted = int(np.ceil(min(factor, 10.0) * n_draws / 100.0)) * 100
    if bad.any():
        at = int(np.argmax(np.where(bad, np.nan_to_num(r_hat, nan=np.inf), 0.0)))
        row = table.iloc[at]
        value = f"R-hat {row['r_hat']:.3f} for {row['quantity']}{_at(row)}"
        found = f"{_names(table[bad])}: {value}, wanted below {limit[at]:.4g}"
        problems.append(
            f"{TOO_FEW} draws to tell whether chains agree on {found}, is what {smallest[at]:.0f} "
            f"effective draws of chains that agree can show. Ask for draws={wanted}; nothing else "
            "is wrong"
            if few
            else f"chains disagree on {found}. Try a longer warm-up (tune={2 * tune}); if that "
            "does not help, the data hardly inform this part of the model: give it a narrower "
            "prior or, if it is an effect of choice, leave the effect out (effects={...: False}; "
            "of BradleyTerry annotators='none', items=False)"
        )
    if (~(short >= 1.0)).any():
        at = int(short.argmin())
        row = table.iloc[at]
        first = "Ask" if few else "Where that is the only problem named here, ask"
        problems.append(
            f"{TOO_FEW} effective draws for {_names(table[~(short >= 1.0)])}: {smallest[at]:.0f} "
            f"for {row['quantity']}{_at(row)}, wanted {smallest[at] / short[at]:.0f}. "
            f"{first} for draws={wanted}"
        )
    return problems


def scatter_of_rhat(
    ess: npt.NDArray[np.float64], n_chains: int, chance: float = _CHANCE
) -> npt.NDArray[np.float64]:
    """Return by how much R-hat of chains that agree exceeds 1 in a share ``chance`` of cases.

    Means of M half chains with N effective draws altogether have variance M / N: their estimated
    variance is that times chi-square over its degrees of freedom, and R-hat squared about 1 plus
    what it exceeds M / N by.
    """
    from scipy.stats import chi2

    half_chains = 2 * n_chains
    excess = chi2.isf(chance, half_chains - 1) / (half_chains - 1) - 1.0
    return 0.5 * excess * half_chains / np.maximum(np.nan_to_num(ess, nan=1.0), 1.0)


def _names(table: pd.DataFrame) -> str:
    names = list(table["quantity"])
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _at(row: pd.Series) -> str:
    return f" ({row['worst_at']})" if row["worst_at"] else ""
