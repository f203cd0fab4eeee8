"""One server-sent answer to one client: begun late, kept alive, ended once.

    hold ──▶ commit ──▶ send … ──▶ end
      └─ after HOLD_S: what is held goes out by itself, else comments keep the connection alive

Until something is committed nothing of an answer has reached the client, and another attempt may be made in its place;
comments, which no client takes for an answer, may have. A client that takes nothing is cut off, since closing
politely would wait for it for ever.
"""

from __future__ import annotations

import asyncio

from aiohttp import web

from proxy.forwarding.answer_format import ClientFormat
from proxy.observability.request_record import CLIENT_DISCONNECTED, RequestRecord

HOLD_S = 10.0
"""Seconds after the request came in at which what is held back of an answer's beginning goes out by itself; until then
an empty one can be tried again unseen. What begins to be held later goes out with the next beat."""

BEAT_S = 10.0
"""Seconds of silence after which a comment is sent; below the idle timeouts of common load balancers (60 s)."""

STALL_S = 120.0
"""Seconds that one write may wait for a client that does not read."""

_FLUSH_S = 5.0
"""Seconds that a client has, past the deadline, to take the end of its stream."""

_HEADERS = {
    "Cache-Control": "no-cache",
    "X-Accel-Buffering": "no",  # nginx would hold the stream back otherwise
}


class EventStream:
    """The events of one answer. All calls come from the request's own task."""

    def __init__(
        self, request: web.Request, answer_format: ClientFormat[object], record: RequestRecord
    ) -> None:
        self.writer = answer_format.write_stream()
        """Writes the events of the attempt that is being made; another attempt has another one."""

        self.response: web.StreamResponse | None = None
        """The response, from the moment on that its headers are out."""

        self.committed = False
        """Whether a part of an answer is on its way to the client."""

        self.request = request
        """The request that is answered."""

        self.record = record
        """The facts of the request."""

        self._format = answer_format
        self._loop = asyncio.get_running_loop()
        self._clock = self._loop.time
        self._held: list[bytes] = []
        self._silent_since = self._clock()
        self._writing_since: float | None = None
        self._beating: asyncio.Task[None] | None = None
        self._timer = self._loop.call_later(HOLD_S, self._tick)

    @property
    def is_writing(self) -> bool:
        """Whether a write waits for the client."""
        return self._writing_since is not None

    def hold(self, event: bytes) -> None:
        """Keep the event back until the next commit, or until the timer sends it (:data:`HOLD_S`)."""
        self._held.append(event)

    def discard(self) -> None:
        """Forget what is held back: its attempt has failed. Unless a part is out, the writer begins anew."""
        self._held.clear()
        if not self.committed:
            self.writer = self._format.write_stream()

    async def commit(self, event: bytes = b"") -> None:
        """Send what is held, and *event* behind it."""
        self._held.append(event)
        data = b"".join(self._held)
        self._held.clear()
        if self._beating is not None:
            await self._beating
        self._note_first()
        await self._write(data)

    async def send(self, event: bytes, now: float) -> float:
        """Write *event*, which came *now*, once something is committed; returns the moment at which it is written.

        Waits for a client that does not read, raises :class:`ConnectionResetError` for one gone. This is what each
        chunk goes through: it reads the clock once and awaits nothing but the write.
        """
        if self._beating is not None:
            await self._beating
        if self.response is None:
            await self._write(event)
            return self._silent_since
        self._writing_since = now
        await self.response.write(event)
        self._writing_since = None
        self._silent_since = written = self._clock()
        return written

    async def settle(self) -> bool:
        """Send nothing more by itself, and tell whether the response was begun.

        A client that does not take what is being written is cut off: nothing can be said behind it.
        """
        self.stop()
        if self._beating is not None and not self.is_writing:
            await asyncio.wait((self._beating,), timeout=_FLUSH_S)
        if self.is_writing:
            self.cut_off()
        return self.response is not None

    async def end(self, last: bytes, until: float) -> None:
        """Write the stream's *last* event and its end; a client that does not take it until *until* is cut off."""
        self.stop()
        try:
            async with asyncio.timeout_at(max(until, self._clock() + _FLUSH_S)):
                if self._beating is not None:
                    await self._beating
                await self._write(last)
                assert self.response is not None
                await self.response.write_eof()
        except (ConnectionResetError, TimeoutError):
            self.cut_off()

    def stop(self) -> None:
        """Send nothing more by itself."""
        self._timer.cancel()

    def cut_off(self) -> None:
        """Let go of a client that does not read."""
        self.stop()
        self.record.outcome = CLIENT_DISCONNECTED
        if self.request.transport is not None:
            self.request.transport.abort()

    def _note_first(self) -> None:
        if not self.committed:
            self.committed = True
            self.record.first_token = self._clock() - self.record.started

    async def _write(self, data: bytes) -> None:
        self._writing_since = self._clock()
        if self.response is None:
            await self._begin()
        assert self.response is not None
        await self.response.write(data)
        self._writing_since = None
        self._silent_since = self._clock()

    async def _begin(self) -> None:
        kind = {"Content-Type": self._format.stream_content_type}
        headers = {**kind, **_HEADERS, **self.record.answer_headers(self._clock())}
        response = web.StreamResponse(headers=headers)
        self.record.status = 200
        try:
            await response.prepare(self.request)
        except ConnectionResetError:
            self.response = response  # nothing else can be answered to a client that has gone
            raise
        self.response = response

    def _tick(self) -> None:
        """Look after a stream that has been silent, or whose client has; runs every few seconds."""
        now = self._clock()
        if self._writing_since is not None:
            if now - self._writing_since >= STALL_S:
                self.cut_off()
                return
            pause = min(BEAT_S, self._writing_since + STALL_S - now)
        elif now - self._silent_since >= BEAT_S - 0.001 or self._held:
            if self._beating is None or self._beating.done():
                self._beating = self._loop.create_task(self._beat())
            pause = BEAT_S
        else:
            pause = self._silent_since + BEAT_S - now
        self._timer = self._loop.call_later(pause, self._tick)

    async def _beat(self) -> None:
        """Send what is held back, or a comment. The client's going ends the request's own task."""
        held, self._held = b"".join(self._held), []
        if held:
            self._note_first()
        try:
            await self._write(held or self._format.keep_alive)
        except ConnectionResetError:
            return
        finally:
            self._beating = None
