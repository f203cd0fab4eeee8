"""Tests of requests for a summary, and of their answers."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from proxy.core.chat_request import ChatRequest
from proxy.core.errors import AnswerUnusable, UpstreamFault
from proxy.ingress.openai_responses.compaction import (
    PROMPT,
    CompactAnswers,
    CompactionAnswers,
    ask_for_summary,
)
from proxy.ingress.openai_responses.echo import ResponseHead, make_echo
from sanitizers.native.responses.envelope import unpack_summary
from sanitizers.native.responses.tools import read_tools
from tests.proxy.ingress.openai_responses.responding import RESPONSE_ID, chunk, usage_chunk, whole
from tests.support.responses_grammar import events_of, find_stream_faults

SUMMARY = [chunk({"role": "assistant", "content": "They "}), chunk({"content": "met."}), chunk({}, "stop")]


def answers(cls: type[CompactionAnswers] = CompactionAnswers) -> CompactionAnswers:
    """Return the format of one answer."""
    return cls(ResponseHead(RESPONSE_ID, 1_760_000_000, make_echo({"model": "m"})), read_tools(None, ()))


def request(**parameters: Any) -> ChatRequest:
    """Return a chat request."""
    history = [{"role": "user", "content": "Hi."}]
    return ChatRequest("m", history, True, True, MappingProxyType(parameters), {}, weight=0)


def test_conversation_is_followed_by_the_wish_for_a_summary() -> None:
    """The history before stays the same objects, so that the provider's cache holds."""
    given = request()
    asked = ask_for_summary(given)
    assert asked.messages[0] is given.messages[0]
    assert asked.messages[1:] == [{"role": "user", "content": PROMPT}]


def test_tools_stay_declared_and_none_may_be_called() -> None:
    """Some providers refuse a history with calls where no tool is declared."""
    tools = [{"type": "function", "function": {"name": "f"}}]
    asked = ask_for_summary(
        request(
            tools=tools,
            tool_choice="required",
            max_completion_tokens=16,
            parallel_tool_calls=True,
            response_format={"type": "json_object"},
        )
    )
    assert asked.parameters == {"tools": tools, "tool_choice": "none"}
    assert "tool_choice" not in ask_for_summary(request()).parameters


def test_whole_answer_is_one_compaction_item() -> None:
    response = answers().finish(whole({"content": "They met."}))
    assert response is not None
    [item] = response["output"]
    assert (item["type"], unpack_summary(item["encrypted_content"])) == ("compaction", "They met.")


def test_stream_is_one_compaction_item() -> None:
    writer = answers().write_stream()
    raw = b"".join([*map(writer.write_chunk, [*SUMMARY, usage_chunk()]), writer.write_end()])
    assert find_stream_faults(raw) == []
    response = events_of(raw)[-1]["response"]
    [item] = response["output"]
    assert unpack_summary(item["encrypted_content"]) == "They met."
    assert response["usage"]["total_tokens"] == 7


@pytest.mark.parametrize(
    "chunks",
    [
        [chunk({"content": " "}), chunk({}, "stop")],
        [chunk({"content": "They"}), chunk({}, "length")],
        [chunk({"content": "They"})],
    ],
)
def test_empty_or_cut_summary_fails(chunks: list[Any]) -> None:
    """It would lose the conversation."""
    writer = answers().write_stream()
    raw = b"".join([*map(writer.write_chunk, chunks), writer.write_end()])
    assert events_of(raw)[-1]["type"] == "response.failed"


@pytest.mark.parametrize("chunks", [[], SUMMARY[:1]])
def test_error_ends_the_stream(chunks: list[Any]) -> None:
    writer = answers().write_stream()
    raw = b"".join([*map(writer.write_chunk, chunks), writer.write_error(UpstreamFault("down"))])
    assert find_stream_faults(raw, complete=False) == []


def test_compaction_without_words_is_an_error_of_its_path() -> None:
    with pytest.raises(AnswerUnusable):
        answers(CompactAnswers).write_answer(whole({"content": ""}))
