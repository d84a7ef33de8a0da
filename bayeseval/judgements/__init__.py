"""The data adapter: one validated, immutable table for each protocol."""

from bayeseval.judgements._table import AuditEntry, Dropped, Factor, Judgements
from bayeseval.judgements.identify import Identification, identify
from bayeseval.judgements.likert import LikertJudgements, Scale
from bayeseval.judgements.summary import Summary

__all__ = [
    "AuditEntry",
    "Dropped",
    "Factor",
    "Identification",
    "Judgements",
    "LikertJudgements",
    "Scale",
    "Summary",
    "identify",
]
