"""Families: how the answers of a protocol are modelled."""

from typing import Any

from bayeseval._checks import some
from bayeseval.errors import ModelError
from bayeseval.families._family import Estimand, Family, ModelText, PriorText
from bayeseval.families.bayesian_bootstrap import BayesianBootstrap
from bayeseval.families.bradley_terry import BradleyTerry, Thurstone
from bayeseval.families.log_magnitude import LogMagnitude
from bayeseval.families.ordered_beta import OrderedBeta
from bayeseval.families.ordinal_probit import OrdinalProbit
from bayeseval.families.preference_strength import PreferenceStrength
from bayeseval.families.trueskill import TrueSkill

_FAMILIES: tuple[Any, ...] = (
    BayesianBootstrap,
    BradleyTerry,
    LogMagnitude,
    OrderedBeta,
    OrdinalProbit,
    PreferenceStrength,
    Thurstone,
    TrueSkill,
)
_DEFAULTS: dict[str, Any] = {
    "likert": OrdinalProbit,
    "magnitude": LogMagnitude,
    "pairwise": BradleyTerry,
    "spa": OrderedBeta,
    "strength": PreferenceStrength,
}

__all__ = [
    "BayesianBootstrap",
    "BradleyTerry",
    "Estimand",
    "Family",
    "LogMagnitude",
    "ModelText",
    "OrderedBeta",
    "OrdinalProbit",
    "PreferenceStrength",
    "PriorText",
    "Thurstone",
    "TrueSkill",
]


def default_family(protocol: str) -> Family:
    """Return the default family of a protocol."""
    if protocol not in _DEFAULTS:
        raise ModelError(
            f"no family models {protocol!r} judgements yet; families exist for {some(_DEFAULTS)}"
        )
    return _DEFAULTS[protocol]()


def family_named(name: str) -> Any:
    """Return the family's class by its name."""
    for family in _FAMILIES:
        if family.name == name:
            return family
    raise ModelError(
        f"there is no family {name!r}; there are {some(family.name for family in _FAMILIES)}"
    )
