"""Examples of the family, which draws by itself and has no density."""

from collections.abc import Callable
from typing import Any

from bayeseval.families import TrueSkill
from bayeseval.judgements import Judgements
from tests.families.answers import pairwise

EXAMPLES: dict[str, tuple[Any, Callable[[], Judgements]]] = {
    "TrueSkill": (TrueSkill(), pairwise),
    "TrueSkill, criteria": (TrueSkill(), lambda: pairwise(criteria=True)),
}
