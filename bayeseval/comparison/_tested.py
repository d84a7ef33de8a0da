"""The frequentist test of every pair that a posterior is held against, by protocol."""

import pandas as pd

from bayeseval.errors import DesignError
from bayeseval.frequentist import (
    SPATest,
    bradley_terry_ml,
    rating_tests,
    spa_test,
    strength_test,
)
from bayeseval.frequentist.means import LOGARITHMS
from bayeseval.judgements import (
    Judgements,
    PairwiseJudgements,
    SPAJudgements,
    StrengthJudgements,
)


def from_test(
    judgements: Judgements, criterion: str | None, ci_prob: float, *, position: bool
) -> tuple[pd.DataFrame, float, list[str], SPATest | None]:
    """Return the test of every pair, the estimate at which sides are alike, problems, SPA's own."""
    if isinstance(judgements, SPAJudgements):
        stated = spa_test(judgements, directions="pooled", criterion=criterion, ci_prob=ci_prob)
        table = stated.table.rename(columns={"mean": "estimate"})
        return table.assign(test="one-sample t"), 0.5, [], stated
    if isinstance(judgements, StrengthJudgements):
        table = strength_test(judgements, criterion=criterion, ci_prob=ci_prob).table.rename(
            columns={"mean": "estimate"}
        )
        return table.assign(test="one-sample t"), 0.0, [], None
    if isinstance(judgements, PairwiseJudgements):
        table, problems = _bradley_terry(judgements, criterion, ci_prob, position=position)
        return table, 0.0, problems, None
    # Magnitudes by their logarithms, as the models take them, so that both columns have one scale.
    tested = rating_tests(judgements, criterion=criterion, ci_prob=ci_prob, mean="auto")
    slips = judgements.notes_on_slips()
    said = [note for note in tested.notes if note == LOGARITHMS or note in slips]
    return tested.table, 0.0, said, None


def _bradley_terry(
    judgements: PairwiseJudgements, criterion: str | None, ci_prob: float, *, position: bool
) -> tuple[pd.DataFrame, list[str]]:
    criteria = judgements.criteria if criterion is None else (criterion,)
    frames, problems = [], []
    for one in criteria or (None,):
        key = {} if judgements.criteria is None else {"criterion": one}
        try:
            # The test allows for an advantage of the first place where the posterior does.
            fitted = bradley_terry_ml(
                judgements, criterion=one, position_effect="auto" if position else False
            )
        except DesignError as problem:
            # The posterior exists where maximum likelihood does not: that is worth a row.
            problems.append(f"No test by maximum likelihood: {problem}")
            continue
        table = fitted.contrasts(ci_prob=ci_prob).table
        frames.append(table.assign(test="Bradley–Terry, Wald", **key))
    columns = ["system_a", "system_b", "estimate", "lower", "upper", "p", "test"]
    if judgements.criteria is not None:
        columns.insert(0, "criterion")
    empty = pd.DataFrame({name: pd.Series(dtype=object) for name in columns})
    return (pd.concat(frames)[columns] if frames else empty), problems


def both_ways(tested: pd.DataFrame, neutral: float) -> pd.DataFrame:
    """Return the tests of (A, B) and of (B, A), so that either order of a pair is found."""
    kept = ["criterion", "system_a", "system_b", "test", "estimate", "lower", "upper", "p"]
    forward = tested[[name for name in kept if name in tested]].copy()
    backward = forward.copy()
    backward[["system_a", "system_b"]] = forward[["system_b", "system_a"]].to_numpy()
    for name, source in (("estimate", "estimate"), ("lower", "upper"), ("upper", "lower")):
        backward[name] = 2 * neutral - forward[source].astype(float)
    names = {"estimate": "test_estimate", "lower": "test_lower", "upper": "test_upper"}
    both = pd.concat([forward, backward], ignore_index=True).rename(columns=names)
    numeric = ["test_estimate", "test_lower", "test_upper", "p"]
    return both.astype(dict.fromkeys(numeric, float))
