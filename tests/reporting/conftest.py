from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest

from bayeseval.judgements import LikertJudgements
from tests.fakes import FakePosterior, make_posterior

HOSTILE = (
    "<script>alert(1)</script>",
    "a|b_c&d % $x$ #1",
    "שלום עולם",
    "模型 三 🦙",
    '"quoted" <img src=x onerror=alert(2)> and \u202e turned',
    "very long " * 20,
)

type Study = tuple[FakePosterior, LikertJudgements]


def make_study(
    systems: Sequence[str] = ("alpha", "beta", "gamma"),
    *,
    n_annotators: int = 5,
    n_items: int = 3,
    criteria: tuple[str, ...] | None = None,
    by: tuple[str, tuple[str, ...]] | None = None,
    named: bool = True,
    n_categories: int = 5,
    seed: int = 0,
) -> Study:
    rng = np.random.default_rng(seed)
    rows = [
        {
            "annotator": f"<b>annotator</b> & {a + 1}",
            "system": system,
            "item": f"item {i + 1}",
            "rating": int(np.clip(np.round(rng.normal(3.0 - s / 2, 1)), 1, n_categories)),
            "criterion": criterion,
        }
        for a in range(n_annotators)
        for s, system in enumerate(systems)
        for i in range(n_items)
        for criterion in criteria or ("",)
    ]
    judgements = LikertJudgements.from_frame(
        pd.DataFrame(rows),
        annotator="annotator" if named else None,
        system="system",
        rating="rating",
        item="item",
        criterion="criterion" if criteria else None,
        scale=(1, n_categories),
    )
    posterior = make_posterior(
        np.linspace(0.6, -0.6, len(systems)),
        0.2,
        systems=judgements.systems,
        annotators=judgements.annotators,
        criteria=judgements.criteria,
        by=by,
        n_categories=n_categories,
        draws=100,
    ).but(fingerprint=judgements.fingerprint)
    return posterior, judgements


@pytest.fixture
def study() -> Study:
    return make_study()


@pytest.fixture
def hostile() -> Study:
    return make_study(HOSTILE)


@pytest.fixture
def make() -> Callable[..., Study]:
    return make_study
