"""Laplace's approximation: its density, its Hessian, against NUTS, and when it is refused."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayeseval as be
from bayeseval import families
from bayeseval.families._block_prior import Block
from bayeseval.families._curvature import CentredDensity
from bayeseval.families._layout import layout
from bayeseval.inference import _laplace, fitting
from bayeseval.judgements import PairwiseJudgements
from bayeseval.simulate import simulate_pairwise
from tests.inference.plain_comparisons import PlainComparisons


def table(*, n_repeats: int = 1, criteria: bool = False, n_systems: int = 6) -> PairwiseJudgements:
    frame = simulate_pairwise(
        n_annotators=6, n_systems=n_systems, n_items=4, n_repeats=n_repeats, consistency_sd=0.4,
        position_effect=0.2, random_seed=5,
    ).judgements.to_frame()  # fmt: skip
    frame["criterion"] = np.where(np.arange(len(frame)) % 2, "fluency", "adequacy")
    return PairwiseJudgements.from_frame(
        frame,
        annotator="annotator",
        system_a="system_a",
        system_b="system_b",
        outcome="outcome",
        criterion="criterion" if criteria else None,
        repeats=True,
    )


@contextmanager
def messages(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    logger = logging.getLogger("bayeseval")
    logger.addHandler(caplog.handler)
    try:
        yield
    finally:
        logger.removeHandler(caplog.handler)


MODELS = [
    (PlainComparisons(), False),
    (PlainComparisons(consistency=True, taste=True), False),
    (PlainComparisons(consistency=True), True),
]


@pytest.mark.parametrize(("family", "criteria"), MODELS)
def test_gradient_and_hessian_are_those_of_the_density(
    family: PlainComparisons, criteria: bool
) -> None:
    judgements = table(criteria=criteria)
    declaration = family.declare(judgements)
    density = CentredDensity(declaration, family.cells(declaration, judgements))
    rng = np.random.default_rng(1)
    x = density.start() + 0.3 * rng.normal(size=density.size)
    value, gradient, precision = density.expansion(x)
    assert value == density(x)[0]
    points = np.stack([x, density.start() + 0.1])
    np.testing.assert_allclose(
        density.log_densities(points), [density(point)[0] for point in points], rtol=1e-12
    )
    h = 1e-5
    steps = h * np.eye(density.size)
    slopes = [(density(x + step)[0] - density(x - step)[0]) / (2 * h) for step in steps]
    np.testing.assert_allclose(gradient, slopes, atol=2e-5)
    bends = [(density(x - step)[1] - density(x + step)[1]) / (2 * h) for step in steps]
    np.testing.assert_allclose(precision, bends, atol=5e-3)
    assert np.abs(precision).max() > 5.0


@pytest.mark.parametrize("position", [False, True])
@pytest.mark.parametrize("ties", ["half", "davidson"])
@pytest.mark.parametrize("criteria", [False, True])
def test_many_points_at_once_are_as_one_by_one(position: bool, ties: str, criteria: bool) -> None:
    # More cells than a block holds.
    judgements = table(criteria=criteria, n_systems=26)
    family = be.BradleyTerry(
        ties=ties,  # type: ignore[arg-type]
        position=position,
        annotators="taste" if criteria else "none",
        items=False,
    )
    declaration = family.declare(judgements)
    cells = family.cells(declaration, judgements)
    assert cells.n_cells > 256
    assert (declaration.response.log_likelihoods is not None) == (ties == "half")
    density = CentredDensity(declaration, cells)
    # Far out, exponentials of differences leave their range.
    scales = np.array([0.0, 0.3, 3.0, 300.0])
    points = scales[:, None] * np.random.default_rng(1).normal(size=(4, density.size))
    np.testing.assert_allclose(
        density.log_densities(points), [density(point)[0] for point in points], rtol=1e-12
    )


@pytest.mark.parametrize(("link", "annotators"), [("probit", "none"), ("logit", "consistency")])
def test_models_with_more_than_a_logistic_difference_go_point_by_point(
    link: str, annotators: str
) -> None:
    family = be.BradleyTerry(
        ties="half",
        link=link,  # type: ignore[arg-type]
        annotators=annotators,  # type: ignore[arg-type]
    )
    assert family.declare(table()).response.log_likelihoods is None


def test_density_is_the_familys_with_the_standard_deviation_integrated_out() -> None:
    family, judgements = PlainComparisons(), table()
    declaration = family.declare(judgements)
    cells = family.cells(declaration, judgements)
    centred, joint = CentredDensity(declaration, cells), family.density(declaration, cells)
    assert joint is not None
    placed = layout(declaration, declaration.response.parameter_shapes)
    rng = np.random.default_rng(2)
    sds = np.geomspace(1e-2, 8.0, 4001)
    differences = []
    for _ in range(4):
        x = centred.start() + rng.normal(size=centred.size)
        logs = np.empty(sds.size)
        for at, sd in enumerate(sds):
            own = np.empty(joint.n_parameters)
            own[placed["quality_sd"].part] = sd
            own[placed["quality_z"].part] = x[:5] / sd
            own[placed["position_effect"].part] = x[5]
            own[placed["lapse"].part] = x[6]
            # From standardised effects to effects: five free values.
            logs[at] = joint(own)[0] - 5 * np.log(sd) + np.log(sd)
        differences.append(np.logaddexp.reduce(logs) - centred(x)[0])
    np.testing.assert_allclose(differences, differences[0], atol=1e-5)


@pytest.mark.sampling
def test_means_and_sds_are_those_of_nuts() -> None:
    judgements = table(n_repeats=5)
    family = PlainComparisons()
    approximate = be.fit(judgements, family, method="laplace", draws=2000, random_seed=1)
    sampled = be.fit(
        judgements, family, draws=2000, random_seed=1, target_accept=0.95, progressbar=False
    )
    assert sampled.approximate is None
    for name in ("quality", "quality_sd", "position_effect", "lapse"):
        mean, sd = (
            [getattr(p.posterior[name], of)(("chain", "draw")) for p in (approximate, sampled)]
            for of in ("mean", "std")
        )
        assert float(np.abs((mean[0] - mean[1]) / sd[1]).max()) < 0.1, name
        assert float(np.abs(sd[0] / sd[1] - 1).max()) < 0.1, name


def test_approximation_is_marked_everywhere_and_returns_from_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judgements = table(n_repeats=4)
    posterior = be.fit(judgements, PlainComparisons(), method="laplace", random_seed=3)
    assert posterior.convergence.ok
    assert posterior.approximate is not None
    assert "Pareto k" in posterior.approximate
    np.testing.assert_allclose(posterior.quality.sum("system"), 0.0, atol=1e-9)
    assert "approximate: Laplace's approximation, resampled" in repr(posterior)
    # A good approximation is told apart from a failed chain: information, no alarm.
    for printed in (repr(be.rank(posterior)), repr(be.compare(posterior))):
        assert "Approximate draws, not from MCMC" in printed
        assert "!!" not in printed
    page = be.report(posterior, judgements, tmp_path / "r.md").read_text()
    assert "These draws are an approximation" in page
    assert "**Approximate" not in page
    assert "tuning steps" not in page
    again = be.fit(judgements, PlainComparisons(), method="laplace", random_seed=3, cores=1)
    np.testing.assert_array_equal(posterior.quality, again.quality)
    monkeypatch.setattr(families, "_FAMILIES", (PlainComparisons,))
    restored = be.load(posterior.save(tmp_path / "p.nc"))
    assert repr(restored) == repr(posterior)
    assert restored.approximate == posterior.approximate


def test_few_weights_check_many_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_laplace, "_MOST_CELLS_WEIGHTED", 1)
    posterior = be.fit(table(n_repeats=4), PlainComparisons(), method="laplace", random_seed=3)
    assert "checked by 400 importance weights" in str(posterior.approximate)
    # 1 - 1 / log10(400)
    assert "reliable below 0.62" in str(posterior.approximate)
    assert len(np.unique(posterior.quality.values[..., 0])) == 4000


def test_a_posterior_far_from_normal_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    # The weights of a normal that is far too narrow have no variance.
    find = _laplace.find_mode

    def narrow(density: CentredDensity) -> tuple[np.ndarray, np.ndarray]:
        mode, factor = find(density)
        return mode, 3.0 * factor

    monkeypatch.setattr(_laplace, "find_mode", narrow)
    with pytest.warns(be.ConvergenceWarning, match="too far from a normal"):
        posterior = be.fit(table(), PlainComparisons(), method="laplace", random_seed=3)
    assert not posterior.convergence.ok
    assert "NOT CONVERGED" in repr(be.rank(posterior))
    with pytest.raises(be.ConvergenceError, match="method='nuts'"):
        be.fit(table(), PlainComparisons(), method="laplace", random_seed=3, strict=True)


def test_effects_that_the_data_do_not_hold_up_have_no_mode() -> None:
    judgements = simulate_pairwise(n_annotators=3, n_systems=3, n_items=1, random_seed=5).judgements
    with pytest.raises(be.ModelError, match=r"cannot approximate.*standard deviation"):
        be.fit(judgements, PlainComparisons(taste=True), method="laplace", random_seed=1)


@pytest.mark.parametrize("effect", ["taste", "position"])
def test_annotators_who_judged_little_are_refused_by_the_name_of_their_effect_with_the_remedy(
    effect: str,
) -> None:
    judgements = simulate_pairwise(
        n_annotators=6, n_systems=4, n_items=0, n_repeats=2, random_seed=5
    ).judgements
    family = be.BradleyTerry(annotators=effect)  # type: ignore[arg-type]
    with pytest.raises(be.ModelError) as refused:
        be.fit(judgements, family, method="laplace", random_seed=1)
    said = str(refused.value)
    assert f"the density is highest where {effect} has no differences at all" in said
    assert "the judgements say too little about its standard deviation" in said
    assert "Take method='nuts', or 'auto', which samples" in said
    without = be.fit(
        judgements, be.BradleyTerry(annotators="none"), method="laplace", random_seed=1
    )
    assert without.convergence.ok


@pytest.mark.sampling
def test_auto_takes_the_approximation_or_samples_and_says_so(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    judgements = table(n_repeats=4)
    with messages(caplog):
        taken = be.fit(judgements, PlainComparisons(), method="auto", random_seed=3)
    assert taken.approximate is not None
    assert any("approximation is good here (Pareto k" in text for text in caplog.messages)

    class Stop(Exception):
        pass

    def stop(*_: object) -> None:
        raise Stop

    monkeypatch.setattr(fitting, "sample_density", stop)
    monkeypatch.setattr(_laplace, "LARGEST_K_AUTO", -1.0)
    with messages(caplog), pytest.raises(Stop):
        be.fit(judgements, PlainComparisons(), method="auto", random_seed=3)
    assert any("will not do (Pareto k is" in text for text in caplog.messages)


def test_families_and_methods_without_it_are_named() -> None:
    ratings = be.simulate_likert(n_annotators=3, n_systems=2, n_items=2, random_seed=1).judgements
    with pytest.raises(be.ModelError, match="OrdinalProbit has no curvature"):
        be.fit(ratings, method="laplace")
    with pytest.raises(be.ModelError, match="method= is one of"):
        be.fit(ratings, method="vi")  # type: ignore[arg-type]


def test_systematic_resampling_keeps_the_weights() -> None:
    rng = np.random.default_rng(1)
    weight = rng.dirichlet(np.ones(50))
    chosen = _laplace.systematic(weight, 1000, rng)
    found = np.bincount(chosen, minlength=50)
    assert (np.abs(found - 1000 * weight) < 1.0 + 1e-9).all()


@pytest.mark.parametrize("n_systems", [1, 2, 6, 200])
def test_a_standard_deviation_is_drawn_from_its_conditional(n_systems: int) -> None:
    n, scale = n_systems - 1, 1.5
    block = Block(
        name="quality",
        sd_scale=scale,
        n_rows=1,
        length=n_systems,
        zero_sum=True,
        start=0,
        free=slice(0, n),
    )
    sds = np.geomspace(1e-6, 12.0, 400_001)
    for squares in (0.0, 1e-4 * n, 0.8 * n, 30.0 * n):
        r = max(squares, 1e-30)
        found = block.draw_sd(np.full(50_000, squares), np.random.default_rng(1))
        # By log σ, along which the grid's points are evenly spaced.
        log = (1 - n) * np.log(sds) - 0.5 * r / sds**2 - 0.5 * sds**2 / scale**2
        edges = np.cumsum(np.exp(log - log.max()))
        expected = np.interp(np.sort(found), sds, edges / edges[-1])
        if squares > 0.0 or n == 0:
            apart = np.abs(expected - (np.arange(found.size) + 0.5) / found.size).max()
            assert apart < 1.95 / np.sqrt(found.size), squares
        assert (found > 0.0).all()
        assert np.isfinite(found).all()
    if n:
        share = np.exp(log - log.max())
        mean = float(block.prior(np.array([30.0 * n])).precision[0])
        assert mean == pytest.approx((share / sds**2).sum() / share.sum(), rel=1e-3)


def test_pareto_shape_is_that_of_known_weights() -> None:
    # Weights u^(-k) of uniform u have a tail of shape k.
    uniform = np.random.default_rng(4).random(20_000)
    for k in (0.2, 0.5, 0.9):
        found, weight = _laplace.smoothed(-k * np.log(uniform))
        assert found == pytest.approx(k, abs=0.1)
        assert weight.sum() == pytest.approx(1.0)
        assert (np.diff(weight[np.argsort(uniform)]) <= 1e-12).all()


@pytest.mark.parametrize("wins", [(7, 3), (1, 0)])
def test_two_systems_say_too_little_of_a_standard_deviation(wins: tuple[int, int]) -> None:
    frame = pd.DataFrame({"a": ["A"], "b": ["B"], "wins": [wins[0]], "losses": [wins[1]]})
    judgements = PairwiseJudgements.from_counts(
        frame, system_a="a", system_b="b", wins="wins", losses="losses"
    )
    with pytest.raises(be.ModelError, match="no differences at all"):
        be.fit(judgements, be.BradleyTerry(), method="laplace", random_seed=1)
