"""What fit() is asked for: settings that are checked, and what it refuses before it starts."""

import os
from typing import Any, Literal

import numpy as np

from bayeseval._checks import is_number, need_extra, some
from bayeseval.errors import ModelError
from bayeseval.families._declaration import Declaration
from bayeseval.inference._course import SamplerSettings
from bayeseval.inference._sampling import NutsSampler
from bayeseval.judgements import Judgements

type Backend = Literal["auto", "compiled", "pymc", "numpyro"]
type Method = Literal["nuts", "laplace", "auto"]

_SAMPLERS = ("nutpie", "pymc", "numpyro", "blackjax")
_METHODS = ("nuts", "laplace", "auto")
_BACKENDS = ("auto", "compiled", "pymc", "numpyro")
_NAMES = (
    # Dimensions.
    *("annotator", "item", "criterion", "criterion_b", "system_b", "system_pair", "circle"),
    *("level", "direction", "category", "threshold"),
    # Variables that are neither an effect nor a parameter.
    *("quality", "thresholds", "population_thresholds", "discrimination", "discrimination_sd"),
    *("tie_propensity", "kappa", "departure", "stated", "preferred"),
)
"""What a posterior may hold besides effects and parameters, so that no moderator may be called so;
``tests/inference/test_fitting.py`` finds the names that are lacking here."""


def checked_program(method: Method, backend: Backend, nuts_sampler: NutsSampler) -> NutsSampler:
    """Return the program that samples, or refuse words that are not listed or not together."""
    if nuts_sampler not in _SAMPLERS:
        raise ModelError(f"nuts_sampler= is one of {some(_SAMPLERS)}; found {nuts_sampler!r}")
    if backend not in _BACKENDS:
        raise ModelError(f"backend= is one of {some(_BACKENDS)}; found {backend!r}")
    if method not in _METHODS:
        raise ModelError(f"method= is one of {some(_METHODS)}; found {method!r}")
    if backend == "numpyro":
        if nuts_sampler not in ("nutpie", "numpyro"):
            raise ModelError(f"backend='numpyro' and nuts_sampler={nuts_sampler!r} cannot both be")
        nuts_sampler = "numpyro"
    if nuts_sampler in ("numpyro", "blackjax"):
        _refuse_without_jax(nuts_sampler)
    return nuts_sampler


def _refuse_without_jax(sampler: str) -> None:
    need_extra(
        "jax",
        "jax",
        sampler,
        what=f"sampling by {sampler}",
        otherwise="leave backend and nuts_sampler as they are",
        error=ModelError,
    )


def refuse_no_family(family: object) -> None:
    if isinstance(family, type) and hasattr(family, "declare"):
        raise ModelError(
            f"fit() takes a family's instance, and {family.__name__} is its class: pass "
            f"{family.__name__}(), an instance"
        )
    if not hasattr(family, "declare"):
        raise ModelError(
            "fit() takes a family, such as BradleyTerry(), after the judgements; found "
            f"{family!r} ({type(family).__name__})"
        )


def refuse_taken_names(declaration: Declaration[Any], judgements: Judgements) -> None:
    """Refuse a moderator, which is a dimension of the posterior, with the name of a variable."""
    effects = [effect.name for effect in declaration.effects]
    # A family that draws by itself has no parameters of a sampler to list.
    parameters = getattr(declaration.response, "parameter_shapes", {})
    taken = {*_NAMES, *effects, *parameters}
    taken |= {f"{name}_{of}" for name in effects for of in ("sd", "mean", "correlation")}
    taken |= {f"quality_by_{name}" for name in judgements.moderators}
    for name in judgements.moderators:
        if name in taken:
            raise ModelError(
                f"a moderator is called {name!r}, which is the name of a quantity of "
                f"{declaration.family}'s posterior. Give it another name when reading: "
                f"moderators={{'my_{name}': {name!r}}}"
            )


def checked_settings(
    *,
    draws: int,
    tune: int | None,
    chains: int,
    cores: int | None,
    random_seed: int | None,
    target_accept: float | None,
    max_treedepth: int,
    progressbar: bool,
) -> SamplerSettings:
    numbers = {"draws": draws, "chains": chains, "max_treedepth": max_treedepth}
    numbers |= {} if tune is None else {"tune": tune}
    numbers |= {} if cores is None else {"cores": cores}
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise ModelError(f"{name}= is a whole number from 1; found {value!r}")
    if target_accept is not None and not (is_number(target_accept) and 0.5 <= target_accept < 1):
        raise ModelError(f"target_accept= is from 0.5 to below 1; found {target_accept!r}")
    if random_seed is None:
        random_seed = int(np.random.SeedSequence().generate_state(1)[0])
    elif isinstance(random_seed, bool) or not isinstance(random_seed, int | np.integer):
        raise ModelError(
            f"random_seed= is a whole number, so that a fit can be repeated; found {random_seed!r}"
        )
    elif not 0 <= random_seed < 2**32:
        raise ModelError(f"random_seed= is from 0 to 2**32 - 1; found {random_seed}")
    # Python 3.12 does not have the count that respects affinity.
    available = getattr(os, "process_cpu_count", os.cpu_count)()
    return SamplerSettings(
        draws=int(draws),
        tune=None if tune is None else int(tune),
        chains=int(chains),
        cores=int(min(chains, cores or available or 1)),
        random_seed=int(random_seed),
        target_accept=None if target_accept is None else float(target_accept),
        max_treedepth=int(max_treedepth),
        progressbar=progressbar,
    )
