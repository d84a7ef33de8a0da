"""Quasi-variances that would give wrong errors are not printed, and the note says what to use."""

import numpy as np
import pytest

import bayeseval as be
from bayeseval.frequentist.quasi import MOST_ERROR, quasi_variances, usable_quasi_variances


def compared(pairs: list[tuple[int, int]], *, seed: int = 0) -> be.PairwiseJudgements:
    """Comparisons of these pairs, each in both orders, 20 of an order."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    rows = [
        (f"s{a}", f"s{b}", "a" if rng.random() < 0.6 else "b")
        for one, two in pairs
        for a, b in ((one, two), (two, one))
        for _ in range(20)
    ]
    return be.PairwiseJudgements.from_frame(
        pd.DataFrame(rows, columns=["a", "b", "o"]),
        annotator=None, system_a="a", system_b="b", outcome="o",
    )  # fmt: skip


@pytest.mark.parametrize("tree", [[(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (0, 3)]])
def test_systems_compared_along_a_tree(tree: list[tuple[int, int]]) -> None:
    fitted = be.bradley_terry_ml(compared(tree), position_effect=True)
    usable = fitted.quasi_error <= MOST_ERROR
    assert fitted.table["quasi_se"].notna().any() == usable
    assert ("No quasi SE" in repr(fitted)) == (not usable)
    # Along a star the centre's is 0 and all errors are right; along a chain they are a quarter off.
    assert usable == (tree[1][0] == 0)
    # Exact along a star, whatever quasi-variances do.
    assert fitted.contrasts().table["se"].notna().all()


def test_a_covariance_of_which_no_number_a_system_gives_the_errors() -> None:
    chain = np.zeros((4, 4))
    for k in range(1, 4):
        chain[k:, k:] += 1.0
    found, error = quasi_variances(chain)
    quasi, same, notes = usable_quasi_variances(chain)
    assert same == error > MOST_ERROR
    assert np.isfinite(found).all()
    assert np.isnan(quasi).all()
    assert f"{100 * error:.0f} % off" in notes[0]


def test_good_quasi_variances_are_shown_without_a_note() -> None:
    quasi, error, notes = usable_quasi_variances(np.diag([1.0, 2.0, 3.0, 4.0]))
    assert quasi == pytest.approx([1.0, 2.0, 3.0, 4.0])
    assert error < 1e-8
    assert not notes
    assert "quasi SE" in repr(
        be.bradley_terry_ml(compared([(0, 1), (1, 2), (2, 0), (2, 3), (3, 0), (1, 3)]))
    )


def test_two_systems_have_none() -> None:
    quasi, error, notes = usable_quasi_variances(np.eye(2))
    assert np.isnan([*quasi, error]).all()
    assert not notes
