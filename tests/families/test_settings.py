"""Settings of families: what is no listed word, flag or number is refused; changed priors show."""

from dataclasses import fields
from typing import Any

import pytest

import bayeseval as be
from bayeseval.errors import ModelError

WITH_EFFECTS = (be.OrdinalProbit, be.LogMagnitude, be.OrderedBeta, be.PreferenceStrength)
FAMILIES = (*WITH_EFFECTS, be.BradleyTerry, be.Thurstone, be.TrueSkill, be.BayesianBootstrap)
WORDS: list[tuple[type[Any], str]] = [
    (be.OrdinalProbit, "thresholds"),
    (be.OrdinalProbit, "discrimination"),
    (be.OrdinalProbit, "criteria"),
    (be.LogMagnitude, "ties"),
    (be.LogMagnitude, "criteria"),
    (be.OrderedBeta, "structure"),
    (be.PreferenceStrength, "response"),
    (be.PreferenceStrength, "thresholds"),
    (be.BradleyTerry, "link"),
    (be.BradleyTerry, "ties"),
    (be.BradleyTerry, "position"),
    (be.BradleyTerry, "items"),
    (be.BradleyTerry, "annotators"),
    (be.Thurstone, "position"),
    (be.TrueSkill, "engine"),
    (be.BayesianBootstrap, "unit"),
]


@pytest.mark.parametrize(("family", "setting"), WORDS)
@pytest.mark.parametrize("value", ["no", "False", 3, None, ["no"], {}])
def test_what_is_no_listed_word_is_refused(family: type[Any], setting: str, value: object):
    with pytest.raises(ModelError, match=f"{setting}= is .*found"):
        family(**{setting: value})


def test_a_setting_for_every_word_is_in_the_list():
    asked = {(family.__name__, setting) for family, setting in WORDS}
    for family in FAMILIES:
        if family is be.Thurstone:
            continue  # has those of BradleyTerry
        words = {
            (family.__name__, setting.name)
            for setting in fields(family)
            if isinstance(setting.default, str | bool) and setting.name != "effects"
        }
        assert words <= asked


@pytest.mark.parametrize("family", WITH_EFFECTS)
def test_choices_of_effects_are_true_or_false(family: type[Any]):
    with pytest.raises(ModelError, match=r"effects={'taste': …} is True or False; found 'no'"):
        family(effects={"taste": "no"})
    with pytest.raises(ModelError, match=r"found False. Did you mean 'none'\?"):
        family(effects=False)
    with pytest.raises(ModelError, match=r"found 'nonne'. Did you mean 'none'\?"):
        family(effects="nonne")
    with pytest.raises(ModelError, match="such as"):
        family(effects=["taste"])
    assert family(effects={"taste": False}).effects == {"taste": False}


@pytest.mark.parametrize("family", FAMILIES)
def test_settings_that_are_not_there_are_answered_with_those_that_are(family: type[Any]):
    with pytest.raises(ModelError, match=f"{family.__name__} has no setting 'colour'; it has"):
        family(colour=1)
    with pytest.raises(ModelError, match="are named"):
        family("auto")


def test_the_nearest_name_is_offered():
    with pytest.raises(ModelError, match=r"Did you mean 'davidson'\?"):
        be.BradleyTerry(ties="davdison")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"Did you mean 'taste_sd_scale'\?"):
        be.BradleyTerry(taste_sd_scal=1)  # type: ignore[call-arg]
    with pytest.raises(ModelError, match="it has 'link', 'ties', 'position', 'annot"):
        be.BradleyTerry(effects={"taste": True})  # type: ignore[call-arg]
    with pytest.raises(ModelError, match=r"Did you mean 'taste'\?"):
        be.BradleyTerry(annotators="tast")  # type: ignore[arg-type]


@pytest.mark.parametrize("family", FAMILIES)
def test_numbers_that_are_none_are_refused(family: type[Any]):
    for setting in fields(family):
        name = setting.name
        if isinstance(setting.default, float):
            low = -1.0 if name != "log_tie_centre" else -float("inf")
            for value in ("1", True, float("nan"), float("inf"), low):
                with pytest.raises(ModelError, match=f"{name}= is"):
                    family(**{name: value})


CHANGED: list[tuple[Any, str, str]] = [
    (be.OrdinalProbit(quality_sd_scale=2), "quality_sd", "quality_sd_scale=1.0"),
    (be.OrdinalProbit(category_prior=1), "population_thresholds", "category_prior=None"),
    (be.BradleyTerry(position_effect_scale=3), "position_effect", "position_effect_scale=1.0"),
    (be.BradleyTerry(log_tie_centre=1), "log_tie_propensity", "log_tie_centre=0.0"),
    (be.Thurstone(tie_threshold_scale=2), "tie_propensity", "tie_threshold_scale=1.0"),
    (be.OrderedBeta(end_b=1), "end_probability", "end_b=9.0"),
    (be.OrderedBeta(structure="pairs", pair_mean_sd_scale=3), "pair_sd", "pair_mean_sd_scale"),
    (be.PreferenceStrength(width_centre=1), "log_width_1", "width_centre=0.5"),
    (be.TrueSkill(prior_sd=3), "quality", "prior_sd=2.0"),
]


@pytest.mark.parametrize(("family", "parameter", "default"), CHANGED)
def test_priors_that_are_not_the_default_are_marked(family: Any, parameter: str, default: str):
    text = family.describe()
    found = {prior.parameter: prior.default for prior in text.priors if prior.default}
    assert list(found) == [parameter] or all(name.startswith("log_width") for name in found)
    assert default in found[parameter]
    assert f"[not the default, {default}" in str(text)
    assert "not the default" not in str(type(family)().describe())
