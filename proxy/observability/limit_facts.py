"""The facts of a request about the limits and the spend of its key, as the record of the request has them.

The values come from :mod:`proxy.state.limits` and from rooms that may import this package.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from proxy.core.deployment import Deployment


class Standing(Protocol):
    """The rest of a key's limits after a request: the tightest of the key and its team.

    Each field is None where there is no such limit. The times are seconds until the whole limit is there again.
    """

    @property
    def limit_requests(self) -> int | None:
        """The requests that are allowed a minute."""

    @property
    def remaining_requests(self) -> int | None:
        """The requests that would be served at once."""

    @property
    def reset_requests_s(self) -> float | None:
        """Seconds until nothing of the limit of requests is used."""

    @property
    def limit_tokens(self) -> int | None:
        """The tokens that are allowed a minute."""

    @property
    def remaining_tokens(self) -> int | None:
        """The tokens that would be served at once."""

    @property
    def reset_tokens_s(self) -> float | None:
        """Seconds until nothing of the limit of tokens is used."""


class Charge(Protocol):
    """The use of one attempt."""

    @property
    def deployment(self) -> Deployment:
        """The deployment that was asked."""

    @property
    def nano_usd(self) -> int | None:
        """The cost in 10⁻⁹ dollars, or None where the model has no price."""

    @property
    def tokens_in(self) -> int:
        """The tokens of the prompt."""

    @property
    def tokens_out(self) -> int:
        """The tokens of the answer, with those of the reasoning."""

    @property
    def exactness(self) -> str:
        """``exact`` where the provider reported the usage, else ``estimated``."""


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
