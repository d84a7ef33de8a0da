"""What the commands share while they run: the exit codes, sampling, and what is said of it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from bayeseval._checks import some
from bayeseval._files import check_place
from bayeseval.errors import BayesEvalError

if TYPE_CHECKING:
    from bayeseval.inference import Posterior
    from bayeseval.judgements import Judgements

WRONG_INPUT = 2
NOT_CONVERGED = 3
INTERRUPTED = 130


def sampled(
    judgements: "Judgements",
    family: Any,
    *,
    method: Literal["nuts", "laplace", "auto"] = "nuts",
    draws: int = 1000,
    tune: int | None = None,
    chains: int = 4,
    cores: int | None = None,
    seed: int | None = None,
    target_accept: float | None = None,
    quiet: bool = False,
) -> "Posterior":
    """Fit, and say on standard error how it went."""
    import warnings

    from bayeseval.errors import ConvergenceWarning
    from bayeseval.inference import fit as fit_family

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        posterior = fit_family(
            judgements,
            family,
            method=method,
            draws=draws,
            tune=tune,
            chains=chains,
            cores=cores,
            random_seed=seed,
            target_accept=target_accept,
            progressbar=not quiet,
        )
    if posterior.settings.interrupted:
        say(
            f"Interrupted: {posterior.settings.draws:,} of {draws:,} draws of each chain are kept.",
            quiet=quiet,
        )
    say(str(posterior.convergence), quiet=quiet)
    return posterior


def say(text: str, *, quiet: bool = False) -> None:
    if not quiet:
        typer.echo(text, err=True)


@contextmanager
def voice(*, quiet: bool = False) -> Iterator[None]:
    """Let the package's messages through, or only its warnings."""
    logger = logging.getLogger("bayeseval")
    before = logger.level
    logger.setLevel(logging.ERROR if quiet else logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(before)


def refuse_unwritable(path: Path | None, option: str, suffixes: tuple[str, ...]) -> None:
    """Find out before minutes of sampling, not after, that a result cannot be written."""
    if path is None:
        return
    if path.suffix.lower() not in suffixes:
        raise BayesEvalError(f"{option} names a file that ends in {some(suffixes)}; found {path}")
    try:
        check_place(path, "posterior" if ".nc" in suffixes else "report")
    except BayesEvalError as error:
        raise BayesEvalError(f"{option}: {error}") from error
