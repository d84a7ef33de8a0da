"""What fit() is asked for: settings, families and names that it refuses, and its plan."""

import importlib.util
import logging
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayeseval as be
from bayeseval.errors import ModelError
from bayeseval.families import _FAMILIES, family_named
from bayeseval.inference import fitting
from bayeseval.judgements import Factor
from bayeseval.judgements._intake import CANONICAL, QUANTITIES
from bayeseval.simulate import SimulatedLikert
from tests.inference.short import QUICK, SHORT, frame, likert

pytestmark = pytest.mark.sampling


@SHORT
def test_plan_is_said_before_sampling(
    small_study: SimulatedLikert, caplog: pytest.LogCaptureFixture
) -> None:
    logging.getLogger("bayeseval").addHandler(caplog.handler)
    try:
        be.fit(small_study.judgements, random_seed=1, **QUICK)
    finally:
        logging.getLogger("bayeseval").removeHandler(caplog.handler)
    line = caplog.messages[0]
    assert line.startswith("Fitting OrdinalProbit to 144 judgements (144 distinct)")
    assert "without interaction (every output was judged once)" not in line
    for effect in ("quality", "severity", "difficulty"):
        assert effect in line


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"draws": 0}, "draws= is a whole number from 1"),
        ({"chains": 2.5}, "chains= is a whole number"),
        ({"target_accept": 1.0}, "target_accept= is from 0.5"),
        ({"random_seed": "one"}, "random_seed= is a whole number"),
        ({"random_seed": -1}, "from 0 to"),
        ({"nuts_sampler": "stan"}, "nuts_sampler= is one of"),
        ({"backend": "jax"}, "backend= is one of"),
    ],
)
def test_wrong_settings_are_refused(
    small_study: SimulatedLikert, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(be.ModelError, match=words):
        be.fit(small_study.judgements, **options)


def test_something_else_than_judgements_is_refused(small_study: SimulatedLikert) -> None:
    with pytest.raises(be.ModelError, match=r"LikertJudgements\.from_frame"):
        be.fit(frame(small_study))  # pyright: ignore[reportArgumentType]


@SHORT
def test_draws_that_may_not_fit_into_memory_are_told_of_before_sampling(
    small_study: SimulatedLikert, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    logger = logging.getLogger("bayeseval")
    monkeypatch.setattr(fitting, "_DRAWS_WORTH_A_WORD", 20_000)
    logger.addHandler(caplog.handler)
    try:
        be.fit(small_study.judgements, draws=100, tune=10, chains=1, random_seed=1)
    finally:
        logger.removeHandler(caplog.handler)
    (told,) = [record.message for record in caplog.records if "parameters take" in record.message]
    assert "The draws of 112 parameters take 0.0 GB" in told
    assert "draws=22 of each chain" in told


def test_a_class_or_a_name_instead_of_a_family_is_refused_with_the_remedy(
    small_study: SimulatedLikert,
) -> None:
    with pytest.raises(be.ModelError, match=r"pass OrdinalProbit\(\), an instance"):
        be.fit(small_study.judgements, be.OrdinalProbit)  # type: ignore[arg-type]
    with pytest.raises(be.ModelError, match=r"pass TrueSkill\(\), an instance"):
        be.fit(small_study.judgements, be.TrueSkill)  # type: ignore[arg-type]
    with pytest.raises(be.ModelError, match=r"found 'OrdinalProbit' \(str\)"):
        be.fit(small_study.judgements, "OrdinalProbit")  # type: ignore[arg-type]


STUDIES: dict[str, Any] = {
    "likert": lambda: be.simulate_likert(n_annotators=4, n_systems=4, n_items=3, random_seed=1),
    "magnitude": lambda: be.simulate_magnitude(
        n_annotators=4, n_systems=4, n_items=3, random_seed=1
    ),
    "spa": lambda: be.simulate_spa(n_annotators=4, n_systems=4, n_items=3, random_seed=1),
    "pairwise": lambda: be.simulate_pairwise(
        n_annotators=4, n_systems=4, n_items=3, ties="davidson", random_seed=1
    ),
    "strength": lambda: be.simulate_strength(n_annotators=4, n_systems=4, n_items=3, random_seed=1),
}
EVERYTHING: dict[str, Any] = {
    "BradleyTerry": be.BradleyTerry(annotators=("taste", "position", "consistency"), items=True),
    "OrdinalProbit": be.OrdinalProbit(discrimination=True),
    "Thurstone": be.Thurstone(ties="rao_kupper"),
    "TrueSkill": be.TrueSkill(shuffles=2, resamples=2, engine="compiled"),
}


def _names_in_posterior(family: Any, judgements: be.Judgements) -> set[str]:
    """Return what the posterior holds, from one draw that no data chose."""
    if getattr(family, "direct", False):
        draws = be.fit(judgements, family, draws=2, chains=1, random_seed=1).posterior
    else:
        declaration = family.declare(judgements)
        cells = family.cells(declaration, judgements)
        x = family.start(declaration, cells, np.random.default_rng(1))
        values = family.constrained(declaration, x[None, None])
        draws = family.posterior_dataset(declaration, values)
    return {str(name) for name in draws.variables} | {str(dim) for dim in draws.dims}


@pytest.mark.parametrize("name", [family.name for family in _FAMILIES])
def test_a_moderator_called_as_a_quantity_of_the_posterior_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    family = EVERYTHING.get(name) or family_named(name)()
    study = STUDIES[family.protocol]().judgements
    for stage in ("sample_density", "sample_pymc"):
        monkeypatch.setattr(fitting, stage, lambda *_: pytest.fail("it would have been sampled"))
    taken = _names_in_posterior(family, study)
    assert "quality" in taken
    for moderator in sorted(taken):
        level = Factor(moderator, ("1", "2"), np.arange(study.n_rows, dtype=np.int32) % 2)
        moderated = replace(
            study,
            factors=(*(f for f in study.factors if f.name != moderator), level),
            moderator_names=(moderator,),
        )
        if moderator in (*CANONICAL, *QUANTITIES) or moderator.removesuffix("_sd") in QUANTITIES:
            # Refused when the table is read.
            continue
        with pytest.raises(be.ModelError, match=f"a moderator is called '{moderator}'") as refused:
            be.fit(moderated, family, random_seed=1)
        assert f"moderators={{'my_{moderator}': '{moderator}'}}" in str(refused.value)


def test_plan_of_one_judgement_is_in_the_singular(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pd.DataFrame({"annotator": ["w"], "system": ["s"], "item": ["i"], "rating": [3]})

    class Stop(Exception):
        pass

    def stop(*_: object) -> None:
        raise Stop

    monkeypatch.setattr(fitting, "sample_density", stop)
    logging.getLogger("bayeseval").addHandler(caplog.handler)
    try:
        with pytest.raises(Stop):
            be.fit(likert(table), random_seed=1)
    finally:
        logging.getLogger("bayeseval").removeHandler(caplog.handler)
    assert "to 1 judgement (1 distinct)" in caplog.messages[0]


def test_numpyro_is_asked_for_by_name_and_refused_where_it_is_not(
    small_study: SimulatedLikert,
) -> None:
    with pytest.raises(ModelError, match="cannot both be"):
        be.fit(small_study.judgements, backend="numpyro", nuts_sampler="pymc", **QUICK)
    if importlib.util.find_spec("numpyro") is None:
        with pytest.raises(ModelError, match=r"numpyro, not installed here.*bayeseval\[jax\]"):
            be.fit(small_study.judgements, backend="numpyro", **QUICK)
