"""A cell that holds a whole text is not copied into a message."""

import pandas as pd
import pytest

from bayeseval.errors import JudgementError
from bayeseval.judgements import LikertJudgements


def test_a_long_cell_is_cut_wherever_the_message_names_it() -> None:
    frame = pd.DataFrame({"a": ["x", "z"], "s": ["A", "B"], "r": ["y" * 9000, "3"]})
    with pytest.raises(JudgementError, match="mixes numbers") as caught:
        LikertJudgements.from_frame(frame, annotator="a", system="s", rating="r", scale=(1, 5))
    assert len(str(caught.value)) < 400
