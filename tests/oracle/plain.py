"""The models of the cards once more, slowly and in 50 digits: what all families share.

The arbiter between program and production code where doubles run out of digits, and the
source of the prior draws that reference.json evaluates. Each family's programs, written from its
card, are in ``plain_<family>.py``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import mpmath
import numpy as np

Values = dict[str, Any]

mp: Any = mpmath.mp  # its functions are made at run time, unknown to a type checker
mpf: Any = mp.mpf
mp.dps = 50


@dataclass(frozen=True)
class Parameter:
    """A parameter of a program: its shape in sizes of the data, and its prior."""

    shape: tuple[str, ...]
    kind: str
    prior: str  # the scale in the data, or the sd among the parameters
    correlation: str | None = None
    other: str | None = None  # in the data: mean of a normal, b of a beta, rate of a gamma


class Kind(ABC):
    """A prior that only one family has."""

    @abstractmethod
    def draw(
        self, parameter: Parameter, data: Values, scale: Any, size: tuple[int, ...], rng: Any
    ) -> np.ndarray:
        """Draw from the prior."""

    @abstractmethod
    def log_density(self, parameter: Parameter, data: Values, scale: Any, x: Any) -> Any:
        """Return the log prior density at exact values."""

    def rounded(self, value: np.ndarray) -> np.ndarray:
        """Return the value in four decimals."""
        return np.round(value, 4)


class LogCentre(Kind):
    """A normal log whose mean is the log of a centre, as several families have."""

    def draw(
        self, parameter: Parameter, data: Values, scale: Any, size: tuple[int, ...], rng: Any
    ) -> np.ndarray:
        return rng.normal(np.log(data[str(parameter.other)]), scale, size=size)

    def log_density(self, parameter: Parameter, data: Values, scale: Any, x: Any) -> Any:
        centre = mp.log(mpf(data[str(parameter.other)]))
        return sum(log_normal(v - centre, mpf(scale)) for v in flat(x))


@dataclass(frozen=True, kw_only=True)
class Card:
    """The programs of one family.

    ``programs`` has the parameters of every program, in its order. ``log_lik(program, data,
    values)`` returns the log probability of one judgement of every row at exact values. ``edges``
    returns changes of a point that put answers far into a tail. ``other_priors`` returns a second
    set of everything in the data that is part of a prior. ``unpleasant`` says what makes the data
    hard. ``sizes`` returns sizes that the data do not name, ``kinds`` priors that only this family
    has.
    """

    programs: Mapping[str, Mapping[str, Parameter]]
    log_lik: Callable[[str, Values, Values], list[Any]]
    edges: Callable[[Values], dict[str, Values]]
    other_priors: Callable[[Values], Values]
    unpleasant: Callable[[Values], dict[str, bool]]
    sizes: Callable[[Values], dict[str, int]] = field(default=lambda _: {})
    kinds: Mapping[str, Kind] = field(default_factory=dict)


def card(family: str) -> Card:
    """Return the programs of the family with this folder in models/."""
    return import_module(f"tests.oracle.plain_{family}").CARD


def shape(card: Card, parameter: Parameter, data: Values) -> tuple[int, ...]:
    """Return the shape of a parameter for these data."""
    sizes = {**data, **card.sizes(data)}
    return tuple(sizes[name] for name in parameter.shape)


def draw_from_prior(card: Card, program: str, data: Values, rng: np.random.Generator) -> Values:
    """Draw every parameter of a program from its prior."""
    values: dict[str, np.ndarray] = {}
    for name, parameter in card.programs[program].items():
        size = shape(card, parameter, data)
        scale = values[parameter.prior] if parameter.prior in values else data[parameter.prior]
        other = data[parameter.other] if parameter.other else 0.0
        if parameter.kind in card.kinds:
            values[name] = card.kinds[parameter.kind].draw(parameter, data, scale, size, rng)
            continue
        if parameter.kind == "beta":
            values[name] = rng.beta(scale, other, size=size)
            continue
        if parameter.kind == "gamma":
            values[name] = rng.gamma(scale, 1 / other, size=size)
            continue
        noise = rng.normal(size=size)
        match parameter.kind:
            case "half_normal":
                values[name] = np.abs(noise) * scale
            case "normal" | "zero_sum" if parameter.correlation is not None:
                correlation = values[parameter.correlation]
                factor = np.linalg.cholesky(correlation * np.outer(scale, scale))
                zero_sum = parameter.kind == "zero_sum"
                values[name] = factor @ noise if zero_sum else noise @ factor.T
            case "lkj":  # a Wishart matrix, rescaled: any proper correlation matrix will do
                spread = np.cov(rng.normal(size=(size[0], 3 * size[0])))
                values[name] = spread / np.sqrt(np.outer(np.diag(spread), np.diag(spread)))
            case _:
                values[name] = other + noise * scale
        if parameter.kind == "zero_sum":
            values[name] = values[name] - values[name].mean(axis=-1, keepdims=True)
    return {name: value.tolist() for name, value in values.items()}


def rounded(card: Card, program: str, values: Values) -> Values:
    """Return the values in four decimals, standard deviations at least 0.1, sums at zero."""
    result: Values = {}
    for name, parameter in card.programs[program].items():
        value = np.array(values[name])
        if parameter.kind in card.kinds:
            value = card.kinds[parameter.kind].rounded(value)
        value = np.round(value, 4)
        match parameter.kind:
            case "half_normal" | "gamma":
                value = np.maximum(value, 0.1)
            case "beta":
                value = np.clip(value, 1e-3, 1 - 1e-3)
            case "zero_sum":
                value[..., -1] = np.round(-value[..., :-1].sum(axis=-1), 4)
            case _:
                pass
        result[name] = value.tolist()
    return result


def log_normal(x: Any, sd: Any) -> Any:
    """Return the normal log density with mean zero."""
    return -mp.log(2 * mp.pi) / 2 - mp.log(sd) - (x / sd) ** 2 / 2


def log_multi_normal(x: Any, covariance: Any) -> Any:
    """Return the multivariate normal log density with mean zero."""
    x = mp.matrix(x)
    distance = (x.T * mp.inverse(covariance) * x)[0]
    return -(len(x) * mp.log(2 * mp.pi) + mp.log(mp.det(covariance)) + distance) / 2


def log_normal_cdf(x: Any) -> Any:
    """Return the log of the standard normal CDF; erfc keeps its digits however far out."""
    return mp.log(mp.erfc(-x / mp.sqrt(2)) / 2)


def log_normal_between(lower: Any, upper: Any) -> Any:
    """Return the log probability of a standard normal variable between two limits."""
    if lower > 0:
        lower, upper = -upper, -lower
    tail: Callable[[Any], Any] = lambda x: mp.erfc(-x / mp.sqrt(2)) / 2  # noqa: E731
    return mp.log(tail(upper) - tail(lower))


def log_student(z: Any, df: Any) -> Any:
    """Return the log density of Student's t."""
    constant = mp.loggamma((df + 1) / 2) - mp.loggamma(df / 2) - mp.log(mp.pi * df) / 2
    return constant - (df + 1) / 2 * mp.log(1 + z**2 / df)


def log_student_cdf(z: Any, df: Any) -> Any:
    """Return the log of the distribution function of Student's t."""
    tail = mp.betainc(df / 2, mpf(1) / 2, 0, df / (df + z**2), regularized=True) / 2
    return mp.log(tail if z <= 0 else 1 - tail)


def logistic(x: Any) -> Any:
    """Return the logistic distribution function."""
    return 1 / (1 + mp.exp(-x))


def exact(value: Any) -> Any:
    """Return nested lists of 50-digit numbers from nested lists of doubles."""
    return [exact(v) for v in value] if isinstance(value, list) else mpf(value)


def flat(value: Any) -> Iterator[Any]:
    """Iterate over the numbers of nested lists."""
    if isinstance(value, list):
        for element in value:
            yield from flat(element)
    else:
        yield value


def log_prior(card: Card, program: str, data: Values, values: Values) -> Any:
    """Return the log prior density at exact values."""
    total = mpf(0)
    for name, parameter in card.programs[program].items():
        x = values[name]
        scale = values.get(parameter.prior, data.get(parameter.prior))
        other = mpf(data[parameter.other]) if parameter.other else mpf(0)
        if parameter.correlation is not None:
            total += log_correlated(parameter, values, x)
            continue
        if parameter.kind in card.kinds:
            total += card.kinds[parameter.kind].log_density(parameter, data, scale, x)
            continue
        match parameter.kind:
            case "half_normal":
                total += sum(log_normal(v, s) + mp.log(2) for v, s in scaled(x, scale))
            case "normal":
                total += sum(log_normal(v - other, s) for v, s in scaled(x, scale))
            case "zero_sum":
                rows = x if isinstance(x[0], list) else [x]
                for row, sd in scaled_rows(rows, scale):
                    total += sum(log_normal(v, sd) for v in row) - log_normal(mpf(0), sd)
            case "beta":
                a, b = mpf(scale), other
                constant = mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b)
                total += sum(
                    constant + (a - 1) * mp.log(v) + (b - 1) * mp.log(1 - v) for v in flat(x)
                )
            case "gamma":
                a = mpf(scale)
                constant = a * mp.log(other) - mp.loggamma(a)
                total += sum(constant + (a - 1) * mp.log(v) - other * v for v in flat(x))
            case "lkj":  # up to the constant, which differences cancel
                total += (mpf(scale) - 1) * mp.log(mp.det(mp.matrix(x)))
            case kind:
                raise ValueError(f"no prior of kind {kind!r}")
    return total


def scaled(x: Any, scale: Any) -> Iterator[tuple[Any, Any]]:
    """Pair every number with its scale: one for all, or one for each criterion, which is first."""
    if isinstance(scale, list):
        for part, own in zip(x, scale, strict=True):
            yield from ((v, own) for v in flat(part))
    else:
        yield from ((v, mpf(scale)) for v in flat(x))


def scaled_rows(rows: list[Any], scale: Any) -> Iterator[tuple[Any, Any]]:
    """Pair every vector with its scale, as ``scaled`` does numbers."""
    if isinstance(scale, list):
        for part, own in zip(rows, scale, strict=True):
            for row in part if isinstance(part[0], list) else [part]:
                yield row, own
    else:
        yield from ((row, mpf(scale)) for row in rows)


def log_correlated(parameter: Parameter, values: Values, x: Any) -> Any:
    """Return the log density of effects that are correlated between criteria."""
    assert parameter.correlation is not None
    scale = values[parameter.prior]
    n = len(scale)
    correlation = values[parameter.correlation]
    covariance = mp.matrix(n, n)
    for q in range(n):
        for r in range(n):
            covariance[q, r] = correlation[q][r] * scale[q] * scale[r]
    vectors = [list(v) for v in zip(*x, strict=True)] if parameter.kind == "zero_sum" else x
    total = sum(log_multi_normal(v, covariance) for v in vectors)
    if parameter.kind == "zero_sum":
        total -= log_multi_normal([0] * n, covariance)
    return total


def log_density(card: Card, program: str, data: Values, values: Values) -> Any:
    """Return the log density, up to the constant of the correlation priors."""
    values = {name: exact(value) for name, value in values.items()}
    pointwise = card.log_lik(program, data, values)
    counts = data.get("count", [1] * len(pointwise))
    weighted = sum(c * term for c, term in zip(counts, pointwise, strict=True))
    return log_prior(card, program, data, values) + weighted
