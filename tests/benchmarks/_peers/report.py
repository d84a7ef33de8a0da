"""Tables of what came of the contenders, and the ratios that are wanted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tests.benchmarks._page import Table, verdict
from tests.benchmarks._peers.contenders import DRAWS, NEAR, OTHER
from tests.benchmarks._peers.gradient import KERNEL, NORMAL
from tests.benchmarks._peers.processes import Outcome

LEAST_ESS, LARGEST_RHAT = 400, 1.01
# Of five to twenty means, each with a normal error, the largest is beyond this once in a thousand.
LARGEST_ERROR = 4.0
# What another prior, or none, may move a mean by.
LARGEST_DEPARTURE = 0.5
NOTHING = "–"

type Outcomes = Mapping[str, Sequence[Outcome]]


def sampled_table(title: str, outcomes: Sequence[Outcome]) -> Table:
    """Set contenders that sample beside one another."""
    header = (
        "contender",
        "cold s",
        "first ever s",
        "import s",
        "compile s",
        "sampling s",
        "bulk ESS",
        "tail ESS",
        "min ESS/s",
        "R-hat",
        "divergences",
    )
    rows = []
    for outcome in outcomes:
        if outcome.state != "done" or outcome.stages is None or outcome.diagnosis is None:
            rows.append(_without_numbers(outcome, len(header)))
            continue
        found = outcome.diagnosis
        rows.append(
            (
                outcome.contender.name,
                _number(outcome.seconds),
                _number(outcome.first),
                _number(outcome.stages.get("import")),
                _number(outcome.stages.get("compile")),
                _number(outcome.sampling),
                f"{found['bulk']:,.0f}",
                f"{found['tail']:,.0f}",
                f"{outcome.ess_rate:,.1f}",
                f"{found['rhat']:.3f}",
                NOTHING if outcome.divergences is None else str(outcome.divergences),
            )
        )
    return Table(title, header, tuple(rows), (*_models(outcomes), *_short(outcomes)))


def fitted_table(title: str, outcomes: Sequence[Outcome]) -> Table:
    """Set contenders beside one another of which some sample and some estimate."""
    header = (
        "contender",
        "cold s",
        "first ever s",
        "import s",
        "read s",
        "prepare + fit s",
        "again s",
        "min ESS",
        "R-hat",
        "correlation",
    )
    own = outcomes[0]
    rows = []
    for outcome in outcomes:
        if outcome.state != "done" or outcome.stages is None or outcome.quality is None:
            rows.append(_without_numbers(outcome, len(header)))
            continue
        found = outcome.diagnosis
        correlation = NOTHING
        if outcome is not own and own.quality is not None:
            both = np.corrcoef(outcome.quality["mean"], own.quality["mean"])
            correlation = f"{both[0, 1]:.5f}"
        rows.append(
            (
                outcome.contender.name,
                _number(outcome.seconds),
                _number(outcome.first),
                _number(outcome.stages.get("import")),
                _number(outcome.stages.get("read")),
                _number(fit_seconds(outcome)),
                _number(outcome.again),
                NOTHING if found is None else f"{found['ess']:,.0f}",
                NOTHING if found is None else f"{found['rhat']:.3f}",
                correlation,
            )
        )
    remark = (
        "Again: prepare and fit once more in the same process, for the two whose ratio is wanted. "
        "The first time JAX compiles arena-rank's functions, and Numba loads those of bayeseval. "
        f"Correlation of the scores with those of {own.contender.name}."
    )
    return Table(title, header, tuple(rows), (*_models(outcomes), remark, *_short(outcomes)))


def fit_seconds(outcome: Outcome) -> float:
    """Return the seconds from the table in memory to the result."""
    stages = outcome.stages or {}
    named = ("prepare", "fit", "compile", "sample")
    return sum(stages.get(stage, 0.0) for stage in named) if stages else math.nan


def again_seconds(outcome: Outcome) -> float:
    """Return the seconds from the table in memory to the result, the second time."""
    return math.nan if outcome.again is None else outcome.again


def agreement_table(title: str, outcomes: Sequence[Outcome]) -> Table | None:
    """Say how far the contenders differ from bayeseval; None where there is nothing to compare."""
    first, *others = outcomes
    named = {outcome.contender.name: outcome for outcome in outcomes}
    if first.quality is None:
        return None
    rows = []
    for outcome in others:
        own = named[outcome.contender.beside] if outcome.contender.beside else first
        if outcome.quality is None or own.quality is None:
            continue
        apart = (outcome.quality["mean"] - own.quality["mean"]).abs()
        in_sds = float((apart / own.quality["sd"]).max())
        error = np.hypot(outcome.quality["mcse"], own.quality["mcse"])
        in_errors = float((apart / error).max())
        sds = outcome.quality["sd"] / own.quality["sd"]
        likeness = outcome.contender.likeness
        model, agrees = {
            DRAWS: ("the same", in_errors <= LARGEST_ERROR),
            NEAR: ("nearly the same", in_sds <= LARGEST_DEPARTURE),
            OTHER: ("another", None),
        }[likeness]
        rows.append(
            (
                outcome.contender.name,
                own.contender.name,
                model,
                NOTHING if _rescaled(outcome) else f"{in_sds:.2f}",
                NOTHING if math.isnan(in_errors) else f"{in_errors:.1f}",
                NOTHING if sds.isna().all() else f"{sds.min():.2f}–{sds.max():.2f}",
                {True: "yes", False: "NO", None: NOTHING}[agrees],
            )
        )
    if not rows:
        return None
    remark = (
        "Centred scores beside those of a fit by bayeseval: the largest difference of means, in "
        "its posterior sds and in Monte Carlo errors of both, and the ratios of sds. The same "
        f"model is to agree within {LARGEST_ERROR:g} Monte Carlo errors, nearly the same within "
        f"{LARGEST_DEPARTURE:g} sds."
    )
    header = ("contender", "beside", "model", "sds", "Monte Carlo errors", "ratio of sds", "agrees")
    return Table(title, header, tuple(rows), (remark,))


def gradient_table(n_rows: int, found: Mapping[str, float]) -> Table:
    """Set nanoseconds a rating beside those of two normal distribution functions."""
    return Table(
        f"A gradient, {n_rows:,} ratings, one thread",
        ("call", "ns a rating", "times two CDFs"),
        tuple((name, f"{ns:.1f}", f"{ns / found[NORMAL]:.2f}") for name, ns in found.items()),
        (
            (
                "Medians over many calls in turn. The normal CDFs are evaluated at standard normal "
                "numbers, as many as there are ratings, twice. The kernel returns the log "
                "likelihood with its gradient by effects and by thresholds, which differ by "
                "annotator."
            ),
        ),
    )


# Ratios -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ratio:
    """A ratio beside what is wanted of it.

    Attributes
    ----------
    what
        What is compared.
    least
        What is wanted, or where ``at_most`` what it must not exceed.
    value
        What was found; NaN where one side is not there.
    bound
        Whether the peer was ended, so that the true ratio is at least the value.
    note
        Who the peer was.
    at_most
        Whether a small ratio is good.
    """

    what: str
    least: float
    value: float
    bound: bool = False
    note: str = ""
    at_most: bool = False

    def row(self) -> tuple[str, ...]:
        """Return the row of the table of ratios."""
        wanted = f"{'≤' if self.at_most else '≥'} {self.least:g}"
        if math.isnan(self.value):
            return (self.what, wanted, NOTHING, self.note or NOTHING, "Not measured.")
        value, least = (-self.value, -self.least) if self.at_most else (self.value, self.least)
        said = verdict(value, least)
        if self.bound and value < least:
            said = "Not shown."
        found = f"{'> ' if self.bound else ''}{self.value:.2g}"
        if self.value >= 100:
            found = f"{'> ' if self.bound else ''}{self.value:,.0f}"
        return (self.what, wanted, found, self.note, said)


def ratios_table(ratios: Sequence[Ratio]) -> Table:
    """List the ratios."""
    header = ("what", "wanted", "found", "beside", "verdict")
    return Table("Ratios against the targets", header, tuple(each.row() for each in ratios))


def cold_ratio(
    what: str,
    least: float,
    outcomes: Sequence[Outcome],
    peers: Callable[[Outcome], bool],
    seconds: Callable[[Outcome], float] = lambda outcome: outcome.seconds,
) -> Ratio:
    """Compare the seconds of bayeseval, which is first, with those of the fastest peer."""
    own = outcomes[0]
    chosen = [each for each in outcomes if peers(each)]
    finished = [each for each in chosen if each.state == "done"]
    if own.state != "done":
        return Ratio(what, least, math.nan, note=f"bayeseval: {own.detail}")
    if finished:
        best = min(finished, key=seconds)
        return Ratio(what, least, seconds(best) / seconds(own), note=best.contender.name)
    ended = [each for each in chosen if each.state == "over"]
    if ended:
        limit = ended[0].seconds
        names = ", ".join(each.contender.name for each in ended)
        return Ratio(what, least, limit / seconds(own), bound=True, note=names)
    return Ratio(what, least, math.nan, note="; ".join(each.detail for each in chosen))


def ess_ratio(what: str, least: float, outcomes: Sequence[Outcome], own: Outcome) -> Ratio:
    """Compare ESS a second of a fit by bayeseval with that of the best brms."""
    chosen = [each for each in outcomes if each.contender.program == "brms"]
    finished = [each for each in chosen if each.state == "done"]
    if own.state != "done" or not finished:
        details = [each.detail for each in (own, *chosen) if each.detail]
        return Ratio(what, least, math.nan, note="; ".join(details))
    best = max(finished, key=lambda outcome: outcome.ess_rate)
    return Ratio(what, least, own.ess_rate / best.ess_rate, note=best.contender.name)


def wanted(outcomes: Outcomes, gradient: Mapping[str, float] | None) -> list[Ratio]:
    """Return the ratios that can be formed of what was measured."""
    ratios = []
    if "likert" in outcomes:
        found = outcomes["likert"]
        ratios += [
            cold_ratio("Likert, cold process to ranking: brms", 10, found, _is("brms")),
            cold_ratio(
                "Likert, cold process to ranking: best Python peer of the same model",
                3,
                found,
                lambda each: (
                    each.contender.likeness == DRAWS and each.contender.program != "bayeseval"
                ),
            ),
        ]
    for part, name in (("likert", "Likert"), ("spa", "SPA"), ("strength", "Strength")):
        if part not in outcomes:
            continue
        found = outcomes[part]
        what = f"{name}, ESS/s of system scores: brms"
        ratios.append(ess_ratio(what, 20, found, found[0]))
        # A model that only brms has besides, each beside its like.
        named = {each.contender.name: each for each in found}
        for each in found:
            if each.contender.beside:
                own = named[each.contender.beside]
                what = f"{name}, ESS/s of system scores, the same model: brms"
                ratios.append(ess_ratio(what, 20, [each], own))
    if "pairwise" in outcomes:
        found, arena = outcomes["pairwise"], _is("arena-rank")
        nuts = [found[1], *(each for each in found if arena(each))]
        for how, rows in (("Laplace", found), ("NUTS", nuts)):
            what = f"Bradley-Terry posterior ({how}), "
            ratios += [
                cold_ratio(f"{what}cold process: arena-rank's intervals", 20, rows, arena),
                cold_ratio(
                    f"{what}prepare and fit: arena-rank's intervals", 20, rows, arena, fit_seconds
                ),
            ]
        ratios.append(
            cold_ratio(
                "Bradley-Terry posterior (Laplace), prepare and fit again: arena-rank's intervals",
                20,
                found,
                arena,
                again_seconds,
            )
        )
    if gradient is not None:
        value = gradient[KERNEL] / gradient[NORMAL]
        what = "Gradient of the likelihood, per rating"
        ratios.append(Ratio(what, 3, value, note="two normal CDFs", at_most=True))
    return ratios


def _is(program: str) -> Callable[[Outcome], bool]:
    return lambda outcome: outcome.contender.program == program


def _number(value: float | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _without_numbers(outcome: Outcome, columns: int) -> tuple[str, ...]:
    detail = outcome.detail.replace("|", "/")
    return (outcome.contender.name, detail, *[NOTHING] * (columns - 2))


def _rescaled(outcome: Outcome) -> bool:
    return outcome.contender.likeness == OTHER and outcome.diagnosis is None


def _models(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    notes = [
        f"- {outcome.contender.name}: {outcome.contender.about}."
        for outcome in outcomes
        if outcome.contender.about
    ]
    return ("\n".join(notes),) if notes else ()


def _short(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """Name the contenders whose draws would not be accepted, so that no ratio hides it."""
    short = [
        outcome.contender.name
        for outcome in outcomes
        if outcome.diagnosis is not None
        and (outcome.diagnosis["ess"] < LEAST_ESS or outcome.diagnosis["rhat"] > LARGEST_RHAT)
    ]
    if not short:
        return ()
    return (f"With R-hat above {LARGEST_RHAT} or ESS below {LEAST_ESS}: {', '.join(short)}.",)
