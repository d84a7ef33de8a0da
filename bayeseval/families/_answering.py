"""What families share whose answers follow from linear predictors and a few parameters."""

from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import xarray as xr

from bayeseval.families._damaged_cache import naming_the_cache
from bayeseval.families._declaration import Declaration
from bayeseval.families._described import DescribedResponse
from bayeseval.families._linear import LinearFamily
from bayeseval.families._predictors import PredictorFamily
from bayeseval.judgements import Judgements


class AnsweringFamily[R: DescribedResponse, J: Judgements](LinearFamily[R, J], PredictorFamily):
    """A family that brings a response with a formula, and what it says of answers.

    A family adds its prior scales as fields, `kinds`, `response_to`, ``row_data``, `estimands` and
    the class of its `quantities`.
    """

    quantities: ClassVar[type[Any]]
    """Made of a declaration and draws; has ``estimate``, and ``answers`` for predictions."""

    def _response_with(self, **own: Any) -> R:
        """Return the response with these fields; the others are the family's of the same name."""
        named = [field.name for field in fields(self.response_type) if field.name not in own]
        return self.response_type(**own, **{name: getattr(self, name) for name in named})

    @naming_the_cache()
    def estimate(
        self,
        name: str,
        declaration: Declaration[R],
        posterior: xr.Dataset,
        *,
        population: str | None = None,
        by: str | None = None,
    ) -> xr.DataArray:
        """Compute one readable quantity from the draws."""
        self._check_estimand(name, declaration)
        return self.quantities(declaration, posterior).estimate(name, population, by).rename(name)

    @naming_the_cache()
    def predict(
        self,
        declaration: Declaration[R],
        judgements: Judgements,
        draws: xr.Dataset,
        rng: np.random.Generator,
    ) -> npt.NDArray[Any]:
        """Draw an answer for every row, coded as in ``judgements.answers``."""
        predictors = self.row_predictors(declaration, judgements, draws)
        scalars = self.row_scalars(declaration, judgements, draws)
        return self.quantities(declaration, draws).answers(predictors, scalars, rng)
