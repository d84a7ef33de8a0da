"""What a posterior says of single judgements: answers, their chances and probabilities."""

from typing import Any

import numpy as np
import xarray as xr

from bayeseval._checks import generator, whole_number
from bayeseval.errors import ModelError
from bayeseval.families._declaration import Declaration
from bayeseval.families._family import DirectFamily, Family
from bayeseval.inference._datatree import refuse_too_many, spread
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements


class ByRow:
    """Part of a posterior: the fitted model asked about rows of judgements."""

    data: xr.DataTree
    family: Family | DirectFamily
    declaration: Declaration[Any]

    @property
    def posterior(self) -> xr.Dataset:
        """The draws, as a dataset."""
        return self.data["posterior"].to_dataset()

    @takes_judgements
    def predictive(
        self,
        judgements: Judgements,
        *,
        draws: int = 200,
        random_seed: int = 0,
        coded: bool = False,
    ) -> xr.DataArray:
        """Draw replicated answers for the rows of the judgements.

        Parameters
        ----------
        judgements : Judgements
            Rows to predict; their labels are those of the fit.
        draws : int
            Number of replicates, taken evenly from the posterior.
        random_seed : int
            Seed of the noise.
        coded : bool
            Return all answers as they are coded in ``judgements.answers``: a rating as the position
            of its category.

        Returns
        -------
        xarray.DataArray
            Dims sample, row. Ratings as the numbers of their scale, with the coordinate
            ``category``, the label of each; outcomes as in ``judgements.answers``, with the
            coordinate ``outcome`` in words; other answers as in ``judgements.answers``.
        """
        answers = self.family.predict(
            self.declaration,
            judgements,
            self._thinned(draws),
            generator(random_seed),
        )
        dims = ("sample", "row")
        if coded:
            return xr.DataArray(answers, dims=dims)
        values, words = judgements.as_given(answers)
        return xr.DataArray(
            values, dims=dims, coords={name: (dims, w) for name, w in words.items()}
        )

    @takes_judgements
    def row_chances(self, judgements: Judgements, *, draws: int = 200) -> xr.DataArray:
        """Compute the chance of each outcome of every row of comparisons.

        Parameters
        ----------
        judgements : PairwiseJudgements
            The rows; their labels are those of the fit.
        draws : int
            Number of draws, taken evenly from the posterior.

        Returns
        -------
        xarray.DataArray
            Dims sample, row, outcome (win of ``system_a``, loss, tie).

        Raises
        ------
        ModelError
            Where the family does not offer it.
        """
        compute = getattr(self.family, "row_chances", None)
        if compute is None:
            raise ModelError(
                f"{self.family.name} has no chances of outcomes by row; BradleyTerry, Thurstone "
                "and TrueSkill have them"
            )
        win, tie = np.broadcast_arrays(*compute(self.declaration, judgements, self._thinned(draws)))
        return xr.DataArray(
            np.stack([win, np.maximum(0.0, 1.0 - win - tie), tie], axis=-1),
            dims=("sample", "row", "outcome"),
            coords={"outcome": ["win", "loss", "tie"]},
        )

    @takes_judgements
    def tail_area(self, judgements: Judgements, *, draws: int = 200) -> xr.DataArray:
        """Compute how far out each answer lies among those that the model expects there.

        Parameters
        ----------
        judgements : Judgements
            The judgements; their labels are those of the fit.
        draws : int
            Number of draws to average over, taken evenly from the posterior.

        Returns
        -------
        xarray.DataArray
            Dims row: twice the smaller of the probabilities of an answer as low and of one as
            high, at most 1.

        Raises
        ------
        ModelError
            Where the family does not offer it.
        """
        compute = getattr(self.family, "tail_area", None)
        if compute is None:
            raise ModelError(f"{self.family.name} has no tail areas; LogMagnitude has them")
        return xr.DataArray(compute(self.declaration, judgements, self._thinned(draws)), dims="row")

    @takes_judgements
    def log_likelihood(self, judgements: Judgements, *, draws: int | None = None) -> xr.DataArray:
        """Compute the log probability of every row's answer.

        Parameters
        ----------
        judgements : Judgements
            The judgements; rows with a count stand for one judgement each.
        draws : int, optional
            Take so many draws of each chain, evenly; all by default.

        Returns
        -------
        xarray.DataArray
            Dims chain, draw, row; what ``arviz.loo`` takes as log likelihood.

        Raises
        ------
        ModelError
            Where the result would hold more than 250 million values (2 GB).
        """
        n_chains, n_draws = self.posterior.sizes["chain"], self.posterior.sizes["draw"]
        kept = spread(n_draws, draws).size
        refuse_too_many("the log likelihood", n_chains, kept, judgements.n_rows)
        sample = self.posterior.isel(draw=spread(n_draws, draws))
        flat = sample.stack(sample=("chain", "draw"))
        values = self.family.log_likelihood(self.declaration, judgements, flat)
        return xr.DataArray(
            values.reshape(n_chains, kept, -1),
            dims=("chain", "draw", "row"),
            coords={"chain": sample["chain"].values, "draw": np.arange(kept)},
        )

    def _thinned(self, draws: int) -> xr.Dataset:
        draws = whole_number(draws, "draws", least=1)
        flat = self.posterior.stack(sample=("chain", "draw"))
        n_samples = flat.sizes["sample"]
        chosen = np.linspace(0, n_samples - 1, min(draws, n_samples)).round().astype(int)
        return flat.isel(sample=chosen)
