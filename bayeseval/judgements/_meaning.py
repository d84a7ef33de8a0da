"""What the answers of a protocol mean, for everything that treats the five protocols alike."""

from dataclasses import dataclass
from typing import Literal

type Level = Literal["nominal", "ordinal", "interval", "ratio"]


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """What a protocol's answers mean.

    Parameters
    ----------
    asked : str
        What annotators did, in a sentence.
    answers : str
        What `Judgements.in_favour` returns, in words that go into a sentence.
    new_judgement : str
        What happens in the one new judgement that a win probability is about.
    level : {"nominal", "ordinal", "interval", "ratio"}
        Level of measurement (Stevens 1946), from which agreement takes its distances.
    quantity : str
        What a posterior has on the scale of the classical test, where its family has it.
    centre : float
        The answer about two systems that favours neither.
    """

    asked: str
    answers: str
    new_judgement: str
    level: Level
    quantity: str
    centre: float = 0.0
