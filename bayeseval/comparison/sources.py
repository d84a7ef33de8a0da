"""Where variation comes from: shares beside F ratios, repeats, decided pairs beside Tukey's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bayeseval._records import Record, Shown, printed
from bayeseval._slices import slices
from bayeseval._tables import Table
from bayeseval.comparison._contract import (
    PosteriorLike,
    components_of,
    problems_of,
    refuse_no_posterior,
)
from bayeseval.comparison._sources import (
    by_level,
    consistency,
    f_ratio,
    repeats,
    tukey_count,
)
from bayeseval.comparison.contrasts import compare
from bayeseval.comparison.variation import variance_shares
from bayeseval.errors import BayesEvalError, ModelError
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements
from bayeseval.ranking import alarm_sentences
from bayeseval.settings import IntervalKind, ci_words, resolve_ci

_SOURCES = ("system", "item", "system × item", "annotator", "system × annotator", "residual")
_TESTED = ("system", "item", "annotator")
_SHARE = ("share", "lower", "upper")
_ALIKE = ("n_repeats", "mean_difference", "correlation")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Variation(Record):
    """Shares of the variation beside F ratios, and what goes with them; see `variation`.

    Parameters
    ----------
    table, title, notes, shown
        As in `Record`; one row a source, columns as in `variation`.
    consistency : pandas.DataFrame
        One row a criterion: ``n_repeats``, ``n_annotators``, ``mean_difference``, ``correlation``,
        ``model``, ``model_lower``, ``model_upper``.
    by_annotator : pandas.DataFrame
        One row an annotator with repeats (and criterion): ``annotator``, ``n_repeats``,
        ``mean_difference``, ``correlation``; empty where there are none.
    decided : pandas.DataFrame
        One row a criterion: ``posterior`` and ``tukey``, how many pairs each decides, of
        ``n_pairs``.
    consistency_notes, decided_notes : tuple of str
        Notes of these two tables.
    alarms : tuple of str
        What nobody may miss: a failed convergence, or judgements that are not the fitted ones.
    """

    consistency: pd.DataFrame
    by_annotator: pd.DataFrame
    decided: pd.DataFrame
    consistency_notes: tuple[str, ...] = ()
    decided_notes: tuple[str, ...] = ()
    alarms: tuple[str, ...] = ()

    def tables(self) -> list[Table]:
        """Return the tables that are printed: sources, self-consistency, decided pairs.

        Returns
        -------
        list of Table
            Headings and formatted cells.
        """
        consistency = (
            Shown("n_repeats", "repeats", "count"),
            Shown("n_annotators", "annotators", "count"),
            Shown("mean_difference", "mean difference"),
            Shown("correlation", "correlation"),
            *(
                ()
                if self.consistency["model"].isna().all()
                else (
                    Shown("model", "model's"),
                    Shown(("model_lower", "model_upper"), "interval", "interval"),
                )
            ),
        )
        decided = (
            Shown("posterior", "posterior", "count"),
            Shown("tukey", "Tukey", "count"),
            Shown("n_pairs", "of", "count"),
        )
        return [
            Table(self.title, printed(self.table, self.shown), self.notes, self.alarms),
            Table(
                "Consistency of annotators with themselves",
                printed(self.consistency, consistency),
                self.consistency_notes,
            ),
            Table("Pairs decided", printed(self.decided, decided), self.decided_notes),
        ]


@takes_judgements
def variation(
    posterior: PosteriorLike,
    judgements: Judgements,
    *,
    ci_prob: float | None = None,
    ci_kind: IntervalKind | None = None,
) -> Variation:
    """Say where the variation of the answers comes from: by the posterior and by F ratios.

    What does not exist for these judgements or this family is left empty, and a note says why.

    Parameters
    ----------
    posterior : Posterior
        Posterior of any family. Shares exist where `variance_shares` has them.
    judgements : Judgements
        The judgements that it was fitted to.
    ci_prob, ci_kind : optional
        The intervals; by default those of the settings. Tukey's test has the level 1 − ci_prob.

    Returns
    -------
    Variation
        One row a source, with the columns ``criterion`` (only where there are criteria),
        ``source``; ``share``, ``lower``, ``upper`` (as in `variance_shares`); ``F``, ``df1``,
        ``df2``, ``p`` of a one-way analysis of variance over the systems, items or annotators.
        That is of the ratings; of logs of magnitudes' ratios to the reference; or of strengths,
        stated probabilities and outcomes. An answer about a pair counts for one system and against
        the other, so that a trial gives two answers about systems, as in Belz & Kow; for items and
        annotators it counts in favour of the system shown first.

        ``consistency`` is of questions that an annotator answered more than once (a pair in either
        order is one question): ``n_repeats`` answers repeat an earlier one; the mean absolute
        difference of two such answers; their intraclass correlation. ``model`` is what the
        posterior says of that correlation, for latent answers and with or without repeats: one less
        the share of the residual.

        ``decided`` are the pairs whose difference of qualities has an interval without 0, beside
        the pairs that Tukey's test tells apart.

    Raises
    ------
    BayesEvalError
        If the judgements are not those that the posterior was fitted to.

    References
    ----------
    Belz & Kow (2010), Comparing rating scales and preference judgements in language evaluation,
    INLG.
    """
    refuse_no_posterior(posterior, "variation")
    prob, kind = resolve_ci(ci_prob, ci_kind)
    if posterior.protocol != judgements.protocol or posterior.criteria != judgements.criteria:
        raise BayesEvalError(
            f"the posterior is of {posterior.protocol!r} judgements with criteria "
            f"{posterior.criteria}, these are {judgements.protocol!r} with {judgements.criteria}: "
            "pass the judgements that were fitted."
        )
    if posterior.fingerprint != judgements.fingerprint:
        raise BayesEvalError(
            f"the posterior is of other judgements (fingerprint {posterior.fingerprint}, these "
            f"have {judgements.fingerprint}): pass the judgements that were fitted, with the same "
            "columns, scale and filters."
        )
    shares, no_shares = _shares(posterior, prob, kind)
    contrasts = compare(posterior, quantity="quality", ci_prob=prob, ci_kind=kind).to_frame()
    keys = [] if judgements.criteria is None else ["criterion"]
    # Neither system is the first: over both ways round, answers about a pair have the mean 0.
    centre = 0.0 if judgements.is_paired else None
    sources: list[dict[str, object]] = []
    decided: list[dict[str, Any]] = []
    alike: list[dict[str, object]] = []
    people: list[dict[str, object]] = []
    for piece in slices(judgements):
        own = shares.get(piece.criterion, {})
        groups = {
            factor: by_level(judgements, piece, factor)
            for factor in _TESTED
            if factor == "system" or judgements.has(factor)
        }
        sources += [
            {
                **piece.key,
                "source": source,
                **own.get(source, dict.fromkeys(_SHARE, np.nan)),
                **f_ratio(groups.get(source, ())),
            }
            for source in _SOURCES
            if source in own or source in groups
        ]
        here = contrasts
        if piece.criterion is not None:
            here = contrasts[contrasts["criterion"] == piece.criterion]
        decided.append(
            {
                **piece.key,
                "posterior": _apart(here),
                "tukey": tukey_count(groups["system"], prob),
                "n_pairs": len(here),
            }
        )
        pairs = repeats(judgements, piece)
        by_annotator = pairs.groupby("annotator", sort=False)
        people += [
            {**piece.key, "annotator": label, **consistency(group, centre)}
            for label, group in by_annotator
        ]
        alike.append(
            {
                **piece.key,
                **consistency(pairs, centre),
                "n_annotators": by_annotator.ngroups,
                **_latent(own.get("residual")),
            }
        )
    table = pd.DataFrame(sources)
    return Variation(
        table=table,
        title="Where the variation comes from",
        notes=(
            f"No shares: {no_shares}."
            if no_shares
            else (
                "Share: of the variance of a latent answer, posterior mean and "
                f"{ci_words(prob, kind)} interval; terms not in the model are in the residual."
            ),
            *_notes_on_f(judgements, table),
        ),
        shown=(
            Shown("source", "source", "label"),
            *(
                ()
                if no_shares
                else (
                    Shown("share", "share"),
                    Shown(("lower", "upper"), "interval", "interval"),
                )
            ),
            Shown("F", "F", decimals=2),
            Shown("df1", "df", "count"),
            Shown("df2", "df resid.", "count"),
            Shown("p", "p", "p"),
        ),
        consistency=pd.DataFrame(alike),
        by_annotator=pd.DataFrame(people, columns=[*keys, "annotator", *_ALIKE]),
        decided=pd.DataFrame(decided),
        consistency_notes=_notes_on_repeats(judgements, alike, no_shares),
        decided_notes=(
            (
                f"Posterior: the {ci_words(prob, kind)} interval of the difference of qualities is "
                f"without 0, each pair by itself. Tukey: level {1 - prob:.10g} for all pairs "
                "together; it takes all answers as independent."
            ),
            *(
                ("–: answers do not vary within the systems, so that there is no such test.",)
                if np.isnan([row["tukey"] for row in decided]).any()
                else ()
            ),
        ),
        alarms=(
            *alarm_sentences(
                problems_of(posterior), posterior.approximate, components_of(posterior)
            ),
        ),
    )


def _shares(
    posterior: PosteriorLike, prob: float, kind: IntervalKind
) -> tuple[dict[str | None, dict[str, dict[str, float]]], str]:
    """Return share and interval by criterion and source; or none, and why there are none."""
    try:
        frame = variance_shares(posterior, ci_prob=prob, ci_kind=kind).table
    except ModelError as problem:
        return {}, str(problem)
    found: dict[str | None, dict[str, dict[str, float]]] = {}
    for row in frame.to_dict("records"):
        of = found.setdefault(row.get("criterion"), {})
        of[row["source"]] = {name: row[name] for name in _SHARE}
    return found, ""


def _apart(contrasts: pd.DataFrame) -> int:
    """Count the differences whose interval is without 0; between groups that never met, none."""
    apart = (contrasts["lower"] > 0) | (contrasts["upper"] < 0)
    if "linked" in contrasts:
        apart &= contrasts["linked"]
    return int(apart.sum())


def _latent(residual: Mapping[str, float] | None) -> dict[str, float]:
    """Return the correlation of two latent answers to one question by one annotator."""
    if residual is None:
        return dict.fromkeys(("model", "model_lower", "model_upper"), np.nan)
    return {
        "model": 1 - residual["share"],
        "model_lower": 1 - residual["upper"],
        "model_upper": 1 - residual["lower"],
    }


def _notes_on_f(judgements: Judgements, table: pd.DataFrame) -> tuple[str, ...]:
    notes = [f"F: one-way, of {judgements.meaning.answers}; it takes all answers as independent."]
    if judgements.is_paired:
        notes.append(
            "An answer counts for one system and against the other. Items and annotators cancel in "
            "a comparison: their F is of answers in favour of the system shown first."
        )
    censored = judgements.counts[np.isnan(judgements.in_favour())].sum()
    if censored:
        notes.append(f"Without {censored:,} censored answers, which have no logarithm.")
    untested = table.loc[table["F"].isna() & table["source"].isin(_TESTED), "source"]
    if len(untested):
        notes.append(
            f"No F of {' and '.join(dict.fromkeys(untested))}: there is one level, or answers do "
            "not vary within levels."
        )
    return tuple(notes)


def _notes_on_repeats(
    judgements: Judgements, found: Sequence[Mapping[str, object]], no_shares: str
) -> tuple[str, ...]:
    if not judgements.has("annotator"):
        notes = ["No repeats can be found: the table has no annotators."]
    elif not any(row["n_repeats"] for row in found):
        notes = ["No repeats: no annotator answered the same question twice."]
    else:
        notes = [
            (
                "Repeats: answers by an annotator who answered the same question before. Mean "
                f"absolute difference and intraclass correlation of two such answers, of "
                f"{judgements.meaning.answers}."
            )
        ]
        if judgements.is_paired:
            notes.append("A pair shown in either order is the same question.")
    if not no_shares:
        notes.append(
            "Model's: what the correlation of latent answers is by the posterior, one less the "
            "share of the residual."
        )
    return tuple(notes)
