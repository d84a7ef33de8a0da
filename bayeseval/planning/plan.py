"""How many annotators, items and ratings: designs held against a goal by simulated studies."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayeseval._checks import is_number, listed, nearest, shown, some, whole_number
from bayeseval._records import Record, Shown
from bayeseval.errors import DesignError
from bayeseval.inference import Posterior
from bayeseval.planning._simulations import Found, Job, Study, all_done
from bayeseval.planning._truth import SIMULATORS, Truth, assumed
from bayeseval.planning.goals import Goal

_OF_GRID = {"annotators": "n_annotators", "items": "n_items", "repeats": "n_repeats"}
_COSTS = ("annotator", "item", "rating")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Plan(Record):
    """Designs and how probably each reaches a goal; see `plan`.

    Parameters
    ----------
    table : pandas.DataFrame
        One row a design; columns as in `plan`.
    title : str
        What is wanted, in words.
    notes : tuple of str
        What was assumed, and what each column means.
    shown : tuple of Shown
        Which columns are printed, and how.
    alarms : tuple of str
        What must be read before the numbers.
    varied : tuple of str
        The columns of the grid.
    """

    varied: tuple[str, ...] = ()

    def cheapest(self, prob: float = 0.8) -> pd.DataFrame:
        """Return the cheapest design that reaches the goal with a probability.

        Parameters
        ----------
        prob : float
            Probability wanted.

        Returns
        -------
        pandas.DataFrame
            One row with the columns of the plan, or none where no design reaches it. Cheapest is
            what costs least, or where no cost was given has the fewest judgements.

        Raises
        ------
        DesignError
            If the probability is not between 0 and 1.
        """
        if not is_number(prob) or not 0 < prob < 1:
            raise DesignError(f"prob= is a number between 0 and 1, such as 0.8; got {shown(prob)}")
        by = "cost" if "cost" in self.table else "judgements"
        enough = self.table[self.table["probability"] >= prob]
        return enough.sort_values(by, kind="stable").head(1).reset_index(drop=True)


def plan(
    base: Posterior | Mapping[str, Any],
    grid: Mapping[str, Sequence[int]],
    goal: Goal,
    *,
    n_sims: int = 200,
    n_equal: int | None = None,
    family: Any = None,
    classical: bool = True,
    alpha: float = 0.05,
    cost: Mapping[str, float] | None = None,
    draws: int = 500,
    chains: int = 2,
    method: str = "nuts",
    n_jobs: int = -1,
    store: str | PathLike[str] | None = None,
    progressbar: bool = True,
    random_seed: int,
) -> Plan:
    """Find out by simulation which design of a study reaches a goal.

    Of every design in the grid, studies are drawn from the assumed truth, each is fitted, and its
    posterior is asked whether the goal is reached. With the posterior of a pilot as base the truth
    of each study is one of its draws: the probability is then the assurance, which counts what the
    pilot does not know (O'Hagan, Stevens & Campbell 2005).

    Parameters
    ----------
    base : Posterior or mapping
        Posterior of a pilot of ratings, stated probabilities or pairs; or the assumed truth: a
        mapping with ``protocol`` ("likert", "magnitude", "pairwise", "spa" or "strength"),
        ``quality`` (by system, or a list), and any setting of that protocol's simulation, such as
        ``severity_sd``.
    grid : mapping of str to list of int
        Numbers to try, all combinations of them: ``annotators``, ``items``, ``ratings_per_item``
        (how many annotators judge an output, or a pair on an item, on average; all where left out)
        and ``repeats``.
    goal : Decided, Width, OrderOfTop or Equivalent
        What the study is meant to achieve.
    n_sims : int
        Simulated studies a design.
    n_equal : int, optional
        Simulated studies a design in which there is nothing to decide, for the rate of false
        decisions; as many as ``n_sims`` where left out, 0 for none.
    family : Family, optional
        What is fitted; by default that of the protocol.
    classical : bool
        Whether to do the field's test of the goal's two systems too: paired t or Welch's, the test
        of stated probabilities or strengths, or of log-worths.
    alpha : float
        Level of that test.
    cost : mapping of str to float, optional
        What an ``annotator``, an ``item`` and a ``rating`` cost.
    draws, chains : int
        Draws of each fit: fewer than an analysis needs, as their error averages out over studies.
    method : {"nuts", "laplace", "auto"}
        As in `fit`.
    n_jobs : int
        Studies at a time; -1, one a core. joblib does the work, so its backends for clusters do.
    store : path, optional
        Folder that keeps one file a study: a plan that was ended goes on where it was.
    progressbar : bool
        Whether to say every ten seconds how far the work is.
    random_seed : int
        Seed. All designs share random numbers, so that they differ by design and less by chance.

    Returns
    -------
    Plan
        One row a design with the columns of the grid, ``judgements`` (mean number), ``cost``,
        ``probability`` (that the goal is reached, and nothing wrong decided), ``mc_error`` (its
        standard error by simulation), ``width`` (median width of the interval the goal looks at),
        ``wrong`` (share of studies that decide for the wrong system), ``false_decisions`` (share
        of decisions where there is nothing to decide), ``classical`` (share of studies in which the
        test rejects in the right direction), ``classical_false`` (in which it rejects where there
        is no difference), ``unusable`` (studies whose posterior could not be used; they count as
        not reached).

    Raises
    ------
    DesignError
        A setting is impossible, or a name is unknown.
    ModelError
        A pilot does not give every setting of a simulation.

    References
    ----------
    O'Hagan, Stevens & Campbell (2005), Pharmaceutical Statistics 4(3), doi:10.1002/pst.175.
    """
    truth = assumed(base)
    if not isinstance(goal, Goal):
        raise DesignError(
            "goal= is one of Decided('A', 'B'), Width(0.2), OrderOfTop(3), Equivalent('A', 'B'); "
            f"found {shown(goal)}"
        )
    number = {name: f"system {k}" for k, name in enumerate(truth.systems, start=1)}
    renamed = goal.renamed(number)
    n_sims = whole_number(n_sims, "n_sims", least=2)
    decides = renamed.equal(dict.fromkeys(number.values(), 0.0)) is not None
    n_equal = n_sims if n_equal is None else whole_number(n_equal, "n_equal", least=0)
    if not is_number(alpha) or not 0 < alpha < 1:
        raise DesignError(f"alpha= is a number between 0 and 1; found {shown(alpha)}")
    costs = _checked_costs(cost)
    designs, varied = _designs(grid, truth)
    job = Job(
        truth=truth,
        goal=renamed,
        family=family,
        options={
            "draws": whole_number(draws, "draws", least=100),
            "chains": whole_number(chains, "chains", least=1),
            "method": method,
            "cores": 1,
            "progressbar": False,
        },
        classical=classical,
        random_seed=whole_number(random_seed, "random_seed", least=0),
    )
    # By number, not by design: a plan that is ended has done some of every design.
    studies = [
        Study(k, settings, study, equal)
        for equal, n in ((False, n_sims), (True, n_equal if decides else 0))
        for study in range(n)
        for k, (_, settings) in enumerate(designs)
    ]
    found = all_done(
        job,
        studies,
        n_jobs=n_jobs,
        store=None if store is None else Path(store),
        progressbar=progressbar,
    )
    by_design: dict[tuple[int, bool], list[Found]] = {}
    for study, one in zip(studies, found, strict=True):
        by_design.setdefault((study.design, study.equal), []).append(one)
    rows = [
        {
            **asked,
            **_row(by_design[k, False], by_design.get((k, True), []), asked, costs, alpha),
        }
        for k, (asked, _) in enumerate(designs)
    ]
    table = pd.DataFrame(rows).dropna(axis="columns", how="all")
    return Plan(
        table=table,
        title=f"Designs that reach the goal: {goal.words}",
        notes=_notes(table, truth, n_sims, n_equal if decides else 0, alpha, found),
        shown=_shown(varied),
        varied=varied,
    )


def _designs(
    grid: object, truth: Truth
) -> tuple[list[tuple[dict[str, int], dict[str, Any]]], tuple[str, ...]]:
    """Return every design: what was asked, and what it means to the simulation."""
    if not isinstance(grid, Mapping) or not grid:
        raise DesignError(
            "grid= says which numbers to try, such as {'annotators': [10, 20], 'items': [20, 50]}; "
            f"found {shown(grid)}"
        )
    known = ("annotators", "items", "ratings_per_item", "repeats")
    values = {}
    for name, numbers in grid.items():
        if name not in known:
            meant = nearest(name, known)
            raise DesignError(
                f"grid[{shown(name)}] is unknown; it takes {some(known)}"
                + (f". Did you mean {meant!r}?" if meant else "")
            )
        given = listed(numbers, f"grid[{name!r}]", example="[10, 20, 40]", error=DesignError)
        least = 0 if name == "items" else 1
        values[name] = [whole_number(each, f"grid[{name!r}]", least=least) for each in given]
        if not values[name]:
            raise DesignError(f"grid[{name!r}] is empty: give the numbers to try")
    if "annotators" not in values:
        raise DesignError("grid= must say how many annotators to try: {'annotators': [10, 20]}")
    designs = []
    takes = signature(SIMULATORS[truth.protocol]).parameters
    for combination in product(*values.values()):
        asked = dict(zip(values, combination, strict=True))
        settings: dict[str, Any] = {
            _OF_GRID[name]: value for name, value in asked.items() if name in _OF_GRID
        }
        per_item, annotators = asked.get("ratings_per_item"), asked["annotators"]
        if per_item is not None and per_item > annotators:
            # Not a design: nobody judges an output twice. The rest of the grid stands.
            continue
        if per_item is not None and per_item < annotators:
            settings |= {"design": "ragged", "share_judged": per_item / annotators}
        designs.append((asked, {name: settings[name] for name in takes if name in settings}))
    if not designs:
        raise DesignError(
            "no design of the grid is possible: every ratings_per_item= is above the number of "
            "annotators, and nobody judges an output twice (repeats= does that)"
        )
    return designs, tuple(values)


def _checked_costs(cost: object) -> dict[str, float]:
    if cost is None:
        return {}
    if not isinstance(cost, Mapping):
        raise DesignError(
            f"cost= says what each costs, such as {{'annotator': 5, 'rating': 0.2}}; found "
            f"{shown(cost)}"
        )
    for name, value in cost.items():
        if name not in _COSTS:
            meant = nearest(name, _COSTS)
            raise DesignError(
                f"cost[{shown(name)}] is unknown; it takes {some(_COSTS)}"
                + (f". Did you mean {meant!r}?" if meant else "")
            )
        if not is_number(value) or not 0 <= value < np.inf:
            raise DesignError(f"cost[{name!r}] is a number from 0 upwards; found {shown(value)}")
    return {str(name): float(value) for name, value in cost.items()}


def _row(
    found: Sequence[Found],
    equal: Sequence[Found],
    asked: Mapping[str, int],
    costs: Mapping[str, float],
    alpha: float,
) -> dict[str, float]:
    """Return what a design's studies give."""
    n = len(found)
    probability = float(np.mean([one.reached for one in found]))
    # Agresti and Coull's: a share of 0 or 1 has an error too.
    towards = (probability * n + 2) / (n + 4)
    judgements = float(np.mean([one.n_judgements for one in found]))
    units = {"annotator": asked["annotators"], "item": asked.get("items", 0), "rating": judgements}
    widths = [one.width for one in found if one.width is not None]
    tested = [one for one in found if one.p is not None]
    null = [one for one in equal if one.p is not None]
    right = [one.p is not None and one.p < alpha and one.favours_a == one.truly_a for one in found]
    return {
        "judgements": judgements,
        "cost": sum(price * units[name] for name, price in costs.items()) if costs else np.nan,
        "probability": probability,
        "mc_error": float(np.sqrt(towards * (1 - towards) / (n + 4))),
        "width": float(np.median(widths)) if widths else np.nan,
        "wrong": float(np.mean([one.wrong for one in found])),
        "false_decisions": _share(one.reached or one.wrong for one in equal),
        "classical": float(np.mean(right)) if tested else np.nan,
        "classical_false": _share(one.p is not None and one.p < alpha for one in equal)
        if null
        else np.nan,
        "unusable": sum(bool(one.trouble) for one in (*found, *equal)),
    }


def _share(flags: Iterable[bool]) -> float:
    values = list(flags)
    return float(np.mean(values)) if values else float("nan")


def _shown(varied: Sequence[str]) -> tuple[Shown, ...]:
    headings = {"ratings_per_item": "ratings an item"}
    return (
        *(Shown(name, headings.get(name, name), "count") for name in varied),
        Shown("judgements", "judgements", "count"),
        Shown("cost", "cost", decimals=0),
        Shown("probability", "P(goal)", decimals=2),
        Shown("mc_error", "±", decimals=2),
        Shown("width", "width", decimals=2),
        Shown("wrong", "wrong", decimals=2),
        Shown("false_decisions", "false if alike", decimals=2),
        Shown("classical", "test", decimals=2),
        Shown("classical_false", "its false", decimals=2),
        Shown("unusable", "unusable", "count"),
    )


def _notes(
    table: pd.DataFrame,
    truth: Truth,
    n_sims: int,
    n_equal: int,
    alpha: float,
    found: Sequence[Found],
) -> tuple[str, ...]:
    said = truth.words
    notes = [f"{said[:1].upper()}{said[1:]}."]
    notes.append(
        f"P(goal): share of {n_sims:,} simulated studies whose posterior reaches the goal and "
        "decides nothing wrong; ±: standard error of that share by simulation; width: median width "
        "of the interval the goal looks at; wrong: share that decides for the wrong system."
    )
    if "false_decisions" in table:
        notes.append(
            f"False if alike: share of {n_equal:,} studies, in which the systems that the goal "
            "names are alike, that decide all the same."
        )
    if "classical" in table:
        notes.append(
            f"Test: share of studies in which the classical test of the two rejects at {alpha:g} "
            "in the right direction; its false: where they are alike."
        )
    troubles = [one.trouble for one in found if one.trouble]
    if troubles:
        notes.append(
            f"Unusable: {len(troubles):,} posteriors could not be used and count as not reached; "
            f"the first: {troubles[0]}"
        )
    return tuple(notes)
