"""Stated probabilities: means and masses of the answers by pair, of the sample and the model."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bayeseval._tables import Column, Table
from bayeseval._text import number
from bayeseval.comparison._contract import Population
from bayeseval.frequentist import SPATest, spa_test
from bayeseval.judgements import SPAJudgements
from bayeseval.reporting._contract import PredictivePosterior

if TYPE_CHECKING:
    import pandas as pd

MOST_SDS = 2.0
"""Posterior standard deviations by which a sample mean may differ from the model's."""

_NEAR = 0.005
_PLACES = {"0": 0.0, "half": 0.5, "1": 1.0}
_RANGE = (0.01, 0.99)


@dataclass(frozen=True, slots=True)
class StatedCheck:
    """Sample means and masses of the answers by pair, beside those of the model.

    ``frame`` has one row a pair: ``system_a``, ``system_b``, ``n`` (answers), ``sample_mean``,
    ``model_mean``, ``model_sd``, ``apart`` (more than two posterior sds), ``odd`` (some mass lies
    outside 98 % of the simulated ones) and, for each of 0, half, 1 and middle, ``observed_…`` and
    ``predicted_…``. ``test`` is the t-test of the same pairs, which knows how coherent they are.
    """

    frame: "pd.DataFrame"
    test: SPATest

    def sentences(self) -> Iterator[str]:
        """Say of how many pairs the mean or the masses do not fit."""
        n_pairs = len(self.frame)
        apart, odd = int(self.frame["apart"].sum()), int(self.frame["odd"].sum())
        if apart:
            yield (
                f"In {apart} of {n_pairs} pairs the model's mean lies more than {MOST_SDS:g} "
                "posterior standard deviations from the sample mean: the shape of the answers is "
                "not the model's, or one scale of quality does not hold. Take the sample mean "
                "(BayesianBootstrap) for these pairs, or structure='pairs'."
            )
        if odd:
            yield (
                f"In {odd} of {n_pairs} pairs the answers heap at 0, ½ or 1, or lie between them, "
                "otherwise than the model expects."
            )
        if not apart and not odd:
            yield (
                "In every pair the model's mean agrees with the sample mean, and the answers heap "
                "no more than the model expects."
            )

    def tables(self) -> tuple[Table, ...]:
        """Tabulate means and masses, and whether the two directions of a pair agree."""
        return (self.table(), *self.test.coherence_tables())

    def table(self) -> Table:
        """Tabulate means and masses by pair."""
        frame = self.frame
        columns = [
            Column("A", tuple(frame["system_a"]), "label"),
            Column("B", tuple(frame["system_b"]), "label"),
            Column("sample", tuple(number(v, 3) for v in frame["sample_mean"])),
            Column("model", tuple(number(v, 3) for v in frame["model_mean"])),
            Column("sd", tuple(number(v, 3) for v in frame["model_sd"])),
            Column("apart", tuple("yes" if v else "no" for v in frame["apart"]), "text"),
        ]
        for place, heading in (("0", "at 0"), ("half", "at ½"), ("1", "at 1"), ("middle", "else")):
            pairs = zip(frame[f"observed_{place}"], frame[f"predicted_{place}"], strict=True)
            cells = tuple(f"{100 * seen:.0f} / {100 * model:.0f}" for seen, model in pairs)
            columns.append(Column(heading, cells))
        return Table(
            "Mean and mass of the answers by pair: in the sample and by the model",
            tuple(columns),
            (
                (
                    "sample: mean of P[A ≻ B], both directions together, as in the t-test; model: "
                    f"posterior mean and sd; apart: more than {MOST_SDS:g} sd."
                ),
                (
                    "at 0, ½, 1: percent of the answers within .005 of it, observed / predicted; "
                    "else: all others."
                ),
            ),
        )


def stated_check(
    posterior: PredictivePosterior,
    judgements: SPAJudgements,
    criterion: str | None,
    *,
    population: Population,
    simulated: np.ndarray,
) -> StatedCheck:
    """Hold the model's mean and masses of every pair against the sample's.

    Parameters
    ----------
    posterior
        The posterior.
    judgements
        The judgements that were fitted.
    criterion
        The criterion, where there are criteria.
    population
        Annotators that the model's mean is over.
    simulated
        Answers of simulated tables, shape (sample, row).
    """
    import pandas as pd

    chosen = np.ones(judgements.n_rows, dtype=bool)
    model = posterior.win_probability(population=population)
    if criterion is not None:
        chosen = judgements.codes("criterion") == judgements.labels("criterion").index(criterion)
        model = model.sel(criterion=criterion)
    test = spa_test(judgements, directions="pooled", criterion=criterion)
    a, b = judgements.codes("system_a"), judgements.codes("system_b")
    place = {label: at for at, label in enumerate(judgements.systems)}
    rows = []
    for first, second, mean in zip(
        test.table["system_a"], test.table["system_b"], test.table["mean"], strict=True
    ):
        forward = chosen & (a == place[first]) & (b == place[second])
        turned = chosen & (a == place[second]) & (b == place[first])
        at = np.flatnonzero(forward | turned)
        weight = judgements.counts[at] / judgements.counts[at].sum()
        flip = turned[at]
        seen = _masses(_turned(judgements.answers[at], flip)[None], weight)
        expected = _masses(_turned(simulated[:, at], flip), weight)
        win = model.sel(system=first, system_b=second).values
        row = {
            "system_a": first,
            "system_b": second,
            "n": int(judgements.counts[at].sum()),
            "sample_mean": float(mean),
            "model_mean": float(win.mean()),
            "model_sd": float(win.std()),
        }
        row["apart"] = abs(row["model_mean"] - row["sample_mean"]) > MOST_SDS * row["model_sd"]
        odd = False
        for name, values in expected.items():
            low, high = np.quantile(values, _RANGE)
            observed = float(seen[name][0])
            odd |= not low <= observed <= high
            row |= {f"observed_{name}": observed, f"predicted_{name}": float(values.mean())}
        rows.append(row | {"odd": odd})
    return StatedCheck(pd.DataFrame(rows), test)


def _turned(answers: np.ndarray, flip: np.ndarray) -> np.ndarray:
    return np.where(flip, 1.0 - answers, answers)


def _masses(answers: np.ndarray, weight: np.ndarray) -> dict[str, np.ndarray]:
    """Return the share of the answers near 0, ½ and 1, and elsewhere, dims (sample,)."""
    near = [np.abs(answers - value) <= _NEAR + 1e-12 for value in _PLACES.values()]
    shares = [np.asarray(one.astype(np.float64) @ weight) for one in near]
    middle = np.asarray(1.0 - np.sum(shares, axis=0))
    return dict(zip(_PLACES, shares, strict=True)) | {"middle": middle}
