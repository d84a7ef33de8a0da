"""What is wrong with the draws stands above the ratings, not below."""

import pandas as pd

from bayeseval._records import Shown
from bayeseval.comparison import EloRatings


def test_alarms_of_a_record_come_before_its_numbers() -> None:
    said = repr(
        EloRatings(
            table=pd.DataFrame({"system": ["A"], "rating": [17.0]}),
            title="Ratings",
            shown=(Shown("system", "system", "label"), Shown("rating", "rating", decimals=0)),
            alarms=("NOT CONVERGED, do not report these numbers.",),
        )
    )
    assert said.index("NOT CONVERGED") < said.index("17")
