"""Prepares litellm's HTTP clients, so that they limit the size of errors and take no cookies.

litellm searches the whole text of an error about twelve times on the event loop: 1 MiB takes 0.4 s (run on 1.105.3). A
gateway may send that much, and a compressed body may unpack to much more. The proxy still gets the whole body
(:data:`ERROR_BODY`).
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator, Callable
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import aiohttp
import httpx
from typing_extensions import override

from proxy.upstream.direct.answer_bodies import ERROR_S, LARGEST_ERROR

ERROR_BODY = "turnright.error_body"
"""The extension of an ``httpx.Response`` that holds an error's whole body."""

LARGEST_SHOWN = 16 * 2**10
"""The most bytes of an error's body that litellm gets.

litellm gets nothing of a larger body. Errors usually have a few hundred bytes.
"""

_PIECE = 2**10
"""Compressed bytes that are unpacked at a time. At gzip's best ratio they become 1 MiB."""


def prepare_clients(owner: Any, name: str, *steps: Callable[[Any], None]) -> None:
    """Wrap method *name* of litellm's class *owner*, so that each HTTP client that it makes goes through *steps*.

    A second call for the same method does nothing.
    """
    kept = inspect.getattr_static(owner, name)
    make = kept.__func__ if isinstance(kept, staticmethod) else kept
    if hasattr(make, "prepares_clients"):
        return

    @functools.wraps(make)
    def make_prepared(*given: Any, **named: Any) -> Any:
        client = make(*given, **named)
        for step in steps:
            step(client)
        return client

    make_prepared.prepares_clients = True  # type: ignore[attr-defined] # tells a later call that this is done
    setattr(owner, name, staticmethod(make_prepared) if isinstance(kept, staticmethod) else make_prepared)


def limit_errors(client: Any) -> None:
    """Make *client*, an ``httpx.AsyncClient``, limit the size of the errors that it returns."""
    hooks = client.event_hooks
    client.event_hooks = {**hooks, "response": [*hooks["response"], read_error_body]}


def refuse_cookies(client: Any) -> None:
    """Make *client* take no cookies, so that one client's cookie never goes out with another's request.

    litellm shares its HTTP clients between all requests. The clients of litellm's own handlers take no cookies. The
    clients that litellm builds for OpenAI's SDK take cookies, and most routes use these clients (run on 1.105.3).
    """
    client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=()))


async def read_error_body(response: httpx.Response) -> None:
    """Read the body of a *response* that is an error, and replace a large body by an empty one.

    The whole body is then in the extension :data:`ERROR_BODY`. The extension is empty if the body was too large, too
    slow or broken.
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
    """Return the unpacked bytes of *packed*, or nothing when they are more than :data:`LARGEST_ERROR`."""
    answer = httpx.Response(200, headers={"content-encoding": coding}, stream=_SmallPieces(packed))
    parts: list[bytes] = []
    size = 0
    async for part in answer.aiter_bytes():
        size += len(part)
        if size > LARGEST_ERROR:
            return b""
        parts.append(part)
    return b"".join(parts)


class _SmallPieces(httpx.AsyncByteStream):
    """The bytes of another stream, in pieces too small to unpack to many bytes at once."""

    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            for at in range(0, len(part), _PIECE):
                yield part[at : at + _PIECE]
