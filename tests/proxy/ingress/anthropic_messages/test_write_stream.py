"""Tests of the writer of a stream."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.ingress.token_numbers import TokenNumbers
from tests.proxy.ingress.anthropic_messages.deltas import answers, calls, chunk, piece, written
from tests.support.messages_grammar import events_of, find_stream_faults

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def test_usage_at_the_end_replaces_the_estimate() -> None:
    writer = answers(numbers=lambda: TokenNumbers(700)).write_stream()
    first = writer.write_chunk(chunk(content="A")) + writer.write_chunk(chunk("stop"))
    last = writer.write_chunk({"choices": [], "usage": USAGE}) + writer.write_end()

    assert events_of(first)[0]["message"]["usage"]["input_tokens"] == 700
    assert events_of(last)[0]["usage"]["input_tokens"] == 10
    assert find_stream_faults(first + last) == []


def test_answer_without_usage_has_an_estimate() -> None:
    usage = written(chunk(content="12345678"), numbers=lambda: TokenNumbers(7))["usage"]

    assert (usage["input_tokens"], usage["output_tokens"]) == (7, 2)


def test_plain_texts_are_written_the_same_way_as_others() -> None:
    """Most chunks take a short way."""
    plain, long = answers().write_stream(), answers().write_stream()
    for writer in (plain, long):
        writer.write_chunk(chunk(role="assistant", content="A"))
    event = plain.write_chunk(chunk(content='B\u2028"é'))

    assert event == long.write_chunk(
        {
            **chunk(),
            "choices": [
                {**chunk(content='B\u2028"é')["choices"][0], "logprobs": 1},
                {**chunk()["choices"][0], "index": 1},
            ],
        }
    )
    assert b"content_block_delta" in event


def test_text_behind_the_short_way_finds_its_block() -> None:
    message = written(
        chunk(content="A"),
        chunk(content="B"),
        calls(piece(0, "{}", begins=True)),
        chunk(content="C"),
        finish="tool_calls",
    )

    assert [block.get("text") for block in message["content"]] == ["AB", None, "C"]


def test_stop_with_calls_is_tool_use() -> None:
    assert written(calls(piece(0, "{}", begins=True)), finish="stop")["stop_reason"] == "tool_use"


def test_further_choices_are_left_out() -> None:
    other = {
        **chunk(content="x"),
        "choices": [{"index": 1, "delta": {"content": "x"}, "finish_reason": None}],
    }

    assert written(chunk(content="A"), other)["content"] == [{"type": "text", "text": "A"}]


def test_held_chunk_gives_the_same_events() -> None:
    one, other = answers().write_stream(), answers().write_stream()

    assert one.write_chunk(chunk(content="A")) == other.write_encoded(json.dumps(chunk(content="A")).encode())


@pytest.mark.parametrize("chunks", [[], [chunk(content="A")]])
def test_answer_without_a_finish_reason_ends_with_an_error(chunks: list[dict[str, Any]]) -> None:
    writer = answers().write_stream()
    raw = b"".join(map(writer.write_chunk, chunks)) + writer.write_end()

    assert events_of(raw)[-1]["error"]["type"] == "api_error"
    assert find_stream_faults(raw) == []


def test_nothing_follows_the_end() -> None:
    writer = answers(request_id="req_1").write_stream()
    writer.write_chunk(chunk(content="A"))
    fault = UpstreamFault("It broke.", upstream_status=529)
    [error] = events_of(writer.write_error(fault))

    assert (error["error"]["type"], error["request_id"]) == ("overloaded_error", "req_1")
    assert writer.write_chunk(chunk(content="B")) == b""
    assert writer.write_error(fault) == writer.write_end() == b""
    assert writer.write_native({"type": "ping"}, {"choices": []}) == b""


def test_call_of_the_older_form_is_a_call() -> None:
    """Some servers answer tools with ``function_call``. Its pieces make one block."""
    pieces = ({"name": "f", "arguments": ""}, {"arguments": '{"a"'}, {"arguments": ":1}"})
    found = written(*(chunk(function_call=one) for one in pieces), finish="function_call")

    [block] = found["content"]
    assert (block["type"], block["name"], block["input"]) == ("tool_use", "f", {"a": 1})
    assert found["stop_reason"] == "tool_use"
