"""Kappas and correlations of criteria against R (vcd, stats) and statsmodels, two tables each."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayeseval.agreement import cohen_kappa, criteria_correlation, fleiss_kappa
from bayeseval.judgements import LikertJudgements
from tests.agreement.tables import ratings

# k <- vcd::Kappa(counts, weights = "Equal-Spacing"); k; confint(k); also "Fleiss-Cohen". (Of plain
# kappa psych::cohen.kappa has the same interval, of weighted another.)
KAPPA = [
    (
        [[10, 3, 1], [2, 12, 4], [0, 5, 9]],
        {
            None: (0.2955075918, 0.5043103448, 0.7131130979),
            "linear": (0.3913781191, 0.5808656036, 0.7703530882),
            "quadratic": (0.4825794440, 0.6666666667, 0.8507538893),
        },
    ),
    (
        [[8, 2, 0, 1], [3, 7, 2, 0], [1, 3, 9, 2], [0, 1, 2, 6]],
        {
            None: (0.3292491764, 0.5142857143, 0.6993222521),
            "linear": (0.4525432971, 0.6214039125, 0.7902645280),
            "quadratic": (0.5104528616, 0.7053589484, 0.9002650353),
        },
    ),
]
X = (
    [3, 7, 5, 9, 2, 8, 6, 4, 10, 1, 12, 11],
    [2, 2, 3, 5, 4, 4, 1, 3, 5, 5, 2, 4, 1, 3],
)
Y = (
    [2, 9, 4, 7, 1, 10, 8, 3, 12, 5, 11, 6],
    [1, 3, 3, 4, 4, 5, 2, 2, 5, 4, 3, 3, 2, 4],
)
# cor.test(x, y, method), of "spearman" with exact = FALSE: estimate, p.
CORRELATIONS = {
    (0, "pearson"): (0.7692307692, 0.003446450262),
    (0, "spearman"): (0.7692307692, 0.003446450262),
    (0, "kendall"): (0.6060606061, 0.005380307707),
    (1, "pearson"): (0.7627288484, 0.001511058581),
    (1, "spearman"): (0.7880519046, 0.0008147084537),
    (1, "kendall"): (0.6667948595, 0.00315100691),
}
PEARSON_INTERVALS = ((0.3497155535, 0.9317842977), (0.3899626752, 0.9207084286))


@pytest.mark.parametrize(("counts", "known"), KAPPA)
def test_kappa_and_its_interval_are_those_of_vcd(
    counts: list[list[int]], known: dict[Any, tuple[float, ...]]
) -> None:
    cells = np.array(counts)
    one, two = (np.repeat(index.ravel(), cells.ravel()) + 1 for index in np.indices(cells.shape))
    table = ratings([one, two], scale=(1, len(cells)))
    for weights, numbers in known.items():
        row = cohen_kappa(table, weights=weights).table.iloc[0]
        found = row[["lower", "kappa", "upper"]].astype(float)
        np.testing.assert_allclose(found, numbers, rtol=1e-8)


@pytest.mark.parametrize(("n_units", "n_each", "n_points"), [(15, 4, 3), (30, 3, 5)])
def test_fleiss_kappa_is_that_of_statsmodels(n_units: int, n_each: int, n_points: int) -> None:
    from statsmodels.stats.inter_rater import aggregate_raters
    from statsmodels.stats.inter_rater import fleiss_kappa as theirs

    rng = np.random.default_rng(n_units)
    middle = rng.uniform(1, n_points, n_units)
    noisy = middle[:, None] + rng.normal(0, 0.8, (n_units, n_each))
    answers = np.clip(np.round(noisy), 1, n_points).astype(int)
    found = fleiss_kappa(ratings(answers.T, scale=(1, n_points))).table["kappa"][0]
    assert found == pytest.approx(theirs(aggregate_raters(answers)[0]), rel=1e-12)


@pytest.mark.parametrize(("which", "method"), CORRELATIONS)
def test_correlations_have_the_p_of_cor_test(which: int, method: str) -> None:
    x, y = X[which], Y[which]
    frame = pd.DataFrame(
        [
            {"item": f"i{k}", "criterion": criterion, "rating": values[k]}
            for criterion, values in (("x", x), ("y", y))
            for k in range(len(x))
        ]
    ).assign(who="w", system="S")
    table = LikertJudgements.from_frame(
        frame, annotator="who", system="system", item="item", criterion="criterion",
        rating="rating", scale=(1, 12),
    )  # fmt: skip
    rows = criteria_correlation(table, method=method).table  # type: ignore[arg-type]
    r, p = CORRELATIONS[which, method]
    np.testing.assert_allclose(rows[["correlation", "p"]], [[r, p]] * 2, rtol=1e-6)
    # Of ranks by hand: Bonett & Wright (2000).
    n = len(x)
    spread = {"spearman": (1 + r**2 / 2) / (n - 3), "kendall": 0.437 / (n - 4)}.get(method, 0.0)
    ends = np.tanh(np.arctanh(r) + stats.norm.ppf([0.025, 0.975]) * np.sqrt(spread))
    known = PEARSON_INTERVALS[which] if method == "pearson" else tuple(ends)
    np.testing.assert_allclose(rows[["lower", "upper"]], [known] * 2, rtol=1e-6)
