"""From judgements and a family to a posterior."""

from bayeseval.inference._convergence import Convergence
from bayeseval.inference._loading import load
from bayeseval.inference._posterior import Posterior
from bayeseval.inference._settings import Settings
from bayeseval.inference.fitting import fit

__all__ = ["Convergence", "Posterior", "Settings", "fit", "load"]
