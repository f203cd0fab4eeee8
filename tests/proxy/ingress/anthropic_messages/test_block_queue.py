"""Tests of the blocks of a stream: one is open at a time, and the others wait."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.anthropic_messages.answer_context import AnswerContext
from proxy.ingress.anthropic_messages.block_queue import BlockQueue
from proxy.ingress.anthropic_messages.stream_output import StreamOutput
from proxy.ingress.anthropic_messages.thinking import ReadThinking
from sanitizers.native.messages.envelope import unpack_signature
from tests.proxy.ingress.anthropic_messages.deltas import SHOWN, SIGNED, calls, chunk, piece, written


def kinds(message: dict[str, Any]) -> list[str]:
    """Return the types of a message's blocks."""
    return [block["type"] for block in message["content"]]


def test_thoughts_and_text_follow_one_another() -> None:
    message = written(
        chunk(reasoning_content="Hm"), chunk(reasoning_content="."), chunk(content="A"), chunk(content="B")
    )

    assert kinds(message) == ["thinking", "text"]
    assert (message["content"][0]["thinking"], message["content"][1]["text"]) == ("Hm.", "AB")


def test_interleaved_calls_are_sorted_into_their_blocks() -> None:
    """Pieces of a second call wait until the first one is whole."""
    message = written(
        calls(piece(0, "", begins=True), piece(1, '{"b"', begins=True)),
        calls(piece(0, '{"a"')),
        calls(piece(1, ":2}"), piece(0, ":1}")),
        calls(piece(2, "{}", begins=True)),
        finish="tool_calls",
    )

    assert [block["input"] for block in message["content"]] == [{"a": 1}, {"b": 2}, {}]
    assert [block["name"] for block in message["content"]] == ["f0", "f1", "f2"]


def test_first_call_goes_out_while_it_comes() -> None:
    queue = BlockQueue(StreamOutput(), AnswerContext("m", "s"))
    first = queue.read_choice(calls(piece(0, '{"a"', begins=True))["choices"][0])
    second = queue.read_choice(calls(piece(0, ":1"))["choices"][0])

    assert b"content_block_start" in first
    assert b'"partial_json":":1"' in second


def test_piece_of_a_call_that_ended_in_the_provider_s_form_is_left_out() -> None:
    """Only the first piece of a call has its id, and nothing can be added to an ended block."""
    queue = BlockQueue(StreamOutput(), AnswerContext("m", "s"))

    assert queue.read_choice(calls(piece(0, "{}"))["choices"][0]) == b""


def test_signature_stands_before_its_call() -> None:
    message = written(
        chunk(content="A"), calls(piece(0, "{}", begins=True, extra_content=SIGNED)), finish="tool_calls"
    )

    assert kinds(message) == ["text", "thinking", "tool_use"]
    opened = unpack_signature(message["content"][1]["signature"], "")
    assert opened is not None
    assert (opened.call_id, opened.signature) == ("call_0", "c2ln")


def test_open_thoughts_take_the_signature_of_the_call_behind_them() -> None:
    message = written(
        chunk(reasoning_content="Hm."),
        calls(piece(0, "{}", begins=True, extra_content=SIGNED)),
        calls(piece(1, "{}", begins=True, extra_content=SIGNED)),
        finish="tool_calls",
    )

    assert kinds(message) == ["thinking", "tool_use", "thinking", "tool_use"]
    assert [block["thinking"] for block in message["content"][::2]] == ["Hm.", ""]


def test_signature_that_comes_late_is_left_to_the_store() -> None:
    message = written(
        calls(piece(0, "{}", begins=True)), calls(piece(0, "", extra_content=SIGNED)), finish="tool_calls"
    )

    assert kinds(message) == ["tool_use"]


@pytest.mark.parametrize(
    ("thinking", "found"),
    [
        (ReadThinking(None, True, False), ["thinking", "text"]),
        (ReadThinking(None, False, False), ["text"]),
    ],
)
def test_thoughts_are_shown_as_the_client_asked(thinking: ReadThinking, found: list[str]) -> None:
    message = written(chunk(reasoning_content="Hm."), chunk(content="A"), thinking=thinking)

    assert kinds(message) == found
    assert message["content"][0].get("thinking", "") == ""


def test_blank_text_before_a_call_is_left_out() -> None:
    """Anthropic refuses blank texts, and the client would send it back."""
    message = written(chunk(content="\n"), calls(piece(0, "{}", begins=True)), finish="tool_calls")

    assert kinds(message) == ["tool_use"]


def test_call_behind_a_blank_text_goes_out_at_once() -> None:
    queue = BlockQueue(StreamOutput(), AnswerContext("m", "s"))
    queue.read_choice(chunk(content="\n")["choices"][0])

    assert b'"tool_use"' in queue.read_choice(calls(piece(0, "{}", begins=True))["choices"][0])


def test_blank_beginning_of_a_text_stays() -> None:
    assert written(chunk(content="\n"), chunk(content="A"))["content"][0]["text"] == "\nA"


def test_thoughts_and_text_behind_an_open_call_wait_for_its_end() -> None:
    message = written(
        calls(piece(0, '{"a":', begins=True)),
        chunk(content="B"),
        chunk(reasoning_content="Hm."),
        calls(piece(0, "1}")),
        chunk(content="C"),
        finish="tool_calls",
    )

    assert kinds(message) == ["tool_use", "text", "thinking", "text"]
    assert message["content"][0]["input"] == {"a": 1}


@pytest.mark.parametrize("finish", ["stop", "tool_calls"])
def test_empty_answer_has_a_blank_text(finish: str) -> None:
    queue = BlockQueue(StreamOutput(), AnswerContext("m", "s", thinking=SHOWN))

    assert b'"text":" "' in queue.read_choice(chunk(finish)["choices"][0])


def test_cut_answer_may_be_empty() -> None:
    assert written(chunk(role="assistant"), finish="length")["content"] == []


def test_text_index_is_that_of_an_open_text_alone() -> None:
    queue = BlockQueue(StreamOutput(), AnswerContext("m", "s"))
    found = [queue.text_index]
    for one in (chunk(content="A"), calls(piece(0, "", begins=True))):
        queue.read_choice(one["choices"][0])
        found.append(queue.text_index)

    assert found == [None, 0, None]
