"""Evaluate the package's PyMC model at stated values, on the constrained scale."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from pytensor.compile.maker import function
from pytensor.compile.mode import Mode

from bayeseval.families._builder import build_model
from bayeseval.families._declaration import Declaration, FloatArray
from bayeseval.families._layout import value_name


def compiled(inputs: Sequence[Any], outputs: Any) -> Callable[..., Any]:
    """Compile with no more rewrites than needed: each function is called a few dozen times."""
    mode = Mode(linker="py", optimizer="minimum_compile")
    return function(inputs, outputs, mode=mode, on_unused_input="ignore")


class Evaluator:
    """The PyMC model of a declaration; values come by the names of its free variables."""

    def __init__(self, declaration: Declaration[Any], cells: Any):
        self.declaration = declaration
        self.cells = cells
        self.model = build_model(declaration, cells)
        free = self.model.free_RVs
        self.names = [rv.name for rv in free]
        inputs = [rv.type() for rv in free]
        self._values = [self.model.rvs_to_values[rv] for rv in free]
        transforms = [self.model.rvs_to_transforms[rv] for rv in free]
        self._unconstrain = compiled(
            inputs,
            [
                x if transform is None else transform.forward(x, *rv.owner.inputs)
                for x, transform, rv in zip(inputs, transforms, free, strict=True)
            ],
        )

    @cached_property
    def _log_density(self) -> Callable[..., Any]:
        return compiled(self._values, self.model.logp(jacobian=False))

    @cached_property
    def _judged(self) -> Callable[..., Any]:
        (judged,) = self.model.replace_rvs_by_values([self.model["judgements"]])
        return compiled(self._values, judged)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the free variables where no effect is correlated between criteria."""
        shapes: dict[str, tuple[int, ...]] = {}
        for effect in self.declaration.effects:
            shapes[f"{effect.name}_sd"] = ()
            shapes[value_name(effect)] = effect.shape
        shapes |= self.declaration.response.parameter_shapes
        first = (self.declaration.n_criteria,) if self.declaration.has_criterion else ()
        return {name: (*first, *shape) for name, shape in shapes.items()}

    def unconstrained(self, named: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        """Return the values as the sampler sees them, by the names of the free variables."""
        values = self._unconstrain(*(named[name] for name in self.names))
        return dict(zip(self.names, values, strict=True))

    def log_density(self, named: Mapping[str, FloatArray]) -> float:
        """Return the log density of the free variables, without Jacobians."""
        return float(self._log_density(*self.unconstrained(named).values()))

    def log_likelihood(self, named: Mapping[str, FloatArray]) -> float:
        """Return the log likelihood of all judgements."""
        return float(np.sum(self._judged(*self.unconstrained(named).values())))

    def log_lik(self, named: Mapping[str, FloatArray]) -> FloatArray:
        """Return the log probability of one judgement of every row."""
        values = self.unconstrained(named).values()
        by_cell = np.empty(self.cells.n_cells)
        for cell in range(by_cell.size):
            self.model.set_data("cell_count", np.eye(1, by_cell.size, cell)[0])
            by_cell[cell] = np.sum(self._judged(*values))
        self.model.set_data("cell_count", self.cells.count)
        return by_cell[self.cells.row_cell]
