"""Tests that a client's trace is passed on, on all paths and both transports, without other headers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proxy.config import Settings
from proxy.observability.tracing.trace_context import read_context
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.conftest import OUR_KEY, TRANSPORTS, LogLines, settings_on
from tests.proxy.upstream.provider import GOOD, Exchange, providing, whole
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import CHAT, Proxied, proxied, settings_of

pytestmark = LITELLM_NOISE

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"
STATE = "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"
TRACED = {"traceparent": f"00-{TRACE}-{SPAN}-01", "tracestate": STATE}
OTHERS = {
    "baggage": "user=ann",
    "b3": f"{TRACE}-{SPAN}-1",
    "x-b3-traceid": TRACE,
    "uber-trace-id": f"{TRACE}:{SPAN}:0:1",
    "x-cloud-trace-context": f"{TRACE}/1;o=1",
    "x-custom": "mine",
}
REQUESTS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "whole": (CHAT, {"model": "openai", "messages": [{"role": "user", "content": "Hello."}]}),
    "stream": (
        CHAT,
        {"model": "openai", "messages": [{"role": "user", "content": "Hello."}], "stream": True},
    ),
    "embeddings": ("/v1/embeddings", {"model": "embeds", "input": "Hello."}),
    "text": ("/v1/completions", {"model": "writes", "prompt": "Hello."}),
    "text stream": ("/v1/completions", {"model": "writes", "prompt": "Hello.", "stream": True}),
}
EACH = pytest.mark.parametrize("request_of", REQUESTS)


@pytest.fixture
def settings() -> Settings:
    """Return settings with one model."""
    return settings_of()


@asynccontextmanager
async def serving(
    openai: OpenAIEmulator, transport: str, *, tracing: Any = None, **headers: str
) -> AsyncIterator[Proxied]:
    """Serve the proxy in front of the emulator, on *transport*."""
    ids = {"openai": "gpt-4.1", "embeds": "text-embedding-3-small", "writes": "gpt-3.5-turbo-instruct"}
    models = {
        name: {
            "model": f"openai/{model}",
            "api_base": openai.base_url,
            "api_key": OUR_KEY,
            "extra_headers": headers,
        }
        for name, model in ids.items()
    }
    settings = settings_on(transport, models, general_settings={"tracing": tracing})
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        yield proxy


@pytest.fixture
async def real(openai: OpenAIEmulator, transport: str) -> AsyncIterator[Proxied]:
    """Serve the proxy with the default settings of tracing."""
    async with serving(openai, transport) as proxy:
        yield proxy


async def ask(proxy: Proxied, request_of: str, headers: Mapping[str, str]) -> None:
    """Send the request *request_of*, and assert status 200."""
    path, body = REQUESTS[request_of]
    reply = await proxy.post(body, path, headers=headers)
    assert reply.status == 200, reply.raw


def trace_headers(openai: OpenAIEmulator) -> list[dict[str, str]]:
    """Return the trace headers of each upstream request."""
    named = {"traceparent", "tracestate", *OTHERS}
    return [
        {name.lower(): value for name, value in request.headers.items() if name.lower() in named}
        for request in openai.requests
    ]


@TRANSPORTS
@EACH
async def test_trace_is_continued_with_a_parent_of_the_proxy(
    real: Proxied, openai: OpenAIEmulator, request_of: str
) -> None:
    """The client's other headers, such as ``baggage`` and ``b3``, are not sent."""
    await ask(real, request_of, {**TRACED, **OTHERS})

    [sent] = trace_headers(openai)
    version, trace, span, flags = sent.pop("traceparent").split("-")
    assert (version, trace, flags) == ("00", TRACE, "01")
    assert span != SPAN
    assert sent == {"tracestate": STATE}


@TRANSPORTS
@EACH
async def test_request_without_a_trace_begins_none(
    real: Proxied, openai: OpenAIEmulator, request_of: str
) -> None:
    """The provider gets no trace headers."""
    await ask(real, request_of, {"tracestate": STATE, **OTHERS})

    assert trace_headers(openai) == [{}]


@TRANSPORTS
async def test_unreadable_trace_is_replaced_by_a_new_one(
    real: Proxied, openai: OpenAIEmulator, log_lines: LogLines
) -> None:
    """The ``tracestate`` is dropped, and the log has the id of the new trace."""
    await ask(real, "whole", {**TRACED, "traceparent": f"ff-{TRACE}-{SPAN}-01"})

    [sent] = trace_headers(openai)
    assert sent.keys() == {"traceparent"}
    begun = read_context([sent["traceparent"]], ())
    assert begun is not None
    assert (begun.trace_id != TRACE, begun.flags) == (True, 0)
    assert log_lines()[0]["trace_id"] == begun.trace_id


@pytest.mark.usefixtures("litellm")
async def test_each_attempt_on_both_gemini_wires_has_its_own_parent() -> None:
    """Each attempt keeps the client's trace id and ``tracestate``."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(whole(GOOD, status="503 Unavailable"))

    heads = {}
    for transport in ("direct", "litellm"):
        async with providing(script) as provider:
            base = f"http://127.0.0.1:{provider.port}/v1beta"
            model = {"model": "gemini/gemini-2.5-pro", "api_base": base, "api_key": OUR_KEY}
            router = {"num_retries": 1, "cooldown_time": 0}
            settings = settings_on(transport, {"gemini": model}, router_settings=router)
            async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
                body = {"model": "gemini", "messages": [{"role": "user", "content": "Hello."}]}
                reply = await proxy.post(body, headers=TRACED)
                assert reply.status == 503
        heads[transport] = [exchange.head.decode().lower() for exchange in provider.exchanges]

    for found in heads.values():
        parents = [line for head in found for line in head.split("\r\n") if line.startswith("traceparent: ")]
        assert [f"00-{TRACE}-" in parent for parent in parents] == [True, True]
        assert len({parent.split("-")[2] for parent in parents} | {SPAN}) == 3
        assert all(f"\r\ntracestate: {STATE.lower()}\r\n" in head for head in found)


@pytest.mark.parametrize("transport", ["litellm", "direct"])
async def test_trace_stays_in_the_log_with_propagate_off(
    openai: OpenAIEmulator, log_lines: LogLines, transport: str
) -> None:
    """The provider gets no trace headers."""
    async with serving(openai, transport, tracing={"propagate": False}) as proxy:
        await ask(proxy, "whole", TRACED)

    assert trace_headers(openai) == [{}]
    assert log_lines()[0]["trace_id"] == TRACE


@pytest.mark.parametrize("transport", ["litellm", "direct"])
async def test_configured_trace_header_is_sent_unchanged(openai: OpenAIEmulator, transport: str) -> None:
    """The client's trace is not sent in addition to the configured header."""
    own = {"TraceParent": f"00-{'a' * 32}-{'b' * 16}-00"}
    async with serving(openai, transport, **own) as proxy:
        await ask(proxy, "whole", TRACED)

    assert trace_headers(openai) == [{"traceparent": own["TraceParent"]}]


@pytest.mark.parametrize(("headers", "logged"), [(TRACED, TRACE), ({}, None), ({"tracestate": STATE}, None)])
async def test_log_line_names_the_trace(
    proxy: Proxied, log_lines: LogLines, headers: dict[str, str], logged: str | None
) -> None:
    """API requests are logged with the trace id, and probes have no log line."""
    await proxy.get("/v1/models", headers=headers)
    await proxy.post(b"{", headers=headers)
    await proxy.get("/livez", headers=headers)

    assert [line["trace_id"] for line in log_lines()] == [logged, logged]


async def test_two_traceparent_headers_count_as_none(proxy: Proxied, log_lines: LogLines) -> None:
    """The proxy chooses neither of the two, and begins a new trace."""
    head = f"traceparent: 00-{TRACE}-{SPAN}-01\r\ntraceparent: 00-{'a' * 32}-{SPAN}-01\r\n"
    await proxy.raw(f"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{head}\r\n".encode())

    [line] = log_lines()
    assert len(line["trace_id"]) == 32
    assert line["trace_id"] not in (TRACE, "a" * 32)
