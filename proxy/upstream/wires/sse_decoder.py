"""Server-sent events, read incrementally: bytes in, payloads out, whatever way the bytes are split. Pure.

Follows the WHATWG event stream format as far as LLM servers use it: lines end in LF, CR LF or CR; a blank line ends an
event; ``data`` lines of one event are joined by LF; comments and other fields are skipped. One byte order mark at the
start of the stream is no part of it.
"""

from __future__ import annotations

from proxy.core.errors import UpstreamFault

LARGEST_EVENT = 32 * 2**20
"""Bytes that one event may hold: an answer with an image in it fits, a stream without frames does not grow for ever."""

_MARK = b"\xef\xbb\xbf"
"""UTF-8's byte order mark, which would otherwise be part of the first field's name and lose the first event."""


class SSEDecoder:
    """Turns the bytes of one stream into the payloads of its events."""

    def __init__(self) -> None:
        self._rest = bytearray()  # an unfinished line
        self._data: bytes | bytearray | None = None  # the joined data lines of an unfinished event
        self._after_cr = False
        self._begun = False  # the byte order mark, or what stands in its place, has come

    def feed(self, received: bytes) -> list[bytes]:
        """Return the payloads of the events that *received* completes.

        Raises :class:`UpstreamFault` when an event grows over :data:`LARGEST_EVENT`.
        """
        if not self._begun:
            received = self._begin(received)
        if not received:
            return []
        if received[:6] == b"data: " and self._data is None and not self._rest:
            # One event and nothing else, which is how tokens come: no lines to take apart.
            size, end = len(received), received.find(b"\n")
            if size < LARGEST_EVENT:
                if end == size - 2 and received[-1:] == b"\n" and b"\r" not in received:
                    self._after_cr = False
                    return [received[6:-2]]
                if end == size - 3 and received.find(b"\r") == size - 4 and received[-2:] == b"\r\n":
                    self._after_cr = False
                    return [received[6:-4]]
        if self._after_cr and received[:1] == b"\n":
            received = received[1:]  # the second half of a CR LF
        self._after_cr = received.endswith(b"\r")
        if b"\n" not in received and b"\r" not in received:
            self._rest += received
            self._check(len(self._rest))
            return []
        whole = bytes(self._rest) + received if self._rest else received
        if b"\r" in whole:
            lines = whole.splitlines(keepends=True)
            last = b"" if lines[-1].endswith((b"\n", b"\r")) else lines.pop()
            lines = [line.rstrip(b"\r\n") for line in lines]
        else:
            lines = whole.split(b"\n")
            last = lines.pop()
        payloads: list[bytes] = []
        for line in lines:
            if line:
                if self._data is None and line[:6] == b"data: " and len(line) <= LARGEST_EVENT:
                    self._data = line[6:]  # as nearly every line
                else:
                    self._take(line)
            elif self._data is not None:
                payloads.append(bytes(self._data))
                self._data = None
        self._rest = bytearray(last)
        self._check(len(last))
        return payloads

    def close(self) -> list[bytes]:
        """Return the payload of an event that the end of the stream ends in place of its blank line, if any.

        The standard drops it; some servers leave that line out behind their last event, which says how the answer
        ended. A line that is not complete is dropped: nobody knows what is missing of it.
        """
        held, self._data = self._data, None
        return [] if held is None or self._rest else [bytes(held)]

    def _begin(self, received: bytes) -> bytes:
        """Return the stream's first bytes without the mark; nothing while they may still become one."""
        first = bytes(self._rest) + received
        if len(first) < len(_MARK) and _MARK.startswith(first):
            self._rest = bytearray(first)
            return b""
        self._begun = True
        self._rest.clear()
        return first.removeprefix(_MARK)

    def _take(self, line: bytes) -> None:
        self._check(len(line))
        if not line.startswith(b"data:"):
            return
        value = line[6:] if line[5:6] == b" " else line[5:]
        if self._data is None:
            self._data = value  # one line is all there is, as a rule: no copy
            return
        if not isinstance(self._data, bytearray):
            self._data = bytearray(self._data)
        self._data += b"\n"
        self._data += value

    def _check(self, line: int) -> None:
        """Refuse an event whose data lines, and a line of *line* bytes behind them, are too many bytes."""
        if line + len(self._data or b"") > LARGEST_EVENT:
            raise UpstreamFault("The provider's stream holds an event that is too large.")
