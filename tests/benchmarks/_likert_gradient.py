"""One evaluation of density and gradient: bayeseval, PyMC's models and other back ends."""

# Imports that take time stand where they are needed, so that a timed process pays only for its own.
# PyMC and PyTensor describe their objects only in part.
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false, reportIndexIssue=false
# pyright: reportArgumentType=false, reportCallIssue=false, reportOptionalCall=false
# pyright: reportOptionalIterable=false, reportGeneralTypeIssues=false
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.benchmarks._measure import Call
from tests.benchmarks._page import Table, verdict

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pymc as pm

    from bayeseval import LikertJudgements, OrdinalProbit

LEAST_GRADIENT_RATIO = 15
CATEGORIES = 5
AGREEMENT = 1e-5
SEED = 20260101
COMPILED = "model, compiled density (what fit() samples)"


def plain_model(ratings: pd.DataFrame, *, compute_p: bool) -> pm.Model:
    """Write the model as a user of PyMC would: the same terms and priors, ``pm.OrderedProbit``.

    The annotators' thresholds are ordered by construction: gaps of the population times factors
    of their own, around the population's mean, plus severity.
    """
    import numpy as np
    import pandas as pd
    import pymc as pm
    import pytensor.tensor as pt

    system, systems = pd.factorize(ratings["system"], sort=True)
    annotator, annotators = pd.factorize(ratings["annotator"], sort=True)
    coords = {"system": systems, "annotator": annotators, "gap": np.arange(CATEGORIES - 2)}
    with pm.Model(coords=coords) as model:
        quality_sd = pm.HalfNormal("quality_sd", 1.0)
        quality = pm.ZeroSumNormal("quality", sigma=quality_sd, dims="system")
        severity_sd = pm.HalfNormal("severity_sd", 1.0)
        severity = severity_sd * pm.Normal("severity_z", dims="annotator")
        eta = quality[system]
        if "item" in ratings:
            item, items = pd.factorize(ratings["item"], sort=True)
            difficulty_sd = pm.HalfNormal("difficulty_sd", 1.0)
            eta = eta - difficulty_sd * pm.Normal("difficulty_z", shape=len(items))[item]

        shares = pm.Dirichlet("shares", np.full(CATEGORIES, 2.0))
        population = pm.math.probit(pt.cumsum(shares)[:-1])
        gap_sd = pm.HalfNormal("gap_sd", 0.5)
        factors = pt.exp(gap_sd * pm.Normal("gap_z", dims=("annotator", "gap")))
        steps = pt.cumsum(pt.diff(population)[None, :] * factors, axis=1)
        steps = pt.concatenate([pt.zeros((len(annotators), 1)), steps], axis=1)
        centred = steps - steps.mean(axis=1, keepdims=True)
        thresholds = centred + population.mean() + severity[:, None]

        pm.OrderedProbit(
            "rating",
            eta=eta,
            cutpoints=thresholds[annotator],
            observed=ratings["rating"].to_numpy() - 1,
            compute_p=compute_p,
        )
    return model


@dataclass(frozen=True)
class GradientCase:
    """Simulated ratings, and the compiled density of them at the truth.

    Attributes
    ----------
    ratings, family, declaration, cells
        The ratings, and how the family declares and collapses them.
    effects, thresholds
        Where the likelihood is evaluated.
    passed
        What the kernel of the answers takes there: linear predictors, cells, room for slopes.
    """

    ratings: LikertJudgements
    family: OrdinalProbit
    declaration: Any
    cells: Any
    effects: np.ndarray
    thresholds: np.ndarray
    passed: tuple[np.ndarray, ...]

    def kernel(self) -> None:
        """Evaluate log probabilities and their slopes by the predictors, and nothing around it."""
        self.declaration.response.kernel(*self.passed)

    def likelihood(self) -> tuple[np.ndarray, ...]:
        """Return the log likelihood by that kernel, with gradient by effects and thresholds."""
        import numpy as np

        self.kernel()
        cells, log_p, predictors_bar = self.cells, self.passed[5], self.passed[6]
        bar = np.zeros(cells.index.max() + 1)
        for term, index, weight in zip(
            self.declaration.terms, cells.index, cells.weight, strict=True
        ):
            np.add.at(bar, index, weight * predictors_bar[term.predictor])
        n_rows, n_thresholds = self.thresholds.shape
        ends = np.zeros(n_rows * (n_thresholds + 2))
        found = bar[thresholds_start(self.declaration) :]
        ends[: found.size] = found
        ends_bar = ends.reshape(n_rows, n_thresholds + 2)
        return cells.count @ log_p, bar[: self.effects.size], ends_bar[:, 1:-1]

    @property
    def annotator(self) -> np.ndarray:
        """Position of every cell's annotator."""
        (below,) = (
            index
            for term, index in zip(self.declaration.terms, self.cells.index, strict=True)
            if "below" in term.columns
        )
        width = self.thresholds.shape[1] + 2
        return (below - thresholds_start(self.declaration)) // width

    def model(self) -> Call:
        """Return a call that evaluates the whole model's density and gradient, as sampled."""
        import numpy as np

        density = self.family.density(self.declaration, self.cells)
        start = self.family.start(self.declaration, self.cells, np.random.default_rng(SEED))
        return lambda: density(start)


def gradient_case(*, n_annotators: int, n_systems: int, n_items: int) -> GradientCase:
    """Simulate ratings that differ in their cells, with thresholds by annotator."""
    import numpy as np

    import bayeseval as be
    from bayeseval.families._ordinal_kernel import OPEN_END

    simulated = be.simulate_likert(
        n_annotators=n_annotators,
        n_systems=n_systems,
        n_items=n_items,
        n_categories=CATEGORIES,
        random_seed=SEED,
    )
    ratings, truth = simulated.judgements, simulated.truth
    family = be.OrdinalProbit(effects={"interaction": False, "taste": False})
    declaration = family.declare(ratings)
    cells = family.cells(declaration, ratings)
    if cells.n_cells != ratings.n_rows:
        raise RuntimeError("the cells are fewer than the ratings: the costs per row would differ")
    effects = np.concatenate([truth[effect.name].values for effect in declaration.effects])
    severity = truth["severity"].values
    thresholds = truth["thresholds"].transpose("annotator", "threshold").values - severity[:, None]
    start = thresholds_start(declaration)
    levels = np.zeros(start + thresholds.shape[0] * (CATEGORIES + 1))
    levels[: effects.size] = effects
    ends = ((0, 0), (1, 1))
    levels[start:] = np.pad(thresholds, ends, constant_values=(-OPEN_END, OPEN_END)).ravel()
    predictors = np.zeros((declaration.response.n_predictors, cells.n_cells))
    for term, index, weight in zip(declaration.terms, cells.index, cells.weight, strict=True):
        predictors[term.predictor] += weight * levels[index]
    return GradientCase(
        ratings=ratings,
        family=family,
        declaration=declaration,
        cells=cells,
        effects=effects,
        thresholds=thresholds,
        passed=(
            predictors,
            cells.answer,
            cells.criterion,
            np.empty((1, 0)),
            declaration.response.options,
            np.empty(cells.n_cells),
            np.empty_like(predictors),
            np.empty((1, 0)),
            cells.count,
        ),
    )


def thresholds_start(declaration: Any) -> int:
    """Return where the thresholds begin among what terms may name."""
    from bayeseval.families._layout import level_starts

    return level_starts(declaration)["thresholds"]


def gradient_calls(
    *, n_annotators: int, n_systems: int, n_items: int, mode: str
) -> tuple[int, dict[str, Call]]:
    """Compile every form of the density; return the number of ratings and a call for each form.

    Each call evaluates the log density and its gradient once. Those called "likelihood" are at the
    same effects and thresholds, and are checked to agree; the others are whole models, with priors
    and with the way from the sampler's vector to the effects.
    """
    import numpy as np
    import pymc as pm
    import pytensor
    import pytensor.tensor as pt

    from bayeseval.families._builder import build_model

    case = gradient_case(n_annotators=n_annotators, n_systems=n_systems, n_items=n_items)
    cells = case.cells
    at, cuts = pt.dvector("effects"), pt.dmatrix("thresholds")
    of_answer = [t for t, term in enumerate(case.declaration.terms) if term.predictor == 0]
    eta = sum(cells.weight[t] * at[cells.index[t]] for t in of_answer)
    plain = pm.OrderedProbit.dist(eta=eta, cutpoints=cuts[case.annotator])
    value = pm.logp(plain, cells.answer[0].astype(int)).sum()
    likelihood = pytensor.function([at, cuts], [value, *pt.grad(value, [at, cuts])], mode=mode)
    at_truth = (case.effects, case.thresholds)
    for own, other in zip(case.likelihood(), likelihood(*at_truth), strict=True):
        # The gradient of pm.OrderedProbit goes through a difference of logs: some 1e-7 a rating.
        np.testing.assert_allclose(other, own, rtol=0.0, atol=AGREEMENT * np.abs(own).max())

    frame = case.ratings.to_frame()
    calls: dict[str, Call] = {
        "likelihood, kernel of the answers alone": case.kernel,
        "likelihood, pm.OrderedProbit": lambda: likelihood(*at_truth),
        COMPILED: case.model(),
        "model, the same in PyMC (build())": whole_model(
            build_model(case.declaration, cells), mode
        ),
    }
    for compute_p in (False, True):
        calls[f"model, PyMC with pm.OrderedProbit, compute_p={compute_p}"] = whole_model(
            plain_model(frame, compute_p=compute_p), mode
        )
    return case.ratings.n_rows, calls


def whole_model(model: pm.Model, mode: str) -> Call:
    """Compile a model's log density with its gradient; the call evaluates it near the start."""
    import numpy as np
    from pymc.blocking import DictToArrayBijection

    function = model.logp_dlogp_function(ravel_inputs=True, mode=mode)
    point = DictToArrayBijection.map(model.initial_point()).data
    at = point + np.random.default_rng(SEED).uniform(-0.1, 0.1, point.size)
    if not np.isfinite(function(at)[1]).all():
        raise RuntimeError("the gradient is not finite at the start")
    return lambda: function(at)


def gradient_table(n_rows: int, times: Mapping[str, float]) -> Table:
    """Set nanoseconds a row beside those of ``pm.OrderedProbit``."""
    slow = {
        "likelihood": times["likelihood, pm.OrderedProbit"],
        # The faster of the two forms.
        "model": min(seconds for name, seconds in times.items() if "compute_p" in name),
    }
    rows = tuple(
        (name, f"{1e9 * seconds / n_rows:,.0f}", f"{slow[name.split(',')[0]] / seconds:.1f}")
        for name, seconds in times.items()
    )
    ratio = slow["model"] / times[COMPILED]
    return Table(
        f"Log density with gradient, {n_rows:,} ratings on {CATEGORIES} points",
        ("form", "ns a rating", "times faster"),
        rows,
        (
            (
                f"Compiled density beside `pm.OrderedProbit`: {ratio:.1f} times faster; wanted is "
                f"{LEAST_GRADIENT_RATIO}. **{verdict(ratio, LEAST_GRADIENT_RATIO)}**"
            ),
            (
                "Medians over many calls in turn, without the first; PyTensor's mode is NUMBA in "
                "all. The likelihoods were checked to agree in value and gradient, to "
                f"{AGREEMENT:g} of the largest; the kernel's row is without looking up "
                "effects. `compute_p` adds a deterministic, which the "
                "gradient does not evaluate. The thresholds differ by annotator."
            ),
        ),
    )
