"""Kernels made from formulas: what a family writes once, in PyTensor, as a compiled loop.

A family states the log probability of an answer as a :class:`~.formula.Formula`. The PyMC model
evaluates it as it stands. For a compiled density the formula is differentiated and printed as a
plain loop over rows, whose source anyone can read (``kernel_source``), and which Numba compiles.
Both are kept on disk, so that PyTensor is imported once ever for a kernel, and not by a fit.

``formula``, ``special``: what a formula is, and the functions that it may call. ``simplifying``,
``expressions``, ``printing``: from a formula to a kernel. ``loading``: kernels by name.
``numeric``: what they call.
"""
