"""The truth that planning assumes: settings of a simulation, or draws of a pilot's posterior."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from scipy.special import expit

from bayeseval._checks import nearest, numbers, shown, some
from bayeseval.errors import DesignError, ModelError
from bayeseval.inference import Posterior
from bayeseval.simulate import (
    simulate_likert,
    simulate_magnitude,
    simulate_pairwise,
    simulate_spa,
    simulate_strength,
)

SIMULATORS: Mapping[str, Callable[..., Any]] = {
    "likert": simulate_likert,
    "magnitude": simulate_magnitude,
    "pairwise": simulate_pairwise,
    "spa": simulate_spa,
    "strength": simulate_strength,
}
# What a design says, not the truth.
OF_DESIGN = ("n_annotators", "n_items", "n_repeats", "design", "share_judged")
_NOT_ASKED = (*OF_DESIGN, "n_systems", "identities", "random_seed")
# Of these protocols every setting of the simulation is in the posterior. Simulated magnitudes and
# strengths have shapes of their own (sharpness, category widths) that no draw gives.
_WITH_PILOT = ("likert", "pairwise", "spa")
_IN_POSTERIOR = {
    "extremity_sd": "log_extremity_sd",
    "precision_sd": "log_precision_sd",
    "consistency_sd": "log_consistency_sd",
}


@dataclass(frozen=True)
class Truth:
    """Assumed truth.

    Parameters
    ----------
    protocol
        Protocol of the study.
    systems
        Labels of systems, by which goals name them.
    settings
        Settings of the simulation that hold in every study.
    drawn
        Further settings, one a draw of the pilot's posterior; empty where the truth was stated.
    """

    protocol: str
    systems: tuple[str, ...]
    settings: Mapping[str, Any]
    drawn: tuple[Mapping[str, Any], ...] = ()

    def of(self, study: int) -> dict[str, Any]:
        """Return the settings of a simulated study, its number given."""
        further = self.drawn[study % len(self.drawn)] if self.drawn else {}
        return {**self.settings, **further}

    @property
    def words(self) -> str:
        """What was assumed, in words."""
        if self.drawn:
            return "the truth of each simulated study is a draw of the pilot's posterior"
        given = ", ".join(
            f"{name} {_shown(value)}" for name, value in self.settings.items() if name != "quality"
        )
        qualities = ", ".join(
            f"{name} {value:.3g}"
            for name, value in zip(self.systems, self.settings["quality"], strict=True)
        )
        return f"assumed truth: {self.protocol}, quality {qualities}" + (given and f"; {given}")


def assumed(base: object) -> Truth:
    """Return the truth that a user states, or that a pilot gives.

    Parameters
    ----------
    base
        A mapping with ``protocol``, ``quality`` and settings of the protocol's simulation, or a
        pilot's posterior.
    """
    if isinstance(base, Posterior):
        return _of_pilot(base)
    if not isinstance(base, Mapping):
        raise DesignError(
            "base= is the posterior of a pilot, or assumed truth such as {'protocol': 'likert', "
            f"'quality': {{'A': 0.3, 'B': 0.0}}, 'severity_sd': 0.5}}; found {shown(base)}"
        )
    settings = dict(base)
    protocol = settings.pop("protocol", None)
    if protocol not in SIMULATORS:
        meant = nearest(protocol, tuple(SIMULATORS))
        raise DesignError(
            f"base['protocol'] is one of {some(SIMULATORS)}; found {shown(protocol)}"
            + (f". Did you mean {meant!r}?" if meant else "")
        )
    quality = settings.pop("quality", None)
    systems: tuple[str, ...] = ()
    if isinstance(quality, Mapping):
        systems = tuple(map(str, quality))
        quality = tuple(quality.values())
    if quality is None or np.ndim(quality) != 1 or len(quality) < 2:
        raise DesignError(
            "base['quality'] is the true quality of two systems or more, such as {'A': 0.3, 'B': "
            f"0.0}}; found {shown(base.get('quality'))}"
        )
    values = numbers(quality, "base['quality']", DesignError)
    if not systems:
        systems = tuple(f"system {k}" for k in range(1, len(values) + 1))
    known = tuple(signature(SIMULATORS[protocol]).parameters)
    for name in settings:
        if name not in known or name in _NOT_ASKED:
            takes = tuple(each for each in known if each not in _NOT_ASKED)
            meant = nearest(name, takes)
            raise DesignError(
                f"base[{name!r}] is no assumption of simulate_{protocol}; "
                + ("the grid says it. " if name in OF_DESIGN else "")
                + f"It takes {some(takes, most=len(takes))}"
                + (f". Did you mean {meant!r}?" if meant else "")
            )
    return Truth(protocol, systems, {"quality": tuple(map(float, values)), **settings})


def _of_pilot(pilot: Posterior) -> Truth:
    """Take assumed truth from the draws of a pilot, so that what it does not know is counted."""
    protocol = pilot.protocol
    draws = pilot.posterior
    if protocol not in _WITH_PILOT or pilot.criteria is not None:
        raise ModelError(
            f"a pilot of {protocol!r} judgements"
            + (" with criteria" if pilot.criteria is not None else "")
            + " does not give every setting of a simulation; a pilot can be of "
            f"{some(_WITH_PILOT)}, with one criterion. State the assumed truth: "
            "base={'protocol': …, 'quality': {…}, …}"
        )
    dims = draws["quality"].dims[2:]
    if dims != ("system",):
        raise ModelError(f"a pilot's quality has the dimension system alone; found {some(dims)}")
    flat = draws.stack(sample=("chain", "draw")).transpose("sample", ...)
    n_draws = flat.sizes["sample"]
    columns: dict[str, np.ndarray] = {"quality": flat["quality"].values}
    for name in signature(SIMULATORS[protocol]).parameters:
        inside = _IN_POSTERIOR.get(name, name)
        if inside in flat and name not in columns and name not in _NOT_ASKED:
            columns[name] = flat[inside].values
        elif name.endswith("_sd") and name != "quality_sd":
            # An effect that the pilot's model leaves out is none.
            columns[name] = np.zeros(n_draws)
    fixed: dict[str, Any] = {}
    if protocol == "likert":
        fixed["n_categories"] = columns["population_thresholds"].shape[1] + 1
    elif protocol == "pairwise":
        link = getattr(pilot.family, "link", "logit")
        asked = getattr(pilot.family, "ties", "auto")
        davidson = link == "logit" and asked in ("auto", "davidson")
        fixed["link"] = link
        fixed["ties"] = (
            "none" if "tie_propensity" not in flat else "davidson" if davidson else "rao_kupper"
        )
    else:
        columns["precision"] = np.exp(flat["log_precision_mean"].values)
        columns.setdefault("end_probability", expit(-flat["kappa"].values))
    # Draws of a chain are alike: a simulated study takes the next one of an order by chance.
    order = np.random.default_rng(0).permutation(n_draws)
    drawn = tuple(
        {
            name: float(values[k]) if values.ndim == 1 else tuple(map(float, values[k]))
            for name, values in columns.items()
        }
        for k in order
    )
    return Truth(protocol, tuple(pilot.systems), fixed, drawn)


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
