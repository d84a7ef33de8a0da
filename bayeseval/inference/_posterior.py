"""The posterior: draws with the user's labels, and what made them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xarray as xr

from bayeseval._checks import counted, nearest, shown, some
from bayeseval._files import check_place, path_of
from bayeseval._text import escape_html
from bayeseval.errors import ModelError
from bayeseval.families._declaration import Declaration
from bayeseval.families._family import DirectFamily, Estimand, Family, ModelText
from bayeseval.families._marginal import Population
from bayeseval.families._population import averaged_over, quality_over
from bayeseval.inference._by_row import ByRow
from bayeseval.inference._convergence import Convergence
from bayeseval.inference._datatree import Group, datatree, refuse_others
from bayeseval.inference._settings import Settings
from bayeseval.inference._storage import posterior_record, write
from bayeseval.judgements import Judgements
from bayeseval.judgements._argument import takes_judgements

if TYPE_CHECKING:
    import pymc as pm

_PROBABILITIES = ("win_probability", "outcome_probability", "stated_probability")


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(ByRow):
    """A posterior by the contract that every family keeps.

    Parameters
    ----------
    data : xarray.DataTree
        Group ``posterior``; ``sample_stats`` where a sampler drew, and other groups of a family
        that draws by itself. Labels are the user's.
    family : Family
        The family that was fitted.
    declaration : Declaration
        The model: effects, response, and what was left out.
    fingerprint : str
        Identifies the judgements.
    settings : Settings
        How it was sampled.
    convergence : Convergence
        Diagnostics and verdict.
    approximate : str or None
        None for Markov chain Monte Carlo; otherwise what kind of approximation this is.
    """

    data: xr.DataTree
    family: Family | DirectFamily
    declaration: Declaration[Any]
    fingerprint: str
    settings: Settings
    convergence: Convergence
    approximate: str | None = None
    _memo: dict[object, xr.DataArray] = field(default_factory=dict)

    @property
    def protocol(self) -> str:
        """Protocol of the judgements."""
        return self.family.protocol

    @property
    def systems(self) -> tuple[str, ...]:
        """Labels of the systems."""
        return self.declaration.coords["system"]

    @property
    def criteria(self) -> tuple[str, ...] | None:
        """Labels of the criteria, or None where there is one unnamed criterion."""
        return self.declaration.coords["criterion"] if self.declaration.has_criterion else None

    @property
    def components(self) -> tuple[tuple[str, ...], ...]:
        """Groups of systems that comparisons link; with more than one, the prior bridges them."""
        return self.declaration.components

    @property
    def design_notes(self) -> tuple[str, ...]:
        """What the design leaves uncertain about every difference between systems, in words."""
        return self.declaration.design_notes

    @property
    def moderators(self) -> dict[str, tuple[str, ...]]:
        """Moderators that quality varies by, with their levels."""
        names = (
            str(name).removeprefix("quality_by_")
            for name in self.posterior.data_vars
            if str(name).startswith("quality_by_")
        )
        return {name: self.declaration.coords[name] for name in names}

    @property
    def quality(self) -> xr.DataArray:
        """Quality of the systems, larger is better; dims chain, draw, (criterion,) system.

        With moderators, the mean over their levels in the data, each counting the same.
        """
        return self.posterior["quality"]

    @property
    def quality_scale(self) -> str:
        """What one unit of quality is, in words."""
        # Most families' unit is the same whatever was answered.
        response = self.declaration.response
        scale = getattr(response, "quality_scale", self.family.quality_scale)
        return scale + getattr(response, "quality_note", "")

    @property
    def estimands(self) -> dict[str, Estimand]:
        """The family's readable quantities by name."""
        return dict(self.family.estimands(self.declaration))

    def estimand(
        self,
        name: str,
        *,
        population: Population = None,
        by: str | None = None,
    ) -> xr.DataArray:
        """Compute one of the family's readable quantities for every draw.

        Parameters
        ----------
        name : str
            One of :attr:`estimands`.
        population : {"new", "observed"}, optional
            Left out, new annotators and items at the levels in the data, each level counting the
            same; "new", new ones at new levels too; "observed", those in the data.
        by : str, optional
            A moderator: a value for each level instead of their average.

        Returns
        -------
        xarray.DataArray
            Dims chain, draw, (criterion,) system, and those of the quantity.

        Raises
        ------
        ModelError
            For an unknown name.
        """
        if not isinstance(name, str) or name not in self.estimands:
            close = nearest(name, list(self.estimands))
            raise ModelError(
                f"{self.family.name} has no estimand {name!r}; it has {some(self.estimands)}."
                + (f" Did you mean {close!r}?" if close else "")
            )
        return self._estimate(name, population, by)

    def win_probability(self, population: Population = None, by: str | None = None) -> xr.DataArray:
        """Compute the chance that one new judgement puts a system above another.

        Parameters
        ----------
        population, by : as in `estimand`
            See there.

        Returns
        -------
        xarray.DataArray
            Dims chain, draw, (criterion,) system, system_b; half of the ties included, 0.5 on the
            diagonal.
        """
        return self._estimate("win_probability", population, by)

    def quality_over(self, population: Population = None, by: str | None = None) -> xr.DataArray:
        """Return the quality that systems are ranked by, for a population.

        Parameters
        ----------
        population : {"new", "observed"}, optional
            Left out, :attr:`quality`: new annotators and items, the mean of a moderator's levels in
            the data. "new": the mean of the population of levels. "observed": with what the
            annotators and items in the data add to a system on average.
        by : str, optional
            A moderator: the quality at each of its levels.

        Returns
        -------
        xarray.DataArray
            Dims chain, draw, (criterion,) system and the moderator.
        """
        return quality_over(self.declaration, self.posterior, population, by)

    def averaged_over(
        self, population: Population = None, by: str | None = None, *, quality: bool = False
    ) -> str:
        """Say what a quantity is averaged over, naming only what the model has.

        Parameters
        ----------
        population, by : as for the quantity
            Likewise.
        quality : bool
            Whether it is the quality, which new annotators and items add nothing to.

        Returns
        -------
        str
            A clause such as "averaged over new annotators"; empty where there is nothing to say.
        """
        return averaged_over(self.declaration, population, by, quality=quality)

    def _estimate(self, name: str, population: str | None, by: str | None) -> xr.DataArray:
        for argument, given in {"name": name, "population": population, "by": by}.items():
            if not isinstance(given, str | None):
                raise ModelError(f"{argument}= must be a text; found {shown(given)}")
        key = (name, population, by)
        if key not in self._memo:
            found = self.family.estimate(
                name, self.declaration, self.posterior, population=population, by=by
            )
            # Sums of products leave [0, 1] by rounding, and an entropy would be infinite.
            self._memo[key] = found.clip(0.0, 1.0) if name in _PROBABILITIES else found
        return self._memo[key]

    def model(self, judgements: Judgements) -> "pm.Model":
        """Build the fitted model in PyMC, with the answers as its observed variable.

        Parameters
        ----------
        judgements : Judgements
            The judgements that were fitted.

        Returns
        -------
        pymc.Model
            As the family's ``build`` returns it.

        Raises
        ------
        ModelError
            Where the judgements are others, or the family draws by itself.
        """
        refuse_others(self, judgements)
        build = getattr(self.family, "build", None)
        if build is None:
            raise ModelError(f"{self.family.name} has no method build, which makes a PyMC model.")
        return build(judgements)

    @takes_judgements
    def to_datatree(
        self,
        judgements: Judgements,
        *,
        groups: Sequence[Group] = ("observed_data", "constant_data", "log_likelihood"),
        draws: int | None = None,
        random_seed: int = 0,
    ) -> xr.DataTree:
        """Return the draws with the groups that ArviZ knows.

        Parameters
        ----------
        judgements : Judgements
            The judgements that were fitted.
        groups : sequence of str
            Which to add to ``posterior`` and ``sample_stats``: ``observed_data``,
            ``constant_data`` (labels of every judgement), ``log_likelihood``, ``log_prior`` (of
            what has no further parameter above it), ``posterior_predictive``, ``prior``,
            ``prior_predictive``. The answers are called ``answer``, dims (judgement,).
        draws : int, optional
            Keep so many draws of each chain, evenly; all by default. Of the prior so many in all,
            500 by default.
        random_seed : int
            Seed of predictions and of the prior.

        Returns
        -------
        xarray.DataTree
            What the functions of ArviZ take.

        Raises
        ------
        ModelError
            Where the judgements are others, a group is unknown or not to be had of this family, or
            it would hold more than 250 million values (2 GB).
        """
        return datatree(self, judgements, groups=groups, draws=draws, random_seed=random_seed)

    def describe(self) -> ModelText:
        """Describe the model that was fitted, in words, formulas and priors.

        Returns
        -------
        ModelText
            Prints as text.
        """
        return self.family.describe(self.declaration)

    def save(self, path: str | Path) -> Path:
        """Write the posterior to a netCDF file.

        Parameters
        ----------
        path : str or Path
            Where to; an existing file is replaced.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        BayesEvalError
            Where the folder of the file does not exist, or the path is a folder.
        """
        path = path_of(path)
        check_place(path, "posterior")
        write(self.data, posterior_record(self), path)
        return path

    def __repr__(self) -> str:
        sizes = self.posterior.sizes
        parts = [
            counted(len(self.systems), "system"),
            (
                f"{counted(sizes['chain'], 'chain')} of {counted(sizes['draw'], 'draw')}"
                if self.convergence.independent is None
                else counted(sizes["chain"] * sizes["draw"], "independent draw")
            ),
        ]
        if self.criteria:
            parts.insert(1, counted(len(self.criteria), "criterion", "criteria"))
        if self.approximate:
            parts.append(f"approximate: {self.approximate}")
        if self.settings.interrupted:
            parts.append("interrupted")
        return f"Posterior of {self.family.name}: {', '.join(parts)}\n{self.convergence}"

    def _repr_html_(self) -> str:
        # The first line, without that of the verdict, which has a table of its own.
        return f"<p>{escape_html(repr(self).split(chr(10))[0])}</p>{self.convergence._repr_html_()}"
