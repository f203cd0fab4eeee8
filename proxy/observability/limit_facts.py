"""The limits and the use of one request's key, as far as the record of the request needs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from proxy.core.charge import Charge
from proxy.state.limits.claims import Standing


class RequestMeter(Protocol):
    """Counts what the attempts of one request use."""

    @property
    def charges(self) -> Sequence[Charge]:
        """The use of each attempt that has ended, oldest first."""


class Admission(Protocol):
    """The place of a request within the limits of its key. It ends once: by being settled, or by being released."""

    @property
    def standing(self) -> Standing:
        """The rest of the limits."""

    def settle(self, *, nano_usd: int, estimated_nano: int, tokens: int) -> None:
        """Charge what the request used, and give back the rest. Never raises, and does not wait."""

    def release(self) -> None:
        """Give back all, since no call was made."""

    async def free_place(self) -> None:
        """Wait until other processes can see that the place is free, for a moment at most. Called after the end."""
