"""Several posteriors of the same systems: the same pairs, orders and expectations under each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bayeseval._checks import some
from bayeseval._records import Record, Shown, printed
from bayeseval._tables import Column, Table
from bayeseval._text import probability
from bayeseval.comparison._contract import (
    Population,
    PosteriorLike,
    problems_of,
    quality_draws,
    refuse_no_posterior,
    slices,
    system_labels,
)
from bayeseval.comparison._expected import (
    Expectation,
    checked_expectations,
    expected_pairs,
    posterior_columns,
    recovered,
)
from bayeseval.comparison.contrasts import compare
from bayeseval.comparison.ranks import checked_decision_prob, rank_probabilities
from bayeseval.errors import BayesEvalError
from bayeseval.judgements._protocols import PROTOCOLS
from bayeseval.ranking import alarm_sentences
from bayeseval.settings import IntervalKind, ci_words, resolve_ci

_FEWEST = 2


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PosteriorsCompared(Record):
    """Contrasts of the same pairs under several posteriors.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`; one row a pair and posterior, columns as in `compare_posteriors`.
    names : tuple of str
        Names of the posteriors, in the order given.
    order : pandas.DataFrame
        One row a system, in the order of the first posterior: ``system`` and, for every
        posterior, its expected rank among the systems that all have.
    expectations : pandas.DataFrame
        One row an expectation: ``expected``, ``system_a``, ``system_b`` and, for every posterior,
        whether its verdict is the one expected; empty where none were stated.
    same_order : pandas.DataFrame
        Kendall's τ between the orders of expected ranks, one row and one column a posterior.
    alarms : tuple of str
        What nobody may miss, such as a failed convergence.
    """

    names: tuple[str, ...]
    order: pd.DataFrame
    expectations: pd.DataFrame
    same_order: pd.DataFrame
    alarms: tuple[str, ...] = ()

    @property
    def recovered(self) -> dict[str, int]:
        """How many expectations each posterior decides as expected, out of ``expected``."""
        counts = {"expected": len(self.expectations)}
        for name in self.names:
            counts[name] = int(self.expectations[name].sum()) if len(self.expectations) else 0
        return counts

    def tables(self) -> list[Table]:
        """Return the tables that are printed: pairs, orders, and expectations where stated.

        Returns
        -------
        list of Table
            Headings and formatted cells.
        """
        tables = [Table(self.title, self._pairs(), self.notes, self.alarms)]
        ranks = [Shown("system", "system", "label")]
        ranks += [Shown(name, name, decimals=2) for name in self.names]
        first, *others = self.names
        agreement = "; ".join(f"{name}: {self.same_order.loc[first, name]:.2f}" for name in others)
        tables.append(
            Table(
                "Expected rank",
                printed(self.order, ranks),
                ("1 = best.", f"Kendall's τ with the order of {first}. {agreement}."),
            )
        )
        if len(self.expectations):
            counts = self.recovered
            words = self.expectations.copy()
            for name in self.names:
                words[name] = np.where(words[name].to_numpy(dtype=bool), "yes", "no")
            shown = [Shown("expected", "expected", "label")]
            shown += [Shown(name, name, "text") for name in self.names]
            title = "Expectations decided as expected: " + ", ".join(
                f"{name} {counts[name]}" for name in self.names
            )
            tables.append(Table(f"{title} of {counts['expected']}", printed(words, shown)))
        return tables

    def _pairs(self) -> tuple[Column, ...]:
        by_name = {
            name: frame.reset_index(drop=True)
            for name, frame in self.table.groupby("posterior", sort=False)
        }
        columns = printed(by_name[self.names[0]], self.shown[:2])
        for name in self.names:
            frame = by_name[name]
            estimate, interval, verdict = printed(frame, self.shown[2:])
            better = tuple(probability(value) for value in frame["p_better"])
            columns += (
                Column(name, estimate.cells),
                Column("interval", interval.cells),
                Column("P(A>B)", better),
                Column("verdict", verdict.cells, "text"),
            )
        return columns


def compare_posteriors(
    posteriors: Mapping[str, PosteriorLike],
    *others: PosteriorLike,
    expected: Sequence[Expectation] = (),
    pairs: Sequence[tuple[str, str]] | None = None,
    rope: tuple[float, float] | None = None,
    criterion: str | Mapping[str, str] | None = None,
    population: Population = None,
    verdict_prob: float = 0.95,
    ci_prob: float | None = None,
    ci_kind: IntervalKind | None = None,
) -> PosteriorsCompared:
    """Compare what several posteriors say of the same systems.

    For studies that asked about the same systems in several ways, such as ratings and stated
    probabilities by the same annotators, or for several families on one table. Held beside each
    other are the win probability, which all families have on one scale, the order of the
    systems, and whether each expected direction is decided. The posteriors are fits of their own:
    nothing is pooled between them.

    Parameters
    ----------
    posteriors : mapping of str to Posterior
        At least two, by the names that the tables show, such as ``{"likert": …, "spa": …}``.
    *others
        None: posteriors without names are refused in words.
    expected : sequence of (str, {">", "<", "~"}, str)
        What is expected of some pairs, as in `side_by_side`.
    pairs : sequence of (str, str), optional
        Pairs (A, B); by default those of ``expected``, else all pairs of the systems in common.
    rope : (float, float), optional
        Region of practical equivalence around a win probability of 0.5, as in `compare`.
    criterion : str or mapping of str to str, optional
        Criterion to read; a mapping where the posteriors name theirs differently. Needed of
        posteriors with more than one.
    population, ci_prob, ci_kind
        As in `compare`.
    verdict_prob : float
        Probability from which on a verdict is given.

    Returns
    -------
    PosteriorsCompared
        One row a pair and posterior, with the columns ``posterior`` (its name), ``system_a``,
        ``system_b``, ``posterior_estimate``, ``posterior_lower``, ``posterior_upper`` (win
        probability of A), ``p_better`` (probability that it is above 0.5), ``p_in_rope`` (only
        with ``rope``) and ``posterior_verdict``. ``order`` has the expected ranks,
        ``expectations`` and ``recovered`` what is expected.

    Raises
    ------
    BayesEvalError
        If there are fewer than two posteriors, fewer than two systems in common, or an expectation
        or a criterion is not known.
    """
    ci_prob, ci_kind = resolve_ci(ci_prob, ci_kind)
    verdict_prob = checked_decision_prob(verdict_prob, "verdict_prob")
    if others or not isinstance(posteriors, Mapping) or len(posteriors) < _FEWEST:
        found = f"{1 + len(others)} without names" if others else type(posteriors).__name__
        raise BayesEvalError(
            "compare_posteriors needs at least two posteriors by name, in one mapping such as "
            f"{{'likert': one, 'spa': other}}; found {found}"
        )
    for posterior in posteriors.values():
        refuse_no_posterior(posterior, "compare_posteriors")
    names = tuple(posteriors)
    systems, alone = _in_common(posteriors)
    wanted = checked_expectations(expected, systems, rope)
    if pairs is None:
        pairs = expected_pairs(wanted, systems)
    frames, ranks, rules = [], {}, []
    for name, posterior in posteriors.items():
        own = criterion.get(name) if isinstance(criterion, Mapping) else criterion
        if posterior.criteria is None:
            own = None
        elif own is None and len(posterior.criteria) > 1:
            raise BayesEvalError(
                f"the posterior {name!r} has the criteria {some(posterior.criteria)}: say with "
                "criterion= which to read"
            )
        contrasts = compare(
            posterior,
            pairs,
            rope=rope,
            criterion=own,
            population=population,
            verdict_prob=verdict_prob,
            ci_prob=ci_prob,
            ci_kind=ci_kind,
        )
        table = posterior_columns(contrasts.to_frame(), verdict_prob)
        table.insert(0, "posterior", name)
        frames.append(table.drop(columns="criterion", errors="ignore"))
        ranks[name] = _expected_ranks(posterior, own, population, systems)
        meaning = PROTOCOLS[posterior.protocol].meaning.new_judgement
        over = contrasts.averaged_over
        over = f"; {over}" if over else ""
        rules.append(f"{name}: {posterior.family.name}; {meaning}{over}.")
    order = pd.DataFrame({"system": systems, **ranks}).sort_values(names[0], kind="stable")
    long = pd.concat(frames, ignore_index=True)
    return PosteriorsCompared(
        table=long,
        title="The same pairs under several posteriors",
        notes=(
            (
                f"Win probability of A: posterior mean and {ci_words(ci_prob, ci_kind)} interval; "
                "0.5 = alike. P(A>B): probability that it is above 0.5."
            ),
            (
                f"Verdict from probability {verdict_prob:g} on"
                + (
                    f", against the region [{rope[0]:g}, {rope[1]:g}]."
                    if rope
                    else ", of one side."
                )
            ),
            *rules,
            *([f"Left out, because not all posteriors have them: {some(alone)}."] if alone else []),
        ),
        shown=(
            Shown("system_a", "A", "label"),
            Shown("system_b", "B", "label"),
            Shown("posterior_estimate", "P(A wins)"),
            Shown(("posterior_lower", "posterior_upper"), "interval"),
            Shown("posterior_verdict", "verdict", "text"),
        ),
        names=names,
        order=order.reset_index(drop=True),
        expectations=_expectations(long, wanted, names),
        same_order=pd.DataFrame(ranks).corr(method="kendall"),
        alarms=tuple(
            f"{name}: {sentence}"
            for name, posterior in posteriors.items()
            for sentence in alarm_sentences(problems_of(posterior), posterior.approximate)
        ),
    )


def _in_common(
    posteriors: Mapping[str, PosteriorLike],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the systems that all posteriors have, and those that only some have."""
    first, *others = (posterior.systems for posterior in posteriors.values())
    every = list(dict.fromkeys(label for each in (first, *others) for label in each))
    common = tuple(label for label in first if all(label in each for each in others))
    if len(common) < _FEWEST:
        raise BayesEvalError(
            "the posteriors must have at least two systems in common, under the same labels; they "
            f"have {some(common) if common else 'none'} of {some(every)}"
        )
    return common, tuple(label for label in every if label not in common)


def _expected_ranks(
    posterior: PosteriorLike, criterion: str | None, population: Population, systems: Sequence[str]
) -> np.ndarray:
    """Return the expected rank of each system among these alone."""
    array = quality_draws(posterior, None, population)
    labels = system_labels(array)
    (piece,) = slices(posterior, array, ("system",), criterion=criterion, by=None, level=None)
    chosen = piece.draws[:, [labels.index(label) for label in systems]]
    return rank_probabilities(chosen) @ np.arange(1, len(systems) + 1)


def _expectations(
    table: pd.DataFrame, wanted: Sequence[Expectation], names: Sequence[str]
) -> pd.DataFrame:
    rows = []
    for one in wanted:
        a, sign, b = one
        row: dict[str, object] = {"expected": f"{a} {sign} {b}", "system_a": a, "system_b": b}
        for record in table.to_dict("records"):
            found = recovered(record, one, "posterior_verdict", "equivalent")
            if found is not None:
                row[str(record["posterior"])] = found
        rows.append(row)
    return pd.DataFrame(rows, columns=["expected", "system_a", "system_b", *names])
