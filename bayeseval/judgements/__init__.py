"""The data adapter: one validated, immutable table for each protocol."""

from bayeseval.judgements._factors import AuditEntry, Dropped, Factor
from bayeseval.judgements._meaning import Meaning
from bayeseval.judgements._table import Judgements
from bayeseval.judgements.convert import to_counts, to_pairwise
from bayeseval.judgements.filters import (
    filter_attention_checks,
    filter_first_submission,
    filter_incoherent,
    filter_where,
    filter_work_time,
    work_times,
)
from bayeseval.judgements.identify import Identification, identify
from bayeseval.judgements.identities import anonymise
from bayeseval.judgements.joint import split_systems
from bayeseval.judgements.likert import LikertJudgements, Scale
from bayeseval.judgements.magnitude import MagnitudeJudgements
from bayeseval.judgements.pairwise import PairwiseJudgements
from bayeseval.judgements.readers import FORMATS, join_annotators, mqm_scores, read
from bayeseval.judgements.spa import CanonicalPairs, SPAJudgements
from bayeseval.judgements.strength import StrengthJudgements
from bayeseval.judgements.summary import Summary

__all__ = [
    "FORMATS",
    "AuditEntry",
    "CanonicalPairs",
    "Dropped",
    "Factor",
    "Identification",
    "Judgements",
    "LikertJudgements",
    "MagnitudeJudgements",
    "Meaning",
    "PairwiseJudgements",
    "SPAJudgements",
    "Scale",
    "StrengthJudgements",
    "Summary",
    "anonymise",
    "filter_attention_checks",
    "filter_first_submission",
    "filter_incoherent",
    "filter_where",
    "filter_work_time",
    "identify",
    "join_annotators",
    "mqm_scores",
    "read",
    "split_systems",
    "to_counts",
    "to_pairwise",
    "work_times",
]
