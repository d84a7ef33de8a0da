"""The log probability of an answer, written once."""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportReturnType=false
# pyright: reportOperatorIssue=false

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytensor.tensor as pt
from pytensor.tensor.variable import TensorVariable

type Case = Callable[[Any], TensorVariable]
"""Takes all values that the formula names, as attributes, and returns the log probability."""


@dataclass(frozen=True, kw_only=True)
class Formula:
    """What the probability of an answer depends on, and how, by kind of answer.

    Parameters
    ----------
    name
        What the kernel is called.
    about
        What it is the log probability of.
    predictors, answer
        Names of the linear predictors, and of the answer's columns, in the response's order.
    scalars
        Names of the response's parameters that the formula reads.
    constants
        Names of fixed numbers.
    cases
        By the kinds in the answer's first column, one or two, the log probability of such an
        answer; with an empty key, of every answer.
    optional
        Which of the scalars a model may be without; they are 0 there.
    frame
        What computes the predictors, and the model's gradient from theirs: "predictor", or
        "cutpoint" where terms name thresholds too.
    """

    name: str
    about: str
    predictors: tuple[str, ...]
    answer: tuple[str, ...]
    scalars: tuple[str, ...]
    constants: tuple[str, ...] = ()
    cases: Mapping[tuple[float, ...], Case]
    optional: tuple[str, ...] = ()
    frame: str = "predictor"

    def log_probability(
        self,
        predictors: Sequence[TensorVariable],
        scalars: Mapping[str, TensorVariable],
        answer: Sequence[TensorVariable],
        constants: Mapping[str, float],
    ) -> TensorVariable:
        """Return the log probability of one judgement of every cell, in plain PyTensor.

        Parameters
        ----------
        predictors, answer
            Vectors over cells, in the formula's order.
        scalars
            The response's parameters by cell.
        constants
            The fixed numbers.
        """
        values: dict[str, Any] = dict.fromkeys(self.optional, 0.0)
        values |= dict(zip(self.predictors, predictors, strict=True))
        values |= dict(zip(self.answer, answer, strict=True))
        values |= {**scalars, **constants}
        v = SimpleNamespace(**values)
        *others, (_, last) = self.cases.items()
        found = last(v)
        for kinds, case in others:
            is_such = pt.eq(answer[0], kinds[0])
            for kind in kinds[1:]:
                is_such = is_such | pt.eq(answer[0], kind)
            found = pt.switch(is_such, case(v), found)
        return found
