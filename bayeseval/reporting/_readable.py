"""The systems in the units of the answers."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import xarray as xr

from bayeseval._tables import Column, Table
from bayeseval._text import decimals_for, interval_text, number, probability, shorten
from bayeseval.comparison._contract import EstimandLike, Population, slices, system_labels
from bayeseval.comparison._intervals import interval
from bayeseval.ranking import RankingPart
from bayeseval.reporting._contract import ReportedPosterior
from bayeseval.reporting._document import Block
from bayeseval.reporting._words import sentence
from bayeseval.settings import IntervalKind, ci_words

MOST_CATEGORIES = 11
HEADING_WIDTH = 24


@dataclass(frozen=True, slots=True)
class Readable:
    """The readable quantities of one criterion; those that pairs have stand in the pairs' table."""

    posterior: ReportedPosterior
    part: RankingPart
    population: Population
    ci: tuple[float, IntervalKind]
    prefix: str

    def blocks(self) -> Iterator[Block]:
        """Tabulate the family's readable quantities that have one value a system."""
        columns, notes, tables = [], [], []
        order = self.part.systems
        other: Population = None if self.population == "observed" else "observed"
        differ = False
        for spec in self.posterior.estimands.values():
            if spec.dims == ("system", "category"):
                tables += self._categories(spec, other)
            if spec.dims != ("system",):
                continue
            array = self.posterior.estimand(spec.name, population=self.population)
            draws = self._by_system(array)
            columns += self._estimate(spec.title, draws)
            notes.append(sentence(f"{spec.title}: {spec.description}"))
            beside = self._by_system(self.posterior.estimand(spec.name, population=other))
            if self._differ(draws, beside):
                columns += self._estimate(f"{spec.title}, {other or 'new'}", beside)
                differ = True
        if columns:
            notes.append(
                f"Posterior means and {ci_words(*self.ci)} intervals; "
                f"{self.posterior.averaged_over(self.population)}."
            )
            if differ:
                notes.append(
                    f"“{other or 'new'}”: {self.posterior.averaged_over(other)}. Observed are "
                    "those of the study; new are others from the populations that the model infers "
                    "from them. Where the two lie far apart, the study says little about others."
                )
            tables.insert(
                0,
                Table(
                    "The systems in the units of the answers",
                    (Column("system", order, "label"), *columns),
                    tuple(notes),
                ),
            )
        if tables:
            yield Block(
                anchor=f"{self.prefix}readable",
                heading="In the units of the answers",
                tables=tuple(tables),
            )

    def _differ(self, draws: np.ndarray, beside: np.ndarray) -> bool:
        """Say whether the means differ by more than a small part of an interval's width."""
        lower, upper = interval(draws, ci_prob=self.ci[0], ci_kind=self.ci[1])
        apart = np.abs(draws.mean(axis=0) - beside.mean(axis=0))
        return bool((apart > 0.2 * (upper - lower)).any())

    def _by_system(self, array: xr.DataArray, *further: str) -> np.ndarray:
        """Return draws (sample, system[, …]), the systems in the order of the ranking."""
        (piece,) = slices(
            self.posterior,
            array,
            ("system", *further),
            criterion=self.part.criterion if "criterion" in array.dims else None,
            by=None,
            level=None,
        )
        labels = system_labels(array)
        return piece.draws[:, [labels.index(system) for system in self.part.systems]]

    def _estimate(self, title: str, draws: np.ndarray) -> list[Column]:
        lower, upper = interval(draws, ci_prob=self.ci[0], ci_kind=self.ci[1])
        decimals = decimals_for(lower, upper)
        ends = zip(lower, upper, strict=True)
        return [
            Column(title, tuple(number(v, decimals) for v in draws.mean(axis=0))),
            Column("interval", tuple(interval_text(a, b, decimals) for a, b in ends)),
        ]

    def _categories(self, spec: EstimandLike, other: Population) -> Iterator[Table]:
        """Tabulate shares by category; cumulated ones say the same, and long scales do not fit."""
        array = self.posterior.estimand(spec.name, population=self.population)
        draws = self._by_system(array, "category")
        if draws.shape[2] > MOST_CATEGORIES or not np.allclose(draws.sum(axis=2), 1):
            return
        beside = self._by_system(self.posterior.estimand(spec.name, population=other), "category")
        shown: list[tuple[Population, np.ndarray]] = [(self.population, draws)]
        if self._differ(draws, beside):
            shown.append((other, beside))
        categories = shorten([str(label) for label in array["category"].values], HEADING_WIDTH)
        for population, values in shown:
            shares = [
                Column(category, tuple(probability(share) for share in column))
                for category, column in zip(categories, values.mean(axis=0).T, strict=True)
            ]
            yield Table(
                f"{spec.title[:1].upper()}{spec.title[1:]}"
                + (f", {population or 'new'}" if len(shown) > 1 else ""),
                (Column("system", self.part.systems, "label"), *shares),
                (
                    f"Posterior means; {self.posterior.averaged_over(population)}.",
                    f"The draws: posterior.estimand({spec.name!r}).",
                ),
            )
