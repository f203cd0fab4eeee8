"""The transport of our own: OpenAI's wire and Gemini's, spoken over one pooled aiohttp session.

Rules: one connection pool per process; TLS is checked; no redirect is followed, since it would carry the key to
another host; nothing is read without a bound in time and bytes; a call that is cancelled, or whose generator is closed,
closes its connection at once. What the bytes mean is decided in :mod:`proxy.wires`, which is pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from proxy import __version__
from proxy.config import Deployment
from proxy.errors import UpstreamFault, UpstreamTimeout, UpstreamUnreachable
from proxy.upstream import Answer, Chunk, UpstreamCall
from proxy.upstream.direct_wires import Wire, wire_of
from proxy.upstream.faults import fault_of_answer, for_clients, secrets_of
from proxy.wires.sse_decoder import SSEDecoder

_LARGEST_ANSWER = 64 * 2**20
"""Bytes of a whole answer: generous for images, a bound for a body that never ends."""

_LARGEST_ERROR = 256 * 2**10
"""Bytes of an error's body that are read."""

_ERROR_S = 5.0
"""Seconds that an error's body has to come: its status is known already, and must not be lost over its words."""

_AFTER_DONE_S = 0.02
"""Seconds that a finished stream has to end its body, so that the connection can be used again."""


class DirectUpstream:
    """Calls OpenAI-compatible servers and Gemini without a library in between."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def start(self) -> None:
        """Open the session; there is nothing to warm, and no connection is made before the first call."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=60, keepalive_timeout=60),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None),
                headers={"User-Agent": f"turnright/{__version__}"},
                trust_env=False,
            )

    async def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the parameters that the deployment's wire does not carry."""
        return wire_of(deployment).unsupported(deployment, parameters) - deployment.allowed_openai_params

    async def complete(self, call: UpstreamCall) -> Answer:
        """See :meth:`proxy.upstream.Upstream.complete`."""
        wire = wire_of(call.deployment)
        async with self._answer(call, wire, stream=False) as response:
            body = await _read(response, _LARGEST_ANSWER)
            with _Masked(call):
                return wire.read_answer(body, call.deployment)

    async def stream(self, call: UpstreamCall) -> AsyncGenerator[Chunk, None]:
        """See :meth:`proxy.upstream.Upstream.stream`."""
        wire = wire_of(call.deployment)
        async with self._answer(call, wire, stream=True) as response:
            if response.content_type != "text/event-stream":
                with _Masked(call):
                    wire.read_answer(await _read(response, _LARGEST_ERROR), call.deployment)
                raise UpstreamFault("The provider answered a stream with something that is not a stream.")
            decoder, reader = SSEDecoder(), wire.reader(call.deployment)
            with _Masked(call):
                async for received in response.content.iter_any():
                    for payload in decoder.feed(received):
                        for chunk in reader.feed(payload):
                            yield chunk
                    if reader.ended:
                        await _finish_body(response)
                        break
                for chunk in reader.close():
                    yield chunk

    @asynccontextmanager
    async def _answer(
        self, call: UpstreamCall, wire: Wire, *, stream: bool
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send the request and yield the answer to it; errors of the wire and of the provider become ours."""
        assert self._session is not None, "start() comes first"
        deployment = call.deployment
        try:
            async with self._session.post(
                wire.url(deployment, stream=stream),
                data=wire.request(call, stream=stream),
                headers=wire.headers(deployment),
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=call.timeouts.connect_s),
            ) as response:
                if response.status != 200:
                    body = await _read_error(response)
                    raise fault_of_answer(
                        response.status,
                        response.headers,
                        wire.read_error(response.status, body),
                        secrets_of(deployment),
                    )
                yield response
        except aiohttp.ClientConnectorError as error:
            raise UpstreamUnreachable("The provider could not be reached.") from error
        except (TimeoutError, aiohttp.ServerTimeoutError) as error:
            if isinstance(error, aiohttp.ServerTimeoutError):
                raise UpstreamTimeout("The provider could not be reached in time.") from None
            raise
        except (aiohttp.ClientError, ConnectionError, asyncio.IncompleteReadError) as error:
            raise UpstreamUnreachable("The connection to the provider broke.") from error


async def _read(response: aiohttp.ClientResponse, largest: int) -> bytes:
    """Return the body, at most *largest* bytes of it decoded; raises :class:`UpstreamFault` over that."""
    parts: list[bytes] = []
    size = 0
    async for part in response.content.iter_any():
        size += len(part)
        if size > largest:
            response.close()
            raise UpstreamFault("The provider's answer is too large.")
        parts.append(part)
    return b"".join(parts)


async def _read_error(response: aiohttp.ClientResponse) -> bytes:
    """Return an error's body, or nothing of one that is too large, too slow or cut."""
    try:
        async with asyncio.timeout(_ERROR_S):
            return await _read(response, _LARGEST_ERROR)
    except (TimeoutError, UpstreamFault, aiohttp.ClientError, OSError):
        response.close()
        return b""


async def _finish_body(response: aiohttp.ClientResponse) -> None:
    """Read a finished stream's last bytes, so that its connection is used again; give up at once if more comes."""
    try:
        async with asyncio.timeout(_AFTER_DONE_S):
            await response.content.readany()
    except (TimeoutError, aiohttp.ClientError, OSError):  # the answer is complete, whatever comes of the rest
        response.close()


class _Masked:
    """A context in which an error of the provider's becomes one that a client may read."""

    def __init__(self, call: UpstreamCall) -> None:
        self._call = call

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        """Rewrite the text of an :class:`UpstreamFault`."""
        if isinstance(error, UpstreamFault):
            secrets = secrets_of(self._call.deployment)
            error.message = for_clients(error.message, error.upstream_status, secrets)
            error.args = (error.message,)
