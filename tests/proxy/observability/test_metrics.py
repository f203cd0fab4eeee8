"""Tests that each outcome is counted once, and that no client can make up a label."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from prometheus_client.parser import text_string_to_metric_families

from proxy import __version__
from proxy.core.errors import UpstreamFault, UpstreamTimeout, UpstreamUnreachable
from proxy.observability.metrics.learned import PROBE_OUTCOMES
from proxy.observability.metrics.limits import EXACTNESS, MASTER, REFUSAL_KINDS
from proxy.resilience.failure_table import Kind
from proxy.state.external.backend import FaultKind
from sanitizers.invariants import RULES
from sanitizers.steps import STEP_NAMES
from sanitizers.turns import EVENTS
from tests.support.builders import assistant, image, tool, user
from tests.support.least import least_of
from tests.support.proxied import CHAT, MODEL, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import HANG, STOP, Pause, ScriptedUpstream, answer, say
from tests.support.strategies import damaged_histories

ROUTES = {
    "/v1/chat/completions",
    "/v1/completions",
    "/v1/conversations",
    "/v1/conversations/{id}",
    "/v1/conversations/{id}/items",
    "/v1/conversations/{id}/items/{item}",
    "/v1/embeddings",
    "/v1/explain",
    "/v1/key",
    "/v1/learned",
    "/v1/messages",
    "/v1/messages/count_tokens",
    "/v1/models",
    "/v1/models/{id}",
    "/v1/models/{model}:batchEmbedContents",
    "/v1/models/{model}:countTokens",
    "/v1/models/{model}:embedContent",
    "/v1/models/{model}:generateContent",
    "/v1/models/{model}:streamGenerateContent",
    "/v1/responses",
    "/v1/responses/compact",
    "/v1/responses/input_tokens",
    "/v1/responses/{id}",
    "/v1/responses/{id}/cancel",
    "/v1/responses/{id}/input_items",
    "/v1/sessions",
}
OUTCOMES = {
    "ok",
    "client_disconnected",
    "cancelled",
    "invalid_request",
    "body_too_large",
    "illegal_history",
    "conversion_failed",
    "model_not_found",
    "not_found",
    "invalid_api_key",
    "overloaded",
    "internal_error",
    "upstream_error",
    "upstream_timeout",
    "upstream_unreachable",
    "request_timeout",
    "context_length_exceeded",
    "insufficient_quota",
    "rate_limit_exceeded",
    *Kind,
}
MODELS = {MODEL, "gemini/*", "unknown"}
CLOSED: dict[str, set[str]] = {
    "route": ROUTES,
    "outcome": OUTCOMES,
    "model": MODELS,
    "step": set(STEP_NAMES),
    "kind": {"dropped", "inserted", "merged", "moved", "replaced"},
    "rule": set(RULES),
    "type": {"input", "output", "cached", "reasoning"},
    "version": {__version__},
    "deployment": {"0", "1"},
    "event": set(EVENTS),
    "result": {"ok", "failed"},
    "generation": {"0", "1", "2"},
    "key": {MASTER},
    "exactness": set(EXACTNESS),
}
SIGNATURE_KINDS = {"restored", "carried", "withheld", "replaced"}
BUDGET_OUTCOMES = {"bounded", "counted", "cut"}
MARK = "zzmadeup"
"""A text in every value that the client of these tests makes up."""


async def assert_closed(proxy: Proxied) -> None:
    """Assert that every label has a known value, and that the exposition has no text of the client."""
    for (name, labels), _ in (await proxy.metrics()).items():
        assert name.startswith(("turnright_", "process_", "python_gc_"))
        for label, value in labels:
            if label == "le":
                float(value)
            elif label == "reason":
                assert value.replace("_", "").isalpha()
                assert len(value) < 40
            elif (name, label) == ("turnright_store_errors_total", "kind"):
                assert value in set(FaultKind)
            elif (name, label) == ("turnright_rate_limited_total", "kind"):
                assert value in REFUSAL_KINDS
            elif (name, label) == ("turnright_signatures_total", "kind"):
                assert value in SIGNATURE_KINDS
            elif (name, label) == ("turnright_budget_requests_total", "outcome"):
                assert value in BUDGET_OUTCOMES
            elif (name, label) == ("turnright_learned_probes_total", "outcome"):
                assert value in PROBE_OUTCOMES
            else:
                assert value in CLOSED[label], (name, label, value)
    assert MARK.encode() not in (await proxy.get("/metrics")).raw


WEIRD: tuple[dict[str, Any], ...] = (
    {"path": f"/{MARK}"},
    {"path": f"/v1/{MARK}/chat/completions"},
    {"path": f"/v1/models/{MARK}", "method": "GET"},
    {"path": f"/models/{MARK}/x/y", "method": "GET"},
    {"path": f"/v1/models/gemini/{MARK}", "method": "GET"},
    {"path": CHAT, "method": MARK.upper()},
    {"path": f"{CHAT}?{MARK}=1"},
    {"body": {"model": MARK, "messages": [user()]}},
    {"body": {"model": f"gemini/{MARK}", "messages": [user()]}},
    {"body": {"model": f"gemini/../{MARK}", "messages": [user()]}},
    {"body": {"model": f'{MODEL}"}} {MARK} 1', "messages": [user()]}},
    {"body": {"model": MARK * 1000, "messages": [user()]}},
    {"body": {"model": f"{MODEL}\n{MARK}", "messages": [user()]}},
    {"body": chat(**{MARK: 1})},
    {"body": chat(user=MARK, stop=[MARK], reasoning_effort=MARK, service_tier=MARK)},
    {"body": chat(tools=[{"type": MARK}])},
    {"body": {"model": MODEL, "messages": [{"role": MARK}]}},
    {"body": {"model": MODEL, "messages": [user([{"type": MARK}])]}},
    {"body": {"model": MODEL, "messages": [user(), tool(MARK, MARK), assistant(MARK)]}},
    {"body": {"model": MODEL, "messages": [user([image(f"https://{MARK}")])]}},
    {"body": {"model": MODEL, "messages": [user(cache_control=MARK, images=MARK)]}},
    {"body": chat(), "headers": {"x-request-id": MARK, "traceparent": MARK, MARK: MARK}},
)


async def test_labels_come_from_closed_sets(upstream: ScriptedUpstream) -> None:
    """Models, paths, methods, parameters, roles and headers of clients make no label."""
    settings = settings_of({MODEL: "gemini/gemini-3.6-flash", "gemini/*": "gemini/*"})
    async with proxied(settings, upstream) as proxy:
        for request in WEIRD:
            body = json.dumps(request.get("body", {})).encode()
            await proxy.request(
                request.get("method", "POST"),
                request.get("path", CHAT),
                data=body,
                headers=request.get("headers"),
            )
        await assert_closed(proxy)
        assert await proxy.count("requests_total", model="gemini/*") > 0
        assert await proxy.count("requests_total", model="unknown") > 0


@pytest.mark.long
@given(history=damaged_histories())
@hypothesis_settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_reasons_of_changes_come_from_a_closed_set(proxy: Proxied, history: list[Any]) -> None:
    """The histories are damaged at random."""
    await proxy.post({"model": MODEL, "messages": history})

    await assert_closed(proxy)


@pytest.mark.long
async def test_each_outcome_is_counted_once() -> None:
    """An attempt is counted only where the proxy called the provider."""
    upstream = ScriptedUpstream()
    limits = {"first_byte_timeout": 0.1, "timeout": 1.0}
    broken = {"model": MODEL, "messages": [tool("x")]}
    cases: list[tuple[str, list[Any], Any, str | None]] = [
        ("ok", [answer()], chat(), "ok"),
        ("ok", [say("x"), STOP], chat(stream=True), "ok"),
        ("invalid_request", [], b"{", None),
        ("model_not_found", [], chat(model="x"), None),
        ("illegal_history", [], broken, None),
        ("rate_limit_exceeded", [UpstreamFault("x", upstream_status=429)], chat(), "rate_limited"),
        ("upstream_error", [say("x")], chat(stream=True), "truncated"),
        ("upstream_error", [{"choices": []}], chat(), "empty"),
        ("upstream_unreachable", [UpstreamUnreachable("x")], chat(stream=True), "unreachable"),
        ("upstream_timeout", [UpstreamTimeout("x")], chat(), "first_byte_timeout"),
        ("upstream_timeout", [HANG], chat(), "deadline"),
        ("upstream_timeout", [HANG], chat(stream=True), "first_byte_timeout"),
        ("internal_error", [RuntimeError("x")], chat(), "internal_error"),
        ("internal_error", [RuntimeError("x")], chat(stream=True), "internal_error"),
        ("internal_error", [say("x"), RuntimeError("x")], chat(stream=True), "internal_error"),
    ]
    async with proxied(settings_of(router_settings=limits), upstream) as proxy:
        for number, (outcome, steps, body, attempt) in enumerate(cases):
            upstream.script.clear()
            if steps:
                upstream.then(*steps)
            before = await proxy.metrics()
            await proxy.post(body)
            after = await proxy.metrics()
            counted = {
                (name.removeprefix("turnright_"), dict(labels)["outcome"]): value
                - before.get((name, labels), 0)
                for (name, labels), value in after.items()
                if "outcome" in dict(labels) and value != before.get((name, labels), 0)
            }
            planned = outcome not in ("invalid_request", "model_not_found", "illegal_history")
            assert counted.pop(("budget_requests_total", "bounded"), 0.0) == planned
            expected = {("requests_total", outcome): 1.0}
            if attempt is not None:
                expected["upstream_attempts_total", attempt] = 1.0
            assert counted == expected, (number, outcome)
        assert await proxy.count("request_duration_seconds_count") == len(cases)
        assert await proxy.count("time_to_first_token_seconds_count") == 3
        assert await proxy.count("in_flight") == 0
        await assert_closed(proxy)


async def test_series_of_configured_models_begin_at_zero(proxy: Proxied) -> None:
    """An alert on a rate needs counters that begin at 0."""
    samples = await proxy.metrics()

    labels = (("model", MODEL), ("outcome", "ok"), ("route", CHAT))
    assert samples["turnright_requests_total", labels] == 0
    assert samples["turnright_upstream_attempts_total", (("model", MODEL), ("outcome", "ok"))] == 0
    for kind in SIGNATURE_KINDS:
        assert samples["turnright_signatures_total", (("kind", kind), ("model", MODEL))] == 0
    for outcome in BUDGET_OUTCOMES:
        assert samples["turnright_budget_requests_total", (("model", MODEL), ("outcome", outcome))] == 0
    assert samples["turnright_estimate_error_ratio_count", (("model", MODEL),)] == 0


async def test_tokens_are_counted_as_the_provider_reports_them(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """Whole and streamed answers count, and so do cached and reasoning tokens."""
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 60},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    upstream.then({**answer(), "usage": usage})
    upstream.then(say("x"), STOP, {"choices": [], "usage": usage})
    await proxy.post(chat())
    await proxy.post(chat(stream=True))

    counted = {kind: await proxy.count("tokens_total", model=MODEL, type=kind) for kind in CLOSED["type"]}
    assert counted == {"input": 200, "output": 40, "cached": 120, "reasoning": 10}


async def test_overhead_leaves_out_the_providers_time(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """The overhead of whole answers and of streams leaves out the provider's pause."""

    async def overhead_s() -> float:
        before = await proxy.count("overhead_seconds_sum")
        upstream.then(Pause(0.3), answer())
        upstream.then(Pause(0.3), say("x"), STOP)
        replies = [await proxy.post(chat()), await proxy.post(chat(stream=True))]
        told = sum(float(reply.headers["x-turnright-overhead-ms"]) for reply in replies) / 1000
        return max(told, await proxy.count("overhead_seconds_sum") - before)

    assert await least_of(overhead_s, bound=0.2) < 0.2
    assert await proxy.count("request_duration_seconds_sum") > 0.6


async def test_health_metrics_and_unknown_paths_are_not_counted(proxy: Proxied) -> None:
    """Probes and scrapes are no API requests."""
    before = await proxy.count("requests_total")
    for path in ("/livez", "/readyz", "/metrics", "/", "/nothing"):
        await proxy.get(path)

    assert await proxy.count("requests_total") == before


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("text/plain", "text/plain; version=0.0.4"),
        ("application/openmetrics-text; version=1.0.0", "application/openmetrics-text; version=1.0.0"),
    ],
)
async def test_exposition_has_the_format_that_the_scraper_asks_for(
    proxy: Proxied, accept: str, content_type: str
) -> None:
    """Every metric has a help text."""
    reply = await proxy.get("/metrics", {"Accept": accept})

    assert reply.headers["Content-Type"].startswith(content_type)
    text = (await proxy.get("/metrics")).raw.decode()
    assert all(family.documentation for family in text_string_to_metric_families(text))
    assert "_created" not in text
