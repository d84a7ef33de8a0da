"""Examples of the family, which draws by itself and has no density."""

from collections.abc import Callable
from typing import Any

from bayeseval.families import BayesianBootstrap
from bayeseval.judgements import Judgements
from tests.families.answers import stated

EXAMPLES: dict[str, tuple[Any, Callable[[], Judgements]]] = {
    "Bayesian bootstrap": (BayesianBootstrap(), stated),
    "Bayesian bootstrap, criteria": (BayesianBootstrap(), lambda: stated(criteria=True)),
}
