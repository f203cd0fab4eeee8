"""Tests of the events of a streamed message as chunks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.canonical_chat import THINKING_LAYOUT
from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.source import ANTHROPIC_MESSAGES, SOURCE, AnswerSource
from proxy.core.upstream_call import Answer, Chunk
from proxy.upstream.chunks_as_whole import chunks_as_whole
from proxy.upstream.wires.anthropic.answers import read_message
from proxy.upstream.wires.anthropic.streams import StreamReader
from tests.proxy.upstream.wires.anthropic.calling import LAST, begin, end, events_of, piece, start, stop

Item = dict[str, Any]


def read(events: Iterable[Item], *, native: bool = False, thinks: bool = False) -> list[Chunk]:
    """Return the chunks of a whole stream."""
    reader = StreamReader(native=native, thinks=thinks)
    chunks = [chunk for event in events for chunk in reader.feed(json.dumps(event).encode())]
    return chunks + reader.close()


def message_of(answer: Answer) -> Item:
    """Return the one message of an answer."""
    [choice] = answer["choices"]
    return {"finish_reason": choice["finish_reason"], **choice["message"]}


TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
BLOCKS = st.lists(
    st.one_of(
        st.builds(lambda text: {"type": "text", "text": text}, TEXTS),
        st.builds(lambda text: {"type": "thinking", "thinking": text, "signature": "s"}, TEXTS),
        st.just({"type": "redacted_thinking", "data": "x"}),
        st.builds(
            lambda name, value: {"type": "tool_use", "id": "", "name": name, "input": {"a": value}},
            st.sampled_from(["f", "g"]),
            TEXTS,
        ),
        st.just({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}),
    ),
    max_size=5,
)


@given(BLOCKS, st.booleans())
def test_stream_says_what_the_whole_message_says(blocks: list[Item], thinks: bool) -> None:
    """Texts, thoughts, calls and their order are the same, whole and streamed."""
    content = [
        {**block, "id": f"t{at}"} if block["type"] == "tool_use" else block for at, block in enumerate(blocks)
    ]
    body = {"id": "msg_1", "model": "claude", "content": content, "stop_reason": "end_turn"}
    whole = read_message(body, thinks=thinks)
    streamed = chunks_as_whole(read(events_of(content), thinks=thinks))
    expected, said = message_of(whole), message_of(streamed)
    assert (said["content"] or "") == (expected["content"] or "")
    for name in ("reasoning_content", THINKING_LAYOUT, "finish_reason"):
        assert (said.get(name) or None) == (expected.get(name) or None)
    calls = [
        {**call, "function": {**call["function"], "arguments": json.loads(call["function"]["arguments"])}}
        for answer in (said, expected)
        for call in answer.get("tool_calls") or ()
    ]
    assert calls[: len(calls) // 2] == calls[len(calls) // 2 :]


def test_calls_are_counted_from_zero() -> None:
    """A call's index is not that of its block. A call without arguments has its object with the end."""
    events = events_of(
        [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "a"},
            {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
            {"type": "tool_use", "id": "t2", "name": "g", "input": {"b": 1}},
        ],
        "tool_use",
    )
    pieces = [
        (part["index"], part.get("id"))
        for chunk in read(events)
        for choice in chunk["choices"]
        for part in choice["delta"].get("tool_calls", ())
    ]
    assert pieces == [(0, "t1"), (1, "t2"), (1, None), (0, None)]


@pytest.mark.parametrize(
    ("given_input", "arguments"), [({"a": 1}, '{"a":1}'), ({}, "{}"), ("", "{}"), ('{"a": 1}', '{"a": 1}')]
)
def test_call_that_comes_whole_keeps_its_arguments(given_input: Any, arguments: str) -> None:
    """Some servers send the input with the start, and no pieces (litellm#25561)."""
    events = [
        begin(),
        start(0, "tool_use", id="t1", name="f", input=given_input),
        stop(0),
        end("tool_use"),
        LAST,
    ]
    [call] = message_of(chunks_as_whole(read(events)))["tool_calls"]
    assert call["function"]["arguments"] == arguments


def test_text_of_a_start_is_not_lost() -> None:
    """Other servers write the first piece into the block."""
    events = [
        begin(),
        start(0, "thinking", thinking="h"),
        piece(0, "thinking", thinking="m"),
        stop(0),
        start(1, "text", text="a"),
        piece(1, "text", text="b"),
        end("end_turn"),
        LAST,
    ]
    said = message_of(chunks_as_whole(read(events)))
    assert (said["reasoning_content"], said["content"]) == ("hm", "ab")
    thought = {"type": "thinking", "thinking": "hm", "signature": ""}
    assert said[THINKING_LAYOUT] == {"entries": [thought, {"type": "text", "length": 2}], "text": "ab"}


def test_block_without_an_end_is_ended_by_the_answer() -> None:
    """Its arguments go out with the finish reason."""
    events = [begin(), start(0, "tool_use", id="t1", name="f", input={"a": 1}), end("tool_use"), LAST]
    said = message_of(chunks_as_whole(read(events)))
    assert said["tool_calls"][0]["function"]["arguments"] == '{"a":1}'


def test_usage_comes_with_the_finish_reason() -> None:
    """Later counts replace those of the start."""
    events = [begin(input_tokens=3, cache_read_input_tokens=9), end("end_turn", output_tokens=4), LAST]
    [chunk] = read(events)
    assert chunk["usage"]["prompt_tokens"] == 12
    assert chunk["usage"]["completion_tokens"] == 4
    assert chunk["choices"] == [{"index": 0, "delta": {}, "finish_reason": "stop"}]


def test_each_event_has_one_chunk_with_its_source() -> None:
    """A client of the Messages API gets the events themselves."""
    citation = piece(0, "citations", citation={"type": "char_location"})
    events = [begin(), {"type": "ping"}, start(0, "text"), citation, piece(0, "text", text="a"), stop(0)]
    events += [{"type": "new_event"}, end("end_turn"), LAST]
    chunks = read(events, native=True)
    assert [chunk[SOURCE] for chunk in chunks] == [
        AnswerSource(ANTHROPIC_MESSAGES, event) for event in events
    ]


@pytest.mark.parametrize(
    "payload",
    [
        b"[]",
        b"{}",
        b'{"type": 3}',
        b'{"type": "message_start"}',
        b'{"type": "content_block_start", "index": 0}',
        b'{"type": "content_block_start", "index": "0", "content_block": {"type": "text"}}',
        b'{"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": 3, "name": "f"}}',
        b'{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}',
        b'{"type": "content_block_delta", "index": [0], "delta": {}}',
        b'{"type": "content_block_stop", "index": 0}',
        b"{",
    ],
)
def test_event_out_of_order_or_shape_is_a_fault(payload: bytes) -> None:
    """A client must not get half of an answer for a whole one."""
    reader = StreamReader(native=False)
    with pytest.raises(UpstreamFault):
        reader.feed(payload)


@pytest.mark.parametrize(
    "event",
    [
        start(0, "text"),
        piece(0, "thinking", thinking="x"),
        piece(0, "text", text=3),
        piece(1, "text", text="a"),
        {"type": "content_block_delta", "index": 0},
    ],
)
def test_piece_of_another_block_is_a_fault(event: Item) -> None:
    """Blocks do not share an index, and their pieces have their type."""
    reader = StreamReader(native=False)
    for before in (begin(), start(0, "text")):
        reader.feed(json.dumps(before).encode())
    with pytest.raises(UpstreamFault):
        reader.feed(json.dumps(event).encode())


def test_error_in_the_stream_has_its_status() -> None:
    """An overloaded provider is not told as a 500."""
    reader = StreamReader(native=False)
    reader.feed(json.dumps(begin()).encode())
    event = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    with pytest.raises(UpstreamFault) as fault:
        reader.feed(json.dumps(event).encode())
    assert fault.value.upstream_status == 529


@pytest.mark.parametrize(
    ("events", "cause"),
    [
        ([], Cause.EMPTY),
        ([begin()], Cause.TRUNCATED),
        ([begin(), start(0, "text"), piece(0, "text", text="a"), stop(0)], Cause.TRUNCATED),
        ([begin(), end(None)], Cause.TRUNCATED),
        ([begin(), LAST], Cause.TRUNCATED),
    ],
)
def test_stream_without_a_stop_reason_is_a_fault(events: list[Item], cause: Cause) -> None:
    """The provider's own client takes it for a whole answer."""
    with pytest.raises(UpstreamFault) as fault:
        read(events)
    assert fault.value.cause is cause


def test_what_follows_the_end_is_not_read() -> None:
    """Some servers add OpenAI's end mark."""
    reader = StreamReader(native=False)
    for event in (begin(), end("end_turn"), LAST):
        reader.feed(json.dumps(event).encode())
    assert reader.ended
    assert reader.feed(b" [DONE]") == reader.feed(b"") == reader.feed(b'{"type": "ping"}') == []
    assert reader.may_end(1)
    assert reader.is_over()
