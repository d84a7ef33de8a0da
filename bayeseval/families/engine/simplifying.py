"""What makes a gradient cheap to evaluate after PyTensor has simplified it.

A division costs as much as ten products, so every reciprocal is taken once; sums are written as a
product where their terms share a factor; and products of many factors share what they have in
common.
"""

# PyTensor describes its variables only in part.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false
# pyright: reportOptionalMemberAccess=false, reportReturnType=false

from collections import Counter
from itertools import combinations

import numpy as np
import pytensor.tensor as pt

from bayeseval.families._pytensor import (
    Apply,
    Constant,
    Elemwise,
    FunctionGraph,
    MergeOptimizer,
    Variable,
    rewrite_graph,
)

_REWRITTEN = ("canonicalize", "stabilize", "specialize")
# Distributing products makes equal sums look different, and takes digits from differences.
_NOT_REWRITTEN = ("local_greedy_distributor",)


def kind_of(node: Apply) -> str:
    """Return the name of a node's operation on numbers."""
    op = node.op.scalar_op if isinstance(node.op, Elemwise) else node.op
    return type(op).__name__


def simplified(graph: FunctionGraph, shared: set[str]) -> FunctionGraph:
    """Return a graph of the same values.

    Parameters
    ----------
    graph
        Numbers from numbers, changed.
    shared
        Names of the inputs that all rows share.
    """
    rewrite_graph(graph, include=_REWRITTEN, exclude=_NOT_REWRITTEN, clone=False)
    graph = _merged(_as_products(graph))
    _share_factors(graph, shared)
    return _merged(graph)


def _merged(graph: FunctionGraph) -> FunctionGraph:
    MergeOptimizer().rewrite(graph)
    return graph


def _arguments(v: Variable, kind: str) -> list[Variable]:
    """Return what an expression multiplies or adds up, however it is nested."""
    if v.owner is not None and kind_of(v.owner) == kind:
        return [a for own in v.owner.inputs for a in _arguments(own, kind)]
    if kind == "Mul" and v.owner is not None and kind_of(v.owner) == "Neg":
        return [pt.constant(-1.0), *_arguments(v.owner.inputs[0], kind)]
    return [v]


def _inverse(v: Variable) -> list[Variable]:
    """Return the factors of one over an expression."""
    kind = kind_of(v.owner) if v.owner is not None else ""
    match kind:
        case "Mul":
            return [factor for own in v.owner.inputs for factor in _inverse(own)]
        case "Sqr":
            return 2 * _inverse(v.owner.inputs[0])
        case "Neg":
            return [pt.constant(-1.0), *_inverse(v.owner.inputs[0])]
        case _ if isinstance(v, Constant):
            return [pt.constant(1.0 / _number(v))]
        case _:
            return [pt.reciprocal(v)]


def _number(v: Constant) -> float:
    return float(np.asarray(v.data))


def _product(factors: list[Variable]) -> Variable:
    """Multiply; constants become one."""
    number = float(np.prod([_number(f) for f in factors if isinstance(f, Constant)]))
    rest = [f for f in factors if not isinstance(f, Constant)]
    if number != 1.0 or not rest:
        rest = [pt.constant(number), *rest]
    return pt.mul(*rest) if len(rest) > 1 else rest[0]


def _sum(terms: list[Variable]) -> Variable:
    """Add up, as a product where all terms share factors."""
    factors = [_arguments(term, "Mul") for term in terms]
    common = [f for f in factors[0] if not isinstance(f, Constant)]
    for other in factors[1:]:
        left = list(other)
        kept = []
        for f in common:
            if f in left:
                left.remove(f)
                kept.append(f)
        common = kept
    if not common:
        return pt.add(*terms)
    rest = []
    for each in factors:
        for f in common:
            each.remove(f)
        rest.append(_product(each))
    return _product([*common, pt.add(*rest)])


def _as_products(graph: FunctionGraph) -> FunctionGraph:
    """Replace divisions by products with reciprocals, and join nested products and sums."""
    made: dict[Variable, Variable] = {v: v for v in graph.inputs}
    for node in graph.toposort():
        inputs = [made.get(v, v) for v in node.inputs]
        match kind_of(node):
            case "TrueDiv":
                found = _product([*_arguments(inputs[0], "Mul"), *_inverse(inputs[1])])
            case "Reciprocal":
                found = _product(_inverse(inputs[0]))
            case "Mul" | "Neg":
                sign = [pt.constant(-1.0)] if kind_of(node) == "Neg" else []
                found = _product([*sign, *(f for v in inputs for f in _arguments(v, "Mul"))])
            case "Sub":
                terms = _arguments(_product([pt.constant(-1.0), *_arguments(inputs[1], "Mul")]), "")
                found = _sum([*_arguments(inputs[0], "Add"), *terms])
            case "Add":
                found = _sum([term for v in inputs for term in _arguments(v, "Add")])
            case _:
                copy = node.clone_with_new_inputs(inputs)
                made.update(zip(node.outputs, copy.outputs, strict=True))
                continue
        # The same reciprocal of the same number is one node, so that sums see what they share.
        made[node.outputs[0]] = found
    return FunctionGraph(graph.inputs, [made.get(v, v) for v in graph.outputs], clone=True)


def _share_factors(graph: FunctionGraph, shared: set[str]) -> None:
    """Take pairs of factors that stand in several products out of them, the commonest first."""
    is_shared: dict[Variable, bool] = {v: v.name in shared for v in graph.inputs}
    products: dict[Variable, list[Variable]] = {}
    for node in graph.toposort():
        own = all(is_shared.get(v, True) for v in node.inputs)
        is_shared.update(dict.fromkeys(node.outputs, own))
        if kind_of(node) == "Mul":
            products[node.outputs[0]] = list(node.inputs)

    def rank(item: tuple[tuple[Variable, Variable], int]) -> tuple[bool, int]:
        (a, b), n = item
        return is_shared.get(a, True) and is_shared.get(b, True), n

    while True:
        order = {v: k for k, v in enumerate(v for each in products.values() for v in each)}
        pairs: Counter[tuple[Variable, Variable]] = Counter()
        for factors in products.values():
            found = (sorted(pair, key=order.__getitem__) for pair in combinations(factors, 2))
            pairs.update(list(dict.fromkeys((a, b) for a, b in found)))
        worth = {
            pair: n
            for pair, n in pairs.items()
            if n > 1 or all(is_shared.get(v, True) for v in pair)
        }
        if not worth or all(len(factors) < 3 for factors in products.values()):
            break
        (a, b), _ = max(worth.items(), key=rank)
        together = pt.mul(a, b)
        is_shared[together] = is_shared.get(a, True) and is_shared.get(b, True)
        for factors in products.values():
            if (
                len(factors) > 1
                and a in factors
                and (factors.count(a) > 1 if a is b else b in factors)
            ):
                factors.remove(a)
                factors.remove(b)
                factors.append(together)
    for out, factors in products.items():
        graph.replace(
            out, pt.mul(*factors) if len(factors) > 1 else factors[0], import_missing=True
        )
