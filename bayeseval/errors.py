"""The errors that bayeseval raises on purpose."""


class BayesEvalError(ValueError):
    """Base of every error about the input: what was expected, what was found, where, what to do."""


class JudgementError(BayesEvalError):
    """The table of judgements is not what it was declared to be."""


class DesignError(BayesEvalError):
    """The data cannot identify what is asked of them."""


class ModelError(BayesEvalError):
    """The family and the judgements, or the family's own settings, do not fit together."""


class ConvergenceError(RuntimeError):
    """The sampler did not reach the posterior, and ``strict=True`` asked for an error."""


class ConvergenceWarning(UserWarning):
    """The sampler did not reach the posterior; the result is marked and must not be reported."""
