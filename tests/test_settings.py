import subprocess
import sys
from threading import Thread

import pytest

from bayeseval.errors import BayesEvalError
from bayeseval.settings import Settings, ci_words, resolve_ci, settings


def test_default_interval_is_equal_tailed_95_percent() -> None:
    assert resolve_ci() == (0.95, "eti")
    assert ci_words(*resolve_ci()) == "95 % equal-tailed"


def test_using_changes_the_interval_inside_the_block_only() -> None:
    with settings.using(ci_prob=0.9):
        with settings.using(ci_kind="hdi"):
            assert resolve_ci() == (0.9, "hdi")
        assert resolve_ci() == (0.9, "eti")
    assert resolve_ci() == (0.95, "eti")


def test_using_is_undone_after_an_error() -> None:
    with pytest.raises(RuntimeError, match="inside"), settings.using(ci_prob=0.5):
        raise RuntimeError("inside")
    assert settings.ci_prob == 0.95


def test_using_in_one_thread_leaves_another_alone_and_a_new_default_reaches_it() -> None:
    mine = Settings()
    mine.ci_prob = 0.8
    seen: list[float] = []
    with mine.using(ci_prob=0.5):
        thread = Thread(target=lambda: seen.append(mine.ci_prob))
        thread.start()
        thread.join()
        assert mine.ci_prob == 0.5
    assert seen == [0.8]


def test_argument_beats_setting() -> None:
    with settings.using(ci_prob=0.9, ci_kind="hdi"):
        assert resolve_ci(0.5, "eti") == (0.5, "eti")


@pytest.mark.parametrize("wrong", [0, 1, -0.1, 1.5, float("nan"), True, "0.9", 95])
def test_impossible_probability_is_refused(wrong: object) -> None:
    with pytest.raises(BayesEvalError, match="ci_prob must"):
        resolve_ci(wrong)  # pyright: ignore[reportArgumentType]


def test_percentage_is_refused_with_the_probability_that_was_meant() -> None:
    with pytest.raises(BayesEvalError, match=r"got 95; for 95 % write 0\.95"):
        resolve_ci(95)


@pytest.mark.parametrize("wrong", ["hpd", "ETI", None.__class__, 3])
def test_unknown_kind_is_refused(wrong: object) -> None:
    with pytest.raises(BayesEvalError, match=r"ci_kind must be 'eti'.*or 'hdi'"):
        resolve_ci(None, wrong)  # pyright: ignore[reportArgumentType]


def test_setting_the_default_inside_using_is_refused() -> None:
    mine = Settings()
    with mine.using(ci_prob=0.9), pytest.raises(BayesEvalError, match="set it outside"):
        mine.ci_prob = 0.5
    with pytest.raises(BayesEvalError, match="ci_prob must"):
        mine.ci_prob = 2


def test_settings_import_nothing_heavy() -> None:
    code = (
        "import sys, bayeseval.settings\n"
        "print([m for m in ('numpy', 'pandas', 'xarray', 'arviz_stats') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
