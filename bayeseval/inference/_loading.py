"""From a file to the posterior that was saved in it."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr

from bayeseval._files import path_of
from bayeseval.errors import BayesEvalError
from bayeseval.families import family_named
from bayeseval.inference._convergence import Convergence
from bayeseval.inference._posterior import Posterior
from bayeseval.inference._settings import Settings
from bayeseval.inference._storage import declaration_from, read


def load(path: str | Path) -> Posterior:
    """Read a posterior that ``Posterior.save`` wrote.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    Posterior
        As it was saved, held in memory.

    Raises
    ------
    BayesEvalError
        Where the file is missing, damaged, of another kind, or of a newer format.
    """
    tree, content = read(path_of(path))
    try:
        return _restored(tree, content)
    except (KeyError, TypeError) as error:
        raise BayesEvalError(
            f"{str(path)!r} was written by another version of bayeseval, whose records differ "
            f"({type(error).__name__}: {error}); read it with that version, or fit again"
        ) from error


def _restored(tree: xr.DataTree, content: dict[str, Any]) -> Posterior:
    """Make the posterior from what the file holds."""
    family_type = family_named(content["family"]["name"])
    known = {setting.name for setting in fields(family_type)}
    family = family_type(
        **{name: value for name, value in content["family"]["fields"].items() if name in known}
    )
    convergence = content["convergence"]
    return Posterior(
        data=tree,
        family=family,
        declaration=declaration_from(content["declaration"], family),
        fingerprint=content["fingerprint"],
        settings=Settings(
            **{
                **content["settings"],
                "discarded": tuple(content["settings"].get("discarded", ())),
            }
        ),
        convergence=Convergence(
            **{
                **convergence,
                "table": pd.DataFrame(convergence["table"]),
                "problems": tuple(convergence["problems"]),
                "discarded": tuple(convergence.get("discarded", ())),
            }
        ),
        approximate=content["approximate"],
    )
