"""The event stream to one client: held until the answer begins, kept alive while silent, ended once.

    hold ──▶ commit ──▶ send … ──▶ end
      └─ after HOLD_S a timer sends the held events; later it sends comments to keep the connection alive

The commit sends the first part of an answer. Before the commit, another attempt may be made. The client may have got
comments, which no client takes for an answer. A client that does not read is disconnected, since an orderly close would
wait for ever.
"""

from __future__ import annotations

import asyncio

from aiohttp import web

from proxy.forwarding.answer_format import ClientFormat
from proxy.observability.request_record import CLIENT_DISCONNECTED, RequestRecord

HOLD_S = 10.0
"""Seconds from the creation of an :class:`EventStream` until its timer sends the held beginning of an answer.

Until then the proxy can retry an empty answer without the client's notice. Events that are held later are sent when the
timer next runs.
"""

KEEP_ALIVE_S = 10.0
"""Seconds of silence after which a comment is sent. Common load balancers close idle connections after 60 s."""

STALL_S = 120.0
"""Seconds that one write may wait for a client that does not read."""

_FLUSH_S = 5.0
"""The minimum time, in seconds, for a client to take the end of its stream, even past the deadline."""

_HEADERS = {
    "Cache-Control": "no-cache",
    "X-Accel-Buffering": "no",  # nginx would hold the stream back otherwise
}


class EventStream:
    """The events of one answer. Outside this class, only the request's own task calls its methods."""

    def __init__(
        self, request: web.Request, answer_format: ClientFormat[object], record: RequestRecord
    ) -> None:
        self.writer = answer_format.write_stream()
        """Writes the events of the current attempt. Each attempt asks the format for a writer."""

        self.response: web.StreamResponse | None = None
        """The response, once its headers are sent."""

        self.committed = False
        """True once a part of an answer was sent to the client."""

        self.request = request

        self.record = record

        self._format = answer_format
        self._loop = asyncio.get_running_loop()
        self._clock = self._loop.time
        self._held: list[bytes] = []
        self._silent_since = self._clock()
        self._writing_since: float | None = None
        self._keep_alive_task: asyncio.Task[None] | None = None
        self._timer = self._loop.call_later(HOLD_S, self._tick)

    @property
    def is_writing(self) -> bool:
        """True while a write waits for the client."""
        return self._writing_since is not None

    def hold(self, event: bytes) -> None:
        """Keep the event back until the next commit, or until the timer sends it (:data:`HOLD_S`)."""
        self._held.append(event)

    def discard(self) -> None:
        """Drop the held events of a failed attempt. Before the commit, the next attempt gets a new writer."""
        self._held.clear()
        if not self.committed:
            self.writer = self._format.write_stream()

    async def commit(self, event: bytes = b"") -> None:
        """Send the held events, and *event* after them."""
        self._held.append(event)
        data = b"".join(self._held)
        self._held.clear()
        if self._keep_alive_task is not None:
            await self._keep_alive_task
        self._note_first()
        await self._write(data)

    async def send(self, event: bytes, now: float) -> float:
        """Write *event*, which arrived at *now*, and return the time at which the write ended.

        Called only after the commit. Waits for a client that does not read. Raises :class:`ConnectionResetError` where
        the client has left. This method runs for every chunk of an answer, so it reads the clock only once.
        """
        if self._keep_alive_task is not None:
            await self._keep_alive_task
        if self.response is None:
            await self._write(event)
            return self._silent_since
        self._writing_since = now
        await self.response.write(event)
        self._writing_since = None
        self._silent_since = written = self._clock()
        return written

    async def stop_writing(self) -> bool:
        """Stop the timer, and return True where the response was begun.

        A client that does not take the current write is disconnected, since nothing can be written after a blocked
        write.
        """
        self.stop()
        if self._keep_alive_task is not None and not self.is_writing:
            await asyncio.wait((self._keep_alive_task,), timeout=_FLUSH_S)
        if self.is_writing:
            self.disconnect()
        return self.response is not None

    async def end(self, last: bytes, until: float) -> None:
        """Write the stream's *last* event and its end.

        A client that takes the event neither before *until* nor within five seconds is disconnected.
        """
        self.stop()
        try:
            async with asyncio.timeout_at(max(until, self._clock() + _FLUSH_S)):
                if self._keep_alive_task is not None:
                    await self._keep_alive_task
                await self._write(last)
                assert self.response is not None
                await self.response.write_eof()
        except (ConnectionResetError, TimeoutError):
            self.disconnect()

    def stop(self) -> None:
        """Stop the timer."""
        self._timer.cancel()

    def disconnect(self) -> None:
        """Close the connection of a client that does not read."""
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
            self.response = response  # no other response can reach a client that has left
            raise
        self.response = response

    def _tick(self) -> None:
        """Send held events, or a comment to a silent client, and disconnect a client that does not read."""
        now = self._clock()
        if self._writing_since is not None:
            if now - self._writing_since >= STALL_S:
                self.disconnect()
                return
            pause = min(KEEP_ALIVE_S, self._writing_since + STALL_S - now)
        elif now - self._silent_since >= KEEP_ALIVE_S - 0.001 or self._held:
            if self._keep_alive_task is None or self._keep_alive_task.done():
                self._keep_alive_task = self._loop.create_task(self._send_keep_alive())
            pause = KEEP_ALIVE_S
        else:
            pause = self._silent_since + KEEP_ALIVE_S - now
        self._timer = self._loop.call_later(pause, self._tick)

    async def _send_keep_alive(self) -> None:
        """Send the held events, or a comment.

        An error from a client that has left is ignored: the request's own task handles that case.
        """
        held, self._held = b"".join(self._held), []
        if held:
            self._note_first()
        try:
            await self._write(held or self._format.keep_alive)
        except ConnectionResetError:
            return
        finally:
            self._keep_alive_task = None
