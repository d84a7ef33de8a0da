"""HUSE: how well a classifier that knows model and people tells generated from human text."""

from bayeseval.huse._measures import TIE_RULES as TIE_RULES
from bayeseval.huse._measures import TieRule as TieRule
from bayeseval.huse.estimate import HUSE, huse
from bayeseval.huse.stability import HUSEStability, huse_stability
from bayeseval.huse.texts import HUSETexts, huse_texts

__all__ = [
    "HUSE",
    "HUSEStability",
    "HUSETexts",
    "huse",
    "huse_stability",
    "huse_texts",
]
