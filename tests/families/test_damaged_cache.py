"""Compiled code and kernels that are damaged on disk: made anew, or an error that says so.

Compiled code is read once a process, so that each case has a process and a folder of its own.
"""

import os
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path

import numba
import pytest
from numba.core import caching

from bayeseval.errors import ModelError
from bayeseval.families import _callback
from bayeseval.families.engine import loading

COMPILED = """
import sys, types
from numba import njit
from bayeseval.errors import ModelError
from bayeseval.families._damaged_cache import naming_the_cache
path = sys.argv[1]
module = types.ModuleType("small")
exec(compile(open(path).read(), path, "exec"), module.__dict__)
try:
    with naming_the_cache():
        print(njit(cache=True)(module.twice)(2.0))
except ModelError as error:
    print(error)
"""
Damage = Callable[[bytes], bytes]
DAMAGES: dict[str, Damage] = {
    "half": lambda content: content[: len(content) // 2],
    # A pickle of something else raises neither of the errors that pickle announces.
    "another": lambda _: b"I1\n.",
}


def ran(program: str, *arguments: str, cache: Path) -> str:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_damaged_file_of_compiled_code_is_named_by_its_folder(
    suffix: str, tmp_path: Path
) -> None:
    source, cache = tmp_path / "small.py", tmp_path / "cache"
    source.write_text("def twice(x):\n    return 2.0 * x\n")
    assert ran(COMPILED, str(source), cache=cache) == "4.0"
    (damaged,) = cache.rglob(f"*{suffix}")
    whole = damaged.read_bytes()
    for damage in DAMAGES.values():
        damaged.write_bytes(damage(whole))
        said = ran(COMPILED, str(source), cache=cache)
        if said != "4.0":  # What looks like a file of another version is compiled anew.
            assert "cache of compiled code is damaged" in said, (damage, said)
            assert str(damaged.parent) in said


def test_a_full_disk_below_the_cache_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caching.IndexDataCacheFile, "_load_index", full)
    source = tmp_path / "small.py"
    source.write_text("def twice(x):\n    return 2.0 * x\n")
    made = types.ModuleType("small")
    exec(compile(source.read_text(), source, "exec"), made.__dict__)
    with (
        pytest.raises(
            ModelError, match=r"cannot use the folder .*: No space left on device\. Make"
        ),
        _callback.naming_the_cache(),
    ):
        numba.njit(cache=True)(made.twice)(2.0)


def full(_: object) -> None:
    raise OSError(28, "No space left on device")


def test_an_error_that_is_none_of_the_cache_is_left_as_it_is() -> None:
    with pytest.raises(KeyError, match="x"), _callback.naming_the_cache():
        {}["x"]


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_kernel_is_made_anew(
    damage: Damage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "_folders", lambda: iter([tmp_path]))
    made = loading.kernel_module.__wrapped__
    path = Path(str(made("_pymc_ordered_beta", "stated_probability").__file__))
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert made("_pymc_ordered_beta", "stated_probability").kernel is not None
    assert path.read_bytes() == whole
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == [path.name]
