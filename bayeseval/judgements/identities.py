"""Codes in place of annotators' identities."""

import hmac
from dataclasses import replace

import numpy as np

from bayeseval.errors import JudgementError
from bayeseval.judgements._argument import takes_judgements
from bayeseval.judgements._factors import Factor, frozen_array, natural_order
from bayeseval.judgements._table import Judgements


@takes_judgements
def anonymise[Table: Judgements](judgements: Table, *, key: str | None = None) -> Table:
    """Replace annotators' identities by codes, in everything that is made of the table.

    Do this first: filters, posteriors, reports and exports then know the codes only. Worker ids of
    crowd platforms lead to people's profiles and do not belong in a published result.

    Parameters
    ----------
    judgements : Judgements
        A table of any protocol; one without identities is returned as it is.
    key : str, optional
        A secret from which codes are computed, so that one person has one code in all tables that
        are made with it. Without it annotators are numbered in the order of their labels: stable
        for one table, and nothing can be computed back.

    Returns
    -------
    Judgements
        The table with the annotators ``"annotator 1"``, … or ``"annotator 3f9c20b1"``, …; the names
        of those whom filters removed before are replaced too. Attributes that repeat the identity
        are left out; look through the others (addresses, free text) yourself.

    Raises
    ------
    JudgementError
        ``key`` is empty, or two people got one code.
    """
    annotators = judgements.annotators
    if annotators is None:
        return judgements
    if key is not None and (not isinstance(key, str) or not key):
        raise JudgementError("key= must be a secret text that is not empty, or left away.")
    removed = {label for entry in judgements.audit for label in entry.annotators_removed}
    everyone = natural_order([*set(annotators) | removed])
    code_of = {
        label: f"annotator {number if key is None else _keyed(label, key)}"
        for number, label in enumerate(everyone, start=1)
    }
    if len(set(code_of.values())) < len(everyone):
        raise JudgementError("two annotators got one code; take another key=.")
    labels = natural_order([code_of[label] for label in annotators])
    position = {label: code for code, label in enumerate(labels)}
    recode = np.array([position[code_of[label]] for label in annotators], dtype=np.int32)
    who = judgements.codes("annotator")
    identity = np.array(annotators, dtype=object)[who]
    audit = tuple(
        replace(entry, annotators_removed=tuple(code_of[name] for name in entry.annotators_removed))
        for entry in judgements.audit
    )
    return replace(
        judgements,
        factors=tuple(
            Factor(f.name, tuple(labels), frozen_array(recode[who])) if f.name == "annotator" else f
            for f in judgements.factors
        ),
        audit=audit,
        attributes={
            name: values
            for name, values in judgements.attributes.items()
            if not (values.astype(str) == identity).any()
        },
    )


def _keyed(label: str, key: str) -> str:
    return hmac.new(key.encode(), label.encode(), "sha256").hexdigest()[:8]
