"""The use of one attempt, and its cost."""

from __future__ import annotations

from typing import Literal

from proxy.core.deployment import Deployment
from sanitizers.record import record


@record
class Charge:
    """The tokens that one attempt at a provider used, and their cost."""

    deployment: Deployment
    nano_usd: int | None
    """The cost in 10⁻⁹ dollars, or None where the model has no price."""

    tokens_in: int
    tokens_out: int
    """The tokens of the answer, with those of the reasoning."""

    exactness: Literal["exact", "estimated"]
    """``exact`` where the provider reported the usage of its whole answer."""

    @property
    def tokens(self) -> int:
        """The tokens of the prompt and of the answer together."""
        return self.tokens_in + self.tokens_out
