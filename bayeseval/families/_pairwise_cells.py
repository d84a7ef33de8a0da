"""Comparisons that a model cannot tell apart but for their outcome, as cells of shares."""

import numpy as np

from bayeseval.families._cells import RowData, distinct_rows, row_codes, term_indices
from bayeseval.families._declaration import Declaration, FloatArray, PredictorCells
from bayeseval.families._pairwise_response import PairwiseResponse
from bayeseval.judgements import Judgements


def cells_of_shares(
    declaration: Declaration[PairwiseResponse], judgements: Judgements, data: RowData
) -> PredictorCells:
    """Count judgements that agree in all but the outcome.

    Parameters
    ----------
    declaration
        The model.
    judgements
        The outcomes.
    data
        Shares of win, loss and tie of every row.
    """
    codes = row_codes(declaration, judgements, data)
    shares = [np.asarray(values) for values in data.answers]
    response = declaration.response
    ordered = response.position_scale is not None or declaration.effect("position") is not None
    if not ordered:
        a, b = codes["system_a"], codes["system_b"]
        turned = a > b
        codes |= {"system_a": np.minimum(a, b), "system_b": np.maximum(a, b)}
        shares = [
            np.where(turned, shares[1], shares[0]),
            np.where(turned, shares[0], shares[1]),
            shares[2],
        ]
    first, row_cell = distinct_rows(list(codes.values()), judgements.n_rows)
    weight = judgements.counts * ranking_weights(judgements)
    count = np.bincount(row_cell, weights=weight, minlength=first.size)
    answer = np.stack(
        [
            np.bincount(row_cell, weights=weight * share, minlength=first.size) / count
            for share in shares
        ]
    )
    here = {name: values[first] for name, values in codes.items()}
    criterion = here.get("criterion", np.zeros(first.size, dtype=np.int64))
    index, weights = term_indices(declaration, criterion, here, {})
    return PredictorCells(
        index=index,
        weight=weights,
        answer=answer,
        criterion=criterion.astype(np.int32),
        count=count,
        row_cell=row_cell.astype(np.int32),
    )


def ranking_weights(judgements: Judgements) -> FloatArray:
    """Return how much a comparison counts, given the ranking that it comes from.

    Parameters
    ----------
    judgements : PairwiseJudgements
        The outcomes.

    Returns
    -------
    numpy.ndarray
        Dims (row,); 1 where no ranking was named.

    Notes
    -----
    The k (k - 1) / 2 comparisons of a ranking of k systems are never circular, so they say less
    than as many independent ones. Between equal systems the score of their composite likelihood
    has variance k (k + 1) / 12 where its curvature is k / 4; the weight 3 / (k + 1), the ratio of
    the two, makes the posterior as wide as the estimate varies (Pauli, Racugno & Ventura 2011,
    Statistica Sinica 21, 149-164). Where only some of a ranking's pairs are there, the weight is
    larger in proportion, and at most 1.
    """
    if not judgements.has("ranking"):
        return np.ones(judgements.n_rows)
    columns = [judgements.codes("ranking")]
    if judgements.has("criterion"):
        columns.append(judgements.codes("criterion"))
    _, ranking = distinct_rows(columns, judgements.n_rows)
    n_rankings = int(ranking.max()) + 1
    systems = np.concatenate([judgements.codes("system_a"), judgements.codes("system_b")])
    shown, _ = distinct_rows([np.tile(ranking, 2), systems], 2 * judgements.n_rows)
    k = np.bincount(np.tile(ranking, 2)[shown], minlength=n_rankings)
    pairs = np.bincount(ranking, minlength=n_rankings)
    weight = np.minimum(1.0, 3.0 / (k + 1.0) * (k * (k - 1) / 2.0) / pairs)
    return weight[ranking]
