"""Did the sampler reach the posterior? Numbers, a verdict in words, and the remedy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import xarray as xr

from bayeseval._checks import counted
from bayeseval._tables import escape_html

LARGEST_RHAT = 1.01
SMALLEST_ESS = 400
# What no table and no figure shows only has to be right enough for what they do show. A hundred
# effective draws give a mean to a tenth of its posterior sd, and R-hat of so few scatters up to
# about 1.05.
LARGEST_RHAT_BEHIND = 1.05
SMALLEST_ESS_BEHIND = 100
SMALLEST_BFMI = 0.3
_MOST_CUT_OFF = 0.01
# A quantile of what R-hat takes for chains that agree; a report has some dozens of values.
_CHANCE = 0.999
# How a problem begins that more draws alone solve; `Convergence.merely_few` knows it by that.
_TOO_FEW = "too few"
_COLUMNS = ["quantity", "shown", "n", "r_hat", "ess_bulk", "ess_tail", "worst_at"]


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
    independent : str or None
        Where the draws are independent of one another, how they were made; None for Markov chains,
        which alone have anything to converge.
    discarded : tuple of int
        Divergent transitions of each run before, of which nothing is used: the sampler ran again
        with shorter steps.

    Notes
    -----
    Wanted are R-hat below 1.01 and 400 effective draws in bulk and tails for what tables and
    figures show; 1.05 and 100 for what stands behind them, such as the standard deviations of
    effects and the difficulty of single items.

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
    independent: str | None = None
    discarded: tuple[int, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was found wrong."""
        return not self.problems

    @property
    def merely_few(self) -> bool:
        """Whether draws are few and nothing else is wrong: more of them are the remedy."""
        return bool(self.problems) and all(each.startswith(_TOO_FEW) for each in self.problems)

    def to_frame(self) -> pd.DataFrame:
        """Return the diagnostics by quantity.

        Returns
        -------
        pandas.DataFrame
            Columns ``quantity``, ``shown`` (in tables or figures), ``n``, ``r_hat``, ``ess_bulk``,
            ``ess_tail``, ``worst_at``.
        """
        return self.table.copy()

    def __str__(self) -> str:
        if self.ok and self.independent is not None:
            return f"No sampler, so nothing had to converge: {self.independent}."
        if self.ok:
            worst = self.table["r_hat"].max()
            smallest = self.table[["ess_bulk", "ess_tail"]].min().min()
            return (
                f"Converged: R-hat at most {worst:.3f}, at least {smallest:,.0f} effective draws "
                f"for every quantity, no divergences.{self._again}"
            )
        verdict = "Too few draws" if self.merely_few else "NOT converged"
        lines = [f"{verdict}, do not report:", *(f"  - {each}" for each in self.problems)]
        return "\n".join([*lines, self._again.strip()] if self.discarded else lines)

    @property
    def _again(self) -> str:
        """Say that this is not the first run."""
        said = again(self.discarded)
        return f" It was run again {said}." if said else ""

    __repr__ = __str__

    def _repr_html_(self) -> str:
        first, *problems = str(self).split("\n")
        said = f"<p>{escape_html(first)}</p>"
        if problems:
            items = "".join(f"<li>{escape_html(one.removeprefix('  - '))}</li>" for one in problems)
            said = f"<p><strong>{escape_html(first)}</strong></p><ul>{items}</ul>"
        return said + ("" if self.table.empty else self.table.to_html(index=False, na_rep="–"))


def again(discarded: Sequence[int]) -> str:
    """Say why a run was repeated, and how; nothing where it was the first.

    Parameters
    ----------
    discarded
        Divergent transitions of each run before.
    """
    if not discarded:
        return ""
    found = counted(discarded[0], "divergent transition")
    then = "".join(f", then {n:,}" for n in discarded[1:])
    return f"with shorter steps after {found}{then}, whose draws are not used"


def check_convergence(
    posterior: xr.Dataset,
    statistics: xr.Dataset,
    *,
    reported: tuple[str, ...],
    behind: tuple[str, ...] = (),
    tune: int,
    discarded: tuple[int, ...] = (),
) -> Convergence:
    """Diagnose the chains.

    Parameters
    ----------
    posterior
        Draws with dims (chain, draw, …).
    statistics
        One value a draw.
    reported
        Names of the variables that tables and figures show.
    behind
        Names of further variables, held to less.
    tune
        Number of tuning steps, for the remedy.
    discarded
        Divergent transitions of each run before, whose draws are not used.
    """
    n_chains, n_draws = posterior.sizes["chain"], posterior.sizes["draw"]
    problems = []
    rows = []
    if n_draws < 4:
        problems.append(
            f"only {n_draws} draws a chain: too few for any diagnostic; ask for draws=1000"
        )
    else:
        rows = [
            {"shown": name in reported, **row}
            for name in (*reported, *behind)
            if name in posterior
            for row in _diagnosed(posterior[[name]])
        ]
    table = pd.DataFrame(rows, columns=_COLUMNS)
    divergences = int(statistics["diverging"].sum()) if "diverging" in statistics else 0
    cut_off = 0
    if "reached_max_treedepth" in statistics:
        cut_off = int(statistics["reached_max_treedepth"].sum())
    bfmi = np.inf
    if "energy" in statistics and n_draws >= 4:
        import arviz_stats

        bfmi = float(np.min(arviz_stats.bfmi(statistics)["energy"].values))
    problems += _problems(table, divergences, bfmi, cut_off, n_chains, n_draws, tune)
    return Convergence(
        table, divergences, bfmi, cut_off, tuple(problems), discarded=tuple(discarded)
    )


def of_independent_draws(
    posterior: xr.Dataset,
    *,
    reported: tuple[str, ...],
    how: str,
    share_effective: float = 1.0,
    problems: tuple[str, ...] = (),
) -> Convergence:
    """Say that independent draws have nothing to converge.

    Parameters
    ----------
    posterior
        Draws with dims (chain, draw, …).
    reported
        Names of the variables that tables and figures show.
    how
        How the draws were made.
    share_effective
        Effective draws of one draw, where importance weights were at work.
    problems
        What is wrong with them, each with a remedy.
    """
    n_draws = posterior.sizes["chain"] * posterior.sizes["draw"]
    rows = [
        {
            "quantity": name,
            "shown": name in reported,
            "n": int(values.size // n_draws),
            "r_hat": np.nan,
            "ess_bulk": float(n_draws) * share_effective,
            "ess_tail": float(n_draws) * share_effective,
            "worst_at": "",
        }
        for name, values in ((str(name), values) for name, values in posterior.items())
    ]
    table = pd.DataFrame(rows, columns=_COLUMNS)
    return Convergence(table, 0, np.inf, 0, problems, independent=how)


def _diagnosed(chosen: xr.Dataset) -> list[dict[str, Any]]:
    """Return worst values and where they stand, one row a variable."""
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
        rows.append(
            {
                "quantity": str(name),
                "n": int(moving.sum()),
                "r_hat": np.nan if rhat is None else float(rhat.max(skipna=False)),
                "ess_bulk": float(bulk.min(skipna=False)),
                "ess_tail": float(tail.min(skipna=False)),
                "worst_at": _where(bulk if rhat is None else -rhat),
            }
        )
    return rows


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
    problems += _of_draws(
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


def _of_draws(
    table: pd.DataFrame, n_chains: int, n_draws: int, tune: int, *, is_all: bool
) -> list[str]:
    """Judge R-hat and effective draws; ``is_all`` says that the sampler had no other trouble.

    Where draws are few, R-hat of chains that agree scatters beyond its bound: then more draws are
    the first remedy, and a change of the model none.
    """
    problems = []
    shown = table["shown"].to_numpy(dtype=bool)
    limit = np.where(shown, LARGEST_RHAT, LARGEST_RHAT_BEHIND)
    r_hat = table["r_hat"].to_numpy()
    smallest = table[["ess_bulk", "ess_tail"]].min(axis=1).to_numpy()
    short = smallest / np.where(shown, SMALLEST_ESS, SMALLEST_ESS_BEHIND)
    # Not "at or above": a value that could not be computed is no good value.
    bad = ~(r_hat < limit) if n_chains > 1 else np.zeros(len(table), dtype=bool)
    # Times the draws, for the bounds to be kept.
    factor = 1.0 / max(float(np.nan_to_num(short.min(initial=1.0))), 1e-3)
    # The worse of bulk and tails, as R-hat is the worse of both.
    scatter = _scatter_of_rhat(smallest, n_chains)
    few = is_all and bool((r_hat < np.minimum(1.0 + scatter, LARGEST_RHAT_BEHIND))[bad].all())
    if few and bad.any():
        factor = max(factor, float((scatter / (limit - 1.0))[bad].max()))
    wanted = int(np.ceil(min(factor, 10.0) * n_draws / 100.0)) * 100
    if bad.any():
        at = int(np.argmax(np.where(bad, np.nan_to_num(r_hat, nan=np.inf), 0.0)))
        row = table.iloc[at]
        found = (
            f"R-hat {row['r_hat']:.3f} for {row['quantity']}{_at(row)}, wanted below {limit[at]}"
        )
        problems.append(
            f"{_TOO_FEW} draws to tell whether chains agree on {_names(table[bad])}: {found}, is "
            f"what {smallest[at]:.0f} effective draws of chains that agree can show. Ask for "
            f"draws={wanted}; nothing else is wrong"
            if few
            else f"chains disagree on {_names(table[bad])}: {found}. Try a longer "
            f"warm-up (tune={2 * tune}); if that does not help, the data hardly inform "
            "this part of the model: leave the effect out (effects={...: False}; of BradleyTerry "
            "annotators='none', items=False) or give it a narrower prior"
        )
    if (~(short >= 1.0)).any():
        at = int(short.argmin())
        row = table.iloc[at]
        first = "Ask" if few else "Where that is the only problem named here, ask"
        problems.append(
            f"{_TOO_FEW} effective draws for {_names(table[~(short >= 1.0)])}: {smallest[at]:.0f} "
            f"for {row['quantity']}{_at(row)}, wanted {smallest[at] / short[at]:.0f}. "
            f"{first} for draws={wanted}"
        )
    return problems


def _scatter_of_rhat(ess: npt.NDArray[np.float64], n_chains: int) -> npt.NDArray[np.float64]:
    """Return by how much R-hat of chains that agree may exceed 1.

    Means of M half chains with N effective draws altogether have variance M / N: their estimated
    variance is that times chi-square over its degrees of freedom, and R-hat squared about 1 plus
    what it exceeds M / N by.
    """
    from scipy.stats import chi2

    half_chains = 2 * n_chains
    excess = chi2.ppf(_CHANCE, half_chains - 1) / (half_chains - 1) - 1.0
    return 0.5 * excess * half_chains / np.maximum(np.nan_to_num(ess, nan=1.0), 1.0)


def _names(table: pd.DataFrame) -> str:
    names = list(table["quantity"])
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _at(row: pd.Series) -> str:
    return f" ({row['worst_at']})" if row["worst_at"] else ""
