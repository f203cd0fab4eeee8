"""Time limits of one call to a provider: for the whole call, and for a silence without any bytes.

Any bytes end the silence, even a comment or a blank line. OpenRouter and DeepSeek send them while a request waits, so
that the connection stays open.

    ``first_byte_s``   silence before the answer has begun (the model reads, thinks or waits for its turn)
    ``idle_s``         silence after the answer has begun
    ``total_s``        the whole call, so that an answer of nothing but comments ends

Only a stream has a limit for its first byte, since a whole answer begins when all of it has been written. The time to
connect has a limit of its own (:mod:`proxy.upstream.direct.exchange`).
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

_MESSAGES = {
    Cause.FIRST_BYTE_TIMEOUT: "The provider did not begin to answer in time.",
    Cause.IDLE_TIMEOUT: "The provider stopped answering.",
    Cause.DEADLINE: "The provider did not answer in time.",
}


class CallTimer:
    """The time limits of one call. The call begins when this object is made.

    :meth:`wait` limits one awaitable. A stream has many reads, and uses :meth:`watch`, :meth:`expect` and
    :meth:`note_bytes` instead. One watch for each event loop checks all streams. A timer for each read would cost as
    much as the read.
    """

    __slots__ = ("_clock", "_deadline", "_fail", "_first_byte_s", "_idle_s", "_watch", "begun", "until")

    def __init__(self, timeouts: Timeouts, *, stream: bool) -> None:
        self.begun = False
        """True once the answer itself has begun, not only a comment or a role."""

        self.until = inf
        """The time, on the loop's clock, by which the next bytes must arrive. Infinite while no bytes are expected."""

        loop = asyncio.get_running_loop()
        self._clock = loop.time
        self._watch = limit_watch_of(loop)
        self._first_byte_s = timeouts.first_byte_s if stream else timeouts.total_s
        self._idle_s = timeouts.idle_s
        self._deadline = loop.time() + timeouts.total_s
        self._fail: Callable[[UpstreamTimeout], object] | None = None

    def begin(self) -> None:
        """Record that the answer itself has begun."""
        self.begun = True

    def note_chunk(self, chunk: Chunk) -> None:
        """Record that the answer has begun if *chunk* holds more than a role.

        Some servers send a role before the model begins to think.
        """
        self.begun = self.begun or any(map(_has_content, chunk.get("choices") or ()))

    async def wait(self, awaitable: Awaitable[Awaited]) -> Awaited:
        """Return the result of *awaitable*, which brings the provider's next bytes.

        Raises :class:`UpstreamTimeout` with its cause when a limit is reached first. *awaitable* is cancelled then.
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
        """Call *fail* with the error when a limit is reached while bytes are expected.

        *fail* must make the pending read fail. The caller always calls :meth:`stop` at the end.
        """
        if self._fail is None:
            self._watch.watch(self)
        self._fail = fail

    def stop(self) -> None:
        """End the watch."""
        self._fail = None
        self._watch.forget(self)

    def expect(self) -> None:
        """Record that the next bytes are expected from now on.

        Raises :class:`UpstreamTimeout` when the call's whole time is over. The watch alone would miss the deadline of a
        stream that always has bytes ready.
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

    def note_bytes(self) -> None:
        """Record that bytes have arrived, or that none are expected any more."""
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
        return UpstreamTimeout(_MESSAGES[cause], cause=cause)


def _has_content(choice: dict[str, Any]) -> bool:
    said = any(value for name, value in (choice.get("delta") or {}).items() if name != "role")
    return said or bool(choice.get("text") or choice.get("finish_reason"))
