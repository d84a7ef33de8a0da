"""The package's models at the parameters of the Stan programs: what all families share.

How a user asks for the models of one family is in ``package_<family>.py``.

The sampler sees effects divided by a power of their standard deviation. With x = z * f the log
densities of x and z differ by log f for every free parameter; that is taken off here, so that the
programs, which are centred, and the package say the same.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from bayeseval.families._declaration import Effect, FloatArray
from bayeseval.families._layout import value_name
from bayeseval.families._predictors import PredictorFamily
from bayeseval.judgements import Judgements
from tests.oracle.evaluate import Evaluator

MODELS = Path(__file__).parents[2] / "models"

type Values = dict[str, Any]
type Named = dict[str, FloatArray]


def scalars(x: Named, named: Named) -> float:
    """Add the parameters of a response that have the programs' names; they need no change."""
    named |= {name: value for name, value in x.items() if name not in named}
    return 0.0


@dataclass(frozen=True, kw_only=True)
class Package:
    """How a user asks for the models of one family.

    ``ask(program, priors)`` returns the family with its own defaults where ``priors`` is empty.
    ``judgements(data)`` returns the rows of the data. ``response(x, named)`` adds to ``named`` the
    free variables that are no effects, from the programs' parameters ``x``, and returns the log
    of |d variables / d parameters|; by default they have the programs' names and values.
    """

    ask: Callable[[str, Values], Any]
    judgements: Callable[[Values], Judgements]
    response: Callable[[Named, Named], float] = field(default=scalars)


def package(family: str) -> Package:
    """Return how to ask for the family with this folder in models/."""
    return import_module(f"tests.oracle.package_{family}").PACKAGE


@dataclass(frozen=True)
class Reference:
    """What the program says: its data, prior settings and points."""

    path: Path
    data: Values
    settings: dict[str, Values]
    points: list[Values]

    @classmethod
    def read(cls, path: Path) -> "Reference":
        """Read the reference of a program."""
        reference = path.with_name(f"{path.stem.replace('model', 'reference', 1)}.json")
        content = json.loads(reference.read_text("utf-8"))
        data = json.loads(path.with_name(content["data"]).read_text("utf-8"))
        return cls(path, data, content["prior_settings"], content["points"])


class Production:
    """The package's model of a reference's data, evaluated at the programs' parameters."""

    def __init__(self, reference: Reference, setting: str, centring: float):
        self.package = package(reference.path.parent.name)
        priors = reference.settings[setting] if setting != "default" else {}
        family = self.package.ask(reference.path.stem, priors)
        judgements = self.package.judgements(reference.data)
        declared = family.declare(judgements)
        effects = tuple(
            effect if effect.correlated else replace(effect, centring=centring)
            for effect in declared.effects
        )
        self.declaration = replace(declared, effects=effects)
        self.cells = family.cells(self.declaration, judgements)
        self.model = Evaluator(self.declaration, self.cells)
        # A family may count different answers to one question in one cell; rows need them apart.
        self.by_row = self.model
        if isinstance(family, PredictorFamily):
            rows = PredictorFamily.cells(family, self.declaration, judgements)
            if rows.n_cells > self.cells.n_cells:
                self.by_row = Evaluator(self.declaration, rows)

    def log_density(self, point: Values) -> float:
        """Return the log density of the programs' parameters."""
        named, change = self.translate(point)
        return self.model.log_density(named) + change

    def log_lik(self, point: Values) -> FloatArray:
        """Return the log probability of one judgement of every row."""
        named, _ = self.translate(point)
        return self.by_row.log_lik(named)

    def translate(self, point: Values) -> tuple[Named, float]:
        """Return the package's variables at a point, and log |d variables / d parameters|."""
        x = {name: np.array(value, dtype=float) for name, value in point.items()}
        named: Named = {}
        change = 0.0
        for effect in self.declaration.effects:
            name = effect.name.removesuffix("_level")
            value, sd = x.pop(name), x.pop(f"{name}_sd")
            if effect.correlated:
                by_criterion = value if effect.zero_sum else value.T
                correlation = x.pop(f"{name}_correlation")
                change += standardise(named, effect, correlation, sd, by_criterion)
                continue
            named[f"{effect.name}_sd"] = sd
            factor = sd ** (1.0 - effect.centring)
            stretched = factor.reshape((*factor.shape, *([1] * (value.ndim - factor.ndim))))
            change += divide(named, value_name(effect), value, stretched, effect.free_size)
        return named, change + self.package.response(x, named)


def divide(named: Named, name: str, value: FloatArray, factor: FloatArray, n_free: int) -> float:
    """Add a value divided by a factor (one a criterion); return log |d it / d value|."""
    named[name] = value / factor
    return -n_free * float(np.log(factor).sum())


def standardise(
    named: Named, effect: Effect, correlation: FloatArray, sd: FloatArray, value: FloatArray
) -> float:
    """Add covariance factor and standardised effects; return log |d these / d parameters|.

    ``value`` has the criterion first.
    """
    own = np.linalg.cholesky(correlation)
    factor = sd[:, None] * own
    n = sd.size
    named[f"{effect.name}_factor"] = factor[np.tril_indices(n)]
    shape = (n, *effect.shape)
    named[value_name(effect)] = np.linalg.solve(factor, value).reshape(shape)
    change = -effect.free_size * np.log(np.diag(factor)).sum()
    # correlations -> their factor: element k of the diagonal scales the n - 1 - k below it
    change -= ((n - 1 - np.arange(n)) * np.log(np.diag(own))).sum()
    # sd and factor of the correlations -> factor of the covariance, row by row
    change += (np.arange(n) * np.log(sd) - np.log(np.diag(own))).sum()
    return float(change)
