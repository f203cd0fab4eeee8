"""Tests that every answer and error on a path is written in the client format of the path."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from proxy.core.errors import UpstreamUnreachable
from proxy.ingress import formats
from tests.proxy.forwarding.attempting import refused
from tests.support.proxied import CHAT, MODEL, Proxied, Reply, proxied, settings_of
from tests.support.scripted_upstream import STOP, Pause, ScriptedUpstream, answer, chunk, say
from tests.support.toy_format import TOY, TOY_PATH

ASKED = {"ask": MODEL, "about": "Hi."}
LIVE = {**ASKED, "live": True}


@pytest.fixture
def upstream() -> ScriptedUpstream:
    """Return the scripted provider."""
    return ScriptedUpstream()


@pytest.fixture
async def proxy(monkeypatch: pytest.MonkeyPatch, upstream: ScriptedUpstream) -> AsyncIterator[Proxied]:
    """Serve a proxy whose table of client formats has the toy format."""
    monkeypatch.setitem(formats.FORMATS, TOY_PATH, TOY)
    settings = settings_of(router_settings={"num_retries": 1})
    async with proxied(settings, upstream) as serving:
        yield serving


def events_of(reply: Reply) -> list[tuple[str, Any]]:
    """Return the name and the fields of each event of a reply in the toy format."""
    assert reply.status == 200, reply.raw
    events = [event.split("\n") for event in reply.raw.decode().removesuffix("\n\n").split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in events]


async def test_whole_answer_without_an_id_gets_one_with_the_formats_prefix(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """An answer without a provider's id gets the request's id, after the prefix of the client's format."""
    upstream.then({**answer("Good day."), "id": None})
    reply = await proxy.post(ASKED, TOY_PATH)

    assert reply.status == 200
    assert reply.json["text"] == "Good day."
    assert reply.json["in"] == "toy:" + reply.headers["x-request-id"].removeprefix("req_")
    assert await proxy.count("requests_total", route=TOY_PATH, outcome="ok") == 1


async def test_format_has_metric_series_before_its_first_request(proxy: Proxied) -> None:
    """A format's metric series exist before its first request, since PromQL's ``rate`` misses a first count."""
    outcomes = {
        path: {
            dict(labels)["outcome"]
            for (name, labels) in await proxy.metrics()
            if name == "turnright_requests_total" and {("route", path), ("model", MODEL)} <= set(labels)
        }
        for path in (TOY_PATH, CHAT)
    }

    assert len(outcomes[CHAT]) > 3
    assert outcomes[TOY_PATH] == outcomes[CHAT]


async def test_chunks_of_a_stream_are_written_by_the_format(proxy: Proxied) -> None:
    """A stream is written with the events and the content type of the path's format."""
    reply = await proxy.post(LIVE, TOY_PATH)
    events = events_of(reply)

    assert reply.headers["content-type"] == TOY.stream_content_type
    assert [name for name, _ in events] == ["said", "said", "over"]
    assert [fields["number"] for _, fields in events] == [1, 2, 3]
    assert "".join(fields.get("text", "") for _, fields in events) == "Good day."


async def test_retried_stream_has_a_new_writer(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """The event numbers of a retry begin at 1, since no event of the failed attempt was sent."""
    upstream.then(chunk({"content": " "}), refused(503))
    events = events_of(await proxy.post(LIVE, TOY_PATH))

    assert len(upstream.calls) == 2
    assert [fields["number"] for _, fields in events] == [1, 2, 3]


async def test_error_is_the_last_event_of_a_stream_that_breaks_off(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """In a stream that breaks off the error is the last event, without the format's end marker."""
    upstream.then(say("Good "), UpstreamUnreachable("It broke."))
    said, fault = events_of(await proxy.post(LIVE, TOY_PATH))

    assert said[1]["number"] == 1
    assert fault == ("fault", {"number": 2, "why": "It broke.", "name": "upstream_unreachable"})


async def test_silent_stream_is_kept_alive_with_the_formats_bytes(
    proxy: Proxied, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A silent stream is kept alive with the format's own bytes, which no client takes for an answer."""
    monkeypatch.setattr("proxy.forwarding.event_stream.HOLD_S", 0.05)
    monkeypatch.setattr("proxy.forwarding.event_stream.KEEP_ALIVE_S", 0.05)
    upstream.then(Pause(0.3), say("Good day."), STOP)
    names = [name for name, _ in events_of(await proxy.post(LIVE, TOY_PATH))]

    assert names[0] == "wait"
    assert [name for name in names if name != "wait"] == ["said", "over"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [(b"{", 400, "invalid_request"), ({**ASKED, "ask": "none"}, 404, "model_not_found")],
    ids=["unreadable", "no such model"],
)
async def test_refusal_is_written_in_the_paths_format(
    proxy: Proxied, body: Any, status: int, code: str
) -> None:
    """The error has the shape that the path's format defines."""
    reply = await proxy.post(body, TOY_PATH)

    assert (reply.status, reply.json["name"]) == (status, code)
    assert reply.json.keys() == {"why", "name"}


async def test_providers_failure_is_written_in_the_paths_format(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """Requests for whole answers and for streams both get the failure in the path's format."""
    for body in (ASKED, LIVE):
        upstream.then(refused(401, "No entry."))
        reply = await proxy.post(body, TOY_PATH)
        assert reply.status == 401
        assert reply.json.keys() == {"why", "name"}


async def test_other_paths_keep_their_own_error_format(proxy: Proxied) -> None:
    """An additional format affects only its own path."""
    assert (await proxy.post(b"{")).error["code"] == "invalid_request"
    assert (await proxy.post(b"{", "/v1/nowhere")).error["code"] == "not_found"
