"""Tests of relaying Claude's own events."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.anthropic_messages.write_stream import MessagesStream
from tests.proxy.ingress.anthropic_messages.deltas import answers, calls, chunk, piece
from tests.support.messages_grammar import events_of, find_stream_faults, message_of

NOTHING: dict[str, Any] = {"choices": []}
START: dict[str, Any] = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 1},
    },
}
END = {
    "type": "message_delta",
    "delta": {"stop_reason": "end_turn", "stop_sequence": None},
    "usage": {"output_tokens": 5},
}
STOP = {"type": "message_stop", "more": 1}


def begin(index: int, block: dict[str, Any]) -> dict[str, Any]:
    """Return the event that begins *block*."""
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, **fields: Any) -> dict[str, Any]:
    """Return an event with a piece of a block."""
    return {"type": "content_block_delta", "index": index, "delta": fields}


def end(index: int) -> dict[str, Any]:
    """Return the event that ends a block."""
    return {"type": "content_block_stop", "index": index}


TEXT = begin(0, {"type": "text", "text": ""})
CALL = begin(1, {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}})


def relay(writer: MessagesStream, *events: tuple[dict[str, Any], dict[str, Any]]) -> bytes:
    """Return what *writer* writes for *events*, each with its canonical chunk."""
    return b"".join(writer.write_native(event, canonical) for event, canonical in events)


def test_only_the_models_name_changes() -> None:
    events: list[dict[str, Any]] = [
        START,
        {"type": "ping"},
        TEXT,
        delta(0, type="text_delta", text="A"),
        {"type": "an event of tomorrow", "x": 1},
        end(0),
        END,
        STOP,
    ]
    writer = answers().write_stream()
    raw = relay(writer, *((event, NOTHING) for event in events)) + writer.write_end()
    named = {**START, "message": {**START["message"], "model": "asked"}}

    assert events_of(raw) == [named, *events[1:]]
    assert writer.write_end() == b""


def test_id_and_name_of_a_call_are_canonical() -> None:
    writer = answers().write_stream()
    first = piece(0, "", begins=True)
    raw = relay(writer, (START, NOTHING), (begin(0, CALL["content_block"]), calls(first)))
    [_, event] = events_of(raw)

    assert (event["content_block"]["id"], event["content_block"]["name"]) == ("call_0", "f0")


def test_block_that_was_left_out_leaves_no_gap() -> None:
    writer = answers().write_stream()
    raw = relay(
        writer,
        (START, NOTHING),
        (delta(0, type="text_delta", text="A"), NOTHING),
        (end(0), NOTHING),
        (begin(1, {"type": "text", "text": ""}), NOTHING),
        (delta(1, type="text_delta", text="B"), NOTHING),
        (end(1), NOTHING),
        (END, NOTHING),
    )

    assert message_of(raw + writer.write_end())["content"] == [{"type": "text", "text": "B"}]


def test_text_goes_on_canonically_where_a_repair_changed_it() -> None:
    writer = answers().write_stream()
    raw = relay(writer, (START, NOTHING), (TEXT, NOTHING), (delta(0, type="text_delta", text="A"), NOTHING))
    raw += writer.write_chunk(chunk(content="B"))
    raw += relay(writer, (end(0), NOTHING), (END, chunk("stop")))
    raw += writer.write_end()

    assert find_stream_faults(raw) == []
    assert message_of(raw)["content"] == [{"type": "text", "text": "AB"}]


def test_call_goes_on_canonically_where_a_repair_changed_it() -> None:
    writer = answers().write_stream()
    raw = relay(
        writer,
        (START, NOTHING),
        (begin(0, CALL["content_block"]), calls(piece(0, "", begins=True))),
        (delta(0, type="input_json_delta", partial_json='{"a":{'), calls(piece(0, '{"a":{'))),
    )
    raw += writer.write_chunk(calls(piece(0, '"b":1}} junk'))) + writer.write_chunk(chunk("tool_calls"))
    raw += writer.write_end()

    assert find_stream_faults(raw) == []
    assert message_of(raw)["content"][0]["input"] == {"a": {"b": 1}}


def test_thoughts_end_where_a_repair_changed_what_follows() -> None:
    writer = answers().write_stream()
    thinking = begin(0, {"type": "thinking", "thinking": "", "signature": ""})
    raw = relay(
        writer,
        (START, NOTHING),
        (thinking, NOTHING),
        (delta(0, type="signature_delta", signature="s"), NOTHING),
    )
    raw += writer.write_chunk(chunk(content="B")) + writer.write_chunk(chunk("stop")) + writer.write_end()

    assert [block["type"] for block in message_of(raw)["content"]] == ["thinking", "text"]


def test_canonical_end_ends_native_blocks() -> None:
    """The turn guard may replace the end of an answer."""
    writer = answers().write_stream()
    raw = relay(writer, (START, NOTHING), (TEXT, NOTHING), (delta(0, type="text_delta", text="A"), NOTHING))
    raw += writer.write_chunk(chunk("stop")) + writer.write_end()

    assert find_stream_faults(raw) == []


def test_stream_that_breaks_off_ends_with_an_error() -> None:
    writer = answers().write_stream()
    raw = relay(writer, (START, NOTHING), (TEXT, NOTHING)) + writer.write_end()

    assert events_of(raw)[-1]["type"] == "error"


def test_missing_last_event_is_written() -> None:
    writer = answers().write_stream()
    relay(writer, (START, NOTHING), (END, NOTHING))

    assert events_of(writer.write_end()) == [{"type": "message_stop"}]


@pytest.mark.parametrize("held", [{}, {"usage": None}])
def test_counts_that_a_server_leaves_out_are_estimated(held: dict[str, Any]) -> None:
    """Anthropic's SDK for Python raises an error without them, and with null."""
    bare = {name: value for name, value in START["message"].items() if name != "usage"}
    start = {**START, "message": {**bare, **held}}
    last = {**{name: value for name, value in END.items() if name != "usage"}, **held}
    writer = answers().write_stream()
    events = (start, TEXT, delta(0, type="text_delta", text="A"), end(0), last, STOP)
    raw = relay(writer, *((event, NOTHING) for event in events)) + writer.write_end()

    assert find_stream_faults(raw) == []
    assert all("input_tokens" in counts for counts in _counts(raw))


def _counts(raw: bytes) -> list[Any]:
    """Return the counts of the first and the last event."""
    told = [event for event in events_of(raw) if event["type"] in ("message_start", "message_delta")]
    return [event.get("message", event)["usage"] for event in told]
