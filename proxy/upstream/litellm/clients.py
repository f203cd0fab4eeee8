"""litellm's HTTP clients hand over errors of a bounded size; the rest is kept for this process's own readers.

litellm maps an error by searches of its whole text, a dozen of them, on the event loop: 1 MiB takes 0.4 s (run on
1.105.3). A gateway that answers may send as much, and may unpack to much more.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import httpx
from typing_extensions import override

from proxy.upstream.direct.answer_bodies import ERROR_S, LARGEST_ERROR

ERROR_BODY = "turnright.error_body"
"""The extension of an ``httpx.Response`` that holds an error's whole body."""

LARGEST_SHOWN = 16 * 2**10
"""Bytes of an error's body that litellm is shown; of a larger one it sees nothing. Errors have a few hundred."""

_PIECE = 2**10
"""Bytes that are unpacked at a time: at gzip's best, they become 1 MiB."""


def bound_errors(owner: Any, name: str) -> None:
    """Make method *name* of litellm's class *owner* return HTTP clients with bounded errors; once."""
    kept = inspect.getattr_static(owner, name)
    make = kept.__func__ if isinstance(kept, staticmethod) else kept
    if hasattr(make, "bounds_errors"):
        return

    @functools.wraps(make)
    def make_bounded(*given: Any, **named: Any) -> Any:
        client = make(*given, **named)
        hooks = client.event_hooks
        client.event_hooks = {**hooks, "response": [*hooks["response"], read_error_body]}
        return client

    make_bounded.bounds_errors = True  # type: ignore[attr-defined]  # a mark for the next time
    setattr(owner, name, staticmethod(make_bounded) if isinstance(kept, staticmethod) else make_bounded)


async def read_error_body(response: httpx.Response) -> None:
    """Read the body of a *response* that is an error, and leave a small one in its place.

    The body is in :data:`ERROR_BODY` then: nothing of one that is too large, too slow or broken.
    """
    if response.status_code < 400:
        return
    packed = response.stream
    assert isinstance(packed, httpx.AsyncByteStream)
    body = b""
    try:
        async with asyncio.timeout(ERROR_S):
            body = await _unpacked(packed, response.headers.get("content-encoding", ""))
    except (httpx.HTTPError, aiohttp.ClientError, OSError):  # OSError: TimeoutError is one
        pass
    finally:
        await packed.aclose()
    response.extensions = {**response.extensions, ERROR_BODY: body}
    for name in ("content-encoding", "content-length", "transfer-encoding"):
        response.headers.pop(name, None)
    response.stream = httpx.ByteStream(body if len(body) <= LARGEST_SHOWN else b"")


async def _unpacked(packed: httpx.AsyncByteStream, coding: str) -> bytes:
    """Return what *packed* holds; nothing when it is more than :data:`LARGEST_ERROR`."""
    answer = httpx.Response(200, headers={"content-encoding": coding}, stream=_Pieces(packed))
    parts: list[bytes] = []
    size = 0
    async for part in answer.aiter_bytes():
        size += len(part)
        if size > LARGEST_ERROR:
            return b""
        parts.append(part)
    return b"".join(parts)


class _Pieces(httpx.AsyncByteStream):
    """The bytes of another stream, in pieces that cannot unpack to very much at once."""

    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            for at in range(0, len(part), _PIECE):
                yield part[at : at + _PIECE]
