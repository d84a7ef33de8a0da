"""What a user expects of pairs of systems, and whether verdicts recover it."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bayeseval._checks import listed, some
from bayeseval.errors import BayesEvalError

if TYPE_CHECKING:
    import pandas as pd

type Expectation = tuple[str, Literal[">", "<", "~"], str]


def checked_expectations(
    expected: Sequence[Expectation], systems: Sequence[str], rope: tuple[float, float] | None
) -> list[Expectation]:
    """Return the expectations, or say which of them cannot be judged."""
    wanted = list(listed(expected, "expected", example="[('davinci', '>', 'curie')]"))
    for one in wanted:
        if not isinstance(one, tuple | list) or len(one) != 3 or one[1] not in (">", "<", "~"):
            raise BayesEvalError(
                "each of expected must be (A, sign, B) with the sign '>', '<' or '~', such as "
                f"('davinci', '>', 'curie'); got {one!r}"
            )
        for label in (one[0], one[2]):
            if label not in systems:
                raise BayesEvalError(
                    f"expected names {label!r}, which is none of the systems {some(systems)}"
                )
    if rope is None and any(sign == "~" for _, sign, _ in wanted):
        raise BayesEvalError(
            "'~' is expected of a pair: say with rope= what counts as equivalent, such as "
            "(0.45, 0.55) for a win probability."
        )
    return wanted


def expected_pairs(
    expected: Sequence[Expectation], systems: Sequence[str]
) -> list[tuple[str, str]]:
    """Return the pairs of which something is expected, or all where nothing is."""
    pairs = list(dict.fromkeys((a, b) for a, _, b in expected))
    return pairs or list(combinations(systems, 2))


def posterior_columns(contrasts: "pd.DataFrame", verdict_prob: float) -> "pd.DataFrame":
    """Return the columns of a comparison under the posterior's names, with a verdict."""
    table = contrasts.rename(
        columns={
            "estimate": "posterior_estimate",
            "lower": "posterior_lower",
            "upper": "posterior_upper",
            "p_a_better": "p_better",
            "verdict": "posterior_verdict",
        }
    )
    if "posterior_verdict" not in table:
        table["posterior_verdict"] = np.select(
            [
                table["p_better"].isna(),
                table["p_better"] >= verdict_prob,
                table["p_better"] <= 1 - verdict_prob,
            ],
            ["not known", "A better", "B better"],
            default="undecided",
        )
    kept = ["criterion", "system_a", "system_b", "posterior_estimate", "posterior_lower"]
    kept += ["posterior_upper", "p_better", "p_in_rope", "posterior_verdict"]
    return table[[name for name in kept if name in table]]


def recovered(
    row: Mapping[Any, Any], expectation: Expectation, verdict: str, alike: str
) -> bool | None:
    """Tell whether the verdict of a row is what is expected; None where it is of another pair.

    Parameters
    ----------
    row
        A row with ``system_a``, ``system_b`` and verdicts "A better", "B better" and others.
    expectation
        What is expected.
    verdict
        Column of the verdict.
    alike
        The verdict that recovers "~".
    """
    a, sign, b = expectation
    pair = (row["system_a"], row["system_b"])
    if pair == (a, b):
        better = {">": "A better", "<": "B better"}.get(sign)
    elif pair == (b, a):
        better = {"<": "A better", ">": "B better"}.get(sign)
    else:
        return None
    return bool(row[verdict] == (better or alike))
