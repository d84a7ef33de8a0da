"""The ordinal density as one PyTensor operation: value and gradient in the same pass."""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false
# pyright: reportOperatorIssue=false, reportIndexIssue=false, reportReturnType=false

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import grad_undefined
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.op import Op
from pytensor.link.numba.dispatch.basic import (
    numba_njit,
    register_funcify_default_op_cache_key,
)
from pytensor.tensor.variable import TensorVariable

from bayeseval.families._ordinal_kernel import ordinal_log_density

_KERNEL_VERSION = 3


class OrdinalLogDensity(Op):
    """Log density of collapsed ordinal cells, with the gradients as further outputs.

    Inputs are those of :func:`~bayeseval.families._ordinal_kernel.ordinal_log_density` without
    the gradient arrays; outputs are the log density and its gradient by effects, thresholds and
    log discrimination. Asking for the gradient reuses the outputs of the same node, so a value
    with its gradient costs one pass.
    """

    __props__ = ()

    def make_node(self, *inputs: Any) -> Apply:
        """Check the inputs' dimensions and describe the four outputs."""
        dtypes = ("float64",) * 3 + ("int32", "float64") + ("int32",) * 3 + ("float64",)
        dimensions = (1, 2, 1, 2, 1, 1, 1, 1, 1)
        tensors = [
            pt.as_tensor_variable(value).astype(dtype)
            for value, dtype in zip(inputs, dtypes, strict=True)
        ]
        if tuple(tensor.ndim for tensor in tensors) != dimensions:
            raise TypeError(f"inputs need {dimensions} dimensions, found {tensors}")
        return Apply(self, tensors, [pt.dscalar(), *(tensor.type() for tensor in tensors[:3])])

    def perform(
        self,
        node: Apply,  # noqa: ARG002
        inputs: Sequence[np.ndarray],
        output_storage: list[list[Any]],
    ) -> None:
        """Evaluate with the compiled kernel, for PyTensor's other back ends."""
        bars = [np.zeros_like(value) for value in inputs[:3]]
        arrays = [np.ascontiguousarray(value) for value in inputs]
        value = np.asarray(ordinal_log_density(*arrays, *bars))
        for storage, result in zip(output_storage, (value, *bars), strict=True):
            storage[0] = result

    def infer_shape(
        self,
        node: Apply,  # noqa: ARG002
        input_shapes: list[tuple[Variable, ...]],
    ) -> list[tuple[Variable, ...]]:
        """Gradients have the shapes of what they are taken by."""
        return [(), *input_shapes[:3]]

    def pullback(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        cotangents: Sequence[Variable],
    ) -> list[Variable]:
        """Scale the gradients that the node computed by the cotangent of its value."""
        bars: list[Variable] = [bar * cotangents[0] for bar in outputs[1:]]
        data = [
            grad_undefined(self, position, value, "cells are data")
            for position, value in enumerate(inputs[3:], start=3)
        ]
        return bars + data


@register_funcify_default_op_cache_key(OrdinalLogDensity)
def _ordinal_log_density_numba(
    _op: OrdinalLogDensity,
    **_kwargs: object,
) -> tuple[Callable[..., object], int]:
    @numba_njit
    def evaluate(
        effects: Any,
        thresholds: Any,
        log_discrimination: Any,
        index: Any,
        sign: Any,
        answer: Any,
        response_row: Any,
        noise_row: Any,
        count: Any,
    ):
        effects_bar = np.zeros_like(effects)
        thresholds_bar = np.zeros_like(thresholds)
        log_discrimination_bar = np.zeros_like(log_discrimination)
        value = ordinal_log_density(
            effects,
            thresholds,
            log_discrimination,
            index,
            sign,
            answer,
            response_row,
            noise_row,
            count,
            effects_bar,
            thresholds_bar,
            log_discrimination_bar,
        )
        return np.asarray(value), effects_bar, thresholds_bar, log_discrimination_bar

    return evaluate, _KERNEL_VERSION


_ordinal_log_density = OrdinalLogDensity()


def ordinal_potential(*inputs: Any) -> TensorVariable:
    """Return the log density of the cells; see :class:`OrdinalLogDensity`."""
    return _ordinal_log_density(*inputs)[0]
