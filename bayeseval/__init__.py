"""Bayesian modelling of ratings."""
