"""The ordinal density for samplers that run on JAX; importing this module registers it."""

# JAX is not installed where the types are checked; PyTensor describes its registry as NoReturn.
# pyright: reportMissingImports=false, reportArgumentType=false

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.scipy.special import log_ndtr
from pytensor.link.jax.dispatch import jax_funcify

from bayeseval.families._ordinal_kernel import OPEN_END
from bayeseval.families._ordinal_op import OrdinalLogDensity


def _log_density(
    effects: Any,
    thresholds: Any,
    log_discrimination: Any,
    index: Any,
    sign: Any,
    answer: Any,
    response_row: Any,
    noise_row: Any,
    count: Any,
) -> Any:
    """Return the log density of the cells, as :func:`_ordinal_kernel.ordinal_log_density` does."""
    location = (sign[:, None] * effects[index]).sum(axis=0)
    ends = jnp.pad(thresholds, ((0, 0), (1, 1)), constant_values=((0, 0), (-OPEN_END, OPEN_END)))
    noise = jnp.exp(log_discrimination)[noise_row]
    lower = jnp.maximum(noise * (ends[response_row, answer] - location), -OPEN_END)
    upper = jnp.minimum(noise * (ends[response_row, answer + 1] - location), OPEN_END)
    # Seen from the side where both ends are in the lower tail, the difference keeps its digits.
    mirrored = lower + upper > 0.0
    low, high = jnp.where(mirrored, -upper, lower), jnp.where(mirrored, -lower, upper)
    log_high = log_ndtr(high)
    return (count * (log_high + jnp.log1p(-jnp.exp(log_ndtr(low) - log_high)))).sum()


@jax_funcify.register(OrdinalLogDensity)
def _ordinal_log_density_jax(_op: OrdinalLogDensity, **_kwargs: object) -> Callable[..., Any]:
    def evaluate(*inputs: Any) -> tuple[Any, ...]:
        value, bars = jax.value_and_grad(_log_density, argnums=(0, 1, 2))(*inputs)
        return (value, *bars)

    return evaluate
