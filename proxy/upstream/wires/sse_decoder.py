"""Decodes server-sent events: bytes in, payloads out, however the bytes are split.

The decoder follows the WHATWG event stream format as far as LLM servers use it. Lines end in LF, CR LF or CR, and a
blank line ends an event. The ``data`` lines of one event are joined by LF. Comments and other fields are skipped, and
so is one byte order mark at the start.
"""

from __future__ import annotations

from proxy.core.errors import UpstreamFault

LARGEST_EVENT = 32 * 2**20
"""The most bytes of one event. An answer with an image fits, and a stream without blank lines cannot grow forever."""

_MARK = b"\xef\xbb\xbf"
"""UTF-8's byte order mark. Left in, it would change the first field's name, and the first event would be lost."""


class SSEDecoder:
    """Turns the bytes of one stream into the payloads of its events."""

    def __init__(self) -> None:
        self._rest = bytearray()  # an unfinished line
        self._data: bytes | bytearray | None = None  # the joined data lines of an unfinished event
        self._after_cr = False
        self._begun = False  # the start, with or without a byte order mark, has been read

    def feed(self, received: bytes) -> list[bytes]:
        """Return the payloads of the events that *received* completes.

        Raises :class:`UpstreamFault` when an event grows over :data:`LARGEST_EVENT`.
        """
        if not self._begun:
            received = self._begin(received)
        if not received:
            return []
        if received[:6] == b"data: " and self._data is None and not self._rest:
            # Tokens usually arrive as exactly one event, which needs no splitting into lines.
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
                    self._data = line[6:]  # nearly every line
                else:
                    self._take(line)
            elif self._data is not None:
                payloads.append(bytes(self._data))
                self._data = None
        self._rest = bytearray(last)
        self._check(len(last))
        return payloads

    def close(self) -> list[bytes]:
        """Return the payload of the last event if the stream ended without that event's blank line.

        The standard drops an event without its blank line. Some servers omit that line after the last event, which
        holds the finish reason. An event with an incomplete line is dropped, since the rest of the line is unknown.
        """
        held, self._data = self._data, None
        return [] if held is None or self._rest else [bytes(held)]

    def _begin(self, received: bytes) -> bytes:
        """Return the stream's first bytes without the byte order mark.

        The result is empty while more bytes are needed to recognise the mark.
        """
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
            self._data = value  # usually one line is all, so nothing is copied
            return
        if not isinstance(self._data, bytearray):
            self._data = bytearray(self._data)
        self._data += b"\n"
        self._data += value

    def _check(self, line: int) -> None:
        """Raise :class:`UpstreamFault` if an event, with a further line of *line* bytes, is too large."""
        if line + len(self._data or b"") > LARGEST_EVENT:
            raise UpstreamFault("The provider's stream holds an event that is too large.")
