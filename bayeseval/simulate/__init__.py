"""Judgements with known truth, drawn with NumPy and SciPy alone."""

from bayeseval.simulate.likert import SimulatedLikert, simulate_likert
from bayeseval.simulate.magnitude import SimulatedMagnitude, simulate_magnitude
from bayeseval.simulate.pairwise import SimulatedPairwise, simulate_pairwise
from bayeseval.simulate.spa import SimulatedSPA, simulate_spa
from bayeseval.simulate.strength import SimulatedStrength, simulate_strength

__all__ = [
    "SimulatedLikert",
    "SimulatedMagnitude",
    "SimulatedPairwise",
    "SimulatedSPA",
    "SimulatedStrength",
    "simulate_likert",
    "simulate_magnitude",
    "simulate_pairwise",
    "simulate_spa",
    "simulate_strength",
]
