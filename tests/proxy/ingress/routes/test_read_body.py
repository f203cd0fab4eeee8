"""Each path reads whole, chunked and compressed bodies in the same way."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
import zlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from proxy.config import Settings
from proxy.core.offload import LARGE
from proxy.core.unpack_body import BodyUnpacker
from proxy.ingress.routes.paths import COMPLETIONS, EMBEDDINGS, EXPLAIN, UI_LOOK, UI_VERDICTS
from tests.support.builders import user
from tests.support.proxied import CHAT, MODEL, Proxied, Reply, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

MAX_MIB = 4
PATHS = (CHAT, "/chat/completions", COMPLETIONS, EMBEDDINGS, EXPLAIN, UI_LOOK, UI_VERDICTS)
CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "identity": lambda data: data,
}


@pytest.fixture
def settings() -> Settings:
    """Return settings with a small limit on bodies."""
    return settings_of(general_settings={"max_body_mib": MAX_MIB})


def asked(path: str) -> bytes:
    """Return a body that *path* can read."""
    body: dict[str, Any] = {
        "model": MODEL,
        "messages": [user("Hello.")],
        "input": "Hello.",
        "prompt": "Hello.",
    }
    return json.dumps({"request": body} if path.startswith("/ui") else body).encode()


async def send(proxy: Proxied, path: str, body: bytes, coding: str, *, chunked: bool = False) -> Reply:
    """Send *body* unchanged, with *coding* as its content encoding."""
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}"
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Encoding: {coding}\r\n{length}\r\n\r\n"
    if chunked:
        body = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    return await proxy.raw(head.encode() + body)


@pytest.mark.parametrize("chunked", [False, True], ids=["whole", "byte by byte"])
@pytest.mark.parametrize(
    ("path", "coding"), [*((CHAT, coding) for coding in CODINGS), *((path, "gzip") for path in PATHS)]
)
async def test_compressed_body_is_read_on_every_path(
    proxy: Proxied, path: str, coding: str, chunked: bool
) -> None:
    """A compressed body gets the answer that the same body gets without compression."""
    body = asked(path)
    plain = await send(proxy, path, body, "identity")
    packed = await send(proxy, path, CODINGS[coding](body), coding, chunked=chunked)

    assert packed.status == plain.status
    assert packed.json.keys() == plain.json.keys()


async def test_compressed_body_goes_upstream_decompressed(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """The provider gets the decompressed messages."""
    assert (await send(proxy, CHAT, gzip.compress(asked(CHAT)), "gzip")).status == 200
    assert upstream.calls[0].messages == [user("Hello.")]


REFUSED = {
    "brotli": ("br", b"x", 415),
    "zstd": ("zstd", b"x", 415),
    "twice": ("gzip, gzip", gzip.compress(gzip.compress(b"{}")), 415),
    "broken": ("gzip", b"x", 400),
    "cut": ("gzip", gzip.compress(b"{}")[:-4], 400),
    "trailing": ("deflate", zlib.compress(b"{}") + b"{}", 400),
    "over the limit": ("gzip", gzip.compress(bytes(64 * 2**20)), 413),
    "over the ratio": ("gzip", gzip.compress(bytes(3 * 2**20)), 413),
}


@pytest.mark.parametrize(
    ("path", "case"), [*((CHAT, case) for case in REFUSED), *((path, "broken") for path in PATHS[1:])]
)
async def test_compressed_body_that_cannot_be_read_is_refused_unsent(
    proxy: Proxied, upstream: ScriptedUpstream, path: str, case: str
) -> None:
    """A compressed body that cannot be read is refused in OpenAI's envelope, without a call to the provider."""
    coding, body, status = REFUSED[case]
    reply = await send(proxy, path, body, coding)

    assert reply.status == status
    assert reply.error["code"] == {400: "invalid_request", 413: "body_too_large"}.get(
        status, "unsupported_media_type"
    )
    assert not upstream.calls
    assert status != 415 or "gzip, deflate" in reply.error["message"]


@pytest.mark.parametrize(("size", "threads"), [(2**19, 0), (3 * 2**20, 1)], ids=["small", "large"])
async def test_long_decompression_runs_in_a_worker_thread(
    proxy: Proxied, monkeypatch: pytest.MonkeyPatch, size: int, threads: int
) -> None:
    """A long decompression runs in a worker thread, so that other requests continue."""
    seen: list[int] = []
    step = BodyUnpacker._step

    def noting(self: BodyUnpacker) -> None:
        seen.append(threading.get_ident())
        step(self)

    monkeypatch.setattr(BodyUnpacker, "_step", noting)
    text = "".join(f"{number} " for number in range(size // 7))
    assert (await send(proxy, CHAT, gzip.compress(json.dumps(chat(text)).encode()), "gzip")).status == 200
    assert len(set(seen) - {threading.get_ident()}) == threads
    assert size > LARGE or threads == 0


@pytest.mark.parametrize("path", [CHAT, COMPLETIONS, EXPLAIN, UI_LOOK])
async def test_client_that_expects_100_continue_gets_it_once(proxy: Proxied, path: str) -> None:
    """The proxy sends ``100 Continue`` before it reads the body."""
    body = asked(path)
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.server.port)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: {len(body)}\r\n"
    )
    writer.write(f"{head}Connection: close\r\n\r\n".encode())
    async with asyncio.timeout(30):
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(body)
        assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
    writer.close()


@pytest.mark.parametrize("waits", [b"HTTP/1.0\r\nExpect: 100-continue", b"HTTP/1.1\r\nExpect: nonsense"])
async def test_client_of_http_1_0_or_with_another_expectation_gets_no_100_continue(
    proxy: Proxied, waits: bytes
) -> None:
    """A client of HTTP/1.0 or with another expectation gets no ``100 Continue`` (RFC 9110, 10.1.1)."""
    body = asked(CHAT)
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.server.port)
    writer.write(
        b"POST %b %b\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n" % (CHAT.encode(), waits, len(body))
    )
    writer.write(b"Connection: close\r\n\r\n")
    await asyncio.sleep(0.05)
    writer.write(body)
    async with asyncio.timeout(30):
        assert b" 200 OK" in (await reader.read()).split(b"\r\n", 1)[0]
    writer.close()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("chunked", [False, True], ids=["announced", "chunked"])
async def test_body_over_the_limit_is_refused_and_one_at_the_limit_is_taken(
    upstream: ScriptedUpstream, path: str, chunked: bool
) -> None:
    """A body over ``max_body_mib`` is refused, with and without an announced length."""
    at_limit = asked(path).ljust(2**20)

    async def pieces(body: bytes) -> AsyncIterator[bytes]:
        for at in range(0, len(body), 2**16):
            yield body[at : at + 2**16]

    async with proxied(settings_of(general_settings={"max_body_mib": 1}), upstream) as proxy:
        over, taken = [
            await proxy.post(pieces(body) if chunked else body, path) for body in (at_limit + b" ", at_limit)
        ]

    assert (over.status, over.error["code"]) == (413, "body_too_large")
    assert over.error["message"] == "The body is over 1 MiB (general_settings.max_body_mib)."
    assert taken.status != 413
