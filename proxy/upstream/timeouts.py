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
from math import inf
from typing import Any, TypeVar

from proxy.core.deadlines import TimeLimit, limit_watch_of
from proxy.core.errors import UpstreamTimeout
from proxy.core.failures import Cause
from proxy.core.upstream_call import Chunk, Timeouts

Awaited = TypeVar("Awaited")

_WORDS = {
    Cause.FIRST_BYTE_TIMEOUT: "The provider did not begin to answer in time.",
    Cause.IDLE_TIMEOUT: "The provider stopped answering.",
    Cause.DEADLINE: "The provider did not answer in time.",
}


class CallTimer:
    """The limits of one call, which begins with it.

    What is waited for once is given to :meth:`wait`. An answer is waited for many times (:meth:`watch`,
    :meth:`expect`, :meth:`heard`): its limit moves on, and is watched over with all others of the loop. A timer for
    each read cost as much as the read.
    """

    __slots__ = ("_clock", "_deadline", "_fail", "_first_byte_s", "_idle_s", "_watch", "begun", "until")

    def __init__(self, timeouts: Timeouts, *, stream: bool) -> None:
        self.begun = False
        """Whether the answer itself has begun."""

        self.until = inf
        """The limit of what is waited for now."""

        loop = asyncio.get_running_loop()
        self._clock = loop.time
        self._watch = limit_watch_of(loop)
        self._first_byte_s = timeouts.first_byte_s if stream else timeouts.total_s
        self._idle_s = timeouts.idle_s
        self._deadline = loop.time() + timeouts.total_s
        self._fail: Callable[[UpstreamTimeout], object] | None = None

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
        until = self._limit(self._clock())
        limit = TimeLimit(until)
        try:
            with limit:
                return await awaitable
        except TimeoutError:
            if not limit.reached:
                raise
            raise self._timeout(until) from None

    def watch(self, fail: Callable[[UpstreamTimeout], object]) -> None:
        """Call *fail* from now on, with the error for a limit that is reached while bytes are expected.

        It has to make the reading of them fail. :meth:`stop` ends it, and comes in any case.
        """
        if self._fail is None:
            self._watch.watch(self)
        self._fail = fail

    def stop(self) -> None:
        """Watch over nothing any more."""
        self._fail = None
        self._watch.forget(self)

    def expect(self) -> None:
        """Note that the next bytes are waited for from now on.

        Raises :class:`UpstreamTimeout` for an answer that has had all of its time: one that always has bytes ready
        would never be waited for.
        """
        now = self._clock()
        if now >= self._deadline:
            raise self._timeout(self._deadline)
        until = now + (self._idle_s if self.begun else self._first_byte_s)
        if until > self._deadline:
            until = self._deadline
        self.until = until
        if until < self._watch.nearest:
            self._watch.watch(self)

    def heard(self) -> None:
        """Note that bytes have come, or are not waited for any more."""
        self.until = inf

    def expire(self) -> None:
        """See :meth:`proxy.core.deadlines.Limited.expire`."""
        until, self.until = self.until, inf
        if self._fail is not None:
            self._fail(self._timeout(until))

    def _limit(self, now: float) -> float:
        return min(self._deadline, now + (self._idle_s if self.begun else self._first_byte_s))

    def _timeout(self, until: float) -> UpstreamTimeout:
        silent = Cause.IDLE_TIMEOUT if self.begun else Cause.FIRST_BYTE_TIMEOUT
        cause = Cause.DEADLINE if until >= self._deadline else silent
        return UpstreamTimeout(_WORDS[cause], cause=cause)


def _says_something(choice: dict[str, Any]) -> bool:
    said = any(value for name, value in (choice.get("delta") or {}).items() if name != "role")
    return said or bool(choice.get("text") or choice.get("finish_reason"))
