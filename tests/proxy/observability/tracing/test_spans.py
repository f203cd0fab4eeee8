"""Tests of spans: their parents, and their attributes of a request and of its attempts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from proxy.core.errors import UpstreamTimeout, UpstreamUnreachable
from proxy.observability.tracing.exporting import Exporting
from proxy.resilience.failure_table import Kind
from tests.proxy.conftest import LogLines
from tests.proxy.forwarding.attempting import BOTH, good, refused
from tests.proxy.observability.tracing.read_spans import (
    SPAN,
    TRACE,
    TRACED,
    USAGE,
    Spans,
    attributes,
    id_of,
    parent_of,
    trace_of,
)
from tests.support.builders import assistant, user
from tests.support.proxied import CHAT, MODEL, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import STOP, ScriptedUpstream, answer, say


@BOTH
async def test_attempt_span_is_between_the_requests_and_the_providers(
    traced: Proxied, upstream: ScriptedUpstream, spans: Spans, log_lines: LogLines, stream: bool
) -> None:
    """The client's span is the parent of the request's span."""
    last = {"choices": [], "usage": USAGE}
    upstream.then(*([say("x"), STOP, last] if stream else [{**answer(), "usage": USAGE}]))
    history = [assistant("Hi."), user("Hello.")]
    await traced.post({"model": MODEL, "messages": history, "stream": stream}, headers=TRACED)

    [attempt], request = spans.attempts, spans.request
    assert {trace_of(attempt), trace_of(request), log_lines()[0]["trace_id"]} == {TRACE}
    assert [parent_of(request), parent_of(attempt)] == [SPAN, id_of(request)]
    [sent] = upstream.calls
    assert sent.trace is not None
    assert sent.trace.headers == {
        "traceparent": f"00-{TRACE}-{id_of(attempt)}-01",
        "tracestate": "rojo=1,congo=2",
    }
    assert (attempt.name, request.name) == ("chat gemini-3.6-flash", f"POST {CHAT}")
    assert {span.status.status_code for span in spans.all} == {StatusCode.UNSET}
    said = attributes(attempt)
    assert (said.pop("gen_ai.response.time_to_first_chunk", None) is not None) == stream
    assert said == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "gemini-3.6-flash",
        **({"gen_ai.request.stream": True} if stream else {}),
        "gen_ai.response.model": "scripted",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 70,
        "gen_ai.usage.output_tokens": 30,
        "gen_ai.usage.cache_read.input_tokens": 64,
        "gen_ai.usage.reasoning.output_tokens": 20,
        "server.address": "generativelanguage.googleapis.com",
        "server.port": 443,
        "turnright.model": MODEL,
        "turnright.deployment": 0,
        "turnright.attempt": 1,
        "turnright.outcome": "ok",
    }
    said = attributes(request)
    assert said.pop("turnright.budget.estimate") >= 1
    assert said.pop("turnright.budget.sent") >= 1
    assert said.pop("turnright.budget.limit") > 100_000
    assert said.pop("turnright.budget.exact") in (True, False)
    assert said == {
        "http.request.method": "POST",
        "http.route": CHAT,
        "url.path": CHAT,
        "url.scheme": "http",
        "http.response.status_code": 200,
        "turnright.model": MODEL,
        "turnright.outcome": "ok",
        "turnright.mode": "repair",
        "turnright.attempts": 1,
        "turnright.retries": 0,
        "turnright.fallbacks": 0,
        "turnright.changes.user_prepend": 1,
        "turnright.rounds": 0,
        "turnright.rounds.limit": 25,
    }


async def test_request_without_a_readable_trace_begins_one(
    traced: Proxied, upstream: ScriptedUpstream, spans: Spans
) -> None:
    """The provider gets the new trace."""
    for headers in ({}, {"traceparent": f"ff-{TRACE}-{SPAN}-01", "tracestate": "rojo=1"}):
        await traced.post(chat(), headers=headers)

    first, second = (span for span in spans.all if span.kind is SpanKind.SERVER)
    assert (first.parent, second.parent) == (None, None)
    assert len({trace_of(first), trace_of(second), TRACE}) == 3
    for sent, attempt in zip(upstream.calls, spans.attempts, strict=True):
        assert sent.trace is not None
        assert sent.trace.headers.keys() == {"traceparent"}
        assert sent.trace.headers["traceparent"].startswith(f"00-{trace_of(attempt)}-{id_of(attempt)}-")


@BOTH
async def test_each_attempt_has_a_span_with_its_failure_and_next_step(
    traced: Proxied, upstream: ScriptedUpstream, spans: Spans, stream: bool
) -> None:
    """The span of a failed attempt names the retry or the fallback that follows."""
    upstream.then(refused(503))
    upstream.then(refused(401))
    upstream.then(*good(stream))
    reply = await traced.post(chat(stream=stream), headers=TRACED)

    assert reply.status == 200
    one, two, three = spans.attempts
    assert {parent_of(span) for span in spans.attempts} == {id_of(spans.request)}
    assert len({id_of(span) for span in spans.attempts}) == 3
    assert [span.name for span in (one, two, three)] == [
        "chat gemini-3.6-flash",
        "chat gemini-3.6-flash",
        "chat gpt-4.1",
    ]
    told = ("turnright.attempt", "turnright.model", "error.type", "turnright.outcome", "turnright.then")
    assert [[attributes(span).get(name) for name in told] for span in (one, two, three)] == [
        [1, MODEL, "unavailable", "unavailable", "retry"],
        [2, MODEL, "key_refused", "key_refused", "fall_back"],
        [3, "spare", None, "ok", None],
    ]
    assert [span.status.status_code for span in (one, two, three)] == [
        StatusCode.ERROR,
        StatusCode.ERROR,
        StatusCode.UNSET,
    ]
    assert {span.status.description for span in spans.all} == {None}
    assert not any(span.events for span in spans.all)
    assert one.end_time is not None
    assert two.start_time is not None
    assert one.end_time <= two.start_time
    said = attributes(spans.request)
    counted = ("turnright.attempts", "turnright.retries", "turnright.fallbacks", "turnright.outcome")
    assert [said[name] for name in counted] == [3, 1, 1, "ok"]
    assert len({call.trace.headers["traceparent"] for call in upstream.calls if call.trace}) == 3


FAILURES: Mapping[str, tuple[Callable[[], Exception], str, int]] = {
    "refused": (lambda: refused(400), "invalid_request", 400),
    "broken": (lambda: refused(500), "server_error", 500),
    "silent": (lambda: UpstreamTimeout("x"), "first_byte_timeout", 504),
    "gone": (lambda: UpstreamUnreachable("x"), "unreachable", 502),
    "ours": (lambda: RuntimeError("geheim"), "internal_error", 500),
}


@BOTH
@pytest.mark.parametrize("kind", FAILURES)
async def test_error_of_a_failed_request_comes_from_a_closed_set(
    upstream: ScriptedUpstream, exporter: InMemorySpanExporter, spans: Spans, stream: bool, kind: str
) -> None:
    """The request's span has an error from status 500 on."""
    make, error, status = FAILURES[kind]
    upstream.then(make())
    async with proxied(settings_of(), upstream, Exporting(SimpleSpanProcessor(exporter))) as traced:
        reply = await traced.post(chat(stream=stream))

    assert reply.status == status
    [attempt] = spans.attempts
    assert attempt.status.status_code is StatusCode.ERROR
    assert attributes(attempt)["error.type"] == error
    assert error in {*Kind, "internal_error"}
    said = attributes(spans.request)
    assert said["http.response.status_code"] == status
    assert said["turnright.outcome"] == reply.error["code"]
    assert (said["turnright.attempts"], said["turnright.retries"], said["turnright.fallbacks"]) == (1, 0, 0)
    assert ("error.type" in said) == (status >= 500)
    assert (spans.request.status.status_code is StatusCode.ERROR) == (status >= 500)
    assert not any(span.events for span in spans.all)


async def test_every_api_request_has_a_span_without_client_text(traced: Proxied, spans: Spans) -> None:
    """Health and metrics requests have no span."""
    for path in ("/v1/models/geheim", "/models", "/livez", "/readyz", "/metrics", "/", "/nothing"):
        await traced.get(path)
    await traced.post(b"{", "/chat/completions")

    assert [(span.name, attributes(span)["url.path"]) for span in spans.all] == [
        ("GET /v1/models/{id}", "/v1/models/{id}"),
        ("GET /v1/models", "/models"),
        (f"POST {CHAT}", "/chat/completions"),
    ]
    assert attributes(spans.all[0])["http.response.status_code"] == 404
    assert attributes(spans.all[2])["turnright.outcome"] == "invalid_request"


@pytest.mark.parametrize(
    ("path", "body", "operation"),
    [
        ("/v1/embeddings", {"input": "x"}, "embeddings"),
        ("/v1/completions", {"prompt": "x"}, "text_completion"),
        ("/v1/completions", {"prompt": "x", "stream": True}, "text_completion"),
    ],
)
async def test_embeddings_and_texts_have_the_conventions_names(
    traced: Proxied, upstream: ScriptedUpstream, spans: Spans, path: str, body: dict[str, Any], operation: str
) -> None:
    """The operation and the provider have the names of OpenTelemetry's convention."""
    usage = {"prompt_tokens": 5, "total_tokens": 5}
    if operation == "embeddings":
        data = [{"object": "embedding", "index": 0, "embedding": [0.1]}]
        upstream.then({"object": "list", "model": "m", "data": data, "usage": usage})
    else:
        choice = {"index": 0, "text": "y", "finish_reason": "length"}
        upstream.then({"object": "text_completion", "model": "m", "choices": [choice], "usage": usage})
    reply = await traced.post({"model": "spare", **body}, path)

    assert reply.status == 200, reply.raw
    [attempt] = spans.attempts
    assert attempt.name == f"{operation} gpt-4.1"
    said = attributes(attempt)
    assert said["gen_ai.operation.name"] == operation
    assert said["gen_ai.provider.name"] == "openai"
    assert said["gen_ai.usage.input_tokens"] == 5
    assert said.get("gen_ai.response.finish_reasons") == (None if operation == "embeddings" else ("length",))
    [sent] = upstream.plain_calls
    assert sent.trace is not None
    assert id_of(attempt) in sent.trace.headers["traceparent"]
