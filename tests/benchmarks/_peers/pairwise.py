"""Contenders for many votes without ties: posteriors, intervals, point estimates, ratings."""

# Some of these packages are not typed, and are in environments of their own.
# pyright: reportAttributeAccessIssue=false, reportMissingImports=false, reportArgumentType=false

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tests.benchmarks._peers import samplers
from tests.benchmarks._peers.contract import Result, Settings, Stages

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

RESAMPLES = 1000


def bayeseval_nuts(data: Path, settings: Settings, stages: Stages) -> Result:
    """Sample the posterior."""
    return _bayeseval(data, settings, stages, "nuts")


def bayeseval_laplace(data: Path, settings: Settings, stages: Stages) -> Result:
    """Approximate the posterior, corrected and judged by importance weights."""
    return _bayeseval(data, settings, stages, "laplace")


def _bayeseval(
    data: Path, settings: Settings, stages: Stages, method: Literal["nuts", "laplace"]
) -> Result:
    from bayeseval import BradleyTerry, PairwiseJudgements, to_counts

    def read() -> PairwiseJudgements:
        return PairwiseJudgements.read(
            data,
            annotator=None,
            system_a="model_a",
            system_b="model_b",
            outcome="winner",
            outcomes={"model_a": "a", "model_b": "b"},
            repeats=True,
        )

    return samplers.with_bayeseval(
        read,
        BradleyTerry(ties="none", position=False),
        settings,
        stages,
        prepare=to_counts,
        # A second run of NUTS takes as long as the first.
        again=method == "laplace",
        method=method,
    )


def arena_rank(data: Path, settings: Settings, stages: Stages) -> Result:
    """Fit by maximum likelihood with sandwich intervals, as the leaderboard does."""
    del settings
    import numpy as np
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    stages.end("import")
    votes = pd.read_parquet(data)
    stages.end("read")

    def prepared() -> PairDataset:
        return PairDataset.from_pandas(votes)

    def fitted(dataset: PairDataset) -> tuple[np.ndarray, np.ndarray]:
        model = BradleyTerry(n_competitors=len(dataset.competitors))
        found = model.compute_ratings_and_cis(dataset, significance_level=0.05)
        scores = np.asarray(found["ratings"]) / model.alpha
        return scores, np.sqrt(np.asarray(found["variances"])) / model.alpha

    dataset = prepared()
    stages.end("prepare")
    scores, sd = fitted(dataset)
    stages.end("fit")
    return Result(
        systems=dataset.competitors,
        scores=scores - scores.mean(),
        sd=sd,
        again=lambda: fitted(prepared()),
    )


def evalica_bootstrap(data: Path, settings: Settings, stages: Stages) -> Result:
    """Bootstrap the votes, as often as the package does by default."""
    import evalica
    import numpy as np

    stages.end("import")
    xs, ys, winners = _evalica_votes(data)
    stages.end("read")
    found = evalica.bootstrap(
        evalica.bradley_terry,
        xs,
        ys,
        winners,
        n_resamples=RESAMPLES,
        # Its default, BCa, fits once more for each vote.
        bootstrap_method="percentile",
        random_state=settings.seed,
    )
    stages.end("fit")
    draws = np.log(found.distribution.to_numpy())
    draws -= draws.mean(axis=1, keepdims=True)
    return Result(
        systems=[str(label) for label in found.distribution.columns],
        scores=draws.mean(axis=0),
        sd=draws.std(axis=0),
    )


def evalica_point(data: Path, settings: Settings, stages: Stages) -> Result:
    """Fit by maximum likelihood, no interval."""
    del settings
    import evalica
    import numpy as np

    stages.end("import")
    xs, ys, winners = _evalica_votes(data)
    stages.end("read")
    found = evalica.bradley_terry(xs, ys, winners)
    stages.end("fit")
    scores = np.log(found.scores.to_numpy())
    systems = [str(label) for label in found.scores.index]
    return Result(systems=systems, scores=scores - scores.mean())


def _evalica_votes(data: Path) -> tuple[pd.Series, pd.Series, list[object]]:
    import evalica
    import pandas as pd

    votes = pd.read_parquet(data)
    meaning = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y}
    return votes["model_a"], votes["model_b"], [meaning[word] for word in votes["winner"]]


def choix_point(data: Path, settings: Settings, stages: Stages) -> Result:
    """Fit by maximum likelihood (I-LSR on the matrix of wins), no interval."""
    del settings
    import choix
    import numpy as np

    stages.end("import")
    winner, loser, systems = _winners_and_losers(data)
    stages.end("read")
    wins = np.zeros((len(systems), len(systems)))
    np.add.at(wins, (winner, loser), 1.0)
    stages.end("prepare")
    scores = choix.ilsr_pairwise_dense(wins)
    stages.end("fit")
    return Result(systems=systems, scores=scores - scores.mean())


def openskill_point(data: Path, settings: Settings, stages: Stages) -> Result:
    """Update ratings vote by vote (Weng and Lin's Bradley-Terry); the order of votes matters."""
    del settings
    import numpy as np
    from openskill.models import BradleyTerryFull

    stages.end("import")
    winner, loser, systems = _winners_and_losers(data)
    stages.end("read")
    model = BradleyTerryFull()
    ratings = [model.rating() for _ in systems]
    for above, below in zip(winner.tolist(), loser.tolist(), strict=True):
        [[ratings[above]], [ratings[below]]] = model.rate([[ratings[above]], [ratings[below]]])
    stages.end("fit")
    scores = np.array([rating.mu for rating in ratings])
    return Result(systems=systems, scores=scores - scores.mean())


def _winners_and_losers(data: Path) -> tuple[np.ndarray, np.ndarray, list[str]]:
    import numpy as np
    import pandas as pd

    votes = pd.read_parquet(data)
    both, systems = pd.factorize(pd.concat([votes["model_a"], votes["model_b"]]), sort=True)
    a, b = both[: len(votes)], both[len(votes) :]
    first = (votes["winner"] == "model_a").to_numpy()
    winner, loser = np.where(first, a, b), np.where(first, b, a)
    return winner, loser, [str(label) for label in systems]
