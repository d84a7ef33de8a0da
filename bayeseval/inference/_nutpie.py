"""The one place that uses what nutpie has and does not document.

Two things: a class for compiled models that takes C functions by address, so that no step of the
sampler calls Python (its public door costs some 50 µs a gradient more, docs/benchmarks/likert.md);
and two settings of trajectories. What the installed nutpie has is looked up once, before sampling;
what it lacks is replaced by its public door and by leapfrog steps, and logged.
"""

import inspect
import logging
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from bayeseval.families._callback import CallbackDensity, identity_callback
from bayeseval.families._declaration import FloatArray

_LOG = logging.getLogger("bayeseval")
_ARGUMENTS = {
    "dims",
    "compiled_logp_func",
    "compiled_expand_func",
    "initial_point_func",
    "shared_data",
    "shared_var_keys",
    "user_data",
    "n_expanded",
    "shape_info",
    "logp_func",
    "expand_func",
    "_n_dim",
    "_shapes",
    "_coords",
}


@cache
def takes_addresses() -> bool:
    """Say whether nutpie's class for compiled models can be given C functions."""
    try:
        from nutpie.compile_pymc import CompiledPyMCModel
    except ImportError:
        known: set[str] = set()
    else:
        known = set(inspect.signature(CompiledPyMCModel).parameters)
    if known >= _ARGUMENTS:
        return True
    _LOG.warning(
        "this nutpie takes no C functions (it lacks %s): densities are called through Python, "
        "which is slower; the posterior is the same",
        ", ".join(sorted(_ARGUMENTS - known)),
    )
    return False


@cache
def has_trajectories() -> bool:
    """Say whether nutpie has the two settings of trajectories that it does not document."""
    from nutpie import _lib  # pyright: ignore[reportAttributeAccessIssue]

    try:
        _lib.PyNutsSettings.Diag(0).update({"exact_normal_trajectory": True, "extra_doublings": 1})
    except (AttributeError, TypeError) as error:
        _LOG.warning(
            "this nutpie lacks a setting (%s): trajectories take leapfrog steps, which is slower; "
            "the posterior is the same",
            error,
        )
        return False
    return True


def sampler_name() -> str:
    """Return how nutpie is used, for ``posterior.settings``."""
    lacks = [] if takes_addresses() else ["called through Python"]
    lacks += [] if has_trajectories() else ["leapfrog steps only"]
    return ", ".join(["nutpie", *lacks])


def compiled_model(density: CallbackDensity, start: Callable[[int], FloatArray]) -> Any:
    """Hand a density to nutpie, by the address of its C function where nutpie takes that.

    Parameters
    ----------
    density
        The log density with gradient.
    start
        Returns a point to start from, given a seed.

    Returns
    -------
    object
        What ``nutpie.sample`` takes.
    """
    return (_by_address if takes_addresses() else _through_python)(density, start)


def _by_address(density: CallbackDensity, start: Callable[[int], FloatArray]) -> Any:
    from nutpie.compile_pymc import CompiledPyMCModel

    n = density.n_parameters
    return CompiledPyMCModel(
        dims=None,
        compiled_logp_func=density.callback,
        compiled_expand_func=identity_callback(),
        initial_point_func=start,
        shared_data={},
        shared_var_keys={},
        user_data=density.tables.addresses,
        n_expanded=n,
        shape_info=(["x"], [slice(0, n)], [(n,)]),
        logp_func=None,
        expand_func=None,
        _n_dim=n,
        _shapes={"x": (n,)},
        _coords={},
    )


def _through_python(density: CallbackDensity, start: Callable[[int], FloatArray]) -> Any:
    from nutpie.compiled_pyfunc import from_pyfunc

    n = density.n_parameters
    return from_pyfunc(
        n,
        lambda: density,
        lambda *_seeds: lambda x: {"x": x},
        [np.dtype("float64")],
        [(n,)],
        ["x"],
        make_initial_point_fn=start,
    )


def with_arrays(compiled: Any, arrays: Mapping[str, Any]) -> Any:
    """Give a compiled PyMC model other data: of these arrays those that the model reads."""
    read = {variable.name for variable in compiled.shared_var_keys}
    return compiled.with_data(**{name: arrays[name] for name in arrays if name in read})
