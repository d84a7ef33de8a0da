"""The package-wide choice of interval: its probability and its kind."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Literal, cast

from bayeseval._checks import nearest
from bayeseval.errors import BayesEvalError

type IntervalKind = Literal["eti", "hdi"]

KINDS: Final = {"eti": "equal-tailed", "hdi": "highest-density"}


def _checked_prob(ci_prob: object) -> float:
    if isinstance(ci_prob, bool) or not isinstance(ci_prob, int | float):
        raise BayesEvalError(
            f"ci_prob must be a number between 0 and 1, such as 0.95; got {ci_prob!r}"
        )
    if not 0 < ci_prob < 1:
        hint = (
            f"; for {ci_prob:g} % write {ci_prob / 100:g}"
            if 1 <= ci_prob < 100
            else ", such as 0.95"
        )
        raise BayesEvalError(f"ci_prob must lie strictly between 0 and 1; got {ci_prob!r}{hint}")
    return float(ci_prob)


def _checked_kind(ci_kind: object) -> IntervalKind:
    if not isinstance(ci_kind, str) or ci_kind not in KINDS:
        meant = nearest(ci_kind, list(KINDS)) if isinstance(ci_kind, str) else None
        raise BayesEvalError(
            "ci_kind must be 'eti' (equal-tailed) or 'hdi' (highest density); "
            f"got {ci_kind!r}" + (f", did you mean {meant!r}?" if meant else "")
        )
    return cast(IntervalKind, ci_kind)


class Settings:
    """Hold the interval that tables and plots use where none is asked for.

    Attributes
    ----------
    ci_prob : float
        Probability of an interval, strictly between 0 and 1. Starts at 0.95.
    ci_kind : {"eti", "hdi"}
        Equal-tailed or highest-density interval. Starts at ``"eti"``.
    """

    __slots__ = ("_here", "_kind", "_prob")

    def __init__(self) -> None:
        self._prob = 0.95
        self._kind: IntervalKind = "eti"
        # A context variable, so that `using` in one thread or task leaves the others alone.
        self._here: ContextVar[tuple[float, IntervalKind] | None] = ContextVar(
            "bayeseval_interval", default=None
        )

    @property
    def ci_prob(self) -> float:
        """Probability of an interval."""
        here = self._here.get()
        return self._prob if here is None else here[0]

    @ci_prob.setter
    def ci_prob(self, value: float) -> None:
        self._refuse_inside_using()
        self._prob = _checked_prob(value)

    @property
    def ci_kind(self) -> IntervalKind:
        """Kind of an interval."""
        here = self._here.get()
        return self._kind if here is None else here[1]

    @ci_kind.setter
    def ci_kind(self, value: IntervalKind) -> None:
        self._refuse_inside_using()
        self._kind = _checked_kind(value)

    def _refuse_inside_using(self) -> None:
        if self._here.get() is not None:
            raise BayesEvalError(
                "the package-wide interval was set inside `with settings.using(...)`, where it "
                "would have no effect; set it outside, or open another `using`"
            )

    @contextmanager
    def using(
        self, *, ci_prob: float | None = None, ci_kind: IntervalKind | None = None
    ) -> Iterator[None]:
        """Use another interval inside a ``with`` block.

        Parameters
        ----------
        ci_prob : float, optional
            Probability of the interval; the present one where left out.
        ci_kind : {"eti", "hdi"}, optional
            Kind of the interval; the present one where left out.
        """
        token = self._here.set(resolve_ci(ci_prob, ci_kind))
        try:
            yield
        finally:
            self._here.reset(token)

    def __repr__(self) -> str:
        return f"Settings(ci_prob={self.ci_prob!r}, ci_kind={self.ci_kind!r})"


settings: Final = Settings()


def resolve_ci(
    ci_prob: float | None = None, ci_kind: IntervalKind | None = None
) -> tuple[float, IntervalKind]:
    """Check an interval that was asked for, and take what was left out from the settings.

    Parameters
    ----------
    ci_prob : float, optional
        Probability of the interval, strictly between 0 and 1.
    ci_kind : {"eti", "hdi"}, optional
        Equal-tailed or highest-density interval.

    Returns
    -------
    tuple of (float, str)
        Probability and kind.

    Raises
    ------
    BayesEvalError
        If one of them is not a probability or not a kind.
    """
    return (
        settings.ci_prob if ci_prob is None else _checked_prob(ci_prob),
        settings.ci_kind if ci_kind is None else _checked_kind(ci_kind),
    )


def ci_words(ci_prob: float, ci_kind: IntervalKind) -> str:
    """Say probability and kind of an interval, as in "95 % equal-tailed"."""
    return f"{100 * ci_prob:.10g} % {KINDS[ci_kind]}"


def decision_words(prob: float, ci_prob: float, reference: float = 0.0) -> str:
    """Say which interval a decision at this probability is, beside the intervals that are printed.

    A probability of at least ``prob`` for one side of the reference is an equal-tailed interval of
    2 prob − 1 that leaves the reference out.
    """
    same = 2 * prob - 1
    words = f"Probability {prob:g} or more for one side is"
    if math.isclose(same, ci_prob):
        return f"{words} an equal-tailed interval, as printed here, that leaves {reference:g} out."
    return (
        f"{words} a {100 * same:.10g} % equal-tailed interval that leaves {reference:g} out; one "
        f"of {100 * ci_prob:.10g} % does from {(1 + ci_prob) / 2:.10g} on."
    )
