"""How long one call upstream may take, and how long it may be silent.

Bytes count, whatever they say: a comment or a blank line that keeps an answer alive says that somebody is still at
work (OpenRouter and DeepSeek send them while a request waits). So each limit is for the time without any:

    before the answer has begun    ``first_byte_s``    the model reads, thinks, or waits for its turn; streams only,
                                                       since a whole answer begins when all of it is written
    after that                     ``idle_s``          it writes
    all of it, silent or not       ``total_s``         what only keeps itself alive ends here

The time to connect has a limit of its own, which the session keeps.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from typing import Any, TypeVar

from proxy.errors import UpstreamTimeout
from proxy.failures import Cause
from proxy.upstream import Chunk, Timeouts

Awaited = TypeVar("Awaited")

_WORDS = {
    Cause.FIRST_BYTE_TIMEOUT: "The provider did not begin to answer in time.",
    Cause.IDLE_TIMEOUT: "The provider stopped answering.",
    Cause.DEADLINE: "The provider did not answer in time.",
}


class Patience:
    """The limits of one call, which begins with it."""

    def __init__(self, timeouts: Timeouts, *, stream: bool) -> None:
        if not stream:
            timeouts = replace(timeouts, first_byte_s=timeouts.total_s)
        self._loop = asyncio.get_running_loop()
        self._timeouts = timeouts
        self._deadline = self._loop.time() + timeouts.total_s
        self._begun = False

    def begin(self) -> None:
        """Note that the answer itself has begun."""
        self._begun = True

    def hear(self, chunk: Chunk) -> None:
        """Note that the answer has begun if *chunk* is part of it: some servers say a role first, and then think."""
        self._begun = self._begun or any(map(_says_something, chunk.get("choices") or ()))

    async def wait(self, awaitable: Awaitable[Awaited]) -> Awaited:
        """Return what *awaitable* brings, which is to be the provider's next bytes.

        Raises :class:`UpstreamTimeout`, with its cause, when a limit is reached before; *awaitable* is cancelled then.
        """
        silent, cause = (
            (self._timeouts.idle_s, Cause.IDLE_TIMEOUT)
            if self._begun
            else (self._timeouts.first_byte_s, Cause.FIRST_BYTE_TIMEOUT)
        )
        until = self._loop.time() + silent
        if self._deadline <= until:
            until, cause = self._deadline, Cause.DEADLINE
        limit = asyncio.timeout_at(until)
        try:
            async with limit:
                return await awaitable
        except TimeoutError:
            if not limit.expired():
                raise
            raise UpstreamTimeout(_WORDS[cause], cause=cause) from None


def _says_something(choice: dict[str, Any]) -> bool:
    said = any(value for name, value in (choice.get("delta") or {}).items() if name != "role")
    return said or bool(choice.get("finish_reason"))
