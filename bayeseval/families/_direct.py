"""What families share that draw by themselves, without a sampler and without a model in PyMC."""

from typing import Any, ClassVar

from bayeseval.errors import ModelError
from bayeseval.judgements import Judgements


class DrawsByItself:
    """Base of families that draw by themselves."""

    name: ClassVar[str]
    direct: ClassVar[bool] = True

    def build(self, judgements: Judgements) -> Any:
        """Refuse: there is no model in PyMC.

        Parameters
        ----------
        judgements : Judgements
            Any table.

        Raises
        ------
        ModelError
            Always.
        """
        raise ModelError(
            f"{self.name} draws by itself, from no density that a sampler would need, so there is "
            f"no PyMC model of it; a family that has one for {judgements.protocol} judgements is "
            "the protocol's default, which fit() takes without family="
        )
