"""Tests that a client of the provider's own format gets the provider's own events.

The tests use an invented client format and an invented provider's format, both called toy, over sockets.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proxy.ingress import formats
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.upstream.provider import KEY, Exchange, head, piece, providing, text_of, whole
from tests.proxy.upstream.wires.samples.sample import write_events
from tests.proxy.upstream.wires.toy.plugging import plug_in_toy
from tests.support.proxied import MODEL, Proxied, Reply, chat, proxied, settings_of
from tests.support.scripted_upstream import answer
from tests.support.toy_format import TOY, TOY_PATH

TOOL = "mcp.server/tool:do it"
"""A tool's name that no provider accepts, so that the proxy renames the tool."""

ASKED = {"ask": MODEL, "about": "Hi.", "may": [TOOL, "plain"]}
LIVE = {**ASKED, "live": True}
BEGIN, CITATION, THOUGHT = (
    {"by": "talker-0612"},
    {"cites": "https://a.test"},
    {"ponders": "Hm.", "seal": "s1"},
)


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the toy's wire and the toy's client format to their tables."""
    plug_in_toy(monkeypatch)
    monkeypatch.setitem(formats.FORMATS, TOY_PATH, TOY)


def uses(arguments: str, *, at: int = 0, **head: str) -> dict[str, Any]:
    """Return the toy's event with a piece of a call."""
    return {"uses": [{"at": at, **head, "with": arguments}]}


@asynccontextmanager
async def answering(*events: Any, model: str = "toy/talker", **sections: Any) -> AsyncIterator[Proxied]:
    """Serve the proxy in front of a provider that streams *events*. A single event is sent as a whole answer."""

    async def script(exchange: Exchange) -> None:
        sent["name"] = used_name(exchange)
        written = json.loads(json.dumps(events).replace("RENAMED", sent["name"]))
        if len(written) == 1:
            await exchange.send(whole(json.dumps(written[0]).encode()))
        else:
            await exchange.send(head(), piece(write_events(*written)), piece(b""))

    sent: dict[str, str] = {}
    async with providing(script) as provider, asyncio.timeout(60):
        entry = {"model": model, "api_base": f"http://127.0.0.1:{provider.port}", "api_key": KEY}
        settings = settings_of({MODEL: entry}, **sections)
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            yield proxy


def used_name(exchange: Exchange) -> str:
    """Return the first tool's name in the provider's request, or an empty text."""
    tools = json.loads(exchange.body).get("settings", {}).get("tools")
    return str(tools[0]["function"]["name"]) if tools else ""


def events_of(reply: Reply) -> list[tuple[str, Any]]:
    """Return the name and the fields of each event that a toy client got.

    The events' numbers must be in order, and are left out.
    """
    assert reply.status == 200, reply.raw
    events = [event.split("\n") for event in reply.raw.decode().removesuffix("\n\n").split("\n\n")]
    found = [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in events]
    assert [fields.pop("number") for _, fields in found] == list(range(1, len(found) + 1))
    return found


def native(*events: Any) -> list[tuple[str, Any]]:
    """Return *events* as a toy client gets them, followed by the end event."""
    return [*(("native", event) for event in events), ("over", {})]


STREAM = [
    BEGIN,
    {"more": "Well. ✓"},
    CITATION,
    uses("", id="a", tool="RENAMED"),
    uses('{"x":'),
    uses("1}"),
    THOUGHT,
    uses('{"y":2}', at=1, id="b", tool="plain"),
    {"because": "uses", "stopped_at": "###"},
]


@pytest.mark.parametrize("correction", ["off", "always"], ids=["passed on", "held back"])
async def test_native_events_reach_the_client(correction: str) -> None:
    """All native events reach the client in order, also those that no canonical chunk expresses.

    The model and the tool have the names that the client knows.
    """
    async with answering(*STREAM, router_settings={"self_correction": correction}) as proxy:
        events = events_of(await proxy.post(LIVE, TOY_PATH))

    assert events == native({"by": "talker"}, *STREAM[1:3], uses("", id="a", tool=TOOL), *STREAM[4:])


async def test_illegal_id_is_ours() -> None:
    """An illegal call id in a native event is replaced by a legal one."""
    stream = [{"more": "Well."}, uses('{"x":1}', id="no id!", tool="plain"), {"because": "uses"}]
    async with answering(*stream) as proxy:
        events = events_of(await proxy.post(LIVE, TOY_PATH))

    assert [name for name, _ in events] == ["native"] * 3 + ["over"]
    [used] = events[1][1]["uses"]
    assert used.keys() == {"at", "id", "tool", "with"}
    assert used["id"] != "no id!"
    assert " " not in used["id"]


async def test_repaired_call_goes_out_canonically() -> None:
    """Arguments that were encoded twice reach the client as one object, in canonical events.

    The events around the call stay native.
    """
    stream = [CITATION, uses(json.dumps('{"x":1}'), id="a", tool="plain"), THOUGHT, {"because": "uses"}]
    async with answering(*stream) as proxy:
        events = events_of(await proxy.post(LIVE, TOY_PATH))

    assert events[0] == ("native", CITATION)
    assert ("native", THOUGHT) in events
    pieces = [fields["used"] for name, fields in events if name == "said"]
    assert "".join(piece["function"]["arguments"] for piece in pieces) == '{"x":1}'
    assert not any("uses" in fields for _, fields in events), "the native call would say its arguments twice"


async def test_call_that_self_correction_mends_goes_out_canonically() -> None:
    """A call that self-correction mends becomes a canonical event; the events around the call stay native."""
    stream = [CITATION, uses('{"x":1,}', id="a", tool="plain"), THOUGHT, {"because": "uses", "more": "."}]
    async with answering(*stream, router_settings={"self_correction": "always"}) as proxy:
        reply = await proxy.post(LIVE, TOY_PATH)
        events = events_of(reply)

    assert [name for name, _ in events] == ["native", "said", "native", "native", "over"]
    assert json.loads(events[1][1]["used"]["function"]["arguments"]) == {"x": 1}


WHOLE: dict[str, Any] = {
    "by": "talker-0612",
    "reply": "Well.",
    "uses": [{"id": "a", "tool": "RENAMED", "with": '{"x":1}', "after": THOUGHT}],
    "because": "uses",
    **CITATION,
}


@pytest.mark.parametrize("correction", ["off", "whole", "always"])
async def test_whole_native_answer_reaches_the_client(correction: str) -> None:
    """A whole native answer reaches the client with the names of model and tool that the client knows."""
    async with answering(WHOLE, router_settings={"self_correction": correction}) as proxy:
        reply = await proxy.post(ASKED, TOY_PATH)

    assert reply.status == 200, reply.raw
    [used] = WHOLE["uses"]
    assert reply.json == {"native": {**WHOLE, "by": "talker", "uses": [{**used, "tool": TOOL}]}}


UNUSABLE = '{"x": what'


async def test_unusable_call_is_passed_on_natively() -> None:
    """A call that the model cannot correct is passed on unchanged, with everything around it."""
    stream = [CITATION, uses(UNUSABLE, id="a", tool="plain"), THOUGHT, {"because": "uses"}]
    answered = {"uses": [{"id": "a", "tool": "plain", "with": UNUSABLE}], "because": "uses", **CITATION}
    always = {"self_correction": "always"}
    async with answering(*stream, router_settings=always) as proxy:
        events = events_of(await proxy.post(LIVE, TOY_PATH))
    async with answering(answered, router_settings=always) as proxy:
        reply = await proxy.post(ASKED, TOY_PATH)

    assert events == native(*stream)
    assert reply.json == {"native": answered}


async def test_whole_answer_that_was_repaired_is_canonical() -> None:
    """A repaired whole answer is canonical, since the native answer would hold the model's own arguments."""
    twice = {**WHOLE, "uses": [{"id": "a", "tool": "plain", "with": json.dumps('{"x":1}')}]}
    async with answering(twice) as proxy:
        reply = await proxy.post(ASKED, TOY_PATH)

    assert reply.json["text"] == "Well."
    assert reply.json["used"][0]["function"]["arguments"] == '{"x":1}'
    assert "native" not in reply.json


async def test_whole_answer_where_a_stream_was_asked_for_is_canonical() -> None:
    """A whole native answer is no native event, so that a streaming client gets canonical events."""
    async with answering(WHOLE) as proxy:
        events = events_of(await proxy.post(LIVE, TOY_PATH))

    assert {name for name, _ in events} == {"said", "over"}


@pytest.mark.parametrize("live", [False, True], ids=["whole", "stream"])
async def test_openai_client_of_the_toy_wire_sees_no_native_event(live: bool) -> None:
    """An OpenAI client gets an answer in OpenAI's format, and nothing of the native events."""
    events = [{"more": "Well."}, CITATION, {"because": "finished"}]
    async with answering(
        *(events if live else [{"reply": "Well.", "because": "finished", **CITATION}])
    ) as proxy:
        reply = await proxy.post(chat(stream=live))

    assert reply.status == 200
    said = text_of(reply) if live else reply.json["choices"][0]["message"]["content"]
    assert said == "Well."
    assert b"cites" not in reply.raw
    assert b"source" not in reply.raw


async def test_toy_client_of_openai_s_wire_sees_no_native_event() -> None:
    """A field ``source`` that a server on OpenAI's wire sends is not taken for a native event."""
    given = {**answer("Well."), "source": {"format": "toy", "event": CITATION}}
    async with answering(given, model="openai/gpt-4.1") as proxy:
        replies = [
            await proxy.post({"ask": MODEL, "about": "Hi.", "live": live}, TOY_PATH) for live in (False, True)
        ]

    assert replies[0].json["text"] == "Well."
    assert {name for name, _ in events_of(replies[1])} == {"said", "over"}
    assert all(b"native" not in reply.raw and b"cites" not in reply.raw for reply in replies)


@pytest.mark.parametrize("live", [False, True], ids=["whole", "stream"])
async def test_call_that_the_turn_guard_holds_back_does_not_reach_the_client(live: bool) -> None:
    """A call beyond the turn guard's limit does not reach the client, not even as a native event."""
    calls = [uses('{"x":1}', id="a", tool="plain"), uses('{"y":2}', at=1, id="b", tool="plain")]
    stream = [CITATION, *calls, {"because": "uses"}]
    whole_one = {"uses": [use for event in calls for use in event["uses"]], "because": "uses", **CITATION}
    guard = {"mode": "enforce", "max_calls_per_turn": 1}
    async with answering(*(stream if live else [whole_one]), turns=guard) as proxy:
        reply = await proxy.post(LIVE if live else ASKED, TOY_PATH)

    assert reply.status == 200
    assert b'\\"y\\"' not in reply.raw
    assert b'\\"x\\"' in reply.raw
    if live:
        assert events_of(reply) == native(CITATION, calls[0], stream[-1])
