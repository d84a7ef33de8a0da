"""Where files of the package are written, and where not."""

import os
from pathlib import Path

import pytest

from bayeseval._files import write_whole
from bayeseval.errors import BayesEvalError


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_file_is_never_replaced_by_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(BayesEvalError, match=r"the report must be a file; '.*pipe'"):
        write_whole(pipe, b"text", "report")
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]
