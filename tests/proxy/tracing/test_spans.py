"""Spans: whose parents they are, what they say of a request and its attempts, and when they end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import aiohttp
import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode, format_span_id, format_trace_id

from proxy import chat_planning
from proxy.errors import UpstreamFault, UpstreamTimeout, UpstreamUnreachable
from proxy.resilience.failure_table import Kind
from proxy.tracing.exporting import Exporting
from tests.proxy.attempting import BOTH, good, refused, settings_with_fallbacks
from tests.proxy.conftest import LogLines
from tests.support.builders import assistant, call, user
from tests.support.proxied import CHAT, MODEL, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import HANG, STOP, Pause, ScriptedUpstream, answer, chunk, say

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"
TRACED = {"traceparent": f"00-{TRACE}-{SPAN}-01", "tracestate": "rojo=1,congo=2"}
USAGE = {
    "prompt_tokens": 70,
    "completion_tokens": 30,
    "prompt_tokens_details": {"cached_tokens": 64},
    "completion_tokens_details": {"reasoning_tokens": 20},
}


class Spans:
    """What was exported, by the kind of span."""

    def __init__(self, exporter: InMemorySpanExporter) -> None:
        self._exporter = exporter

    @property
    def all(self) -> tuple[ReadableSpan, ...]:
        """Every span that has ended, in that order."""
        return self._exporter.get_finished_spans()

    @property
    def request(self) -> ReadableSpan:
        """The one span of a request; it ends last."""
        [span] = [span for span in self.all if span.kind is SpanKind.SERVER]
        assert self.all[-1] is span
        return span

    @property
    def attempts(self) -> list[ReadableSpan]:
        """The spans of its attempts, in the order in which they began."""
        return [span for span in self.all if span.kind is SpanKind.CLIENT]


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    """Return what keeps the spans."""
    return InMemorySpanExporter()


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> Spans:
    """Return the spans that have ended."""
    return Spans(exporter)


@pytest.fixture
async def proxy(upstream: ScriptedUpstream, exporter: InMemorySpanExporter) -> AsyncIterator[Proxied]:
    """Serve the proxy with spans on, with retries and fallbacks."""
    tracing = Exporting(SimpleSpanProcessor(exporter))
    async with proxied(settings_with_fallbacks(), upstream, tracing) as served:
        yield served


def attributes(span: ReadableSpan) -> dict[str, Any]:
    """Return the attributes of a span."""
    return dict(span.attributes or {})


def parent_of(span: ReadableSpan) -> str | None:
    """Return the id of a span's parent."""
    return format_span_id(span.parent.span_id) if span.parent is not None else None


def id_of(span: ReadableSpan) -> str:
    """Return the id of a span."""
    assert span.context is not None
    return format_span_id(span.context.span_id)


def trace_of(span: ReadableSpan) -> str:
    """Return the id of a span's trace."""
    assert span.context is not None
    return format_trace_id(span.context.trace_id)


@BOTH
async def test_a_request_and_its_attempt(
    proxy: Proxied, upstream: ScriptedUpstream, spans: Spans, log_lines: LogLines, stream: bool
) -> None:
    """The client's span is the parent of the request's, that of the attempt's, and that of the provider's."""
    last = {"choices": [], "usage": USAGE}
    upstream.then(*([say("x"), STOP, last] if stream else [{**answer(), "usage": USAGE}]))
    history = [assistant("Hi."), user("Hello.")]
    await proxy.post({"model": MODEL, "messages": history, "stream": stream}, headers=TRACED)

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


async def test_a_trace_begins_here(proxy: Proxied, upstream: ScriptedUpstream, spans: Spans) -> None:
    """Where the client has none, or none that can be read; the provider is told of it."""
    for headers in ({}, {"traceparent": f"ff-{TRACE}-{SPAN}-01", "tracestate": "rojo=1"}):
        await proxy.post(chat(), headers=headers)

    first, second = (span for span in spans.all if span.kind is SpanKind.SERVER)
    assert (first.parent, second.parent) == (None, None)
    assert len({trace_of(first), trace_of(second), TRACE}) == 3
    for sent, attempt in zip(upstream.calls, spans.attempts, strict=True):
        assert sent.trace is not None
        assert sent.trace.headers.keys() == {"traceparent"}
        assert sent.trace.headers["traceparent"].startswith(f"00-{trace_of(attempt)}-{id_of(attempt)}-")


@BOTH
async def test_retries_and_fallbacks(
    proxy: Proxied, upstream: ScriptedUpstream, spans: Spans, stream: bool
) -> None:
    """Each attempt has a span of its own, which says how it failed and what was done about it."""
    upstream.then(refused(503))
    upstream.then(refused(401))
    upstream.then(*good(stream))
    reply = await proxy.post(chat(stream=stream), headers=TRACED)

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
async def test_a_failed_request(
    upstream: ScriptedUpstream, exporter: InMemorySpanExporter, spans: Spans, stream: bool, kind: str
) -> None:
    """An attempt's error is of the closed set of failures; the request's is an error from 500 on."""
    make, error, status = FAILURES[kind]
    upstream.then(make())
    async with proxied(settings_of(), upstream, Exporting(SimpleSpanProcessor(exporter))) as proxy:
        reply = await proxy.post(chat(stream=stream))

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


async def test_a_span_ends_with_its_stream(proxy: Proxied, upstream: ScriptedUpstream, spans: Spans) -> None:
    """As long as an answer comes, nothing has ended."""
    upstream.then(say("Good "), Pause(0.3), say("day."), STOP)
    async with proxy.session.post(proxy.origin + CHAT, json=chat(stream=True)) as response:
        await response.content.readline()
        assert spans.all == ()
        await response.read()
    await proxy.idle()

    [attempt] = spans.attempts
    assert attempt.end_time is not None
    assert attempt.start_time is not None
    assert attempt.end_time - attempt.start_time >= 0.3e9
    assert attributes(attempt)["gen_ai.response.time_to_first_chunk"] < 0.2


async def test_a_stream_that_breaks_off(proxy: Proxied, upstream: ScriptedUpstream, spans: Spans) -> None:
    """Behind a 200 that is an error of the attempt and of the request; what was said until then is kept."""
    upstream.then(say("Good "), UpstreamUnreachable("x"))
    reply = await proxy.post(chat(stream=True))

    assert reply.status == 200
    [attempt] = spans.attempts
    assert attributes(attempt)["error.type"] == "unreachable"
    assert attributes(attempt)["turnright.then"] == "give_up"
    assert attributes(attempt)["gen_ai.response.model"] == "scripted"
    assert attributes(spans.request)["error.type"] == "upstream_unreachable"
    assert spans.request.status.status_code is StatusCode.ERROR


async def test_an_empty_answer_is_an_attempt_that_failed(
    proxy: Proxied, upstream: ScriptedUpstream, spans: Spans
) -> None:
    """What the provider took for an answer and we do not is told as we see it."""
    upstream.then(chunk(finish="stop"))
    upstream.then(*good(stream=True))
    await proxy.post(chat(stream=True))

    one, two = spans.attempts
    assert attributes(one)["error.type"] == "empty"
    assert attributes(one)["gen_ai.response.finish_reasons"] == ("stop",)
    assert attributes(two)["turnright.outcome"] == "ok"


@BOTH
async def test_a_client_that_leaves_is_no_fault(
    proxy: Proxied, upstream: ScriptedUpstream, spans: Spans, stream: bool
) -> None:
    """The spans end at once and say so; nobody is alarmed."""
    upstream.then(HANG)
    with pytest.raises(asyncio.TimeoutError):
        await proxy.request("POST", CHAT, json=chat(stream=stream), timeout=aiohttp.ClientTimeout(0.1))
    await proxy.idle()

    [attempt] = spans.attempts
    assert attributes(attempt)["turnright.outcome"] == "cancelled"
    said = attributes(spans.request)
    assert said["turnright.outcome"] == "client_disconnected"
    assert "http.response.status_code" not in said
    assert {span.status.status_code for span in spans.all} == {StatusCode.UNSET}
    assert not any("error.type" in attributes(span) for span in spans.all)


async def test_a_client_that_leaves_between_two_attempts(
    proxy: Proxied, upstream: ScriptedUpstream, spans: Spans, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a repair is worked out: the attempt that failed has its end, and its kind."""

    async def repair_for_ever(*_: object) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(chat_planning, "_repair_beside", repair_for_ever)
    upstream.then(UpstreamFault("Bad history.", upstream_status=400))
    with pytest.raises(asyncio.TimeoutError):
        await proxy.request("POST", CHAT, json=chat(), timeout=aiohttp.ClientTimeout(0.1))
    await proxy.idle()

    [attempt] = spans.attempts
    assert attributes(attempt)["turnright.outcome"] == "invalid_request"
    assert attributes(spans.request)["turnright.outcome"] == "client_disconnected"


async def test_paths_without_an_attempt(proxy: Proxied, spans: Spans) -> None:
    """Every API request has a span; health and metrics have none, and a client's words are in no path."""
    for path in ("/v1/models/geheim", "/models", "/livez", "/readyz", "/metrics", "/", "/nothing"):
        await proxy.get(path)
    await proxy.post(b"{", "/chat/completions")

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
async def test_other_operations(
    proxy: Proxied, upstream: ScriptedUpstream, spans: Spans, path: str, body: dict[str, Any], operation: str
) -> None:
    """Embeddings and texts have the names that the convention has for them."""
    usage = {"prompt_tokens": 5, "total_tokens": 5}
    if operation == "embeddings":
        data = [{"object": "embedding", "index": 0, "embedding": [0.1]}]
        upstream.then({"object": "list", "model": "m", "data": data, "usage": usage})
    else:
        choice = {"index": 0, "text": "y", "finish_reason": "length"}
        upstream.then({"object": "text_completion", "model": "m", "choices": [choice], "usage": usage})
    reply = await proxy.post({"model": "spare", **body}, path)

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


async def test_observed_changes_have_a_name_of_their_own(
    upstream: ScriptedUpstream, exporter: InMemorySpanExporter, spans: Spans
) -> None:
    """What was not made is not told as made."""
    settings = settings_of(sanitize={"mode": "observe"})
    async with proxied(settings, upstream, Exporting(SimpleSpanProcessor(exporter))) as proxy:
        await proxy.post({"model": MODEL, "messages": [assistant("Hi."), user("Hello.")]})

    said = attributes(spans.request)
    assert said["turnright.observed_changes.user_prepend"] == 1
    assert "turnright.changes.user_prepend" not in said


async def test_where_nobody_is_to_be_told(
    upstream: ScriptedUpstream, exporter: InMemorySpanExporter, spans: Spans
) -> None:
    """With `propagate: false` there are spans, and providers hear nothing of them."""
    settings = settings_of(general_settings={"tracing": {"propagate": False}})
    async with proxied(settings, upstream, Exporting(SimpleSpanProcessor(exporter))) as proxy:
        await proxy.post(chat(), headers=TRACED)

    assert parent_of(spans.request) == SPAN
    [sent] = upstream.calls
    assert sent.trace is not None
    assert sent.trace.headers == {}


async def test_what_is_not_sampled_is_passed_on(
    proxy: Proxied, upstream: ScriptedUpstream, spans: Spans
) -> None:
    """A client that does not record its trace gets no spans, and the provider hears that."""
    await proxy.post(chat(), headers={"traceparent": f"00-{TRACE}-{SPAN}-00", "tracestate": "rojo=1"})

    assert spans.all == ()
    [sent] = upstream.calls
    assert sent.trace is not None
    version, trace, span, flags = sent.trace.headers["traceparent"].split("-")
    assert (version, trace, flags) == ("00", TRACE, "00")
    assert span != SPAN
    assert sent.trace.headers["tracestate"] == "rojo=1"


async def test_nothing_that_was_said_is_in_a_span(
    proxy: Proxied, upstream: ScriptedUpstream, exporter: InMemorySpanExporter
) -> None:
    """Texts, names of tools, arguments, unknown fields, headers and a provider's words stay out."""
    calls = [call("c1", "zq-tool", '{"zq-name": "zq-value"}')]
    tools = [{"type": "function", "function": {"name": "zq-tool", "description": "zq-about"}}]
    body = {
        "model": MODEL,
        "messages": [user("zq-text"), assistant("zq-said", calls)],
        "tools": tools,
        "zq-field": "zq-value",
        "user": "zq-user",
    }
    headers = {"x-request-id": "zq-id", "x-zq": "zq-header", "User-Agent": "zq-agent", "Cookie": "zq=zq"}
    upstream.then(refused(503, "zq-words", {"error": {"message": "zq-body"}}))
    upstream.then({**answer("zq-answer"), "model": "zq model?", "id": "zq-answer-id"})
    await proxy.post(body, f"{CHAT}?zq-query=1", headers=headers)
    upstream.then(refused(400, "zq-words"))
    await proxy.post(chat("zq-text", model="zq-model"))

    written = "".join(span.to_json() for span in exporter.get_finished_spans())
    assert "gen_ai.request.model" in written
    assert "zq" not in written
