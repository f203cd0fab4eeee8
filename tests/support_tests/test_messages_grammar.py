"""Tests that the checker of message streams finds a fault of each rule, and none in what Anthropic's API sends."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.messages_grammar import (
    events_of,
    find_message_faults,
    find_stream_faults,
    message_of,
)

Json = dict[str, Any]

MESSAGE: Json = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [
        {"type": "thinking", "thinking": "Hm. Yes.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "ZGF0"},
        {"type": "text", "text": "Well.", "citations": [{"cited_text": "W"}]},
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"q": 1}},
        {"type": "tool_use", "id": "toolu_2", "name": "g", "input": {}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 9, "cache_read_input_tokens": 1},
}


def start(index: int, block: Json) -> Json:
    """Return the event that begins a block."""
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **fields: Any) -> Json:
    """Return the event that adds to a block."""
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def stop(index: int) -> Json:
    """Return the event that ends a block."""
    return {"type": "content_block_stop", "index": index}


EVENTS: list[Json] = [
    {"type": "ping"},
    {
        "type": "message_start",
        "message": {
            **MESSAGE,
            "content": [],
            "stop_reason": None,
            "usage": {"input_tokens": 2, "output_tokens": 1},
        },
    },
    start(0, {"type": "thinking", "thinking": "", "signature": ""}),
    {"type": "ping"},
    delta(0, "thinking_delta", thinking="Hm. "),
    delta(0, "thinking_delta", thinking="Yes."),
    delta(0, "signature_delta", signature="c2ln"),
    stop(0),
    start(1, {"type": "redacted_thinking", "data": "ZGF0"}),
    stop(1),
    start(2, {"type": "text", "text": ""}),
    delta(2, "text_delta", text="Well."),
    delta(2, "citations_delta", citation={"cited_text": "W"}),
    stop(2),
    start(3, {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}),
    delta(3, "input_json_delta", partial_json='{"q"'),
    delta(3, "input_json_delta", partial_json=": 1}"),
    stop(3),
    start(4, {"type": "tool_use", "id": "toolu_2", "name": "g", "input": {}}),
    stop(4),
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"input_tokens": 3, "output_tokens": 9, "cache_read_input_tokens": 1},
    },
    {"type": "message_stop"},
]
"""A stream with each kind of block that the proxy writes."""

ERROR: Json = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}

Edit = Callable[[list[Json]], Any]
SIGNATURE, TEXT, CALL, CALL_STOP, END, LAST = 6, 11, 14, 17, 20, 21


def put(at: int, *path: Any) -> Edit:
    """Return an edit that sets the value at a path, which is the last of *path*, within an event."""
    *keys, value = path

    def edit(events: list[Json]) -> None:
        found: Any = events[at]
        for key in keys[:-1]:
            found = found[key]
        found[keys[-1]] = value

    return edit


def without(at: int, *path: Any) -> Edit:
    """Return an edit that removes an event, or the value at a path within an event."""

    def edit(events: list[Json]) -> None:
        found: Any = events
        for key in (at, *path)[:-1]:
            found = found[key]
        del found[(at, *path)[-1]]

    return edit


def added(at: int, *new: Json) -> Edit:
    """Return an edit that puts events before the event at a place."""
    return lambda events: events.__setitem__(slice(at, at), new)


BROKEN: dict[str, tuple[Edit, str]] = {
    "no start": (without(1), "message_start comes first, and once"),
    "two starts": (added(2, EVENTS[1]), "message_start comes first, and once"),
    "content at the start": (put(1, "message", "content", [{"type": "text"}]), "a message begins empty"),
    "reason at the start": (put(1, "message", "stop_reason", "end_turn"), "begins without a reason to stop"),
    "no usage at the start": (without(1, "message", "usage"), "key usage is missing"),
    "no tokens at the start": (put(1, "message", "usage", "input_tokens", 0), "the request has tokens"),
    "a null count": (put(1, "message", "usage", "input_tokens", None), "input_tokens is a count"),
    "no model": (without(1, "message", "model"), "key model is missing"),
    "index left out": (put(10, "index", 3), "the index of a new block"),
    "two open blocks": (without(13), "a block begins within another one"),
    "a block that begins full": (put(10, "content_block", "text", "W"), "a block begins empty"),
    "a call that begins full": (put(14, "content_block", "input", {"q": 1}), "a block begins empty"),
    "a thought without a place for its signature": (
        without(2, "content_block", "signature"),
        "a block begins empty",
    ),
    "no block for a delta": (without(10), "a delta outside of blocks"),
    "delta of another index": (put(TEXT, "index", 1), "a delta has its block's index"),
    "text in a thought": (put(4, "delta", {"type": "text_delta", "text": "x"}), "of another block's kind"),
    "input in a text": (
        put(TEXT, "delta", {"type": "input_json_delta", "partial_json": "{}"}),
        "of another block's kind",
    ),
    "delta in a redacted thought": (added(9, delta(1, "text_delta", text="x")), "of another block's kind"),
    "thought with the field text": (
        put(4, "delta", {"type": "thinking_delta", "text": "Hm."}),
        "a delta has its field",
    ),
    "empty text delta": (put(TEXT, "delta", "text", ""), "an empty delta"),
    "signature in the middle": (
        lambda events: events.insert(4, events.pop(SIGNATURE)),
        "a signature comes last, and once",
    ),
    "two signatures": (added(SIGNATURE, EVENTS[SIGNATURE]), "a signature comes last, and once"),
    "no signature": (without(SIGNATURE), "a thought ends with its signature"),
    "end of no block": (added(14, stop(2)), "a block ends that is open"),
    "end of another index": (put(CALL_STOP, "index", 2), "the index of a block that ends"),
    "text without a delta": (without(TEXT), "an empty text"),
    "input that is no JSON": (without(CALL + 2), "input is an object"),
    "input that is no object": (
        put(CALL + 1, "delta", "partial_json", "[1"),
        "input is an object",
    ),
    "one id twice": (put(18, "content_block", "id", "toolu_1"), "the ids of calls are unique"),
    "illegal id": (put(CALL, "content_block", "id", "a.b"), "the id and the name of a call are legal"),
    "illegal name": (put(CALL, "content_block", "name", "a b"), "the id and the name of a call are legal"),
    "block of an unknown kind": (put(8, "content_block", {"type": "image"}), "an unknown block image"),
    "redacted thought of nothing": (put(8, "content_block", "data", ""), "a redacted thought has its data"),
    "end within a block": (without(19), "message_delta within a block"),
    "no message_delta": (without(END), "message_delta comes before message_stop"),
    "no usage at the end": (put(END, "usage", None), "message_delta has output_tokens"),
    "usage without output_tokens": (
        without(END, "usage", "output_tokens"),
        "message_delta has output_tokens",
    ),
    "counts that fall": (put(END, "usage", "output_tokens", 0), "counts are cumulative"),
    "no stop_sequence": (without(END, "delta", "stop_sequence"), "message_delta says why it stopped"),
    "unknown reason": (put(END, "delta", "stop_reason", "stop"), "an unknown stop_reason"),
    "no reason": (put(END, "delta", "stop_reason", None), "an unknown stop_reason"),
    "calls and another reason": (
        put(END, "delta", "stop_reason", "end_turn"),
        "stop_reason is tool_use where",
    ),
    "stop_sequence without its reason": (
        put(END, "delta", "stop_sequence", "END"),
        "a stop_sequence is told where it stopped the answer",
    ),
    "block behind the end": (added(LAST, start(5, {"type": "text", "text": ""})), "behind message_delta"),
    "no end": (without(LAST), "there is no message_stop and no error"),
    "event behind the end": (added(22, {"type": "ping"}), "an event behind the end"),
    "event of another name": (added(20, {"type": "content_done"}), "an unknown event"),
    "error without a type": (
        lambda events: events.__setitem__(LAST, {"type": "error", "error": {"message": "x"}}),
        "an error says what it is",
    ),
    "event behind an error": (added(LAST, ERROR), "an event behind the end"),
    "nothing": (lambda events: events.clear(), "there is no message_stop and no error"),
    "no content": (
        lambda events: events.__setitem__(slice(2, 20), []),
        "an answer without content",
    ),
}


def write(events: list[Json]) -> bytes:
    """Return the bytes of a stream."""
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()


def test_stream_of_the_api_has_no_fault_and_adds_up_to_its_message() -> None:
    assert find_stream_faults(write(EVENTS)) == []
    assert message_of(write(EVENTS)) == MESSAGE
    assert find_message_faults(MESSAGE) == []


@pytest.mark.parametrize("case", BROKEN)
def test_fault_of_each_rule_is_found(case: str) -> None:
    edit, rule = BROKEN[case]
    events = copy.deepcopy(EVENTS)
    edit(events)

    assert any(rule in fault for fault in find_stream_faults(write(events)))


@pytest.mark.parametrize("count", range(len(EVENTS)))
def test_error_may_end_a_stream_at_any_place(count: int) -> None:
    assert find_stream_faults(write([*EVENTS[:count], ERROR])) == []


@pytest.mark.parametrize("count", range(len(EVENTS)))
def test_stream_that_is_cut_off_is_no_fault_where_the_end_may_be_missing(count: int) -> None:
    assert find_stream_faults(write(EVENTS[:count]), complete=False) == []
    assert find_stream_faults(write(EVENTS[:count])) != []


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded"])
def test_input_may_end_early_where_the_answer_was_cut(reason: str) -> None:
    events = copy.deepcopy(EVENTS)
    del events[CALL + 2]
    events[END - 1]["delta"]["stop_reason"] = reason

    assert find_stream_faults(write(events)) == []


def test_relayed_stream_may_have_unknown_blocks_and_empty_deltas() -> None:
    events = copy.deepcopy(EVENTS)
    events[8:10] = [start(1, {"type": "new", "x": 1}), delta(1, "new_delta", x=2), stop(1)]
    events[12]["delta"]["text"] = ""

    assert find_stream_faults(write(events), relayed=True) == []
    assert find_stream_faults(write(events)) != []


@pytest.mark.parametrize(
    "raw",
    [
        b'data: {"type": "ping"}\n\n',
        b'event: ping\ndata: {"type": "pong"}\n\n',
        b'event: ping\ndata: {"type": "ping"}\n',
        b": comment\n\n",
        b"data: [DONE]\n\n",
    ],
)
def test_other_framing_is_refused(raw: bytes) -> None:
    with pytest.raises(AssertionError):
        events_of(raw)


@pytest.mark.parametrize("name", MESSAGE)
def test_missing_key_of_a_whole_message_is_found(name: str) -> None:
    message = {key: value for key, value in MESSAGE.items() if key != name}

    assert find_message_faults(message) == [f"key {name} is missing"]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"type": "response"}, "a message of the assistant"),
        ({"role": "user"}, "a message of the assistant"),
        ({"id": "chatcmpl-1"}, "the prefix of an id"),
        ({"usage": None}, "usage is an object"),
        ({"usage": {"input_tokens": 3}}, "output_tokens is missing"),
        ({"content": [{"type": "thinking", "thinking": "Hm.", "signature": ""}]}, "has its signature"),
        ({"content": [{"type": "text", "text": ""}], "stop_reason": "end_turn"}, "an empty text"),
    ],
)
def test_fault_of_a_whole_message_is_found(change: Json, rule: str) -> None:
    assert any(rule in fault for fault in find_message_faults(MESSAGE | change))
