"""Special functions for formulas: plain PyTensor in a model, one node in a formula made a kernel.

In a model each is an expression that every back end of PyTensor knows. Where a kernel is made, it
is a node that knows its slopes, for which the kernel calls a compiled function. Tests hold both to
50 digits.
"""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false, reportReturnType=false
# pyright: reportIndexIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

from bayeseval.families._pytensor import Apply, Op, Variable

_LEAST = 1e-300
_MAKES_KERNEL: ContextVar[bool] = ContextVar("makes_kernel", default=False)


class Special(Op):
    """A special function with its slopes, as a node of a formula that becomes a kernel.

    Parameters
    ----------
    plain
        The function in plain PyTensor.
    module
        Where its compiled forms are, below ``bayeseval.families``.
    block
        Name of the form for blocks: it takes arrays of the arguments, of value and slopes, working
        space, and how many.
    work
        Rows of working space that it needs.
    single
        Name of the form for one number, which returns value and slopes; without a form for blocks
        it is for what all rows share alone.
    table
        Name of what makes, of the last argument alone, a table that the form for blocks takes in
        its place; the argument must not differ between rows.
    inline
        Name of the form among those of ``numeric``, for a function that is put in place; it has no
        others.
    slope
        Its derivative, as a formula.
    """

    __props__ = ("block", "single", "inline")

    def __init__(
        self,
        plain: Callable[..., TensorVariable],
        *,
        module: str = "",
        block: str = "",
        work: int = 0,
        single: str | None = None,
        table: str | None = None,
        inline: str = "",
        slope: Callable[..., Any] | None = None,
    ) -> None:
        self.plain, self.module, self.block, self.work = plain, module, block, work
        self.single, self.table, self.inline, self.slope = single, table, inline, slope

    def __call__(self, *inputs: Any, **keywords: Any) -> Any:
        """Return the node's value where a kernel is made, and the plain expression elsewhere."""
        if _MAKES_KERNEL.get():
            return super().__call__(*inputs, return_list=True, **keywords)[0]
        return self.plain(*inputs)

    def make_node(self, *inputs: Any) -> Apply:
        """Describe value and slopes."""
        arguments = [pt.as_tensor_variable(value) for value in inputs]
        n_slopes = 0 if self.inline else len(arguments)
        return Apply(self, arguments, [pt.dscalar() for _ in range(1 + n_slopes)])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Refuse: kernels are printed and models evaluate the plain expression."""
        raise NotImplementedError("a special function is evaluated by the kernel it is printed in")

    def pullback(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        cotangents: Sequence[Variable],
    ) -> list[Variable]:
        """Scale the slopes that the node computes itself."""
        if self.slope is not None:
            return [cotangents[0] * self.slope(*inputs)]
        return [cotangents[0] * slope for slope in outputs[1:]]


@contextmanager
def kernel_nodes() -> Iterator[None]:
    """Let special functions be nodes."""
    token = _MAKES_KERNEL.set(True)
    try:
        yield
    finally:
        _MAKES_KERNEL.reset(token)


sigmoid = Special(pt.sigmoid, inline="sigmoid", slope=lambda x: sigmoid(x) * sigmoid(-x))
"""1 / (1 + exp(-x)), whose slope keeps its digits in both tails."""

sign = Special(lambda x: pt.switch(pt.gt(x, 0.0), 1.0, -1.0), inline="sign", slope=pt.zeros_like)
"""1 for a positive number, and -1 for another: a side, of rows that are on none too."""

softplus = Special(pt.softplus, inline="softplus", slope=sigmoid)
"""log(1 + exp(x))."""


def _log_normal_cdf(x: TensorVariable) -> TensorVariable:
    """Return log Φ. PyMC's own has constants in single precision, an error of about 1e-8."""
    root = np.sqrt(2.0)  # as a NumPy double: PyTensor would round the root of a Python number
    below, above = pt.minimum(x, -1.0), pt.maximum(x, -1.0)
    tail = pt.log(0.5 * pt.erfcx(-below / root)) - 0.5 * below**2
    return pt.switch(pt.lt(x, -1.0), tail, pt.log1p(-0.5 * pt.erfc(above / root)))


def _log_normal_band(u: TensorVariable, band: TensorVariable) -> TensorVariable:
    # The nearer tail is the larger one; the difference of both tails keeps its digits.
    near, far = _log_normal_cdf(band - pt.abs(u)), _log_normal_cdf(-band - pt.abs(u))
    return near + pt.log1mexp(far - near)


def _log_normal_interval(lower: TensorVariable, upper: TensorVariable) -> TensorVariable:
    # Near one the distribution function has lost the digits that tell the ends apart, so an
    # interval above 0 is taken from its mirror image.
    above = lower + upper > 0.0
    larger = _log_normal_cdf(pt.switch(above, -lower, upper))
    return larger + pt.log1mexp(_log_normal_cdf(pt.switch(above, -upper, lower)) - larger)


def _student_constant(df: TensorVariable) -> TensorVariable:
    return pt.gammaln(0.5 * df + 0.5) - pt.gammaln(0.5 * df) - 0.5 * pt.log(np.pi * df)


def _student_log_cdf(z: TensorVariable, df: TensorVariable) -> TensorVariable:
    tail = 0.5 * pt.betainc(df / 2.0, 0.5, df / (df + z**2))
    return pt.switch(z <= 0.0, pt.log(tail), pt.log1p(-tail))


log_gamma = Special(
    # Further down a parameter is no number any more; there the density stays as it is.
    lambda x: pt.gammaln(pt.maximum(x, _LEAST)),
    module="_gamma_kernel",
    block="log_gammas",
    work=2,
    single="log_gamma",
)
"""The log of the gamma function of a positive number."""

student_constant = Special(_student_constant, module="_student_kernel", single="student_constant")
"""The log of the normalising constant of Student's t, for degrees of freedom that rows share."""

student_log_cdf = Special(
    _student_log_cdf,
    module="_student_kernel",
    block="student_log_cdfs",
    work=4,
    table="student_table",
)
"""The log of Student's distribution function at z, with degrees of freedom that rows share."""

log_normal_cdf = Special(_log_normal_cdf, module="_normal_kernel", block="log_normal_cdfs", work=2)
"""log Φ."""

log_normal_band = Special(
    _log_normal_band, module="_normal_kernel", block="log_normal_bands", work=6
)
"""The log of Φ(band - u) - Φ(-band - u), band above zero."""

log_normal_interval = Special(
    _log_normal_interval, module="_ordinal_kernel", block="interval_terms", work=4
)
"""log(Φ(upper) - Φ(lower)), lower below upper."""


def student_log_density(
    deviation: TensorVariable, variance: TensorVariable, df: TensorVariable
) -> TensorVariable:
    """Return the log density of Student's t with this squared spread, that far from its centre."""
    log_term = pt.log1p(deviation**2 / variance / df)
    return student_constant(df) - 0.5 * ((df + 1.0) * log_term + pt.log(variance))
