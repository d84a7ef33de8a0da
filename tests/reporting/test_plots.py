import io
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from bayeseval.comparison import compare, rank
from bayeseval.errors import BayesEvalError, JudgementError
from bayeseval.frequentist import filter_effect
from bayeseval.judgements import SPAJudgements
from bayeseval.reporting import (
    plot_comparison,
    plot_filter_effect,
    plot_predictive,
    plot_rank_distribution,
    plot_ranking,
    plot_thresholds,
    plot_win_probability,
)
from bayeseval.reporting._figures import BLUE, FAINT
from tests.fakes import FakeConvergence, FakePosterior, make_posterior
from tests.reporting.conftest import HOSTILE, Study, make_study

PLOTS: dict[str, Callable[[FakePosterior, Any], Figure]] = {
    "ranking": lambda p, j: plot_ranking(rank(p)),
    "rank_distribution": lambda p, j: plot_rank_distribution(rank(p)),
    "win_probability": lambda p, j: plot_win_probability(p),
    "comparison": lambda p, j: plot_comparison(compare(p)),
    "thresholds": lambda p, j: plot_thresholds(p),
    "predictive": lambda p, j: plot_predictive(p, j, draws=20),
    "predictive_annotators": lambda p, j: plot_predictive(p, j, by="annotator", draws=20),
}


def draw(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("systems", [("a", "b"), HOSTILE, [f"system {i}" for i in range(60)]])
def test_every_plot_draws_any_labels_without_a_warning(name: str, systems: Any) -> None:
    posterior, judgements = make_study(systems, n_annotators=2, n_items=1)
    figure = PLOTS[name](posterior, judgements)
    assert isinstance(figure, Figure)
    assert draw(figure).startswith(b"\x89PNG")


@pytest.mark.parametrize("name", PLOTS)
def test_plots_leave_matplotlib_as_it_was(name: str, study: Study) -> None:
    with mpl.rc_context({"text.color": "red", "font.size": 30}):
        before = dict(mpl.rcParams)
        PLOTS[name](*study)
        assert dict(mpl.rcParams) == before


def test_plots_never_import_pyplot() -> None:
    code = (
        "import sys; sys.path.insert(0, '.')\n"
        "from tests.reporting.conftest import make_study\n"
        "from tests.reporting.test_plots import PLOTS, draw\n"
        "for plot in PLOTS.values(): draw(plot(*make_study()))\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_importing_reporting_does_not_import_matplotlib_or_jinja() -> None:
    code = (
        "import sys, bayeseval.reporting\n"
        "print([m for m in ('matplotlib', 'jinja2', 'arviz_stats') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_ranking_plot_shows_the_numbers_of_the_table(study: Study) -> None:
    ranking = rank(study[0])
    left, right = plot_ranking(ranking).axes
    frame = ranking.to_frame()
    points = next(line for line in left.lines if line.get_marker() == "o")
    np.testing.assert_allclose(np.asarray(points.get_xdata()), frame["quality"])
    segments = np.array(left.collections[0].get_segments())  # pyright: ignore[reportAttributeAccessIssue]
    np.testing.assert_allclose(segments[:, 0, 0], frame["quality_lower"])
    np.testing.assert_allclose(segments[:, 1, 0], frame["quality_upper"])
    assert [text.get_text() for text in left.get_yticklabels()] == frame["system"].tolist()
    ranks = next(line for line in right.lines if line.get_marker() == "o")
    np.testing.assert_allclose(np.asarray(ranks.get_xdata()), frame["expected_rank"])


def test_long_labels_are_shortened_but_stay_different() -> None:
    systems = [f"{'x' * 60}-{i}" for i in range(5)]
    posterior = make_posterior(np.arange(5.0), systems=tuple(systems))
    labels = [t.get_text() for t in plot_ranking(rank(posterior)).axes[0].get_yticklabels()]
    assert len(set(labels)) == 5
    assert max(map(len, labels)) <= 24
    assert all("…" in label for label in labels)


def test_dollar_signs_are_no_mathematics() -> None:
    posterior = make_posterior([0.0, 1.0], systems=(r"$\frac{", "$x$"))
    figure = plot_ranking(rank(posterior))
    draw(figure)
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == ["$x$", r"$\frac{"]


@pytest.mark.parametrize("name", PLOTS)
def test_failed_convergence_is_written_on_every_plot(name: str, study: Study) -> None:
    posterior, judgements = study
    bad = posterior.but(convergence=FakeConvergence(ok=False), approximate="Laplace")
    figure = PLOTS[name](bad, judgements)
    assert figure.get_suptitle() == "NOT CONVERGED · approximate draws"
    assert PLOTS[name](posterior, judgements).get_suptitle() == ""


def test_one_criterion_is_drawn_at_a_time() -> None:
    posterior, judgements = make_study(criteria=("fluency", "coherence"))
    ranking = rank(posterior)
    with pytest.raises(BayesEvalError, match="criterion="):
        plot_ranking(ranking)
    with pytest.raises(BayesEvalError, match="criterion="):
        plot_win_probability(posterior)
    with pytest.raises(BayesEvalError, match="criterion="):
        plot_thresholds(posterior)
    for figure in (
        plot_ranking(ranking, criterion="coherence"),
        plot_win_probability(posterior, criterion="coherence"),
        plot_thresholds(posterior, criterion="coherence"),
        plot_predictive(posterior, judgements, criterion="coherence", draws=5),
    ):
        draw(figure)


def test_harshest_and_most_lenient_annotators_are_kept_of_many() -> None:
    posterior, _ = make_study(n_annotators=30, n_items=1)
    severity = posterior.data["posterior"].to_dataset()["severity"].mean(("chain", "draw"))
    order = severity["annotator"].values[np.argsort(-severity.values)]
    figure = plot_thresholds(posterior, most=4)
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == [*order[:2], *order[-2:]]
    with pytest.raises(BayesEvalError, match="most must be"):
        plot_thresholds(posterior, most=0)


def test_posterior_without_annotators_has_no_thresholds_to_draw() -> None:
    with pytest.raises(BayesEvalError, match="neither 'severity' nor 'thresholds'"):
        plot_thresholds(make_posterior([0.0, 1.0]))


def test_hundred_thresholds_are_thinned() -> None:
    posterior, judgements = make_study(n_categories=101)
    figure = plot_thresholds(posterior)
    assert figure.axes[1].get_xlabel().startswith("5 of the 100 thresholds")
    bars = plot_predictive(posterior, judgements, draws=5).axes[0]
    heights = [patch.get_height() for patch in bars.patches]  # pyright: ignore[reportAttributeAccessIssue]
    assert len(heights) == 17
    assert sum(heights) == pytest.approx(1)


def test_observed_bars_are_the_shares_of_the_judgements(study: Study) -> None:
    posterior, judgements = study
    axes = plot_predictive(posterior, judgements, draws=20).axes[0]
    heights = [patch.get_height() for patch in axes.patches]  # pyright: ignore[reportAttributeAccessIssue]
    np.testing.assert_allclose(heights, np.bincount(judgements.answers, minlength=5) / 45)


def test_strangers_are_refused(study: Study) -> None:
    other = make_study(("x", "y"))[1]
    with pytest.raises(JudgementError, match="must be those that were fitted"):
        plot_predictive(study[0], other)


def test_annotator_panels_need_annotators() -> None:
    posterior, judgements = make_study(named=False)
    with pytest.raises(BayesEvalError, match="name none"):
        plot_predictive(posterior, judgements, by="annotator")
    with pytest.raises(BayesEvalError, match="by must be"):
        plot_predictive(posterior, judgements, by="item")  # pyright: ignore[reportArgumentType]


def middles(axes: Any, across: int) -> list[float]:
    """Return the means drawn, after the line of reference, along x (0) or y (1)."""
    return [float(value) for line in axes.lines[1:] for value in line.get_data()[across]]


def interval_ends(axes: Any, across: int) -> list[float]:
    """Return the ends of the intervals drawn, one after another, along x (0) or y (1)."""
    return [
        float(point[across])
        for lines in axes.collections
        for segment in lines.get_segments()
        for point in segment
    ]


def test_comparison_plot_shows_estimates_intervals_and_the_region() -> None:
    posterior, _ = make_study()
    comparison = compare(posterior, rope=(0.4, 0.6), ci_prob=0.8, ci_kind="hdi")
    (axes,) = plot_comparison(comparison).axes
    assert middles(axes, 0) == comparison.table["estimate"].tolist()
    ends = comparison.table[["lower", "upper"]].to_numpy().ravel().tolist()
    assert interval_ends(axes, 0) == ends
    assert axes.get_yticklabels()[0].get_text() == "alpha ≻ beta"
    assert "80 % highest-density interval" in axes.get_xlabel()
    (shade,) = axes.patches
    assert (shade.get_x(), shade.get_width()) == pytest.approx((0.4, 0.2))  # type: ignore[attr-defined]
    difference = plot_comparison(compare(posterior, quantity="quality")).axes[0]
    assert difference.get_yticklabels()[0].get_text() == "alpha − beta"


def test_comparison_by_a_moderator_has_a_panel_a_pair_with_the_levels_across() -> None:
    posterior = make_posterior([1, 0, -1], systems=("a", "$b$", "c"), by=("m", ("1", "2", "10")))
    pairs = [("a", "$b$"), ("$b$", "c"), ("a", "c"), ("c", "a")]
    comparison = compare(posterior, pairs, by="m")
    figure = plot_comparison(comparison)
    assert draw(figure).startswith(b"\x89PNG")
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_title("left") for axes in shown] == ["a ≻ $b$", "$b$ ≻ c", "a ≻ c", "c ≻ a"]
    table = comparison.table
    own = table[(table["system_a"] == "a") & (table["system_b"] == "$b$")]
    assert middles(shown[0], 1) == own["estimate"].tolist()
    assert interval_ends(shown[0], 1) == own[["lower", "upper"]].to_numpy().ravel().tolist()
    assert [text.get_text() for text in shown[3].get_xticklabels()] == ["1", "2", "10"]
    assert figure.get_supxlabel() == "m: posterior mean, 95 % equal-tailed interval"
    (axes,) = plot_comparison(comparison, level="10").axes
    assert len(axes.get_yticklabels()) == 4
    assert axes.get_title("left") == "m 10"
    some = plot_comparison(comparison, most=1)
    assert len([axes for axes in some.axes if axes.get_visible()]) == 1
    assert "1 of 4 pairs" in some.get_supxlabel()
    with pytest.raises(BayesEvalError, match="there is no level '3'"):
        plot_comparison(comparison, level="3")
    with pytest.raises(BayesEvalError, match="at least 1"):
        plot_comparison(comparison, most=0)


def test_comparison_plot_greys_what_only_the_prior_says() -> None:
    class Apart(FakePosterior):
        components = (("alpha", "beta"), ("gamma",))

    (axes,) = plot_comparison(compare(Apart(make_study()[0].variables))).axes
    shades = [mpl.colors.to_hex(lines.get_color()[0]) for lines in axes.collections]  # type: ignore[attr-defined]
    assert shades == [BLUE, FAINT]
    assert [len(lines.get_segments()) for lines in axes.collections] == [1, 2]  # type: ignore[attr-defined]


def stated(systems: Any, *, criteria: tuple[str, ...] = ("c",)) -> SPAJudgements:
    rng = np.random.default_rng(1)
    rows = [
        (f"w{w}", a, b, float(rng.uniform(0.3, 0.7)), criterion)
        for w in range(12)
        for a, b in [(systems[0], systems[1]), (systems[1], systems[0])]
        for criterion in criteria
    ]
    return SPAJudgements.from_frame(
        pd.DataFrame(rows, columns=["w", "a", "b", "p", "c"]),
        annotator="w",
        system_a="a",
        system_b="b",
        probability="p",
        criterion="c" if len(criteria) > 1 else None,
        bounds=(0, 1),
    )


@pytest.mark.parametrize("systems", [("a", "b"), HOSTILE[:2], HOSTILE[2:4], HOSTILE[4:]])
def test_filter_effect_is_drawn_before_and_after(systems: Any) -> None:
    effect = filter_effect(stated(systems), [1.2, 1.1], ci_prob=0.9)
    figure = plot_filter_effect(effect)
    assert draw(figure).startswith(b"\x89PNG")
    (axes,) = figure.axes
    kept = effect.table["n_annotators"].tolist()
    assert kept == sorted(kept, reverse=True)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "all 12 annotators",
        f"τ = 1.2: {kept[1]} kept",
        f"τ = 1.1: {kept[2]} kept",
    ]
    assert middles(axes, 0) == effect.table["mean"].tolist()
    assert interval_ends(axes, 0) == effect.table[["lower", "upper"]].to_numpy().ravel().tolist()
    assert "90 % t interval" in axes.get_xlabel()


def test_filter_effect_is_drawn_of_one_criterion() -> None:
    effect = filter_effect(stated(("a", "b"), criteria=("x", "y")), [1.3])
    with pytest.raises(BayesEvalError, match="one criterion is drawn"):
        plot_filter_effect(effect)
    (axes,) = plot_filter_effect(effect, criterion="y").axes
    assert axes.get_title("left") == "y"
    own = effect.table[effect.table["criterion"] == "y"]
    assert middles(axes, 0) == own["mean"].tolist()
    with pytest.raises(BayesEvalError, match="filter_effect"):
        plot_filter_effect(stated(("a", "b")))  # type: ignore[arg-type]
