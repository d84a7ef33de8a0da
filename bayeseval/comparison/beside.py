"""The same contrasts from the posterior and from the classical test, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bayeseval._records import Record, Shown, printed
from bayeseval._tables import Table
from bayeseval.comparison._contract import (
    Population,
    PosteriorLike,
    problems_of,
    refuse_no_posterior,
)
from bayeseval.comparison._expected import (
    Expectation,
    checked_expectations,
    expected_pairs,
    posterior_columns,
    recovered,
)
from bayeseval.comparison._speaks import generalises
from bayeseval.comparison._tested import both_ways, from_test
from bayeseval.comparison.contrasts import compare
from bayeseval.errors import BayesEvalError
from bayeseval.frequentist import (
    SPATest,
)
from bayeseval.frequentist._corrections import (
    NAMES,
    Correction,
    checked_alpha,
    checked_correction,
    corrected,
    verdicts,
)
from bayeseval.judgements import (
    Judgements,
)
from bayeseval.judgements._argument import takes_judgements
from bayeseval.ranking import alarm_sentences
from bayeseval.settings import IntervalKind, resolve_ci

RELATIONS = {
    (True, True): "same side",
    (False, False): "neither decides",
    (True, False): "posterior only",
    (False, True): "test only",
}
SHOWN = (
    Shown("system_a", "A", "label"),
    Shown("system_b", "B", "label"),
    Shown("posterior_estimate", "posterior"),
    Shown(("posterior_lower", "posterior_upper"), "interval"),
    Shown("p_better", "P(A>B)", "probability"),
    Shown("posterior_verdict", "verdict", "text"),
    Shown("test_estimate", "test"),
    Shown(("test_lower", "test_upper"), "its interval"),
    Shown("p", "p", "p"),
    Shown("p_corrected", "p corr.", "p"),
    Shown("test_verdict", "its verdict", "text"),
    Shown("agree", "agree", "text"),
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SideBySide(Record):
    """Contrasts from the posterior beside those from the test.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`; columns as in `side_by_side`.
    expectations : pandas.DataFrame
        One row an expectation: ``criterion`` (only where there are criteria), ``expected``,
        ``system_a``, ``system_b``, ``posterior`` and ``test`` (whether each recovers it); empty
        where none were stated.
    alarms : tuple of str
        What nobody may miss: a failed convergence, or judgements that are not the fitted ones.
    stated : SPATest or None
        For stated probabilities, the test itself, both directions of a pair pooled: its
        ``symmetry`` and ``by_annotator`` hold P[A≻B] + P[B≻A] − 1, which is printed too.
    """

    expectations: pd.DataFrame
    alarms: tuple[str, ...] = ()
    stated: SPATest | None = None

    @property
    def recovered(self) -> dict[str, int]:
        """How many expectations the posterior and the test recover, out of ``expected``."""
        if not len(self.expectations):
            return {"expected": 0, "posterior": 0, "test": 0}
        return {
            "expected": len(self.expectations),
            "posterior": int(self.expectations["posterior"].sum()),
            "test": int(self.expectations["test"].sum()),
        }

    def tables(self) -> list[Table]:
        """Return the tables that are printed: the contrasts, and what else there is.

        The expectations, where some were stated; the coherence of stated probabilities.

        Returns
        -------
        list of Table
            Headings and formatted cells.
        """
        agree = self.table["agree"].map({True: "yes", False: "no"}).fillna("–")
        shown = self.table.assign(agree=agree)
        tables = [Table(self.title, printed(shown, self.shown), self.notes, self.alarms)]
        if len(self.expectations):
            counts = self.recovered
            words = self.expectations.assign(
                posterior=np.where(self.expectations["posterior"], "yes", "no"),
                test=np.where(self.expectations["test"], "yes", "no"),
            )
            columns = printed(
                words,
                (
                    Shown("expected", "expected", "label"),
                    Shown("posterior", "posterior", "text"),
                    Shown("test", "test", "text"),
                ),
            )
            title = (
                f"Expectations recovered: posterior {counts['posterior']}, test {counts['test']} "
                f"of {counts['expected']}"
            )
            tables.append(Table(title, columns))
        if self.stated is not None:
            tables += self.stated.coherence_tables()
        return tables


@takes_judgements
def side_by_side(
    posterior: PosteriorLike,
    judgements: Judgements,
    *,
    expected: Sequence[Expectation] = (),
    pairs: Sequence[tuple[str, str]] | None = None,
    rope: tuple[float, float] | None = None,
    quantity: str | None = None,
    population: Population = None,
    criterion: str | None = None,
    verdict_prob: float = 0.95,
    alpha: float = 0.05,
    correction: Correction = "holm",
    ci_prob: float | None = None,
    ci_kind: IntervalKind | None = None,
) -> SideBySide:
    """Set the posterior's contrasts beside those of the classical test of the protocol.

    The test is `rating_tests` for ratings and magnitudes, `spa_test` (directions pooled) for
    stated probabilities, Bradley–Terry by maximum likelihood for outcomes, `strength_test` for
    strengths.

    Parameters
    ----------
    posterior : Posterior
        Posterior of any family.
    judgements : Judgements
        The judgements that it was fitted to.
    expected : sequence of (str, {">", "<", "~"}, str)
        What is expected of some pairs, such as ``("davinci", ">", "curie")`` or
        ``("human", "~", "davinci")``. An order is recovered when the verdict names that side. "~"
        is recovered by the posterior when the region of practical equivalence holds at least
        ``verdict_prob``, and by the test when it does not reject: the one is evidence for
        equivalence, the other only its absence against, and few data suffice for it.
    pairs : sequence of (str, str), optional
        Pairs (A, B); by default those of ``expected``, else all.
    rope : (float, float), optional
        Region of practical equivalence on the scale of ``quantity``, as in `compare`.
    quantity : str, optional
        The posterior's quantity; by default the expected rating for ratings, the quality (a log
        ratio, or a log-worth) for magnitudes and outcomes, the win probability for stated
        probabilities and strengths.
    population, criterion, ci_prob, ci_kind
        As in `compare`.
    verdict_prob : float
        Probability from which on the posterior gives a verdict.
    alpha : float
        Level of the test, applied to the corrected p value.
    correction : {"holm", "bonferroni", "none"}
        Correction over the pairs shown, within one criterion.

    Returns
    -------
    SideBySide
        One row a pair, with the columns ``criterion`` (only where there are criteria),
        ``system_a``, ``system_b``, ``posterior_estimate``, ``posterior_lower``,
        ``posterior_upper``, ``p_better`` (probability that A is better), ``p_in_rope`` (only with
        ``rope``), ``posterior_verdict`` ("A better", "B better", "equivalent", "undecided", or
        "not known" of a pair that was never compared and of which the model says nothing),
        ``test`` (its name), ``test_estimate``, ``test_lower``, ``test_upper``, ``p``,
        ``p_corrected``, ``test_verdict`` ("A better", "B better", "not rejected", "not defined"),
        ``agree`` (both name the same side, or neither names one; missing where one says nothing)
        and ``relation`` ("same side", "neither decides", "posterior only", "test only", "opposite
        sides", "not both known"). The two estimates are
        on one scale for ratings, outcomes and probabilities; for magnitudes the test's is a
        difference of raw means, for strengths one of slider units. ``recovered`` counts the
        expectations; ``stated`` holds the incoherence of stated probabilities, by pair and by
        annotator.

    Raises
    ------
    BayesEvalError
        If protocols differ, a system is unknown, an expectation is no (A, sign, B), or "~" is
        expected without a rope.
    """
    refuse_no_posterior(posterior, "side_by_side")
    ci_prob, ci_kind = resolve_ci(ci_prob, ci_kind)
    alpha, correction = checked_alpha(alpha), checked_correction(correction)
    if posterior.protocol != judgements.protocol:
        raise BayesEvalError(
            f"the posterior is of {posterior.protocol!r} judgements, these are "
            f"{judgements.protocol!r}: pass the judgements that were fitted."
        )
    wanted = checked_expectations(expected, judgements.systems, rope)
    if pairs is None:
        pairs = expected_pairs(wanted, judgements.systems)
    quantity = quantity or judgements.meaning.quantity
    contrasts = compare(
        posterior,
        pairs,
        rope=rope,
        quantity=quantity,
        population=population,
        criterion=criterion,
        verdict_prob=verdict_prob,
        ci_prob=ci_prob,
        ci_kind=ci_kind,
    )
    table = posterior_columns(contrasts.to_frame(), verdict_prob)
    position = "position_effect" in posterior.data["posterior"]
    tested, neutral, problems, stated = from_test(judgements, criterion, ci_prob, position=position)
    keys = ["criterion"] if "criterion" in table and "criterion" in tested else []
    if "criterion" in tested and not keys:
        raise BayesEvalError(
            "the judgements have criteria and the posterior has not: pass the criterion that was "
            "fitted alone, by filtering the judgements."
        )
    table = table.merge(both_ways(tested, neutral), how="left", on=[*keys, "system_a", "system_b"])
    table["test"] = table["test"].fillna("none")
    groups = table.groupby(keys, sort=False).indices.values() if keys else [np.arange(len(table))]
    table["p_corrected"] = np.nan
    for rows in groups:
        table.loc[rows, "p_corrected"] = corrected(table.loc[rows, "p"].to_numpy(), correction)
    table["test_verdict"] = verdicts(
        table["test_estimate"].to_numpy(), table["p_corrected"].to_numpy(), alpha, neutral=neutral
    )
    _relate(table)
    return SideBySide(
        table=table,
        title=f"Posterior ({posterior.family.name}) beside the test",
        notes=(
            (
                f"Posterior: {contrasts.title}; verdict from probability {verdict_prob:g} on"
                + (
                    f", against the region [{rope[0]:g}, {rope[1]:g}]."
                    if rope
                    else ", of one side."
                )
            ),
            (
                f"p corr.: {NAMES[correction]} over the pairs shown; its verdict at "
                f"{alpha:g}. The posterior is not corrected; its estimates are pooled by the "
                "model."
            ),
            *generalises(table, judgements, population),
            *(
                [
                    (
                        "'~' is recovered by the posterior when the region holds at least "
                        f"{verdict_prob:g}: evidence for equivalence; by the test when it does "
                        "not reject: no evidence against it. The two are not the same."
                    )
                ]
                if any(sign == "~" for _, sign, _ in wanted)
                else []
            ),
            *problems,
        ),
        shown=SHOWN,
        expectations=_expectations(table, wanted, keys),
        alarms=(
            *alarm_sentences(problems_of(posterior), posterior.approximate),
            *(
                ("These judgements are not those that the posterior was fitted to.",)
                if posterior.fingerprint != judgements.fingerprint
                else ()
            ),
        ),
        stated=stated,
    )


def _relate(table: pd.DataFrame) -> None:
    sides = ("A better", "B better")
    by_posterior = table["posterior_verdict"].isin(sides).to_numpy()
    by_test = table["test_verdict"].isin(sides).to_numpy()
    relation = np.array(
        [RELATIONS[bool(a), bool(b)] for a, b in zip(by_posterior, by_test, strict=True)],
        dtype=object,
    )
    differ = (table["posterior_verdict"] != table["test_verdict"]).to_numpy()
    relation[by_posterior & by_test & differ] = "opposite sides"
    # What says nothing about a pair neither agrees nor disagrees.
    silent = (
        (table["posterior_verdict"] == "not known") | (table["test_verdict"] == "not defined")
    ).to_numpy()
    relation[silent & ~by_posterior & ~by_test] = "not both known"
    agree = pd.array(np.isin(relation, ["same side", "neither decides"]), dtype="boolean")
    agree[silent] = pd.NA
    table["agree"] = agree
    table["relation"] = relation


def _expectations(
    table: pd.DataFrame, wanted: Sequence[Expectation], keys: list[str]
) -> pd.DataFrame:
    rows = []
    for one in wanted:
        a, sign, b = one
        for row in table.to_dict("records"):
            found = recovered(row, one, "posterior_verdict", "equivalent")
            if found is None:
                continue
            rows.append(
                {
                    **{key: row[key] for key in keys},
                    "expected": f"{a} {sign} {b}",
                    "system_a": a,
                    "system_b": b,
                    "posterior": found,
                    "test": recovered(row, one, "test_verdict", "not rejected"),
                }
            )
    return pd.DataFrame(rows)
