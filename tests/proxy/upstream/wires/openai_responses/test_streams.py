"""Tests of streamed responses as chunks of a chat."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from proxy.core.errors import AnswerUnusable, UpstreamFault
from proxy.core.failures import Cause
from proxy.core.source import SOURCE
from proxy.core.upstream_call import Chunk
from proxy.upstream.wires.openai_responses.output import CallNames
from proxy.upstream.wires.openai_responses.streams import StreamReader
from tests.support.native_responses import CALL, CUSTOM, ITEMS, MESSAGE, THOUGHT, response, stream_of

BARE = CallNames(None)


def read(events: Sequence[Any], *, native: bool = False) -> list[Chunk]:
    """Return the chunks of *events*, the stream's end included."""
    reader = StreamReader(BARE, native=native)
    chunks = [chunk for event in events for chunk in reader.feed(json.dumps(event).encode())]
    return chunks + reader.close()


def said(chunks: list[Chunk], name: str) -> str:
    """Return the joined texts of a delta's field."""
    return "".join(choice["delta"].get(name) or "" for chunk in chunks for choice in chunk["choices"])


def calls_in(chunks: list[Chunk]) -> dict[int, list[Any]]:
    """Return the id, the name and the joined arguments of each call."""
    found: dict[int, list[Any]] = {}
    for chunk in chunks:
        for choice in chunk["choices"]:
            for piece in choice["delta"].get("tool_calls") or ():
                call = found.setdefault(piece["index"], [piece.get("id"), piece["function"].get("name"), ""])
                call[2] += piece["function"]["arguments"]
    return found


def test_stream_says_the_same_as_the_whole_response() -> None:
    chunks = read(stream_of([*ITEMS, CUSTOM]))

    assert said(chunks, "content") == "Well. ✓"
    assert calls_in(chunks) == {
        0: ["call_abc", "f", '{"x":1}'],
        1: ["call_c", "ex", '{"input": "text(\\"hi\\")"}'],
    }
    assert chunks[0]["model"] == "grok-4"
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"
    assert chunks[-1]["usage"]["prompt_tokens"] == 10


@pytest.mark.parametrize("tier", ["priority", None])
def test_the_usage_comes_with_the_service_tier_that_decides_its_price(tier: str | None) -> None:
    *events, last = stream_of([MESSAGE])
    chunk = read([*events, {**last, "response": {**last["response"], "service_tier": tier}}])[-1]

    assert chunk["usage"]["prompt_tokens"] == 10
    assert chunk["service_tier"] == tier


LATER: dict[str, Any] = {**MESSAGE, "id": "msg_2"}
TOKENS = [{"token": "W", "logprob": -0.1}]
WITH_LOGPROBS = {**LATER, "content": [{**part, "logprobs": TOKENS} for part in LATER["content"]]}


@pytest.mark.parametrize("second", [LATER, WITH_LOGPROBS])
@pytest.mark.parametrize("only", [".delta", ".done"])
def test_texts_of_several_messages_are_apart_for_a_chat(second: dict[str, Any], only: str) -> None:
    """A codex model comments on its work, calls, and answers. Its own format has the messages apart."""
    events = [
        event
        for event in stream_of([MESSAGE, CALL, second])
        if "output_text" not in event["type"] or event["type"].endswith(only)
    ]

    assert said(read(events), "content") == "Well. ✓\n\nWell. ✓"
    assert said(read(events, native=True), "content") == "Well. ✓Well. ✓"
    assert said(read(stream_of([CALL, MESSAGE])), "content") == "Well. ✓"


def test_each_event_is_the_source_of_one_chunk() -> None:
    """A client of the same format gets each event, also those that say nothing in a chat."""
    events = stream_of(ITEMS)
    chunks = read(events, native=True)

    assert [chunk[SOURCE].event for chunk in chunks] == events


@pytest.mark.parametrize("item", [MESSAGE, CALL, CUSTOM], ids=lambda item: str(item["type"]))
def test_whole_texts_are_read_where_no_piece_came(item: dict[str, Any]) -> None:
    """Some servers send no deltas, and some no more than the ended item."""
    events = [event for event in stream_of([item]) if not event["type"].endswith(".delta")]
    whole = read(stream_of([item]))

    assert said(read(events), "content") == said(whole, "content")
    assert calls_in(read(events)) == calls_in(whole)
    if item is not MESSAGE:
        ended = [
            event for event in events if "arguments" not in event["type"] and "input" not in event["type"]
        ]
        assert calls_in(read(ended)) == calls_in(whole)


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("done", [False, True])
def test_answer_of_the_last_event_alone_is_read(native: bool, done: bool) -> None:
    """Some servers send no pieces. An answer that says nothing to the client would be lost words."""
    kept = {"response.created", "response.completed"} | ({"response.output_item.done"} if done else set())
    chunks = read([event for event in stream_of([*ITEMS, CUSTOM]) if event["type"] in kept], native=native)

    assert said(chunks, "content") == "Well. ✓"
    assert calls_in(chunks) == {
        0: ["call_abc", "f", '{"x":1}'],
        1: ["call_c", "ex", '{"input": "text(\\"hi\\")"}'],
    }
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"


def test_nothing_is_read_after_the_last_event() -> None:
    reader = StreamReader(BARE, native=True)
    for event in stream_of([MESSAGE]):
        assert not reader.ended
        assert not reader.may_end(1)
        reader.feed(json.dumps(event).encode())

    assert (reader.ended, reader.may_end(1), reader.is_over()) == (True, True, True)
    assert (reader.feed(b"[DONE]"), reader.feed(b'{"type":"x"}'), reader.close()) == ([], [], [])


@pytest.mark.parametrize("kept", range(len(stream_of([MESSAGE]))))
def test_cut_stream_is_a_fault(kept: int) -> None:
    with pytest.raises(UpstreamFault) as raised:
        read(stream_of([MESSAGE])[:kept])

    assert raised.value.cause is (Cause.TRUNCATED if kept else Cause.EMPTY)


@pytest.mark.parametrize(
    ("event", "status"),
    [
        ({"type": "error", "code": "rate_limit_exceeded", "message": "Slow.", "param": None}, 429),
        ({"type": "error", "error": {"code": "invalid_prompt", "message": "No."}}, 400),
        ({"error": {"code": "server_error", "message": "Oh."}}, 500),
        ({"type": "response.failed", "response": response([], "failed", error={"code": "slow_down"})}, 503),
        ({"type": "response.failed", "response": None}, 500),
    ],
)
def test_error_in_the_stream_is_raised(event: dict[str, Any], status: int) -> None:
    with pytest.raises(UpstreamFault) as raised:
        read([*stream_of([MESSAGE])[:4], event])

    assert raised.value.upstream_status == status


@pytest.mark.parametrize(
    "event",
    [
        [],
        "x",
        {"type": "response.created", "response": None},
        {"type": "response.completed", "response": 3},
        {"type": "response.output_item.added", "output_index": 0, "item": "x"},
        {"type": "response.output_text.delta", "output_index": 0, "delta": 1},
    ],
)
def test_odd_event_is_a_fault(event: Any) -> None:
    with pytest.raises(UpstreamFault):
        read([event])


def test_stream_of_a_thought_without_words_is_unusable() -> None:
    """Codex takes it for the end of its task."""
    with pytest.raises(AnswerUnusable):
        read(stream_of([{**THOUGHT, "summary": []}]))
