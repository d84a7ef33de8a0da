"""The quality of a population that is asked for, and the words that say what it averages over."""

from typing import Any

import xarray as xr

from bayeseval._checks import counted
from bayeseval.errors import ModelError
from bayeseval.families._declaration import Declaration
from bayeseval.families._marginal import checked_population, moderators_of


def quality_over(
    declaration: Declaration[Any],
    posterior: xr.Dataset,
    population: str | None,
    by: str | None,
) -> xr.DataArray:
    """Return the quality of the systems, averaged as ``_marginal`` says.

    Parameters
    ----------
    declaration
        The model.
    posterior
        Draws by the names of the posterior contract.
    population
        New annotators and items add nothing to the quality; those in the data add the mean of what
        they think of a system. New levels take away what the mean of those in the data adds.
    by
        A moderator whose levels the quality is wanted at.
    """
    population = checked_population(population)
    quality = posterior["quality" if by is None else f"quality_by_{by}"]
    dims = quality.dims
    if population == "new":
        for name in moderators_of(declaration):
            if name != by and f"deviation_{name}_mean" in posterior:
                quality = quality - posterior[f"deviation_{name}_mean"]
    elif population == "observed":
        for effect in declaration.effects:
            if effect.dims not in (("system", "annotator"), ("system", "item")):
                continue
            if effect.name not in posterior:
                raise ModelError(
                    f"the draws of {effect.name!r} were not stored, and population='observed' "
                    "needs them; fit again with store='all'"
                )
            mean = posterior[effect.name].mean(effect.dims[1])
            quality = quality + effect.sign * (mean - mean.mean("system"))
    return quality.transpose(*dims)


def averaged_over(
    declaration: Declaration[Any], population: str | None, by: str | None, *, quality: bool = False
) -> str:
    """Say what a quantity is averaged over; empty where there is nothing to average over.

    Parameters
    ----------
    declaration
        The model, of which only what is in it is named.
    population, by
        As for the quantity.
    quality
        Whether it is the quality, which new annotators and items add nothing to.
    """
    population = checked_population(population)
    used = {dim for effect in declaration.effects for dim in effect.dims}
    used |= set(getattr(declaration.response, "varies_by", ()))
    people = [f"{dim}s" for dim in ("annotator", "item") if dim in used]
    parts = []
    if people and not (quality and population != "observed"):
        which = "observed" if population == "observed" else "new"
        parts.append(f"{which} {' and '.join(people)}")
    others = [name for name in moderators_of(declaration) if name != by]
    if others and population == "new":
        parts.append(f"new levels of {' and '.join(others)}")
    elif others:
        sizes = [len(declaration.coords[name]) for name in others]
        levels = [
            f"the {counted(size, 'level')} of {name}"
            for name, size in zip(others, sizes, strict=True)
        ]
        parts.append(f"{' and '.join(levels)} in the data, each counting the same")
    words = f"averaged over {', and over '.join(parts)}" if parts else ""
    if quality or "annotators" in people:
        return words
    alone = "the model knows no annotators, and takes judgements as independent"
    return f"{words}; {alone}" if words else alone
