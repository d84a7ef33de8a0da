"""What a study is meant to achieve: goals that a posterior has reached or not."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from bayeseval._checks import is_number, nearest, shown, some, whole_number
from bayeseval.comparison import Comparison, compare
from bayeseval.errors import DesignError
from bayeseval.inference import Posterior


@dataclass(frozen=True)
class Look:
    """What one posterior says of a goal.

    Parameters
    ----------
    reached : bool
        Whether the goal is reached.
    wrong : bool
        Whether something was decided that is not so in the truth.
    width : float
        Width of the interval that the goal looks at, the widest where there are several; NaN where
        it looks at none.
    """

    reached: bool
    wrong: bool = False
    width: float = float("nan")


class Goal(ABC):
    """What a study is meant to achieve."""

    @property
    @abstractmethod
    def words(self) -> str:
        """What is wanted, in words."""

    @property
    def named(self) -> tuple[str, ...]:
        """The systems that the goal names."""
        return ()

    @abstractmethod
    def look(self, posterior: Posterior, truth: Mapping[str, float]) -> Look:
        """Say whether a posterior has reached the goal.

        Parameters
        ----------
        posterior : Posterior
            Of a study.
        truth : mapping of str to float
            True quality by system.
        """

    def renamed(self, labels: Mapping[str, str]) -> "Goal":
        """Return the goal with other labels of systems.

        Parameters
        ----------
        labels : mapping of str to str
            New label by old one.
        """
        for name in self.named:
            if name not in labels:
                meant = nearest(name, tuple(labels))
                raise DesignError(
                    f"the goal names a system {name!r}; the assumed truth has {some(labels)}"
                    + (f". Did you mean {meant!r}?" if meant else "")
                )
        return self

    def equal(self, quality: Mapping[str, float]) -> dict[str, float] | None:  # noqa: ARG002
        """Return qualities under which there is nothing to decide; None where there are none.

        Parameters
        ----------
        quality : mapping of str to float
            True quality by system.
        """
        return None


@dataclass(frozen=True)
class _Pair(Goal):
    a: str
    b: str

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            if not isinstance(getattr(self, name), str):
                raise DesignError(
                    f"a goal's {name}= is the label of a system; found {shown(getattr(self, name))}"
                )
        if self.a == self.b:
            raise DesignError(f"a goal compares two systems; found {self.a!r} twice")

    @property
    def named(self) -> tuple[str, ...]:
        return (self.a, self.b)

    def renamed(self, labels: Mapping[str, str]) -> Self:
        super().renamed(labels)
        return replace(self, a=labels[self.a], b=labels[self.b])


@dataclass(frozen=True)
class Decided(_Pair):
    """One of two systems is called better: P(A > B), as `compare` prints it, is decided.

    Parameters
    ----------
    a, b : str
        Two systems.
    prob : float
        Posterior probability from which on the better one is named.
    """

    prob: float = 0.95

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_prob(self.prob)

    @property
    def words(self) -> str:
        """What is wanted, in words."""
        return f"{self.a} against {self.b} decided with probability {self.prob:g}"

    def look(self, posterior: Posterior, truth: Mapping[str, float]) -> Look:
        """Say whether the better one is named, and whether it is the wrong one."""
        row = _compared(self, posterior)
        towards_a = row["p_a_better"] >= self.prob
        decided = towards_a or row["p_a_better"] <= 1 - self.prob
        gap = truth[self.a] - truth[self.b]
        wrong = decided and (gap <= 0 if towards_a else gap >= 0)
        return Look(bool(decided and not wrong), bool(wrong), row["upper"] - row["lower"])

    def equal(self, quality: Mapping[str, float]) -> dict[str, float]:
        """Return qualities in which the two are alike."""
        alike = (quality[self.a] + quality[self.b]) / 2
        return {**quality, self.a: alike, self.b: alike}


@dataclass(frozen=True)
class Equivalent(_Pair):
    """Two systems are called practically equivalent: P(A wins) is within a margin of one half.

    Parameters
    ----------
    a, b : str
        Two systems.
    margin : float
        How far from one half a win probability may be.
    prob : float
        Posterior probability of that, from which on they are called equivalent.
    """

    margin: float = 0.05
    prob: float = 0.95

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_prob(self.prob)
        if not is_number(self.margin) or not 0 < self.margin < 0.5:
            raise DesignError(
                f"margin= is a number between 0 and 0.5, such as 0.05; found {shown(self.margin)}"
            )

    @property
    def words(self) -> str:
        """What is wanted, in words."""
        return (
            f"{self.a} and {self.b} called equivalent, P(wins) within {self.margin:g} of one half, "
            f"with probability {self.prob:g}"
        )

    def look(self, posterior: Posterior, truth: Mapping[str, float]) -> Look:  # noqa: ARG002
        """Say whether the two are called equivalent; what is wrong of it is not known here."""
        row = _compared(self, posterior, (0.5 - self.margin, 0.5 + self.margin), self.prob)
        return Look(row["p_in_rope"] >= self.prob, width=row["upper"] - row["lower"])


@dataclass(frozen=True)
class Width(Goal):
    """Intervals of win probabilities are narrow enough: of one pair, or of all pairs.

    Parameters
    ----------
    width : float
        Width on the scale of probabilities.
    a, b : str, optional
        Two systems; all pairs where left out.
    ci_prob : float
        Probability of the interval.
    """

    width: float
    a: str | None = None
    b: str | None = None
    ci_prob: float = 0.95

    def __post_init__(self) -> None:
        if not is_number(self.width) or not 0 < self.width < 1:
            raise DesignError(
                f"width= is a number between 0 and 1, such as 0.2; found {shown(self.width)}"
            )
        if (self.a is None) != (self.b is None):
            raise DesignError("Width names both systems, or none for all pairs")
        _check_prob(self.ci_prob, "ci_prob", least=0.0)

    @property
    def words(self) -> str:
        """What is wanted, in words."""
        which = "P(wins) of every pair" if self.a is None else f"P({self.a} wins against {self.b})"
        return f"{100 * self.ci_prob:g} % interval of {which} at most {self.width:g} wide"

    @property
    def named(self) -> tuple[str, ...]:
        """The systems that the goal names."""
        return () if self.a is None or self.b is None else (self.a, self.b)

    def renamed(self, labels: Mapping[str, str]) -> Self:
        """Return the goal with other labels of systems."""
        super().renamed(labels)
        if self.a is None or self.b is None:
            return self
        return replace(self, a=labels[self.a], b=labels[self.b])

    def look(self, posterior: Posterior, truth: Mapping[str, float]) -> Look:  # noqa: ARG002
        """Say whether intervals are narrow enough."""
        pairs = None if self.a is None or self.b is None else [(self.a, self.b)]
        table = compare(posterior, pairs, ci_prob=self.ci_prob).to_frame()
        widest = float((table["upper"] - table["lower"]).max())
        return Look(widest <= self.width, width=widest)


@dataclass(frozen=True)
class OrderOfTop(Goal):
    """The order of the best systems is known: one order of them has most of the posterior.

    Parameters
    ----------
    k : int
        How many of the best.
    prob : float
        Posterior probability of their order, from which on it is called known.
    """

    k: int
    prob: float = 0.95

    def __post_init__(self) -> None:
        whole_number(self.k, "k", least=1)
        _check_prob(self.prob)

    @property
    def words(self) -> str:
        """What is wanted, in words."""
        return f"the {self.k} best systems known in their order with probability {self.prob:g}"

    def look(self, posterior: Posterior, truth: Mapping[str, float]) -> Look:
        """Say whether the order is known, and whether it is the wrong one."""
        quality = posterior.quality_over().transpose("chain", "draw", "system")
        systems = [str(name) for name in quality["system"].values]
        values = quality.values.reshape(-1, len(systems))
        first = np.argsort(-values, axis=1)[:, : self.k]
        orders, times = np.unique(first, axis=0, return_counts=True)
        known = times.max() / len(first) >= self.prob
        likeliest = orders[times.argmax()]
        # Ties in the truth have no right order.
        true = np.array([truth[name] for name in systems])
        rest = np.delete(true, likeliest).max(initial=-np.inf)
        right = bool((np.diff(np.append(true[likeliest], rest)) < 0).all())
        return Look(bool(known and right), bool(known and not right))

    def renamed(self, labels: Mapping[str, str]) -> Self:
        """Return the goal, which names no system, where there are enough of them."""
        if self.k > len(labels):
            raise DesignError(
                f"OrderOfTop({self.k}) of {len(labels)} systems: there are no {self.k} best"
            )
        return self

    def equal(self, quality: Mapping[str, float]) -> dict[str, float]:
        """Return qualities that are all alike."""
        return dict.fromkeys(quality, 0.0)


def _check_prob(value: object, name: str = "prob", *, least: float = 0.5) -> None:
    if not is_number(value) or not least < value < 1:
        raise DesignError(f"{name}= is a number between {least:g} and 1; found {shown(value)}")


def _compared(
    pair: _Pair,
    posterior: Posterior,
    rope: tuple[float, float] | None = None,
    prob: float = 0.95,
) -> dict[str, float]:
    """Return the row of a pair, as `compare` has it."""
    found: Comparison = compare(posterior, [(pair.a, pair.b)], rope=rope, verdict_prob=prob)
    return {str(name): value for name, value in found.to_frame().iloc[0].items()}
