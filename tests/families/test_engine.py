"""Kernels made from formulas: how they are kept, and that their parts are right to the digit."""

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import mpmath
import numba
import numpy as np
import pytest
from scipy.special import log_ndtr

from bayeseval.families import OrderedBeta
from bayeseval.families._gamma_kernel import log_gammas
from bayeseval.families._normal_kernel import log_normal_bands, log_normal_cdfs
from bayeseval.families._ordinal_kernel import interval_terms
from bayeseval.families._student_kernel import student_constant, student_log_cdfs, student_table
from bayeseval.families.engine import loading, numeric
from bayeseval.families.engine.printing import kernel_source
from tests.families.answers import stated

# The types of its numbers leave out what they can be made to.
mp: Any = mpmath.mp
mpf: Any = mpmath.mpf
FORMULAS = (
    "_pymc_log_magnitude",
    "_pymc_ordered_beta",
    "_pymc_pairwise",
    "_pymc_preference_strength",
)
TAILS = np.array([-700.0, -40.0, -1.0, -1e-8, 0.0, 1e-300, 1e-8, 0.3, 1.0, 36.0, 700.0])
POSITIVE = np.concatenate([np.geomspace(1e-300, 1e300, 61), [0.5, 0.999999, 1.0, 1.000001, 2.0]])


@pytest.fixture(autouse=True)
def _fifty_digits() -> Any:
    with mp.workdps(50):
        yield


def one_by_one(name: str) -> Callable[[np.ndarray], np.ndarray]:
    """Return a loop that calls one of the inlined functions."""
    function = getattr(numeric, name)

    @numba.njit(error_model="numpy", fastmath={"contract", "arcp", "nsz", "reassoc"})
    def loop(x: Any) -> Any:
        out = np.empty_like(x)
        for j in range(x.size):
            out[j] = function(x[j])
        return out

    return loop


@pytest.mark.parametrize(
    ("name", "exact", "x"),
    [
        ("exp", mp.exp, TAILS),
        ("log", mp.log, POSITIVE),
        (
            "log1p",
            mp.log1p,
            np.concatenate([POSITIVE, -POSITIVE[POSITIVE < 1], [-1 + 1e-15]]),
        ),
        ("sigmoid", lambda x: 1 / (1 + mp.exp(-x)), TAILS),
        ("softplus", lambda x: mp.log1p(mp.exp(x)), TAILS),
    ],
)
def test_inlined_functions_have_all_digits(name: str, exact: Any, x: np.ndarray) -> None:
    found = one_by_one(name)(x)
    expected = np.array([float(exact(mpf(v))) for v in x])
    # Where sums may be reordered, too: a function keeps its own rules.
    np.testing.assert_allclose(found, expected, rtol=8e-16, atol=1e-307)


def test_log_gamma_and_digamma_have_all_digits_from_the_smallest_number_on() -> None:
    x = np.concatenate([np.geomspace(1e-300, 1e15, 120), [1.0, 2.0, 7.999, 8.0], [0.0]])
    value, slope, work = np.empty_like(x), np.empty_like(x), np.empty((4, x.size))
    log_gammas(x, value, slope, work, x.size)
    held = np.maximum(x, 1e-300)
    expected = np.array([float(mp.loggamma(mpf(v))) for v in held])
    slopes = np.array([float(mp.digamma(mpf(v))) for v in held])
    np.testing.assert_allclose(value, expected, rtol=1e-14, atol=2e-15)
    np.testing.assert_allclose(slope, slopes, rtol=1e-14, atol=2e-15)


@pytest.mark.parametrize("band", [1e-12, 1e-6, 1e-3, 0.4, 8.0])
def test_log_normal_probabilities_keep_their_digits(band: float) -> None:
    u = np.array([-1e5, -30.0, -3.0, -1.0, -1e-9, 0.0, 1e-9, 0.7, 9.0, 38.0, 1e5])
    value, slope, by_band, work = *np.empty((3, u.size)), np.empty((6, u.size))
    log_normal_cdfs(u, value, slope, work, u.size)

    def log_cdf(x: Any) -> Any:
        tail = mp.erfc(abs(x) / mp.sqrt(2)) / 2
        return mp.log(tail) if x <= 0 else mp.log1p(-tail)

    def log_density(x: Any) -> Any:
        return -x * x / 2 - mp.log(2 * mp.pi) / 2

    expected = np.array([float(log_cdf(mpf(v))) for v in u])
    np.testing.assert_allclose(value, expected, rtol=4e-15, atol=1e-307)
    slopes = [float(mp.exp(log_density(mpf(v)) - log_cdf(mpf(v)))) for v in u]
    np.testing.assert_allclose(slope, slopes, rtol=1e-14, atol=1e-300)
    log_normal_bands(u, np.full(u.size, band), value, slope, by_band, work, u.size)
    for j, v in enumerate(u):
        near, far = mpf(abs(v)) - mpf(band), mpf(abs(v)) + mpf(band)
        with mp.workdps(80):
            log_p = mp.log((mp.erfc(near / mp.sqrt(2)) - mp.erfc(far / mp.sqrt(2))) / 2)
        of_near, of_far = mp.exp(log_density(near) - log_p), mp.exp(log_density(far) - log_p)
        assert value[j] == pytest.approx(float(log_p), rel=1e-12, abs=1e-12)
        by_u = float(of_far - of_near) * (1.0 if v >= 0.0 else -1.0)
        assert slope[j] == pytest.approx(by_u, rel=1e-9, abs=1e-9)
        assert by_band[j] == pytest.approx(float(of_near + of_far), rel=1e-9)


@pytest.mark.parametrize(
    ("lower", "upper"),
    [(-2.0, 0.3), (0.5, 0.50001), (-1e-9, 1e-9), (7.0, 9.0), (-40.0, -39.0), (30.0, 1e6), (-9, 50)],
)
def test_log_of_a_normal_interval_keeps_its_digits(lower: float, upper: float) -> None:
    value, by_lower, by_upper = np.empty((3, 1))
    ends = np.array([lower]), np.array([upper])
    interval_terms(*ends, value, by_lower, by_upper, np.empty((4, 1)), 1)
    low, high = mpf(lower), mpf(upper)
    with mp.workdps(80):
        sign = 1 if low > 0 else -1
        tails = [mp.erfc(sign * end / mp.sqrt(2)) / 2 for end in (low, high)]
        log_p = mp.log(abs(tails[0] - tails[1]))
    slopes = [float(mp.exp(-end * end / 2 - mp.log(2 * mp.pi) / 2 - log_p)) for end in (low, high)]
    assert value[0] == pytest.approx(float(log_p), rel=1e-12)
    assert [-by_lower[0], by_upper[0]] == pytest.approx(slopes, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("df", [1e-3, 0.3, 1.0, 4.0, 40.0, 150.0, 1999.0, 1e5])
def test_log_of_students_distribution_function_keeps_its_digits(df: float) -> None:
    z = np.array([-1e8, -300.0, -30.0, -2.0, -1e-6, 0.0, 1e-9, 0.7, 5.0])
    value, by_z, by_df, work = *np.empty((3, z.size)), np.empty((4, z.size))
    student_log_cdfs(z, student_table(df), value, by_z, by_df, work, z.size)

    def log_cdf(x: Any, nu: Any) -> Any:
        tail = mp.betainc(nu / 2, mpf(1) / 2, 0, nu / (nu + x * x), regularized=True) / 2
        return mp.log(tail if x <= 0 else 1 - tail)

    nu, step = mpf(df), mpf(df) * mpf(10) ** -14
    front = mp.gamma((nu + 1) / 2) / mp.gamma(nu / 2) / mp.sqrt(nu * mp.pi)
    for j, x in enumerate(map(mpf, z.tolist())):
        log_p = log_cdf(x, nu)
        assert value[j] == pytest.approx(float(log_p), rel=1e-12)
        density = front * (1 + x * x / nu) ** (-(nu + 1) / 2)
        assert by_z[j] == pytest.approx(float(density / mp.exp(log_p)), rel=2e-12)
        slope = (log_cdf(x, nu + step) - log_cdf(x, nu - step)) / (2 * step)
        assert by_df[j] == pytest.approx(float(slope), rel=1e-11, abs=1e-14 * (1 + 1 / df))


@pytest.mark.parametrize("df", [1e-3, 2.0, 99.9, 100.1, 1e4, 1e9])
def test_constant_of_student_has_all_digits_for_many_degrees_too(df: float) -> None:
    def constant(nu: Any) -> Any:
        return mp.loggamma((nu + 1) / 2) - mp.loggamma(nu / 2) - mp.log(nu * mp.pi) / 2

    value, slope = student_constant(df)
    assert value == pytest.approx(float(constant(mpf(df))), rel=2e-14)
    assert slope == pytest.approx(float(mp.diff(constant, mpf(df))), rel=1e-10)


def test_very_many_degrees_of_freedom_are_the_normal() -> None:
    z = np.array([-9.0, -1.0, 0.0, 2.0])
    value, by_z, by_df, work = *np.empty((3, z.size)), np.empty((4, z.size))
    student_log_cdfs(z, student_table(1e12), value, by_z, by_df, work, z.size)
    np.testing.assert_allclose(value, log_ndtr(z), rtol=1e-6)
    assert np.abs(by_df).max() < 1e-12


@pytest.mark.parametrize("module", FORMULAS)
def test_a_formula_is_printed_alike_every_time(module: str) -> None:
    for formula in import_module(f"bayeseval.families.{module}").FORMULAS[:6]:
        assert kernel_source(formula, module) == kernel_source(formula, module)


def test_two_processes_that_make_a_kernel_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    program = (
        "from bayeseval.families.engine.loading import kernel_module as made\n"
        "print(made('_pymc_ordered_beta', 'stated_probability').__file__)"
    )
    environment = {"NUMBA_CACHE_DIR": str(tmp_path), "PATH": ""}
    both = [
        subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    found = {process.communicate()[0].decode().strip() for process in both}
    assert len(found) == 1
    kept = list((tmp_path / "bayeseval_kernels").iterdir())
    assert [str(path) for path in kept if path.suffix in (".py", ".tmp")] == list(found)


def test_a_kept_kernel_is_found_without_importing_pytensor() -> None:
    program = (
        "import sys\n"
        "from bayeseval.families.engine.loading import kernel_module\n"
        "kernel_module('_pymc_ordered_beta', 'stated_probability')\n"
        "print('pytensor' in sys.modules)"
    )
    loading.kernel_module("_pymc_ordered_beta", "stated_probability")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.decode().strip() == "False"


def test_folders_that_cannot_be_written_to_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(
        loading, "_folders", lambda: iter([tmp_path / "file" / "below", tmp_path / "folder"])
    )
    module = loading.kernel_module.__wrapped__("_pymc_ordered_beta", "stated_probability")
    assert Path(str(module.__file__)).parent == tmp_path / "folder"


def test_key_follows_the_formula(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = loading._key("_pymc_ordered_beta")
    assert loading._key("_pymc_ordered_beta") == before
    monkeypatch.setattr(loading, "version", lambda _: "another version")
    assert loading._key("_pymc_ordered_beta") != before
    with pytest.raises(ModuleNotFoundError, match="no module of formulas called '_nothing'"):
        loading._key("_nothing")


def test_source_of_a_kernel_can_be_read() -> None:
    family = OrderedBeta()
    source = family.kernel_source(family.declare(stated()))
    assert "def kernel(" in source
    assert "log_gammas(" in source
