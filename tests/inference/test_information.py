"""What the data say of effects, averaged over points, has the dims of the effects."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import bayeseval as be
from bayeseval.inference._geometry import measured_geometry
from bayeseval.inference._information import typical_matrix


@pytest.mark.parametrize("n_criteria", [1, 2, 6])
def test_each_criterion_has_its_own_prior_variance(n_criteria: int) -> None:
    matrix = np.array([[2.0, 0.5], [0.5, 1.0]])
    matrices = np.broadcast_to(matrix, (4, n_criteria, 3, 2, 2))
    squared = np.linspace(0.1, 2.0, n_criteria)[:, None, None]
    # Where all points agree it is theirs, whatever the prior.
    np.testing.assert_allclose(typical_matrix(matrices, squared), matrices[0], rtol=1e-9)


def test_gaps_between_thresholds_are_measured_with_several_criteria() -> None:
    rows = product("uvwx", "AB", "ijk", ("fluent", "right"))
    frame = pd.DataFrame(rows, columns=["annotator", "system", "item", "criterion"])
    rating = np.random.default_rng(0).integers(1, 6, len(frame))
    study = be.LikertJudgements.from_frame(
        frame.assign(rating=rating),
        annotator="annotator",
        system="system",
        item="item",
        criterion="criterion",
        rating="rating",
        scale=(1, 5),
    )
    family = be.OrdinalProbit(thresholds="free")
    declaration = family.declare(study)
    assert declaration.n_criteria == 2
    assert any(effect.name == "gap" for effect in declaration.blocks)
    cells = family.cells(declaration, study)
    density = family.density(declaration, cells)
    starts = [family.start(declaration, cells, np.random.default_rng(k)) for k in range(3)]
    geometry = measured_geometry(family, declaration, density, starts)
    assert np.isfinite(geometry.information).all()
    assert (geometry.information >= 0.0).all()
