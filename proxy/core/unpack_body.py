"""Unpacks a request body that has a Content-Encoding, in pieces and within limits.

``x-gzip`` is ``gzip``, and ``deflate`` is the zlib format (RFC 9110, 8.4). Many clients send a bare deflate stream as
``deflate``. So both forms are read, as nginx and aiohttp do.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence

from proxy.core.errors import BodyTooLarge, InvalidRequest, UnsupportedMediaType

CODINGS = ("gzip", "deflate")
"""The supported content codings, besides none and ``identity``."""

MAX_RATIO = 100
"""A body may unpack to this multiple of its size. Repetitive JSON reaches 10 to 50, a decompression bomb 1,030."""

ALWAYS_ALLOWED = 2**20
"""Any body may unpack to this many bytes at any ratio, since a small honest body may repeat one text."""

_STEP_INPUT = 64 * 2**10
"""Compressed bytes of one step. zlib copies the part that a step does not consume."""

_STEP_OUTPUT = 256 * 2**10
"""Unpacked bytes of one step."""

_GZIP, _BARE = 16 + zlib.MAX_WBITS, -zlib.MAX_WBITS


def find_coding(values: Sequence[str]) -> str | None:
    """Return the coding that the Content-Encoding headers *values* name, or None for a body without one.

    Raises :class:`UnsupportedMediaType` for an unsupported coding, and for several codings.
    """
    named = [name.strip().lower() for value in values for name in value.split(",")]
    codings = [name for name in named if name not in ("", "identity")]
    if not codings:
        return None
    coding = codings[0].removeprefix("x-")
    if len(codings) > 1 or coding not in CODINGS:
        raise UnsupportedMediaType(
            f"The body's Content-Encoding is not read. Send one of {', '.join(CODINGS)}, or the body as it is.",
            headers={"Accept-Encoding": ", ".join(CODINGS)},
        )
    return coding


class BodyUnpacker:
    """Unpacks *body*, which has the content coding *coding*, to at most *max_bytes* bytes."""

    def __init__(self, body: bytes, coding: str, max_bytes: int) -> None:
        self._coding = coding
        self._input = memoryview(body)
        self._tail: bytes | memoryview = b""
        self._max_bytes = max_bytes
        self._max_by_ratio = max(ALWAYS_ALLOWED, MAX_RATIO * len(body))
        self._output = io.BytesIO()  # getvalue() returns its buffer without a copy
        self._stream = zlib.decompressobj(_window_bits(body, coding))

    def unpack(self, until: int) -> bool:
        """Unpack until at least *until* bytes are there. Returns True if the whole body is unpacked.

        Raises :class:`BodyTooLarge` above a limit, and :class:`InvalidRequest` for damaged data.
        """
        while self._output.tell() < until:
            if self._stream.eof:
                break
            self._step()
        if not self._stream.eof:
            return False
        if self._stream.unused_data or self._input:
            raise InvalidRequest(f"There are bytes after the end of the body's {self._coding} data.")
        return True

    def body(self) -> bytes:
        """Return the unpacked body, once it is complete."""
        return self._output.getvalue()

    @property
    def size(self) -> int:
        """The number of unpacked bytes."""
        return self._output.tell()

    def _step(self) -> None:
        if not self._tail:
            self._tail, self._input = self._input[:_STEP_INPUT], self._input[_STEP_INPUT:]
        given = len(self._tail)
        try:
            made = self._stream.decompress(self._tail, _STEP_OUTPUT)
        except zlib.error:
            raise InvalidRequest(
                f"The body is not {self._coding} data, but its Content-Encoding says so."
            ) from None
        self._tail = self._stream.unconsumed_tail
        if not made and not given and not self._stream.eof:
            raise InvalidRequest(f"The body's {self._coding} data is cut short.")
        size = self._output.tell() + len(made)
        if size > self._max_bytes:
            raise BodyTooLarge(
                f"The unpacked body is over {self._max_bytes // 2**20} MiB (general_settings.max_body_mib)."
            )
        if size > self._max_by_ratio:
            raise BodyTooLarge(
                f"The body unpacks to more than {MAX_RATIO} times its size. No setting moves this limit: send it "
                "without Content-Encoding."
            )
        self._output.write(made)


def _window_bits(body: bytes, coding: str) -> int:
    """Return zlib's window bits for *body*. A zlib header has method 8 and is a multiple of 31 (RFC 1950, 2.2)."""
    if coding == "gzip":
        return _GZIP
    has_head = len(body) > 1 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    return zlib.MAX_WBITS if has_head else _BARE
