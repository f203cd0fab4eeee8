"""Tests of traces in the running process: with a real client, on both transports, and with a dead collector."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from openai import OpenAI

from tests.process.asking import body
from tests.process.collector import CLIENT, ERROR, SERVER, Collector, collecting
from tests.process.providers import MODELS, Everywhere, InAThread, route_of
from tests.process.running import ROOT, Running, Served, serve
from tests.support.openai_emulator import OpenAIEmulator

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"
TRACED = {
    "traceparent": f"00-{TRACE}-{SPAN}-01",
    "tracestate": "rojo=00f067aa0ba902b7",
    "baggage": "zq-baggage=1",
}
HELLO: Any = [{"role": "user", "content": "zq-text"}]
MASTER_KEY, OUR_KEY = "zq-master-key", "zq-our-key"
SOON_S = 15.0
"""Seconds that a request may take on a busy machine, far below the export's timeout of a minute."""

BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


def config_of(emulator: OpenAIEmulator, transport: str, **general: Any) -> dict[str, Any]:
    """Return a configuration with a model, its fallback and a key."""
    names = {"primary": "openai/gpt-4.1", "spare": "openai/gpt-4.1-mini"}
    entries = [
        {
            "model_name": name,
            "transport": transport,
            "litellm_params": {
                "model": model,
                "api_key": OUR_KEY,
                "api_base": emulator.base_url,
                "extra_headers": {"x-team": "zq-our-header"},
            },
        }
        for name, model in names.items()
    ]
    return {
        "model_list": entries,
        "router_settings": {"num_retries": 1, "cooldown_time": 0, "fallbacks": [{"primary": ["spare"]}]},
        "general_settings": {
            "drain_delay": 0,
            "drain_grace": 2,
            "keys": [{"name": "team-a", "key": MASTER_KEY}],
            **general,
        },
    }


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    """Run a collector that keeps the spans that the process exports."""
    with collecting() as running:
        yield running


@pytest.fixture(scope="module")
def traced(
    directory: Path, openai_thread: OpenAIEmulator, transport: str, collector: Collector
) -> Iterator[Served]:
    """Run ``turnright serve`` with tracing configured by the SDK's own variables alone."""
    variables = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.origin,
        "OTEL_EXPORTER_OTLP_HEADERS": "x-tenant=blue",
        "OTEL_SERVICE_NAME": "gateway-of-ours",
        "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=test",
        "OTEL_BSP_SCHEDULE_DELAY": "50",
    }
    config = config_of(openai_thread, transport, instructions="zq-policy")
    with serve(directory, config, variables=variables) as process:
        yield process


@pytest.fixture
def client(traced: Served, collector: Collector) -> Iterator[OpenAI]:
    """Return OpenAI's client, which does not retry by itself; the collector is emptied first."""
    collector.bodies.clear()
    with OpenAI(base_url=traced.base_url, api_key=MASTER_KEY, max_retries=0, timeout=30) as client:
        yield client


def ask(client: OpenAI, *, stream: bool, headers: Mapping[str, str], **fields: Any) -> None:
    """Ask for a chat and read it to its end."""
    arguments: dict[str, Any] = {"model": "primary", "messages": HELLO, "extra_headers": headers, **fields}
    if stream:
        arguments |= {"stream": True, "stream_options": {"include_usage": True}}
    answer: Any = client.chat.completions.create(**arguments)
    if stream:
        assert list(answer)


def parents_told(emulator: OpenAIEmulator) -> list[str]:
    """Return the parent span's id in each upstream request, after checking its trace, state and baggage."""
    found = []
    for request in emulator.requests:
        headers = {name.lower(): value for name, value in request.headers.items()}
        version, trace, parent, _ = headers["traceparent"].split("-")
        assert (version, trace) == ("00", TRACE)
        assert headers["tracestate"] == TRACED["tracestate"]
        assert "baggage" not in headers
        found.append(parent)
    return found


@BOTH
def test_spans_of_client_request_and_attempt_are_one_trace(
    client: OpenAI, openai_emulator: OpenAIEmulator, collector: Collector, stream: bool
) -> None:
    """The spans of client, request and attempt are one chain, and the provider gets the attempt's span id."""
    ask(client, stream=stream, headers=TRACED)

    request, attempt = collector.wait_for(2)
    assert (request.name, request.kind, attempt.name, attempt.kind) == (
        "POST /v1/chat/completions",
        SERVER,
        "chat gpt-4.1",
        CLIENT,
    )
    assert {request.trace_id, attempt.trace_id} == {TRACE}
    assert (request.parent_id, attempt.parent_id) == (SPAN, request.span_id)
    assert parents_told(openai_emulator) == [attempt.span_id]
    assert attempt.resource["service.name"] == "gateway-of-ours"
    assert attempt.resource["deployment.environment"] == "test"
    assert attempt.resource["service.version"]
    assert {name.lower(): value for name, value in collector.headers[-1].items()}["x-tenant"] == "blue"
    address, _, port = openai_emulator.base_url.removeprefix("http://").removesuffix("/v1").partition(":")
    expected = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4.1",
        "gen_ai.response.model": "gpt-4.1",
        "gen_ai.response.finish_reasons": ["stop"],
        "server.address": address,
        "server.port": int(port),
        "turnright.attempt": 1,
        "turnright.outcome": "ok",
    }
    assert {name: attempt.attributes.get(name) for name in expected} == expected
    assert attempt.attributes["gen_ai.usage.input_tokens"] > 0
    assert attempt.attributes["gen_ai.usage.output_tokens"] > 0
    assert ("gen_ai.response.time_to_first_chunk" in attempt.attributes) == stream
    assert request.attributes["http.response.status_code"] == 200
    assert request.attributes["turnright.attempts"] == 1
    assert request.attributes["turnright.rounds"] == 0
    assert request.attributes["turnright.budget.limit"] > 0
    assert (request.status, attempt.status) == (0, 0)
    assert request.began <= attempt.began < attempt.ended <= request.ended


@BOTH
def test_three_attempts_are_three_spans_below_one(
    client: OpenAI, openai_emulator: OpenAIEmulator, collector: Collector, stream: bool
) -> None:
    """Three attempts are three spans below the request's span, and each upstream request has its attempt's span id."""
    openai_emulator.faults.extend([{"status": 503, "message": "zq-words"}] * 2)
    ask(client, stream=stream, headers=TRACED)

    request, *attempts = collector.wait_for(4)
    assert {span.parent_id for span in attempts} == {request.span_id}
    assert parents_told(openai_emulator) == [span.span_id for span in attempts]
    names = ("gen_ai.request.model", "error.type", "turnright.attempt", "turnright.then")
    assert [[span.attributes.get(name) for name in names] for span in attempts] == [
        ["gpt-4.1", "unavailable", 1, "retry"],
        ["gpt-4.1", "unavailable", 2, "fall_back"],
        ["gpt-4.1-mini", None, 3, None],
    ]
    assert [span.status for span in attempts] == [ERROR, ERROR, 0]
    counted = ("turnright.attempts", "turnright.retries", "turnright.fallbacks")
    assert [request.attributes[name] for name in counted] == [3, 1, 1]
    assert request.status == 0


def test_a_span_is_as_long_as_its_stream(
    client: OpenAI, openai_emulator: OpenAIEmulator, collector: Collector
) -> None:
    """A span ends with the last chunk of its stream, and records the time to the first chunk."""
    openai_emulator.faults.append({"text": "one two three four five six", "chunk_delay_seconds": 0.1})
    began = time.monotonic()
    ask(client, stream=True, headers=TRACED)
    took = time.monotonic() - began

    request, attempt = collector.wait_for(2)
    assert took > 0.3
    for span in (request, attempt):
        assert 0.3 < (span.ended - span.began) / 1e9 <= took
    assert attempt.attributes["gen_ai.response.time_to_first_chunk"] < took - 0.3


def test_both_spans_tell_of_a_stream_that_is_cut(
    client: OpenAI, openai_emulator: OpenAIEmulator, collector: Collector
) -> None:
    """The spans of request and attempt report the error of a stream that is cut after a status of 200."""
    openai_emulator.faults.append({"text": "one two three four five six", "cut_after_chunks": 4})
    with pytest.raises(Exception, match=r"provider|connection"):
        ask(client, stream=True, headers=TRACED)

    request, attempt = collector.wait_for(2)
    assert attempt.status == request.status == ERROR
    assert attempt.attributes["error.type"] in (
        "connection_lost",
        "unreachable",
    )  # litellm tells them less apart
    assert attempt.attributes["turnright.then"] == "give_up"
    assert request.attributes["http.response.status_code"] == 200
    assert request.attributes["error.type"] in ("upstream_unreachable", "upstream_error")


@BOTH
def test_nothing_that_was_said_leaves(
    client: OpenAI, openai_emulator: OpenAIEmulator, collector: Collector, stream: bool
) -> None:
    """No exported byte has texts, tools, arguments, users, ids, headers or keys, of a client, provider or operator."""
    tool = {"type": "function", "function": {"name": "zq-tool", "description": "zq-about", "parameters": {}}}
    call = {"id": "zq-call", "type": "function", "function": {"name": "zq-tool", "arguments": '{"zq-a": 1}'}}
    history: Any = [
        {"role": "system", "content": "zq-system"},
        {"role": "user", "content": "zq-question"},
        {"role": "assistant", "content": "zq-answer", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "zq-call", "content": "zq-result"},
    ]
    fields = {"tools": [tool], "user": "zq-user", "extra_body": {"zq-field": "zq-value"}}
    headers = {**TRACED, "x-request-id": "zq-id", "x-custom": "zq-header", "Cookie": "zq=zq"}
    openai_emulator.faults.append({"status": 500, "message": "zq-words"})
    openai_emulator.faults.append({"text": "zq-said"})
    ask(client, stream=stream, headers=headers, **{**fields, "messages": history})
    openai_emulator.faults.extend([{"status": 400, "message": "zq-refused"}] * 2)
    with pytest.raises(Exception, match="zq-refused"):
        ask(client, stream=stream, headers=headers)
    with pytest.raises(Exception, match="zq-model"):
        ask(client, stream=stream, headers=headers, model="zq-model")
    with pytest.raises(Exception, match="zq-model"):
        client.models.retrieve("zq-model", extra_headers=headers)

    # Two requests of two attempts each, and two that come to none.
    collector.wait_for(8)
    assert b"gen_ai.request.model" in collector.raw
    assert b"zq" not in collector.raw
    assert "zq-policy" in str(openai_emulator.requests[0].body)


def test_what_is_left_is_sent_at_the_end(
    directory: Path, openai_emulator: OpenAIEmulator, collector: Collector
) -> None:
    """The process exports its remaining spans after SIGTERM, with tracing enabled by the configuration alone."""
    collector.bodies.clear()
    variables = {
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{collector.origin}/v1/traces",
        "OTEL_BSP_SCHEDULE_DELAY": "60000",
    }
    config = config_of(openai_emulator, "direct", tracing={"enabled": True})
    with serve(directory, config, variables=variables) as served:
        with OpenAI(base_url=served.base_url, api_key=MASTER_KEY, max_retries=0, timeout=30) as client:
            ask(client, stream=False, headers={})
        assert collector.spans() == []

    request, attempt = collector.wait_for(2)
    assert attempt.parent_id == request.span_id
    assert request.parent_id == ""
    assert request.resource["service.name"] == "turnright"


@contextmanager
def black_hole() -> Iterator[str]:
    """Yield the address of a listener that never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def nobody() -> Iterator[str]:
    """Yield an address where nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


@pytest.mark.parametrize("collector_of", [black_hole, nobody])
def test_a_dead_collector_costs_no_request_anything(
    directory: Path, openai_emulator: OpenAIEmulator, collector_of: Any
) -> None:
    """With a dead collector and a full span queue, requests are answered and the process ends in time."""
    with collector_of() as origin:
        variables = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": origin,
            "OTEL_EXPORTER_OTLP_TIMEOUT": "60",
            "OTEL_BSP_SCHEDULE_DELAY": "20",
            "OTEL_BSP_MAX_QUEUE_SIZE": "8",
            "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "4",
        }
        with serve(directory, config_of(openai_emulator, "direct"), variables=variables) as served:
            with OpenAI(base_url=served.base_url, api_key=MASTER_KEY, max_retries=0, timeout=30) as client:
                ask(client, stream=False, headers=TRACED)
                time.sleep(0.2)  # an export is under way
                slowest = 0.0
                for at in range(30):
                    began = time.monotonic()
                    ask(client, stream=bool(at % 2), headers=TRACED)
                    slowest = max(slowest, time.monotonic() - began)
            assert slowest < SOON_S
            began = time.monotonic()
            served.running.signal()
            assert served.running.wait() == 0
            assert time.monotonic() - began < 3.0 + SOON_S
    lines = served.running.events("request_finished")
    assert {line["outcome"] for line in lines} == {"ok"}
    assert len(lines) == 31


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Return the variables of a process in which OpenTelemetry is not installed."""
    path = tmp_path_factory.mktemp("without") / "opentelemetry"
    path.mkdir()
    (path / "__init__.py").write_text("raise ModuleNotFoundError('opentelemetry')\n")
    return {"PYTHONPATH": os.pathsep.join((str(path.parent), str(ROOT)))}


@pytest.mark.parametrize("command", ["check", "serve"])
@pytest.mark.parametrize("asked", ["configuration", "environment"])
def test_what_is_asked_for_and_not_installed_is_a_fault(
    directory: Path, openai_emulator: OpenAIEmulator, without: Mapping[str, str], command: str, asked: str
) -> None:
    """``check`` and ``serve`` end with an error if tracing is asked for and OpenTelemetry is not installed."""
    general = {"tracing": {"enabled": True}} if asked == "configuration" else {}
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"} if asked == "environment" else {}
    path = directory / f"{command}-{asked}-untraced.yaml"
    path.write_text(yaml.safe_dump(config_of(openai_emulator, "direct", **general)))
    running = Running(directory, command, "--config", str(path), variables={**without, **variables})

    assert running.wait() == 2
    [line] = running.errors.splitlines()
    assert "general_settings.tracing.enabled" in line
    assert "turnright[otel]" in line
    assert running.output == ""


def test_without_it_contexts_are_passed_on(
    directory: Path, openai_emulator: OpenAIEmulator, without: Mapping[str, str], transport: str
) -> None:
    """Without OpenTelemetry the client's trace is still passed on to the provider and logged."""
    variables = {**without, "OTEL_SERVICE_NAME": "x", "OTEL_TRACES_SAMPLER": "always_on"}
    with serve(directory, config_of(openai_emulator, transport), variables=variables) as served:
        with OpenAI(base_url=served.base_url, api_key=MASTER_KEY, max_retries=0, timeout=30) as client:
            for stream in (False, True):
                ask(client, stream=stream, headers=TRACED)
            [whole, streamed] = parents_told(openai_emulator)
            assert len({whole, streamed, SPAN}) == 3
            openai_emulator.requests.clear()
            ask(client, stream=False, headers={})
        lines = served.running.wait_for_events("request_finished", 3)

    [untraced] = openai_emulator.requests
    assert not {"traceparent", "tracestate"} & {name.lower() for name in untraced.headers}
    assert [line["trace_id"] for line in lines] == [TRACE, TRACE, None]


def test_a_variable_that_cannot_be_used_is_told(directory: Path, openai_emulator: OpenAIEmulator) -> None:
    """An unusable ``OTEL_`` variable ends the process with one line and no traceback."""
    path = directory / "unusable.yaml"
    path.write_text(yaml.safe_dump(config_of(openai_emulator, "direct", tracing={"enabled": True})))
    variables = {"OTEL_BSP_MAX_QUEUE_SIZE": "-1"}
    running = Running(directory, "serve", "--config", str(path), "--port", "0", variables=variables)

    assert running.wait() == 2
    assert len(running.errors.splitlines()) == 1
    assert "OTEL_" in running.errors


WITH_HEADERS = [model for model in MODELS if route_of(model) != "gemini"]
"""``tests/proxy/observability/tracing/test_propagated_trace.py`` covers Gemini, whose emulator keeps no headers."""


@BOTH
@pytest.mark.parametrize("model", WITH_HEADERS)
def test_every_provider_has_it(everywhere: Everywhere, http: httpx.Client, model: str, stream: bool) -> None:
    """Every provider but Gemini gets the trace headers here, and its request succeeds."""
    provider = everywhere.of(model)
    assert isinstance(provider, InAThread)
    address = f"{everywhere.served.base_url}/chat/completions"
    request = json.dumps(body(model, [{"role": "user", "content": "Hello."}], stream=stream)).encode()
    response = http.post(address, content=request, headers=TRACED)

    assert response.status_code == 200, response.text
    [sent] = provider.emulator.requests
    headers = {name.lower(): value for name, value in sent.headers.items()}
    assert headers["traceparent"].startswith(f"00-{TRACE}-")
    assert SPAN not in headers["traceparent"]
    assert headers["tracestate"] == TRACED["tracestate"]
    assert "baggage" not in headers
