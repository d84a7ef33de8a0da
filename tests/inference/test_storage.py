"""Files of posteriors: sealed whole, refused in words, never half written."""

import json
import logging
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import bayeseval as be
from bayeseval.inference import Posterior, _storage
from bayeseval.inference._storage import read, write
from bayeseval.simulate import SimulatedLikert


def tree() -> xr.DataTree:
    draws = np.random.default_rng(1).normal(size=(2, 5, 3))
    data = xr.Dataset(
        {"quality": (("chain", "draw", "system"), draws)}, coords={"system": ["a", "b", "ü"]}
    )
    return xr.DataTree.from_dict({"posterior": data})


@contextmanager
def full_disk() -> Iterator[None]:
    """No file may grow beyond a thousand bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_what_is_written_is_read_and_any_reader_of_netcdf_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "p.nc"
    write(tree(), {"family": "f"}, path)
    back, content = read(path)
    assert back.equals(tree())
    assert content["family"] == "f"
    with xr.open_datatree(path, engine="h5netcdf") as opened:
        assert opened["posterior"]["quality"].shape == (2, 5, 3)


def test_any_changed_byte_is_told_before_hdf5_sees_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "p.nc"
    write(tree(), {}, path)
    whole = path.read_bytes()
    monkeypatch.setattr(_storage.xr, "open_datatree", lambda *_, **__: pytest.fail("opened"))
    for place in np.linspace(0, len(whole) - 84, 60).astype(int):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        with pytest.raises(be.BayesEvalError, match="damaged or was edited"):
            read(path)


def test_a_file_without_its_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.nc"
    write(tree(), {}, path)
    path.write_bytes(path.read_bytes()[: -_storage._SEALED])
    with pytest.raises(be.BayesEvalError, match="its end, with the digest, is missing"):
        read(path)


def written_before(path: Path, **header: object) -> None:
    """Write as bayeseval did before files had a digest at their end."""
    old = tree()
    known = {
        "kind": "bayeseval posterior",
        "format": 1,
        "checksum": _storage._checksum(old),
    }
    text = json.dumps({name: value for name, value in (known | header).items() if value != ""})
    old.attrs["bayeseval"] = text
    old.to_netcdf(path, engine="h5netcdf")


def test_a_file_of_an_earlier_version_loads_with_a_note(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    written_before(tmp_path / "old.nc")
    # The package's own handler, where it has set one, hands nothing on to pytest's.
    monkeypatch.setattr(logging.getLogger("bayeseval"), "propagate", True)
    with caplog.at_level(logging.WARNING, logger="bayeseval"):
        back, _ = read(tmp_path / "old.nc")
    assert back.equals(tree())
    assert "earlier bayeseval" in caplog.text


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"format": ""}, "the format None"),
        ({"format": "x"}, "the format 'x'"),
        ({"checksum": ""}, "the checksum None"),
        ({"format": 99}, "newer bayeseval"),
        ({"checksum": "0"}, "values do not match"),
    ],
)
def test_a_damaged_header_is_refused_in_words(
    tmp_path: Path, header: dict[str, object], message: str
) -> None:
    written_before(tmp_path / "old.nc", **header)
    with pytest.raises(be.BayesEvalError, match=message):
        read(tmp_path / "old.nc")


def test_a_file_that_claims_more_than_memory_holds_is_refused(tmp_path: Path) -> None:
    import h5netcdf

    with h5netcdf.File(tmp_path / "vast.nc", "w") as file:
        file.dimensions = {"n": 10**13}
        file.create_variable("x", ("n",), dtype="f8", chunks=(10**6,))
    with pytest.raises(be.BayesEvalError, match="cannot be read as netCDF"):
        read(tmp_path / "vast.nc")


def test_a_full_disk_leaves_the_older_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "p.nc"
    path.write_bytes(b"older")
    with full_disk(), pytest.raises(be.BayesEvalError, match=r"cannot be written.*p\.nc"):
        write(tree(), {}, path)
    assert [file.name for file in tmp_path.iterdir()] == ["p.nc"]
    assert path.read_bytes() == b"older"


@pytest.mark.sampling
def test_a_full_disk_keeps_the_older_report(
    small_posterior: Posterior, small_study: SimulatedLikert, tmp_path: Path
) -> None:
    page = tmp_path / "report.md"
    page.write_text("older", encoding="utf-8")
    with full_disk(), pytest.raises(be.BayesEvalError, match="the report cannot be written"):
        be.report(small_posterior, small_study.judgements, page)
    assert [file.name for file in tmp_path.iterdir()] == ["report.md"]
    assert page.read_text(encoding="utf-8") == "older"
