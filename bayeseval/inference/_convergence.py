"""Did the sampler reach the posterior? Numbers, a verdict in words, and the remedy."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from bayeseval._checks import counted
from bayeseval._text import escape_html
from bayeseval.inference._diagnoses import (
    LARGEST_RHAT,
    LARGEST_RHAT_BEHIND,
    TOO_FEW,
    diagnosed,
    problems_of_chains,
)

_COLUMNS = ["quantity", "shown", "n", "r_hat", "r_hat_limit", "ess_bulk", "ess_tail", "worst_at"]


@dataclass(frozen=True, eq=False)
class Convergence:
    """Diagnostics over the quantities that are reported.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a quantity: how many values it has, worst R-hat and what it is held to, smallest
        bulk and tail ESS, and where the worst R-hat stands.
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

    The worst R-hat of hundreds of values, such as the severities of all annotators, scatters
    further than that of one. It is held to what the worst of so many values of chains that agree
    shows with the effective draws there are, and never to more than the bound of one value allows
    in as many cases: 1.017 for 200 values, 1.019 for 1,000, and 1.01 again with many draws.

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
        return bool(self.problems) and all(each.startswith(TOO_FEW) for each in self.problems)

    def to_frame(self) -> pd.DataFrame:
        """Return the diagnostics by quantity.

        Returns
        -------
        pandas.DataFrame
            Columns ``quantity``, ``shown`` (in tables or figures), ``n`` values, their worst
            ``r_hat``, the ``r_hat_limit`` it is held to, their smallest ``ess_bulk`` and
            ``ess_tail``, ``worst_at`` (labels of the worst R-hat).
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
            for row in diagnosed(
                posterior[[name]], LARGEST_RHAT if name in reported else LARGEST_RHAT_BEHIND
            )
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
    problems += problems_of_chains(table, divergences, bfmi, cut_off, n_chains, n_draws, tune)
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
            "r_hat_limit": np.nan,
            "ess_bulk": float(n_draws) * share_effective,
            "ess_tail": float(n_draws) * share_effective,
            "worst_at": "",
        }
        for name, values in ((str(name), values) for name, values in posterior.items())
    ]
    table = pd.DataFrame(rows, columns=_COLUMNS)
    return Convergence(table, 0, np.inf, 0, problems, independent=how)
