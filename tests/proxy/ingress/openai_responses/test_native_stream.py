"""A provider's own events in a client's stream, alone and mixed with canonical chunks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.answers.normalize import ChunkNormalizer
from proxy.core.errors import UpstreamFault
from proxy.core.source import SOURCE
from proxy.upstream.wires.openai_responses.output import CallNames
from proxy.upstream.wires.openai_responses.streams import StreamReader
from tests.proxy.ingress.openai_responses.responding import RESPONSE_ID, answers
from tests.support.native_responses import CALL, CUSTOM, ITEMS, MESSAGE, TOOLS, stream_of
from tests.support.responses_grammar import events_of, find_stream_faults

SECOND = {**CALL, "id": "fc_2", "call_id": "call_two", "arguments": '{"y":[1,2]}'}
ANSWER = [*ITEMS, CUSTOM, SECOND]


def chunks_of(events: list[dict[str, Any]]) -> list[tuple[Any, Any]]:
    """Return each event with its normalized chunk, or with None where the chunk says nothing."""
    reader = StreamReader(CallNames(answers(tools=TOOLS).table), native=True)
    normalizer = ChunkNormalizer(fallback_id="x", created=1, model="m", include_usage=True)
    found = []
    for event in events:
        for chunk in reader.feed(json.dumps(event).encode()):
            found.append((chunk[SOURCE].event, normalizer.normalize(chunk) or normalizer.head_chunk()))
    return found


def relay(events: list[dict[str, Any]], changed: set[int], dropped: frozenset[int] = frozenset()) -> bytes:
    """Return the stream where the events at *changed* come canonically, and those at *dropped* not at all.

    No repair changes an event that says nothing in a chat.
    """
    writer = answers(tools=TOOLS).write_stream()
    raw = b""
    for at, (event, chunk) in enumerate(chunks_of(events)):
        if at in changed and chunk["choices"]:
            raw += writer.write_chunk(chunk)
        elif at not in dropped:
            raw += writer.write_native(event, chunk)
    return raw + writer.write_end()


def test_events_stay_as_they_came() -> None:
    events = events_of(relay(stream_of(ANSWER), set()))

    assert [event["type"] for event in events] == [event["type"] for event in stream_of(ANSWER)]
    assert {event["response"]["id"] for event in events if "response" in event} == {RESPONSE_ID}
    assert events[-1]["response"]["output"] == ANSWER


@pytest.mark.parametrize("at", range(2, len(stream_of(ANSWER))))
def test_stream_is_legal_and_whole_wherever_a_canonical_chunk_comes_between(at: int) -> None:
    """The words and the calls are the same, in items of their own where they must be."""
    raw = relay(stream_of(ANSWER), {at})
    output = events_of(raw)[-1]["response"]["output"]

    assert find_stream_faults(raw) == []
    texts = [part["text"] for item in output if item["type"] == "message" for part in item["content"]]
    assert "".join(texts) == "Well. ✓"
    calls = {
        item["call_id"]: item.get("arguments", item.get("input")) for item in output if "call_id" in item
    }
    assert calls == {"call_abc": '{"x":1}', "call_c": 'text("hi")', "call_two": '{"y":[1,2]}'}


@pytest.mark.parametrize("at", range(2, len(stream_of([MESSAGE, CALL]))))
def test_stream_that_is_canonical_from_some_event_on_is_legal(at: int) -> None:
    events = stream_of([MESSAGE, CALL])
    raw = relay(events, set(range(at, len(events))))
    output = events_of(raw)[-1]["response"]["output"]

    assert find_stream_faults(raw) == []
    assert [item["arguments"] for item in output if item["type"] == "function_call"] == ['{"x":1}']


def test_item_whose_beginning_was_held_back_leaves_no_event() -> None:
    """The turn guard holds calls back. The items behind them move up."""
    events = stream_of([CALL, MESSAGE])
    held = frozenset(at for at, event in enumerate(events) if event["type"].endswith("item.added") and at < 4)
    raw = relay(events, set(), held)

    kinds = [(event["type"], event.get("output_index")) for event in events_of(raw)]
    assert not any("arguments" in kind for kind, _ in kinds)
    assert {index for _, index in kinds} == {None, 0}
    assert events_of(raw)[-1]["response"]["output"] == [MESSAGE]
    assert find_stream_faults(raw) == []


@pytest.mark.parametrize("kept", range(1, len(stream_of(ANSWER)) - 1))
def test_error_ends_the_stream_wherever_it_comes(kept: int) -> None:
    writer = answers(tools=TOOLS).write_stream()
    raw = b"".join(writer.write_native(event, chunk) for event, chunk in chunks_of(stream_of(ANSWER))[:kept])
    raw += writer.write_error(UpstreamFault("Broken."))

    assert find_stream_faults(raw) == []
    last = events_of(raw)[-1]
    assert (last["type"], last["response"]["id"]) == ("response.failed", RESPONSE_ID)


def test_whole_text_without_pieces_gets_one() -> None:
    """langchain-openai reads pieces alone."""
    events = [event for event in stream_of([MESSAGE, CALL]) if not event["type"].endswith(".delta")]
    raw = relay(events, set())

    assert find_stream_faults(raw) == []
    kinds = [event["type"] for event in events_of(raw)]
    assert (
        kinds.count("response.output_text.delta")
        == kinds.count("response.function_call_arguments.delta")
        == 1
    )
