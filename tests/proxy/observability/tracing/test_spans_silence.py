"""Tests what spans leave out, and when no span is made."""

from __future__ import annotations

from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from proxy.observability.tracing.exporting import Exporting
from tests.proxy.forwarding.attempting import refused
from tests.proxy.observability.tracing.read_spans import (
    SPAN,
    TRACE,
    TRACED,
    Spans,
    attributes,
    parent_of,
)
from tests.support.builders import assistant, call, user
from tests.support.proxied import CHAT, MODEL, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream, answer


async def test_observed_changes_have_a_name_of_their_own(
    upstream: ScriptedUpstream, exporter: InMemorySpanExporter, spans: Spans
) -> None:
    """In mode observe, changes have another attribute, since they are not made."""
    settings = settings_of(sanitize={"mode": "observe"})
    async with proxied(settings, upstream, Exporting(SimpleSpanProcessor(exporter))) as traced:
        await traced.post({"model": MODEL, "messages": [assistant("Hi."), user("Hello.")]})

    said = attributes(spans.request)
    assert said["turnright.observed_changes.user_prepend"] == 1
    assert "turnright.changes.user_prepend" not in said


async def test_spans_are_made_and_not_passed_on_with_propagate_off(
    upstream: ScriptedUpstream, exporter: InMemorySpanExporter, spans: Spans
) -> None:
    """With ``propagate`` off, spans are made, and providers get no trace headers."""
    settings = settings_of(general_settings={"tracing": {"propagate": False}})
    async with proxied(settings, upstream, Exporting(SimpleSpanProcessor(exporter))) as traced:
        await traced.post(chat(), headers=TRACED)

    assert parent_of(spans.request) == SPAN
    [sent] = upstream.calls
    assert sent.trace is not None
    assert sent.trace.headers == {}


async def test_unsampled_trace_has_no_spans_and_is_passed_on(
    traced: Proxied, upstream: ScriptedUpstream, spans: Spans
) -> None:
    """A trace that is not sampled makes no spans, and the provider gets the trace with the flag 00."""
    await traced.post(chat(), headers={"traceparent": f"00-{TRACE}-{SPAN}-00", "tracestate": "rojo=1"})

    assert spans.all == ()
    [sent] = upstream.calls
    assert sent.trace is not None
    version, trace, span, flags = sent.trace.headers["traceparent"].split("-")
    assert (version, trace, flags) == ("00", TRACE, "00")
    assert span != SPAN
    assert sent.trace.headers["tracestate"] == "rojo=1"


async def test_span_holds_no_content_of_requests_or_answers(
    traced: Proxied, upstream: ScriptedUpstream, exporter: InMemorySpanExporter
) -> None:
    """A span leaves out texts, tool names, arguments, unknown fields, headers and providers' messages."""
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
    await traced.post(body, f"{CHAT}?zq-query=1", headers=headers)
    upstream.then(refused(400, "zq-words"))
    await traced.post(chat("zq-text", model="zq-model"))

    written = "".join(span.to_json() for span in exporter.get_finished_spans())
    assert "gen_ai.request.model" in written
    assert "zq" not in written
