"""Bradley–Terry and Davidson by maximum likelihood against BradleyTerry2, qvcalc and gnm of R.

The numbers are those of R 4.2, BradleyTerry2 1.1-2, qvcalc 1.0.2 and gnm 1.1-2, of the tables below
as data frames d with columns a, b, wins, losses, ties (a and b factors of all systems)::

    m <- BTm(cbind(wins, losses), a, b, data = d); deviance(m); df.residual(m); coef(summary(m))
    qvcalc(BTabilities(m))$qvframe
    # with the order of presentation:
    d$first <- data.frame(system = d$a, first = 1); d$second <- data.frame(system = d$b, first = 0)
    p <- BTm(cbind(wins, losses), first, second, ~ system, id = "system", data = d)
    h <- update(p, formula. = ~ . + first); pchisq(deviance(p) - deviance(h), 1, lower = FALSE)
    # with ties, l one row for every row of d and result 1, 0, -1:
    g <- gnm(count ~ GenDavidson(result == 1, result == 0, result == -1, a, b), eliminate = match,
             family = poisson, data = l)
    getContrasts(g, grep("^[A-D]$", names(coef(g))), ref = "first")
    # with home.adv = ~1, at.home1 = rep(TRUE, n), at.home2 = rep(FALSE, n) of the first place
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bayeseval.frequentist import BradleyTerryML, bradley_terry_ml
from bayeseval.judgements import PairwiseJudgements
from tests.frequentist.tables import counts

CLOSE = 2e-6


def _table(a: str, b: str, *numbers: tuple[int, ...]) -> PairwiseJudgements:
    wins, losses, *ties = numbers
    tied = ties[0] if ties else (0,) * len(a)
    return counts(list(zip(a, b, wins, losses, tied, strict=True)))


# B and D, and A and E, never met.
PLAIN = _table("AAABBCD", "BCDCEEE", (12, 9, 14, 7, 11, 6, 8), (8, 5, 3, 9, 4, 8, 6))
ORDERED = _table(
    "ABACADBCBDCD", "BACADACBDBDC",
    (9, 6, 8, 5, 11, 7, 6, 8, 9, 5, 7, 6), (3, 5, 4, 6, 2, 6, 5, 4, 3, 6, 6, 4),
)  # fmt: skip
TIED = _table("AABABC", "BCCDDD", (8, 10, 6, 12, 9, 5), (4, 3, 7, 2, 4, 6), (3, 2, 4, 1, 2, 5))
ORDERED_TIED = _table(
    "ABACBC", "BACACB", (9, 6, 12, 7, 10, 8), (4, 5, 3, 8, 5, 4), (3, 5, 2, 4, 1, 6)
)


def _check(fitted: BradleyTerryML, worth: list[float], se: list[float], quasi: list[float]) -> None:
    found = fitted.table.sort_values("system")
    np.testing.assert_allclose(found["log_worth"], worth, rtol=CLOSE, atol=CLOSE)
    # Those of glm are of its last step but one.
    np.testing.assert_allclose(found["se"], se, rtol=1e-5)
    # Quasi-variances are a minimum of their own, found to fewer digits.
    np.testing.assert_allclose(found["quasi_variance"], quasi, rtol=2e-4)


def test_worths_errors_and_quasi_variances_of_a_plain_table() -> None:
    fitted = bradley_terry_ml(PLAIN, reference="A")
    _check(
        fitted,
        [0, -0.5275632481, -0.7442976762, -1.1561071910, -1.1362834222],
        [0, 0.3646366027, 0.3960107796, 0.4531848683, 0.4368838836],
        [0.07835541483, 0.06327305610, 0.07799149459, 0.15008512579, 0.08641439725],
    )
    assert fitted.deviance == pytest.approx(3.852948989, rel=1e-8)
    assert fitted.df_residual == 3
    # Without any difference of worth: glm(cbind(wins, losses) ~ 0, binomial, d).
    weight = PLAIN.counts
    equal = float(weight.sum()) * np.log(0.5)
    ratio = 2 * (fitted.log_likelihood - equal)
    assert ratio == pytest.approx(13.90839095 - 3.852948989, rel=1e-8)


def test_an_advantage_of_the_first_place() -> None:
    without = bradley_terry_ml(ORDERED, reference="A")
    fitted = bradley_terry_ml(ORDERED, reference="A", position_effect=True)
    np.testing.assert_allclose(
        without.log_worth[list("BCD")],
        [-0.4020598695, -0.4461882460, -0.6692910195],
        rtol=CLOSE,
    )
    assert without.deviance == pytest.approx(11.290724, rel=1e-7)
    _check(
        fitted,
        [0, -0.4096227074, -0.4784756742, -0.6762419617],
        [0, 0.3075102979, 0.3087620983, 0.3041296174],
        [0.04740163776, 0.04699348546, 0.04739302316, 0.04577332732],
    )
    row = fitted.parameters.set_index("parameter").loc["position_effect", ["estimate", "se"]]
    np.testing.assert_allclose(row.astype(float), [0.4841240230, 0.1771113311], rtol=CLOSE)
    assert (fitted.deviance, fitted.df_residual) == (pytest.approx(3.587520623, rel=1e-8), 8)
    ratio = 2 * (fitted.log_likelihood - without.log_likelihood)
    assert ratio == pytest.approx(7.703203374, rel=1e-8)
    assert stats.chi2.sf(ratio, 1) == pytest.approx(0.005512291126, rel=1e-7)


def test_davidsons_ties_of_a_plain_table() -> None:
    fitted = bradley_terry_ml(TIED, reference="A")
    _check(
        fitted,
        [0, -0.9832178859, -1.2780206668, -1.5951556839],
        [0, 0.4472650751, 0.4546585364, 0.4718033620],
        [0.12275638708, 0.08237058753, 0.08149361020, 0.09675806731],
    )
    assert (fitted.deviance, fitted.df_residual) == (pytest.approx(4.777844503, rel=1e-8), 8)
    # gnm's is the logit of the chance of a tie between equals, ν / (2 + ν).
    row = fitted.parameters.set_index("parameter").loc["log_nu", ["estimate", "se"]]
    known = [np.log(2) - 1.3929234845, 0.2738731346]
    np.testing.assert_allclose(row.astype(float), known, rtol=CLOSE)


def test_davidsons_ties_with_an_advantage_of_the_first_place() -> None:
    fitted = bradley_terry_ml(ORDERED_TIED, reference="A", position_effect=True)
    _check(
        fitted,
        [0, -0.4672183481, -0.7006147673],
        [0, 0.3390304065, 0.3355579849],
        [0.05880713836, 0.05613447817, 0.05379202288],
    )
    assert (fitted.deviance, fitted.df_residual) == (pytest.approx(5.798102662, rel=1e-8), 8)
    rows = fitted.parameters.set_index("parameter").loc[["position_effect", "log_nu"]]
    known = [[0.6315980171, 0.2399659685], [np.log(2) - 1.2762630863, 0.2488057593]]
    np.testing.assert_allclose(rows[["estimate", "se"]], known, rtol=CLOSE)


def test_citations_and_baseball_have_all_errors_and_quasi_variances(shared_data: Path) -> None:
    matrix = pd.read_csv(shared_data / "reference_tables" / "citations.csv", index_col=0)
    names = list(matrix.columns)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    table = counts(
        [(a, b, int(matrix.loc[a, b]), int(matrix.loc[b, a]), 0) for a, b in pairs]  # type: ignore[arg-type]
    )
    _check(
        bradley_terry_ml(table, reference="Biometrika"),
        [0, -2.9490724968, -0.4795697698, 0.2689540558],
        [0, 0.10254533537, 0.06058872924, 0.07082996511],
        [0.001774176683, 0.008507472007, 0.001835769333, 0.003424115479],
    )
    table = PairwiseJudgements.from_counts(
        pd.read_csv(shared_data / "reference_tables" / "baseball.csv"),
        system_a="home.team", system_b="away.team", wins="home.wins", losses="away.wins",
    )  # fmt: skip
    without = bradley_terry_ml(table, reference="Baltimore")
    fitted = bradley_terry_ml(table, reference="Baltimore", position_effect=True)
    _check(
        fitted,
        [0, 1.1438026533, 0.7046944569, 1.4753572136, 1.6195549936, 1.2813404033, 1.3271103981],
        [0, 0.3378421889, 0.3350014033, 0.3445518233, 0.3473653061, 0.3404033588, 0.3403222088],
        [0.06725652858, 0.04751312868, 0.04993987937, 0.04947085263, 0.05099471844, 0.04794348494,
         0.04787379404],
    )  # fmt: skip
    ratio = 2 * (fitted.log_likelihood - without.log_likelihood)
    assert ratio == pytest.approx(5.410609085, rel=1e-7)
