"""Recompute the numbers that models/ordinal_probit/card.md states about the default priors.

    python3 -m uv run python -m tests.oracle.prior_numbers

NumPy and SciPy only, from the card: not from the package.
"""

import sys

import numpy as np
from scipy.special import ndtr, ndtri

STUDIES, ANNOTATORS = 4000, 400  # prior draws; new annotators and items in each


def study(rng: np.random.Generator, n_categories: int) -> dict[str, np.ndarray]:
    """Draw a study of two systems among ten; category probabilities by study, annotator, system."""
    half_normal = {
        name: np.abs(rng.normal(size=(STUDIES, 1, 1))) * scale
        for name, scale in {
            "quality": 1.0,
            "difficulty": 1.0,
            "interaction": 0.5,
            "taste": 0.5,
            "severity": 1.0,
            "gap": 0.5,
            "discrimination": 0.3,
        }.items()
    }
    quality = rng.normal(size=(STUDIES, 1, 10)) * half_normal["quality"]
    quality = (quality - quality.mean(axis=-1, keepdims=True))[:, :, :2]
    shape = (STUDIES, ANNOTATORS, 1)
    pair = (STUDIES, ANNOTATORS, 2)
    z = (
        quality
        - rng.normal(size=shape) * half_normal["difficulty"]
        + rng.normal(size=pair) * half_normal["interaction"]
        + rng.normal(size=pair) * half_normal["taste"]
        - rng.normal(size=shape) * half_normal["severity"]
    )
    probability = rng.dirichlet(np.full(n_categories, 2.0), size=STUDIES)
    common = ndtri(np.cumsum(probability, axis=-1)[:, :-1])[:, None, :]
    noise = rng.normal(size=(STUDIES, ANNOTATORS, n_categories - 2))
    gaps = np.diff(common) * np.exp(half_normal["gap"] * noise)
    position = np.concatenate([np.zeros(shape), gaps.cumsum(axis=-1)], axis=-1)
    own = position - position.mean(axis=-1, keepdims=True) + common.mean(axis=-1, keepdims=True)
    d = np.exp(half_normal["discrimination"] * rng.normal(size=shape))
    limits = ndtr(d[..., None] * (own[:, :, None, :] - z[..., None]))
    ends = np.zeros((*pair, 1))
    categories = np.diff(np.concatenate([ends, limits, ends + 1], axis=-1), axis=-1)
    return {"population": probability, "categories": categories, "gap_sd": half_normal["gap"]}


def report(n_categories: int, rng: np.random.Generator) -> None:
    """Print the numbers of a scale."""
    drawn = study(rng, n_categories)
    population, categories = drawn["population"], drawn["categories"]
    by_study = categories[:, :, 0].mean(axis=1)
    above = np.flip(np.flip(categories[:, :, 1], -1).cumsum(-1), -1)  # P(B >= k)
    a, b = categories[:, :, 0], categories[:, :, 1]
    tie = (a * b).sum(-1)
    b_wins = (a[..., :-1] * above[..., 1:]).sum(-1)
    win = (1 - tie - b_wins + tie / 2).mean(axis=1)
    rating = (by_study * np.arange(1, n_categories + 1)).sum(-1)
    one_annotator = categories[:, :, 0].max(-1)
    lines = {
        "population probability of a category": population[:, 0],
        "average-over-annotators probability of an end category": by_study[:, 0],
        "… of the middle category": by_study[:, n_categories // 2],
        "expected rating of a system": rating,
        "win probability of A over B": win,
        "probability of a tie": tie.mean(axis=1),
    }
    sys.stdout.write(f"K = {n_categories}\n")
    for name, values in lines.items():
        q = np.quantile(values, [0.05, 0.5, 0.95])
        sys.stdout.write(
            f"  {name}: mean {values.mean():.3f}, "
            f"5 % {q[0]:.3f}, 50 % {q[1]:.3f}, 95 % {q[2]:.3f}\n"
        )
    sys.stdout.write(
        f"  share of annotator-item-system cells with one category above 0.9: "
        f"{(one_annotator > 0.9).mean():.3f}\n"
        f"  P(win probability outside 0.1 … 0.9): {((win < 0.1) | (win > 0.9)).mean():.3f}\n"
        f"  P(population probability < 0.01): {(population[:, 0] < 0.01).mean():.4f}\n"
    )


def main() -> None:
    """Print everything the card quotes."""
    rng = np.random.default_rng(20261128)
    for n_categories in (2, 3, 5, 7):
        report(n_categories, rng)
    for name, scale in {"severity_sd": 1.0, "gap_sd": 0.5, "discrimination_sd": 0.3}.items():
        sd = np.abs(rng.normal(size=400_000)) * scale
        effect = np.quantile(sd * rng.normal(size=sd.size), [0.05, 0.95])
        sys.stdout.write(
            f"{name}: median {np.median(sd):.2f}, 95 % {np.quantile(sd, 0.95):.2f}; the effect of "
            f"one annotator 5 % {effect[0]:.2f}, 95 % {effect[1]:.2f}, as a factor "
            f"{np.exp(effect[0]):.2f} … {np.exp(effect[1]):.2f}\n"
        )
    # a long scale: width of the thresholds, and how much of the answers the ends take
    for n_categories in (13, 101):
        long_scale(n_categories, rng)


def long_scale(n_categories: int, rng: np.random.Generator) -> None:
    """Print the numbers of a scale with the smooth prior."""
    n_steps = n_categories - 3
    width = np.exp(rng.normal(np.log(3.5), 0.5, size=(STUDIES, 1)))
    roughness = np.abs(rng.normal(size=(STUDIES, 1)))
    steps = rng.normal(size=(STUDIES, n_steps)) * roughness / np.sqrt(n_steps)
    walk = np.concatenate([np.zeros((STUDIES, 1)), steps.cumsum(axis=1)], axis=1)
    relative = np.exp(walk)
    gaps = width * relative / relative.sum(axis=1, keepdims=True)
    position = np.concatenate([np.zeros((STUDIES, 1)), gaps.cumsum(axis=1)], axis=1)
    centre = rng.normal(size=(STUDIES, 1))
    thresholds = position - position.mean(axis=1, keepdims=True) + centre
    numbers = {
        "distance from first to last threshold": gaps.sum(axis=1),
        "widest over narrowest gap": relative.max(axis=1) / relative.min(axis=1),
        "last over first gap": relative[:, -1] / relative[:, 0],
        "population probability of the two end categories together": ndtr(thresholds[:, 0])
        + ndtr(-thresholds[:, -1]),
    }
    sys.stdout.write(f"K = {n_categories}\n")
    for name, values in numbers.items():
        q = np.quantile(values, [0.05, 0.5, 0.95])
        sys.stdout.write(f"  {name}: 5 % {q[0]:.3g}, 50 % {q[1]:.3g}, 95 % {q[2]:.3g}\n")


if __name__ == "__main__":
    main()
