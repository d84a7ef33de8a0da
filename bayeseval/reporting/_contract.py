"""What a report reads of a posterior, beyond what ranks and contrasts need."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import xarray as xr

from bayeseval._tables import Table
from bayeseval.comparison._contract import ConvergenceLike, PosteriorLike
from bayeseval.judgements import Judgements

if TYPE_CHECKING:
    import pandas as pd


class FullConvergence(ConvergenceLike, Protocol):
    """The convergence report with its table."""

    @property
    def independent(self) -> str | None:
        """How independent draws were made; None for Markov chains."""
        ...

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a quantity."""
        ...


class ModelTextLike(Protocol):
    """A model in words and mathematics."""

    @property
    def words(self) -> Sequence[str]: ...
    @property
    def formulas(self) -> Sequence[str]: ...
    def tables(self) -> Sequence[Table]:
        """Return the priors, and the effects that are not in the model."""
        ...


class SettingsLike(Protocol):
    """How the draws were made."""

    @property
    def draws(self) -> int: ...
    @property
    def tune(self) -> int: ...
    @property
    def chains(self) -> int: ...
    @property
    def random_seed(self) -> int | None: ...
    @property
    def sampler(self) -> str: ...
    @property
    def integrator(self) -> str | None: ...
    @property
    def target_accept(self) -> float | None: ...
    @property
    def discarded(self) -> Sequence[int]: ...
    @property
    def seconds(self) -> Mapping[str, float]: ...
    @property
    def versions(self) -> Mapping[str, str]: ...


class PredictivePosterior(PosteriorLike, Protocol):
    """A posterior that can answer the questions again."""

    def predictive(
        self,
        judgements: Judgements,
        *,
        draws: int = 200,
        random_seed: int = 0,
        coded: bool = False,
    ) -> xr.DataArray:
        """Return simulated answers for the rows of the judgements, dims (sample, row)."""
        ...


class ReportedPosterior(PredictivePosterior, Protocol):
    """Everything that a report reads."""

    @property
    def settings(self) -> SettingsLike: ...

    @property
    def convergence(self) -> FullConvergence: ...

    def describe(self) -> ModelTextLike:
        """Return the model in words and mathematics."""
        ...
