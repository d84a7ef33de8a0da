"""Posteriors and studies whose sources of variation are known."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

import bayeseval as be

DIMS = ("chain", "draw")


def posterior_of(
    judgements: be.Judgements,
    family: str,
    response: Any = None,
    quality: np.ndarray | None = None,
    **scalars: Any,
) -> Any:
    """Return a posterior of these judgements whose draws are stated: means ± 0.1."""
    n = len(judgements.systems)
    centre = np.linspace(1, -1, n) if quality is None else quality
    noise = np.random.default_rng(0).normal(0, 0.1, (2, 200, n))
    draws = centre + noise - noise.mean(axis=-1, keepdims=True)
    dataset = xr.Dataset(
        {"quality": ((*DIMS, "system"), draws)}
        | {name: (DIMS, np.full((2, 200), value)) for name, value in scalars.items()},
        coords={"system": list(judgements.systems)},
    )
    return SimpleNamespace(
        data=xr.DataTree.from_dict({"posterior": dataset}),
        protocol=judgements.protocol,
        family=SimpleNamespace(name=family),
        averaged_over=lambda *_, **__: "",
        criteria=None,
        moderators={},
        estimands={},
        systems=judgements.systems,
        fingerprint=judgements.fingerprint,
        quality=dataset["quality"],
        quality_scale="latent",
        convergence=SimpleNamespace(ok=True, problems=()),
        approximate=None,
        components=(judgements.systems,),
        declaration=SimpleNamespace(response=response),
    )


def by_source(found: Any) -> Any:
    return found.to_frame().set_index("source")


def ratings(frame: pd.DataFrame, **options: Any) -> be.LikertJudgements:
    return be.LikertJudgements.from_frame(
        frame,
        annotator="who",
        system="what",
        item="item",
        rating="score",
        scale=(1, 7),
        **options,
    )


def strengths(frame: pd.DataFrame, **options: Any) -> be.StrengthJudgements:
    return be.StrengthJudgements.from_frame(
        frame,
        annotator="who",
        system_a="left",
        system_b="right",
        item="item",
        strength="y",
        bounds=50,
        positive="a",
        graded=False,
        **options,
    )
