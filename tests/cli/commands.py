"""What a command is given here, and what is left of it when it ended."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

COLUMNS = "--annotator worker --system model --item prompt --rating score --scale 1 5"
SMALL = "--draws 200 --tune 200 --chains 2 --cores 1 --seed 1"


@dataclass(frozen=True)
class Ended:
    """What a command left: status, standard output and standard error."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is not JSON")

        return json.loads(self.out, parse_constant=refuse)


type Run = Callable[..., Ended]
