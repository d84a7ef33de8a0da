"""Judgements with known truth, drawn with NumPy alone."""

from bayeseval.simulate.likert import SimulatedLikert, simulate_likert

__all__ = ["SimulatedLikert", "simulate_likert"]
