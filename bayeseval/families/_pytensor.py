"""The one place that names what PyTensor keeps below its public door, ``pytensor.tensor``.

Formulas are read as graphs and made into loops (``engine``), and an operation is held back from
PyMC's own rewriting (``_observed``). A new PyTensor that has moved one of these is mended here.
"""

from pytensor.compile.mode import Mode
from pytensor.gradient import DisconnectedType, grad
from pytensor.graph.basic import Apply, Constant, Variable
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.op import Op
from pytensor.graph.rewriting.basic import MergeOptimizer
from pytensor.graph.rewriting.utils import rewrite_graph
from pytensor.tensor.elemwise import Elemwise
from pytensor.tensor.utils import safe_signature

__all__ = [
    "Apply",
    "Constant",
    "DisconnectedType",
    "Elemwise",
    "FunctionGraph",
    "MergeOptimizer",
    "Mode",
    "Op",
    "Variable",
    "grad",
    "rewrite_graph",
    "safe_signature",
]
