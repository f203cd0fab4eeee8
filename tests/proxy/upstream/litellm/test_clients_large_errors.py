"""Large errors of providers take little time: litellm gets small bodies, and worker threads read large ones."""

from __future__ import annotations

import gzip
import importlib
import json
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from typing_extensions import override

from proxy.core.errors import UpstreamFault
from proxy.forwarding import read_failure
from proxy.resilience.read_error import read_error
from proxy.upstream.direct import transport as direct
from proxy.upstream.direct.answer_bodies import LARGEST_ERROR
from proxy.upstream.faults import fault_of_answer
from proxy.upstream.litellm import errors as litellm_errors
from proxy.upstream.litellm.clients import ERROR_BODY, LARGEST_SHOWN, read_error_body
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.conftest import OUR_KEY, TRANSPORTS, settings_on
from tests.proxy.upstream.provider import BOTH, Script, providing, sending, whole
from tests.proxy.upstream.raised_faults import fault_from
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.proxied import chat, proxied

pytestmark = LITELLM_NOISE

WORDS = "The model is busy with '"
MODELS = {"openai/gpt-4.1": "/v1", "anthropic/claude-sonnet-4-5": "", "gemini/gemini-2.5-flash": "/v1beta"}


def error_of(size: int) -> bytes:
    """Return an error's body of *size* bytes, most of them quotes."""
    empty = json.dumps({"error": {"type": "invalid_request_error", "message": WORDS}}).encode()
    return empty.replace(WORDS.encode(), WORDS.encode() + b"'" * (size - len(empty)))


def refusing(size: int) -> Script:
    """Return a script that refuses every request with an error of *size* bytes."""
    return sending(whole(error_of(size), status="400 Bad Request"))


async def fault_of(model: str, transport: str, script: Script, *, stream: bool) -> UpstreamFault:
    """Return the fault of one call of *model* to a provider that answers by *script*."""
    async with providing(script) as provider:
        base = f"http://127.0.0.1:{provider.port}{MODELS[model]}"
        return await fault_from({"model": model, "api_base": base}, transport, stream=stream)


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize("size", [1_000, 200_000])
@pytest.mark.parametrize("model", MODELS)
@BOTH
async def test_litellm_gets_no_large_error_body(
    monkeypatch: pytest.MonkeyPatch, model: str, size: int, stream: bool
) -> None:
    """The fault still has the provider's message and whole body."""
    seen: list[int] = []
    await SelectingUpstream.for_settings(
        settings_on("litellm", {"model": {"model": model, "api_key": OUR_KEY}})
    ).start()
    for name in ("litellm.main", "litellm.litellm_core_utils.streaming_handler"):
        module: Any = importlib.import_module(name)
        monkeypatch.setattr(module, "exception_type", _watched(module.exception_type, seen))
    fault = await fault_of(model, "litellm", refusing(size), stream=stream)

    assert fault.upstream_status == 400
    assert fault.message.startswith(WORDS)
    assert fault.evidence.body == error_of(size)
    assert seen
    assert max(seen) < LARGEST_SHOWN * 3 // 2


def _watched(mapping: Callable[..., Any], seen: list[int]) -> Callable[..., Any]:
    def mapped(*given: Any, **named: Any) -> Any:
        seen.append(len(str(named["original_exception"])))
        return mapping(*given, **named)

    return mapped


@pytest.mark.usefixtures("litellm")
async def test_litellm_redacts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Redaction is off, since litellm's search for keys takes quadratic time."""
    redacted: list[int] = []
    model = "anthropic/claude-sonnet-4-5"
    await SelectingUpstream.for_settings(
        settings_on("litellm", {"model": {"model": model, "api_key": OUR_KEY}})
    ).start()

    def redact(text: str) -> str:
        redacted.append(len(text))
        return text

    for name in ("litellm._logging", "litellm.litellm_core_utils.exception_mapping_utils"):
        monkeypatch.setattr(importlib.import_module(name), "redact_string", redact)
    await fault_of(model, "litellm", refusing(1_000), stream=False)

    assert redacted == []


@pytest.mark.parametrize(("size", "in_thread"), [(1_000, False), (100_000, True)])
@TRANSPORTS
@BOTH
async def test_large_error_is_read_in_a_worker_thread(
    monkeypatch: pytest.MonkeyPatch, transport: str, size: int, in_thread: bool, stream: bool
) -> None:
    """A small error is read on the event loop."""
    threads: list[bool] = []

    def noting(read: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*given: Any, **named: Any) -> Any:
            threads.append(threading.current_thread() is not threading.main_thread())
            return read(*given, **named)

        return noted

    for module in (direct, litellm_errors):
        monkeypatch.setattr(module, "fault_of_answer", noting(fault_of_answer))
    monkeypatch.setattr(read_failure, "read_error", noting(read_error))
    async with providing(refusing(size)) as provider:
        base = f"http://127.0.0.1:{provider.port}/v1"
        params = {"model": "openai/gpt-4.1", "api_base": base, "api_key": OUR_KEY}
        settings = settings_on(transport, {"model": params})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            reply = await proxy.post(chat(model="model", stream=stream))

    assert (reply.status, reply.error["message"][: len(WORDS)]) == (400, WORDS)
    assert threads == [in_thread, in_thread]


class Sent(httpx.AsyncByteStream):
    """A body in pieces, which counts the bytes that were read."""

    def __init__(self, *parts: bytes | Exception) -> None:
        self.parts = parts
        self.taken = 0
        self.closed = False

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            if isinstance(part, Exception):
                raise part
            self.taken += len(part)
            yield part

    @override
    async def aclose(self) -> None:
        self.closed = True


def pieces(body: bytes) -> list[bytes]:
    """Return *body* in pieces as a socket gives them."""
    return [body[at : at + 1024] for at in range(0, len(body), 1024)]


SMALL, MEDIUM = error_of(500), error_of(100_000)
HUGE = b"'" * (LARGEST_ERROR + 1)
BODIES: dict[str, tuple[list[bytes | Exception], str, bytes, bytes]] = {
    "small": ([SMALL], "", SMALL, SMALL),
    "packed": ([gzip.compress(SMALL)], "gzip", SMALL, SMALL),
    "more than litellm is shown": ([*pieces(MEDIUM)], "", MEDIUM, b""),
    "more than is read": ([*pieces(HUGE)], "", b"", b""),
    "that and packed": ([gzip.compress(HUGE)], "gzip", b"", b""),
    "broken": ([SMALL, httpx.ReadError("gone")], "", b"", b""),
    "not what it says": ([SMALL], "gzip", b"", b""),
    "nothing": ([], "", b"", b""),
}


@pytest.mark.parametrize(("sent", "coding", "kept", "shown"), BODIES.values(), ids=BODIES)
async def test_error_body_is_kept_up_to_a_limit_and_small_ones_are_shown(
    sent: list[bytes | Exception], coding: str, kept: bytes, shown: bytes
) -> None:
    """The kept body is for the proxy, and litellm gets the shown body."""
    stream = Sent(*sent)
    headers = {"content-encoding": coding} if coding else {}
    response = httpx.Response(400, headers=headers, stream=stream)
    await read_error_body(response)

    assert response.extensions[ERROR_BODY] == kept
    assert await response.aread() == shown
    assert stream.closed


async def test_unpacking_stops_at_the_limit() -> None:
    """Of 64 MiB of zeros in a 64 KiB body, only the first pieces are read."""
    stream = Sent(*pieces(gzip.compress(bytes(2**26))))
    response = httpx.Response(500, headers={"content-encoding": "gzip"}, stream=stream)
    await read_error_body(response)

    assert response.extensions[ERROR_BODY] == b""
    assert stream.taken <= 2 * 1024


@pytest.mark.parametrize("status", [200, 302])
async def test_body_of_a_good_answer_is_not_read(status: int) -> None:
    """The body of an answer without an error is left for litellm to read."""
    stream = Sent(b"data: ", b"1")
    response = httpx.Response(status, stream=stream)
    await read_error_body(response)

    assert stream.taken == 0
    assert response.stream is stream
