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
from collections.abc import Awaitable, Callable
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
    """The limits of one call, which begins with it.

    What is waited for once is given to :meth:`wait`. An answer is waited for many times, so that its limits share one
    timer (:meth:`watch`, :meth:`expect`, :meth:`heard`): it is set when there is none and looks, when it goes off,
    whether the limit has moved on meanwhile. A timer for each read cost as much as the read.
    """

    __slots__ = (
        "_armed",
        "_deadline",
        "_fail",
        "_first_byte_s",
        "_idle_s",
        "_loop",
        "_timer",
        "_until",
        "begun",
    )

    def __init__(self, timeouts: Timeouts, *, stream: bool) -> None:
        self.begun = False
        """Whether the answer itself has begun."""

        self._loop = asyncio.get_running_loop()
        self._first_byte_s = timeouts.first_byte_s if stream else timeouts.total_s
        self._idle_s = timeouts.idle_s
        self._deadline = self._loop.time() + timeouts.total_s
        self._fail: Callable[[UpstreamTimeout], object] | None = None
        self._until: float | None = None  # the limit of what is waited for now
        self._timer: asyncio.TimerHandle | None = None
        self._armed = 0.0  # the moment that the timer is set to

    def begin(self) -> None:
        """Note that the answer itself has begun."""
        self.begun = True

    def hear(self, chunk: Chunk) -> None:
        """Note that the answer has begun if *chunk* is part of it: some servers say a role first, and then think."""
        self.begun = self.begun or any(map(_says_something, chunk.get("choices") or ()))

    async def wait(self, awaitable: Awaitable[Awaited]) -> Awaited:
        """Return what *awaitable* brings, which is to be the provider's next bytes.

        Raises :class:`UpstreamTimeout`, with its cause, when a limit is reached before; *awaitable* is cancelled then.
        """
        until = self._limit(self._loop.time())
        limit = asyncio.timeout_at(until)
        try:
            async with limit:
                return await awaitable
        except TimeoutError:
            if not limit.expired():
                raise
            raise self._timeout(until) from None

    def watch(self, fail: Callable[[UpstreamTimeout], object]) -> None:
        """Call *fail* from now on, with the error for a limit that is reached while bytes are expected.

        It has to make the reading of them fail. :meth:`stop` ends it.
        """
        self._fail = fail

    def stop(self) -> None:
        """Watch over nothing any more."""
        self._fail = self._until = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def expect(self) -> None:
        """Note that the next bytes are waited for from now on.

        Raises :class:`UpstreamTimeout` for an answer that has had all of its time: one that always has bytes ready
        would never be waited for.
        """
        now = self._loop.time()
        if now >= self._deadline:
            raise self._timeout(self._deadline)
        until = now + (self._idle_s if self.begun else self._first_byte_s)
        if until > self._deadline:
            until = self._deadline
        self._until = until
        if self._timer is None:
            self._arm(until)
        elif until < self._armed:
            self._timer.cancel()
            self._arm(until)

    def heard(self) -> None:
        """Note that bytes have come, or are not waited for any more."""
        self._until = None

    def _arm(self, when: float) -> None:
        self._armed = when
        self._timer = self._loop.call_at(when, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._until is None or self._fail is None:
            return
        if self._loop.time() < self._until:
            self._arm(self._until)
        else:
            self._fail(self._timeout(self._until))

    def _limit(self, now: float) -> float:
        return min(self._deadline, now + (self._idle_s if self.begun else self._first_byte_s))

    def _timeout(self, until: float) -> UpstreamTimeout:
        silent = Cause.IDLE_TIMEOUT if self.begun else Cause.FIRST_BYTE_TIMEOUT
        cause = Cause.DEADLINE if until >= self._deadline else silent
        return UpstreamTimeout(_WORDS[cause], cause=cause)


def _says_something(choice: dict[str, Any]) -> bool:
    said = any(value for name, value in (choice.get("delta") or {}).items() if name != "role")
    return said or bool(choice.get("text") or choice.get("finish_reason"))
