"""The five protocols by their names: the one list, for whoever has a name and needs the class."""

from bayeseval.judgements._table import Judgements
from bayeseval.judgements.likert import LikertJudgements
from bayeseval.judgements.magnitude import MagnitudeJudgements
from bayeseval.judgements.pairwise import PairwiseJudgements
from bayeseval.judgements.spa import SPAJudgements
from bayeseval.judgements.strength import StrengthJudgements

PROTOCOLS: dict[str, type[Judgements]] = {
    cls.protocol: cls
    for cls in (
        LikertJudgements,
        MagnitudeJudgements,
        SPAJudgements,
        PairwiseJudgements,
        StrengthJudgements,
    )
}
PAIRED = tuple(name for name, cls in PROTOCOLS.items() if len(cls.system_factors) == 2)
"""Protocols in which one judgement is about two systems."""
