"""The two engines of TrueSkill: the package trueskill, and the compiled update."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from bayeseval._checks import need_extra
from bayeseval.errors import ModelError
from bayeseval.families._declaration import FloatArray
from bayeseval.judgements import Judgements

if TYPE_CHECKING:
    import trueskill

type Engine = Literal["auto", "package", "compiled"]

_LOG = logging.getLogger("bayeseval")
# About five seconds of the package, some milliseconds compiled.
_FEW_UPDATES = 10_000
_LONG_SECONDS = 60.0
BETA = 1.0
DIGITS = 60
A_WINS, B_WINS, TIE = 0, 1, 2


@dataclass(frozen=True)
class Rated:
    """Mean and standard deviation of the two systems of a comparison, each under its name."""

    mu_a: float
    sigma_a: float
    mu_b: float
    sigma_b: float


@dataclass(frozen=True, eq=False)
class Games:
    """Comparisons of one criterion, one entry a judgement, sorted so that no row order matters."""

    a: npt.NDArray[np.int32]
    b: npt.NDArray[np.int32]
    outcome: npt.NDArray[np.int32]
    margin: float
    starts: npt.NDArray[np.intp]
    sizes: npt.NDArray[np.intp]

    @property
    def n(self) -> int:
        """Number of comparisons."""
        return self.a.size

    def shuffled(self, rng: np.random.Generator) -> npt.NDArray[np.intp]:
        """Return the comparisons in a random order."""
        return rng.permutation(self.n)

    def resampled(self, rng: np.random.Generator) -> npt.NDArray[np.intp]:
        """Draw units with replacement and put their comparisons in a random order."""
        if self.sizes.size == self.n:
            return rng.integers(0, self.n, self.n)
        unit = rng.integers(0, self.sizes.size, self.sizes.size)
        sizes = self.sizes[unit]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return rng.permutation(np.repeat(self.starts[unit], sizes) + within)


def games_of(judgements: Judgements, rows: npt.NDArray[np.intp], margin: float) -> Games:
    a, b = judgements.codes("system_a")[rows], judgements.codes("system_b")[rows]
    outcome = judgements.answers[rows]
    unit = judgements.codes("ranking")[rows] if judgements.has("ranking") else np.zeros_like(a)
    counts = judgements.counts[rows]
    order = np.repeat(
        *(v[np.lexsort((outcome, b, a, unit))] for v in (np.arange(rows.size), counts))
    )
    unit = unit[order] if judgements.has("ranking") else np.arange(order.size)
    starts = np.flatnonzero(np.diff(unit, prepend=-1))
    return Games(
        a[order].astype(np.int32),
        b[order].astype(np.int32),
        outcome[order].astype(np.int32),
        float(margin),
        starts,
        np.diff(starts, append=order.size),
    )


class CompiledEngine:
    """Rates with the compiled update."""

    name: ClassVar[str] = "compiled"
    words: ClassVar[str] = "the compiled engine"
    packages: ClassVar[tuple[str, ...]] = ("numba",)
    pilot: ClassVar[int] = 20_000

    def __init__(self, prior_sd: float, n_systems: int) -> None:
        self.prior_sd = prior_sd
        self.n_systems = n_systems
        self.rescued = 0

    def run(self, game: Games, order: npt.NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        """Return means and standard deviations after all comparisons."""
        from bayeseval.families._trueskill_updates import rate

        mu, sigma = np.zeros(self.n_systems), np.full(self.n_systems, self.prior_sd)
        rate(game.a, game.b, game.outcome, order.astype(np.int32), game.margin, BETA, mu, sigma)
        _refuse_broken(mu, sigma)
        return mu, sigma


class PackageEngine:
    """Rates through the package trueskill."""

    name: ClassVar[str] = "package"
    words: ClassVar[str] = "the package trueskill"
    packages: ClassVar[tuple[str, ...]] = ("trueskill", "mpmath")
    pilot: ClassVar[int] = 200

    def __init__(self, prior_sd: float, n_systems: int) -> None:
        need_extra(
            "trueskill",
            *self.packages,
            what="engine='package' of TrueSkill",
            otherwise="take engine='compiled', the same update compiled",
            error=ModelError,
        )
        self.prior_sd = prior_sd
        self.n_systems = n_systems
        self.rescued = 0

    def run(self, game: Games, order: npt.NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
        """Return means and standard deviations after all comparisons."""
        import trueskill

        # The package would compute the margin from the chance of a tie with fewer digits.
        margin = game.margin
        environment = trueskill.TrueSkill(
            mu=0.0,
            sigma=self.prior_sd,
            beta=BETA,
            tau=0.0,
            draw_probability=0.5,
            backend=(_cdf, _pdf, lambda _: margin / (np.sqrt(2.0) * BETA)),
        )
        skills = [environment.create_rating() for _ in range(self.n_systems)]
        pairs = zip(
            game.a[order].tolist(),
            game.b[order].tolist(),
            game.outcome[order].tolist(),
            strict=True,
        )
        for a, b, outcome in pairs:
            rated, rescued = update(environment, skills[a], skills[b], outcome, margin)
            self.rescued += rescued
            skills[a] = environment.create_rating(rated.mu_a, rated.sigma_a)
            skills[b] = environment.create_rating(rated.mu_b, rated.sigma_b)
        mu = np.array([skill.mu for skill in skills])
        sigma = np.array([skill.sigma for skill in skills])
        _refuse_broken(mu, sigma)
        return mu, sigma


def chosen_engine(
    wanted: Engine,
    games: Sequence[Games],
    n_systems: int,
    *,
    prior_sd: float,
    shuffles: int,
    resamples: int,
) -> "PackageEngine | CompiledEngine":
    """Return the engine that is wanted, or fits the work, and say how long it will take."""
    n_games = sum(game.n for game in games)
    updates = n_games * (shuffles + resamples)
    few = updates <= _FEW_UPDATES
    installed = all(find_spec(name) is not None for name in PackageEngine.packages)
    through_package = few and installed if wanted == "auto" else wanted == "package"
    engine = (PackageEngine if through_package else CompiledEngine)(prior_sd, n_systems)
    first = max(games, key=lambda game: game.n)
    # The first run of the compiled engine compiles.
    engine.run(first, np.arange(1))
    # Spread over all comparisons, whose memory has to be fetched in the runs too; with a
    # generator of its own, so that results do not depend on the pilot.
    started = perf_counter()
    size = min(engine.pilot, first.n)
    engine.run(first, np.random.default_rng(0).integers(0, first.n, size))
    seconds = (perf_counter() - started) / size * updates
    engine.rescued = 0
    remedy = "; lower shuffles= and resamples="
    if through_package:
        remedy += ", or take engine='compiled', the same update compiled"
    _LOG.log(
        logging.WARNING if seconds > _LONG_SECONDS else logging.INFO,
        "TrueSkill: %s comparisons in %d shuffles and %d resamples by %s will take %s%s",
        f"{n_games:,}",
        shuffles,
        resamples,
        engine.words,
        _duration(seconds),
        remedy if seconds > _LONG_SECONDS else "",
    )
    return engine


def _duration(seconds: float) -> str:
    if seconds < 1:
        return "less than 1 s"
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"


def update(
    environment: "trueskill.TrueSkill",
    a: "trueskill.Rating",
    b: "trueskill.Rating",
    outcome: int,
    margin: float,
) -> tuple[Rated, bool]:
    """Rate one comparison; tell whether it took more digits than floating point has.

    Parameters
    ----------
    environment
        Settings of the package.
    a, b
        Skills of the two systems before the comparison.
    outcome
        0 where a wins, 1 where b wins, 2 for a tie.
    margin
        Margin of a tie.

    Raises
    ------
    ModelError
        Where the result is no finite number even with many digits.
    """
    try:
        rated = _rated(environment, a, b, outcome)
        if _is_sound(rated):
            return rated, False
    except (FloatingPointError, ZeroDivisionError, ValueError, OverflowError):
        pass
    import mpmath
    import trueskill

    precise = trueskill.TrueSkill(
        mu=environment.mu,
        sigma=environment.sigma,
        beta=environment.beta,
        tau=0.0,
        draw_probability=0.5,
        backend=(mpmath.ncdf, mpmath.npdf, lambda _: margin / (np.sqrt(2.0) * environment.beta)),
    )
    try:
        with mpmath.workdps(DIGITS):
            rated = _rated(precise, a, b, outcome)
    except (FloatingPointError, ZeroDivisionError, ValueError, OverflowError) as error:
        raise ModelError(_too_far(a, b)) from error
    if not _is_sound(rated):
        raise ModelError(_too_far(a, b))
    return rated, True


def _too_far(a: "trueskill.Rating", b: "trueskill.Rating") -> str:
    return (
        f"TrueSkill cannot rate this comparison: skills {float(a.mu):.4g} ± {float(a.sigma):.2g} "
        f"and {float(b.mu):.4g} ± {float(b.sigma):.2g} are too far apart for the outcome, "
        f"even with {DIGITS} digits. Take a smaller prior_sd=, or a draw_probability= nearer to "
        "the share of ties"
    )


def _rated(
    environment: "trueskill.TrueSkill", a: "trueskill.Rating", b: "trueskill.Rating", outcome: int
) -> Rated:
    # The package returns the winner first: this is the one place that knows.
    if outcome == B_WINS:
        new_b, new_a = _rate(environment, b, a, drawn=False)
    else:
        new_a, new_b = _rate(environment, a, b, drawn=outcome == TIE)
    return Rated(float(new_a.mu), float(new_a.sigma), float(new_b.mu), float(new_b.sigma))


def _rate(
    environment: "trueskill.TrueSkill",
    winner: "trueskill.Rating",
    loser: "trueskill.Rating",
    *,
    drawn: bool,
) -> "tuple[trueskill.Rating, trueskill.Rating]":
    """Call the package for one comparison."""
    import trueskill

    return trueskill.rate_1vs1(winner, loser, drawn=drawn, env=environment)


def _is_sound(rated: Rated) -> bool:
    values = (rated.mu_a, rated.mu_b, rated.sigma_a, rated.sigma_b)
    return bool(np.isfinite(values).all()) and rated.sigma_a > 0 and rated.sigma_b > 0


def _refuse_broken(mu: FloatArray, sigma: FloatArray) -> None:
    if not (np.isfinite(mu).all() and np.isfinite(sigma).all() and (sigma > 0).all()):
        raise ModelError(
            "TrueSkill arrived at skills that are no finite numbers: outcomes lie too far from "
            "what the skills before them allow. Take a smaller prior_sd=, or a draw_probability= "
            "nearer to the share of ties"
        )


def _cdf(x: float) -> float:
    return float(ndtr(x))


def _pdf(x: float) -> float:
    return float(np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi))
