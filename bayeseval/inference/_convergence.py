"""Did the sampler reach the posterior? Numbers, a verdict in words, and the remedy."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

LARGEST_RHAT = 1.01
SMALLEST_ESS = 400
# Standard deviations of effects are in no table: they only have to be right enough for what is.
# A hundred effective draws give their mean to a tenth of its posterior sd, and R-hat of that few
# scatters up to about 1.05.
LARGEST_RHAT_OF_SCALES = 1.05
SMALLEST_ESS_OF_SCALES = 100
SMALLEST_BFMI = 0.3


@dataclass(frozen=True, eq=False)
class Convergence:
    """Diagnostics over the quantities that are reported.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a quantity: how many values it has, worst R-hat, smallest bulk and tail ESS, and
        where the worst R-hat stands.
    divergences : int
        Number of divergent transitions after tuning.
    bfmi : float
        Smallest energy Bayesian fraction of missing information over chains.
    max_treedepth_reached : int
        Number of draws whose trajectory was cut off.
    problems : tuple of str
        What is wrong, each with a remedy; empty where nothing is.

    Notes
    -----
    Wanted are R-hat below 1.01 and 400 effective draws in bulk and tails; for the standard
    deviations of effects, which are not ranked, compared or drawn, 1.05 and 100.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter & Bürkner (2021), Bayesian Analysis 16(2),
    doi:10.1214/20-BA1221. Betancourt (2016), arXiv:1604.00695.
    """

    table: pd.DataFrame
    divergences: int
    bfmi: float
    max_treedepth_reached: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found wrong."""
        return not self.problems

    def to_frame(self) -> pd.DataFrame:
        """Return the diagnostics by quantity.

        Returns
        -------
        pandas.DataFrame
            Columns ``quantity``, ``n``, ``r_hat``, ``ess_bulk``, ``ess_tail``, ``worst_at``.
        """
        return self.table.copy()

    def __str__(self) -> str:
        if self.ok:
            worst = self.table["r_hat"].max()
            smallest = self.table[["ess_bulk", "ess_tail"]].min().min()
            return (
                f"Converged: R-hat at most {worst:.3f}, at least {smallest:,.0f} effective draws "
                f"for every quantity, no divergences."
            )
        return "NOT converged, do not report:\n" + "\n".join(
            f"  - {problem}" for problem in self.problems
        )

    __repr__ = __str__


def check_convergence(
    posterior: xr.Dataset, statistics: xr.Dataset, *, reported: tuple[str, ...], tune: int
) -> Convergence:
    """Diagnose the chains.

    Parameters
    ----------
    posterior
        Draws with dims (chain, draw, …).
    statistics
        One value a draw.
    reported
        Names of the variables that reports print.
    tune
        Number of tuning steps, for the remedy.
    """
    import arviz_stats

    n_chains, n_draws = posterior.sizes["chain"], posterior.sizes["draw"]
    problems = []
    rows = []
    if n_draws < 4:
        problems.append(
            f"only {n_draws} draws a chain: too few for any diagnostic; ask for draws=1000"
        )
    else:
        chosen = posterior[[name for name in reported if name in posterior]]
        rhat = arviz_stats.rhat(chosen) if n_chains > 1 else None
        bulk = arviz_stats.ess(chosen, method="bulk")
        tail = arviz_stats.ess(chosen, method="tail")
        for name in chosen.data_vars:
            by_value = None if rhat is None else rhat[name]
            rows.append(
                {
                    "quantity": str(name),
                    "n": int(bulk[name].size),
                    "r_hat": np.nan if by_value is None else float(by_value.max()),
                    "ess_bulk": float(bulk[name].min()),
                    "ess_tail": float(tail[name].min()),
                    "worst_at": _where(bulk[name] if by_value is None else -by_value),
                }
            )
    table = pd.DataFrame(
        rows, columns=["quantity", "n", "r_hat", "ess_bulk", "ess_tail", "worst_at"]
    )
    divergences = int(statistics["diverging"].sum()) if "diverging" in statistics else 0
    cut_off = 0
    if "reached_max_treedepth" in statistics:
        cut_off = int(statistics["reached_max_treedepth"].sum())
    bfmi = np.inf
    if "energy" in statistics and n_draws >= 4:
        bfmi = float(np.min(arviz_stats.bfmi(statistics)["energy"].values))
    problems += _problems(table, divergences, bfmi, cut_off, n_chains, n_draws, tune)
    return Convergence(table, divergences, bfmi, cut_off, tuple(problems))


def _where(values: xr.DataArray) -> str:
    """Labels of the smallest value."""
    if values.ndim == 0:
        return ""
    position = np.unravel_index(int(np.argmin(values.values)), values.shape)
    return ", ".join(
        str(values[dim].values[i]) for dim, i in zip(values.dims, position, strict=True)
    )


def _problems(
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
    is_scale = table["quantity"].str.endswith("_sd").to_numpy(dtype=bool)
    limit = np.where(is_scale, LARGEST_RHAT_OF_SCALES, LARGEST_RHAT)
    bad = table[table["r_hat"].to_numpy() >= limit]
    if len(bad):
        worst = bad.iloc[int(bad["r_hat"].argmax())]
        problems.append(
            f"chains disagree on {_names(bad)}: R-hat {worst['r_hat']:.3f} for "
            f"{worst['quantity']}{_at(worst)}, wanted below "
            f"{limit[table['quantity'] == worst['quantity']][0]}. Try a longer "
            f"warm-up (tune={2 * tune}); if that does not help, the data hardly inform "
            "this part of the model: drop the effect (effects={...: False}) or give it a "
            "narrower prior"
        )
    smallest = table[["ess_bulk", "ess_tail"]].min(axis=1).to_numpy()
    wanted = np.where(is_scale, SMALLEST_ESS_OF_SCALES, SMALLEST_ESS)
    short = smallest / wanted
    bad = table[short < 1.0]
    if len(bad):
        at = int(short.argmin())
        row = table.iloc[at]
        factor = int(np.ceil(1.0 / max(short[at], 1e-3)))
        problems.append(
            f"too few effective draws for {_names(bad)}: {smallest[at]:.0f} for "
            f"{row['quantity']}{_at(row)}, wanted {wanted[at]}. Ask for "
            f"draws={min(factor, 10) * n_draws} where that is the only problem named here"
        )
    if divergences:
        problems.append(
            f"{divergences} divergent transitions: the sampler met a region that it could not "
            "follow, so the posterior may lack it. Try target_accept=0.95; if they remain, a "
            "standard deviation near zero is likely, see the table for the smallest ESS"
        )
    if bfmi < SMALLEST_BFMI:
        problems.append(
            f"E-BFMI {bfmi:.2f}, wanted above {SMALLEST_BFMI}: the sampler moves slowly between "
            "energies, as with a standard deviation that the data hardly inform. Give that effect "
            "a narrower prior or drop it"
        )
    if cut_off > 0.01 * n_chains * n_draws:
        problems.append(
            f"{cut_off} trajectories were cut off at the largest tree depth: slow, and a sign of "
            "strongly correlated parameters. Raise max_treedepth, or drop an effect"
        )
    return problems


def _names(table: pd.DataFrame) -> str:
    names = list(table["quantity"])
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _at(row: pd.Series) -> str:
    return f" ({row['worst_at']})" if row["worst_at"] else ""
