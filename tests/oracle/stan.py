"""The only place that calls a Stan compiler, so that another one can take pystan's place."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

Values = dict[str, Any]
pystan = import_module("stan")  # by name: this file is called like pystan's package


class Program:
    """A compiled program with its data; evaluated on the constrained scale, Jacobians off."""

    def __init__(self, program: Path, data: Values):
        self._model = pystan.build(program.read_text("utf-8"), data=data, random_seed=1)
        self._n_rows: int = data["n_rows"]

    def log_density(self, values: Values) -> float:
        """Return the log density at the values of the parameters."""
        return self._model.log_prob(self._model.unconstrain_pars(values), adjust_transform=False)

    def log_lik(self, values: Values) -> np.ndarray:
        """Return the pointwise log likelihood, the last vector that the program computes."""
        written = self._model.constrain_pars(self._model.unconstrain_pars(values))
        return np.array(written[-self._n_rows :])
