"""Tests of the buffer that holds a stream back: the whole answer of its chunks, and the chunks that it returns."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from proxy.core.json_text import write_json
from proxy.core.source import AnswerSource
from proxy.forwarding import answer_buffer
from proxy.forwarding.answer_buffer import AnswerBuffer
from proxy.forwarding.write_events import HeldEvent


def chunk(delta: Any, finish: str | None = None, index: int = 0) -> dict[str, Any]:
    """Build a normalized chunk."""
    return {"id": "x", "choices": [{"index": index, "delta": delta, "finish_reason": finish}]}


def piece(index: int, arguments: Any = None, name: Any = None, **fields: Any) -> dict[str, Any]:
    """Build a delta with a piece of a call."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {"tool_calls": [{"index": index, "function": function, **fields}]}


def held(*chunks: Any) -> AnswerBuffer:
    """Return a buffer that holds *chunks*."""
    buffer = AnswerBuffer()
    for each in chunks:
        buffer.add(each, write_json(each))
    return buffer


CALLS = [
    chunk({"role": "assistant", "content": "Well."}),
    chunk(piece(0, "", "f", id="a", type="function")),
    chunk(piece(0, '{"x":')),
    chunk(piece(1, '{"y"', "g", id="b", type="function")),
    chunk(piece(0, "1}")),
    chunk({**piece(1, ":2}"), "content": "!"}),
    chunk({}, "tool_calls"),
    {"id": "x", "choices": [], "usage": {"total_tokens": 1}},
]


def test_pieces_of_interleaved_calls_are_joined_in_order() -> None:
    """Each call gets the pieces of its own index."""
    [choice] = held(*CALLS).whole()["choices"]

    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["tool_calls"] == [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}},
        {"id": "b", "type": "function", "function": {"name": "g", "arguments": '{"y":2}'}},
    ]


def test_unchanged_chunks_are_returned_as_the_same_bytes() -> None:
    """An answer that was held back and not corrected is returned as the same bytes."""
    buffer = held(*CALLS)
    came = [write_json(each) for each in CALLS]

    assert buffer.chunks() == came
    assert buffer.chunks(buffer.whole()) == came


def test_mended_call_is_written_once_in_its_first_piece() -> None:
    """A corrected call is written in full in its first chunk, and its other pieces are left out.

    All other chunks stay unchanged.
    """
    buffer = held(*CALLS)
    answer = buffer.whole()
    message = answer["choices"][0]["message"]
    mended = {**message["tool_calls"][1], "function": {"name": "h", "arguments": '{"z":3}'}}
    answer["choices"][0]["message"] = {**message, "tool_calls": [message["tool_calls"][0], mended]}
    events = [json.loads(written) for written in buffer.chunks(answer) if isinstance(written, bytes)]

    assert events[:3] == CALLS[:3]
    assert events[3]["choices"][0]["delta"]["tool_calls"] == [
        {"index": 1, "id": "b", "type": "function", "function": {"name": "h", "arguments": '{"z":3}'}}
    ]
    assert events[4] == CALLS[4]
    assert events[5]["choices"][0]["delta"] == {"content": "!"}
    assert events[6:] == CALLS[6:]
    assert held(*events).whole()["choices"][0]["message"]["tool_calls"] == [message["tool_calls"][0], mended]


def test_calls_of_two_choices_with_equal_indexes_are_kept_apart() -> None:
    """Pieces of calls are joined by the index of the choice and of the call."""
    first, second = held(
        chunk(piece(0, "{", "f", id="a", type="function")),
        chunk(piece(0, "[", "g", id="b", type="function"), index=1),
        chunk(piece(0, "}"), "tool_calls"),
        chunk(piece(0, "]"), "length", index=1),
    ).whole()["choices"]

    assert first["message"]["tool_calls"][0]["function"] == {"name": "f", "arguments": "{}"}
    assert second["message"]["tool_calls"][0]["function"] == {"name": "g", "arguments": "[]"}
    assert (first["finish_reason"], second["finish_reason"]) == ("tool_calls", "length")


def test_repeated_name_of_a_call_is_kept_once() -> None:
    """Some servers repeat the name with every piece. Some servers send arguments as objects."""
    [choice] = held(
        chunk(piece(0, "{", "f", id="a")), chunk(piece(0, "}", "f")), chunk(piece(1, {"x": 1}, 5, id="b"))
    ).whole()["choices"]

    assert [call["function"] for call in choice["message"]["tool_calls"]] == [
        {"name": "f", "arguments": "{}"},
        {"name": "", "arguments": {"x": 1}},
    ]


def test_buffer_over_its_limit_is_full(monkeypatch: Any) -> None:
    """The buffer is full when its chunks have more bytes than ``LARGEST``."""
    monkeypatch.setattr(answer_buffer, "LARGEST", 300)

    assert not held(CALLS[0]).is_full
    assert held(*CALLS).is_full


def test_buffer_holds_no_parsed_chunks() -> None:
    """The buffer keeps no parsed chunk, since a parsed chunk takes eight times the memory of its bytes."""
    buffer, one = AnswerBuffer(), chunk({**piece(0, "{", "f"), "content": "Well."})
    before = sys.getrefcount(one)
    buffer.add(one, write_json(one))

    assert sys.getrefcount(one) == before


def test_arguments_of_many_pieces_are_joined_once() -> None:
    """A call's arguments are joined once, since a join at each piece would copy all earlier text again."""

    class Text(str):
        __slots__ = ()

        def __radd__(self, before: str) -> str:
            raise AssertionError(f"joined to {len(before)} characters")

    [choice] = held(*[chunk(piece(0, Text(text), "f")) for text in ('{"a"', ":", "1}")]).whole()["choices"]

    assert choice["message"]["tool_calls"][0]["function"]["arguments"] == '{"a":1}'


def test_native_event_is_sent_except_where_its_call_was_mended() -> None:
    """Native events are sent, except for a corrected call, which is sent as its canonical chunk."""
    buffer = AnswerBuffer()
    for number, each in enumerate(CALLS):
        buffer.add(each, write_json(each), AnswerSource("toy", {"number": number}))
    native = [HeldEvent(write_json({"number": at}), write_json(each)) for at, each in enumerate(CALLS)]
    assert buffer.chunks() == native
    assert buffer.chunks(buffer.whole()) == native

    answer = buffer.whole()
    message = answer["choices"][0]["message"]
    mended = {**message["tool_calls"][1], "function": {"name": "h", "arguments": '{"z":3}'}}
    answer["choices"][0]["message"] = {**message, "tool_calls": [message["tool_calls"][0], mended]}
    found = buffer.chunks(answer)
    assert [at for at, one in enumerate(found) if one != native[at]] == [3, 5]
    assert isinstance(found[3], bytes)
    assert json.loads(found[3])["choices"][0]["delta"]["tool_calls"][0]["function"] == mended["function"]


def test_native_events_count_for_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes of native events count for the buffer's limit, like those of chunks."""
    monkeypatch.setattr(answer_buffer, "LARGEST", 1_000)
    buffer = AnswerBuffer()
    buffer.add(CALLS[0], write_json(CALLS[0]), AnswerSource("toy", {"thought": "x" * 1_000}))

    assert buffer.is_full
