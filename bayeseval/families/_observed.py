"""From a family and judgements to a PyMC model with the answers as an observed variable.

``_builder`` has the same parameters with collapsed judgements, which a fit is quicker with. Here
every judgement is one value of one variable, so that PyMC and ArviZ can do with it what they do
with any: sample, predict, compute log likelihoods.
"""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false
# pyright: reportArgumentType=false, reportReturnType=false, reportIndexIssue=false
# pyright: reportOperatorIssue=false

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pymc as pm
import pytensor.tensor as pt
import xarray as xr
from pytensor.tensor.variable import TensorVariable

from bayeseval.families._builder import (
    coords_of,
    flat_effects,
    parameters_of,
    predicted,
)
from bayeseval.families._cells import row_codes, term_indices
from bayeseval.families._declaration import Declaration
from bayeseval.families._pytensor import Apply, DisconnectedType, Mode, Op, Variable, safe_signature
from bayeseval.judgements import Judgements
from bayeseval.judgements._counted import one_a_row

type LogProbability = Callable[[TensorVariable, Mapping[str, TensorVariable]], TensorVariable]

ANSWER = "answer"
JUDGEMENT = "judgement"


def build_observed(family: Any, declaration: Declaration[Any], judgements: Judgements) -> pm.Model:
    """Build the PyMC model of judgements, with their answers as its observed variable.

    Parameters
    ----------
    family
        The family.
    declaration
        The model; the judgements' labels are among its own.
    judgements
        Any table.

    Returns
    -------
    pm.Model
        Free variables as named in the model card, effects under their own names, and ``answer``,
        coded as ``judgements.answers``, one value a judgement.
    """
    table = one_a_row(judgements)
    coords = coords_of(declaration) | {JUDGEMENT: np.arange(table.n_rows)}
    with pm.Model(coords=coords) as model:
        parameters = parameters_of(declaration)
        for effect in declaration.effects:
            if effect.name not in model.named_vars:
                dims = ("criterion", *effect.dims) if declaration.has_criterion else effect.dims
                pm.Deterministic(effect.name, parameters[effect.name], dims=dims)
        # What the family predicts from, under the names it knows; then what the formula reads.
        named = {v.name: v for v in (*model.free_RVs, *model.deterministics)}
        inputs = {**named, **{f"formula: {name}": v for name, v in parameters.items()}}
        weights = np.ones(table.n_rows)
        if hasattr(family, "row_weights"):
            weights = np.repeat(family.row_weights(judgements), judgements.counts)
        log_probability = _log_probability(family, declaration, table, weights)

        def logp(value: TensorVariable, *given: TensorVariable) -> TensorVariable:
            # PyTensor gives each a dimension of its own along the judgements, of length 1.
            read = {name: v[0] for name, v in zip(inputs, given, strict=True)}
            return log_probability(value, {name: read[f"formula: {name}"] for name in parameters})

        pm.CustomDist(
            ANSWER,
            *inputs.values(),
            logp=logp,
            random=_random(family, declaration, table, list(named)),
            signature=safe_signature([v.ndim for v in inputs.values()], [0]),
            observed=table.answers,
            dtype=str(table.answers.dtype),
            dims=JUDGEMENT,
            class_name=type(declaration.response).__name__.removesuffix("Response"),
        )
    return model


def draw_prior(
    family: Any, declaration: Declaration[Any], *, draws: int, random_seed: int
) -> xr.Dataset:
    """Draw every parameter from its prior, under its name in the posterior contract.

    Parameters
    ----------
    family
        The family.
    declaration
        The model.
    draws
        How many.
    random_seed
        Seed of the draws.

    Returns
    -------
    xarray.Dataset
        Dims chain (one), draw, and those of each parameter.
    """
    with pm.Model(coords=coords_of(declaration)) as model:
        parameters_of(declaration)
    variables = [*model.free_RVs, *model.deterministics]
    # A few thousand small draws are made before they would be compiled.
    mode = Mode(linker="py", optimizer="fast_compile")
    drawn = pm.draw(variables, draws=draws, random_seed=random_seed, mode=mode)
    lead = (None,) if declaration.has_criterion else (None, slice(None), None)
    values = {
        variable.name: np.asarray(value).reshape(draws, *variable.shape.eval(mode=mode))[lead]
        for variable, value in zip(variables, drawn, strict=True)
    }
    return family.posterior_dataset(declaration, values).assign_coords(
        chain=[0], draw=np.arange(draws)
    )


def _random(
    family: Any, declaration: Declaration[Any], table: Judgements, names: Sequence[str]
) -> Callable[..., npt.NDArray[Any]]:
    """Return a function that draws all answers, given values of the model's variables."""
    lead = (None, None) if declaration.has_criterion else (None, None, None)

    def random(*given: npt.NDArray[Any], rng: np.random.Generator, size: Any) -> npt.NDArray[Any]:
        if size is not None and tuple(size) != (table.n_rows,):
            raise NotImplementedError(
                f"answers are drawn for the {table.n_rows} judgements of the model; found size "
                f"{tuple(size)}"
            )
        values = {name: np.asarray(v)[0][lead] for name, v in zip(names, given, strict=False)}
        draws = family.posterior_dataset(declaration, values).stack(sample=("chain", "draw"))
        return family.predict(declaration, table, draws, rng)[0].astype(table.answers.dtype)

    return random


def _log_probability(
    family: Any,
    declaration: Declaration[Any],
    table: Judgements,
    weights: npt.NDArray[np.float64],
) -> LogProbability:
    """Return the log probability of every judgement's answer, as it counts in the model."""
    terms = declaration.terms
    derived = declaration.derived
    if derived is not None:
        # Terms name thresholds by the category: those of the lowest here, and the rest above it.
        table = replace(table, answers=np.zeros_like(table.answers))
    by_category = np.array([derived is not None and t.effect == derived.name for t in terms])
    data = family.row_data(declaration, table)
    codes = row_codes(declaration, table, data)
    criterion = codes.get("criterion", np.zeros(table.n_rows, dtype=np.int64))
    index, weight = term_indices(declaration, criterion, codes, data.weights)
    arrays = {"cell_weight": weight, "cell_criterion": criterion}
    constants = {name: pt.constant(array) for name, array in arrays.items()}
    coding = _Coding(lambda answers: _coded(family, declaration, table, answers))

    def log_probability(
        value: TensorVariable, parameters: Mapping[str, TensorVariable]
    ) -> TensorVariable:
        columns = coding(value)
        answer = [columns[column] for column in range(len(data.answers))]
        effects = flat_effects(declaration, parameters)
        at = [
            index[row] + pt.cast(value, "int64") if by_category[row] else index[row]
            for row in range(len(terms))
        ]
        given = constants | {"cell_index": at}
        return weights * predicted(declaration, effects, parameters, given, answer)

    return log_probability


def _coded(
    family: Any, declaration: Declaration[Any], table: Judgements, answers: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """Return answers in the response's own coding, dims (column, row)."""
    further = {}
    if hasattr(table, "references"):
        further["magnitudes"] = answers * getattr(table, "references")  # noqa: B009
    given = replace(table, answers=answers, **further)
    columns = family.row_data(declaration, given).answers
    return np.stack([np.broadcast_to(column, answers.shape) for column in columns]).astype(float)


class _Coding(Op):
    """Answers in the response's own coding, by the family's NumPy.

    Answers are data, so that PyTensor evaluates this once, before it compiles anything.
    """

    def __init__(self, coded: Callable[[npt.NDArray[Any]], npt.NDArray[np.float64]]) -> None:
        self.coded = coded

    def make_node(self, *inputs: Any) -> Apply:
        """Describe the columns."""
        return Apply(self, [pt.as_tensor_variable(inputs[0])], [pt.dmatrix()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Evaluate."""
        del node
        output_storage[0][0] = self.coded(inputs[0])

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Say that nothing has a slope by the answers."""
        del node
        return [[False]]

    def pullback(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        cotangents: Sequence[Variable],
    ) -> list[Variable]:
        """Return no slope."""
        del inputs, outputs, cotangents
        return [DisconnectedType()()]
