"""How many rows of judgements every cell of a result rests on."""

import numpy as np
import xarray as xr

from bayeseval.judgements import Judgements


def judged(judgements: Judgements) -> xr.Dataset:
    """Count the rows in which a system was judged, overall and at each level of a moderator.

    Parameters
    ----------
    judgements : Judgements
        What the model was fitted to.

    Returns
    -------
    xarray.Dataset
        ``rows`` with dims (criterion,) system, and ``rows_by_<moderator>`` with its levels last.
    """
    first = ["criterion"] if judgements.has("criterion") else []
    counted = {"rows": [*first, "system"]}
    counted |= {f"rows_by_{name}": [*first, "system", name] for name in judgements.moderators}
    return xr.Dataset({name: _rows(judgements, dims) for name, dims in counted.items()})


def _rows(judgements: Judgements, dims: list[str]) -> xr.DataArray:
    labels = {
        dim: list(judgements.systems if dim == "system" else judgements.labels(dim)) for dim in dims
    }
    rows = np.zeros([len(known) for known in labels.values()], dtype=np.int64)
    for side in judgements.system_factors:
        codes = [judgements.codes(side if dim == "system" else dim) for dim in dims]
        np.add.at(rows, tuple(codes), 1)
    return xr.DataArray(rows, dims=dims, coords=labels)
