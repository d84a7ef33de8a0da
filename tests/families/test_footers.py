"""What a family adds below tables where its answers are few, or tie."""

import pandas as pd
import pytest

import bayeseval as be


def test_a_bootstrap_of_few_answers_is_no_approximation() -> None:
    frame = pd.DataFrame(
        [(f"w{k}", "a", "b", p) for k, p in enumerate((0.7, 0.2, 0.6))],
        columns=["who", "first", "second", "p"],
    )
    table = be.SPAJudgements.from_frame(
        frame, annotator="who", system_a="first", system_b="second", probability="p", bounds=(0, 1)
    )
    posterior = be.fit(table, be.BayesianBootstrap(), draws=200, progressbar=False)
    assert posterior.approximate is None
    for said in (repr(be.rank(posterior)), repr(be.compare(posterior))):
        text = " ".join(said.split())
        assert "Fewer than 8 annotators answered" in text
        assert "intervals are too narrow" in text
        assert "pproximate" not in text


@pytest.mark.parametrize("at_reference", [True, False])
def test_quality_of_magnitudes_says_what_ties_count_as(*, at_reference: bool) -> None:
    frame = be.simulate_magnitude(n_annotators=3, n_systems=2, n_items=2, random_seed=1)
    table = frame.judgements.to_frame()
    table["magnitude"] = [100.0 if at_reference else 101.0, *[90.0, 120.0] * 5, 130.0]
    judgements = be.MagnitudeJudgements.from_frame(
        table, annotator="annotator", item="item", system="system", magnitude="magnitude",
        reference="reference",
    )  # fmt: skip
    response = be.LogMagnitude().declare(judgements).response
    assert response.sides is at_reference
    assert ("exactly at the reference" in response.quality_note) is at_reference
