"""From judgements and a family to a posterior."""

from bayeseval.inference._convergence import Convergence
from bayeseval.inference._posterior import Posterior, Settings, load
from bayeseval.inference.fitting import fit

__all__ = ["Convergence", "Posterior", "Settings", "fit", "load"]
