"""Tests that an answer is complete when each of its choices has a finish reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.openai import StreamReader, read_answer
from tests.support.builders import call
from tests.support.scripted_upstream import answer, chunk

SAID = chunk({"content": "x"})
STOP = chunk(finish="stop")
SECOND = chunk({"content": "y"}, index=1)
SECOND_STOP = chunk(finish="length", index=1)
USAGE = {"choices": [], "usage": {"total_tokens": 1}}
AZURE_FIRST = {"choices": [], "prompt_filter_results": [{"prompt_index": 0}], "id": "", "model": ""}
AZURE_LATE = {"choices": [{"index": 0, "content_filter_offsets": {"start_offset": 0}, "finish_reason": None}]}
OPENROUTER_USAGE = {
    "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}],
    "usage": {"total_tokens": 1},
}
DONE = "[DONE]"
NO_ANSWER = "ended without an answer"
BROKEN_OFF = "broke off before the answer was complete"


def read(*events: Any) -> StreamReader:
    """Return a stream reader that has read these events."""
    reader = StreamReader()
    for event in events:
        reader.feed(event.encode() if isinstance(event, str) else json.dumps(event).encode())
    return reader


@pytest.mark.parametrize(
    "events",
    [
        [SAID, STOP, DONE],
        [SAID, STOP],
        [SAID, STOP, USAGE, DONE],
        [AZURE_FIRST, SAID, STOP, AZURE_LATE, DONE],
        [SAID, STOP, OPENROUTER_USAGE, DONE],
        [SAID, SECOND, STOP, SECOND_STOP, DONE],
        [SAID, SECOND, {"choices": [*STOP["choices"], *SECOND_STOP["choices"]]}],
        [SAID, STOP, DONE, SECOND],
        [SAID, STOP, DONE, "garbage"],
        [chunk(finish="content_filter")],
    ],
)
def test_stream_with_all_its_ends_is_complete(events: list[Any]) -> None:
    """A stream with a finish reason for each choice is complete, with or without ``[DONE]``."""
    assert read(*events).close() == []


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([], NO_ANSWER),
        ([DONE], NO_ANSWER),
        ([USAGE, DONE], NO_ANSWER),
        ([AZURE_FIRST], NO_ANSWER),
        ([{"id": "x"}, {"choices": None}, DONE], NO_ANSWER),
        ([SAID], BROKEN_OFF),
        ([SAID, DONE], BROKEN_OFF),
        ([SAID, USAGE, DONE], BROKEN_OFF),
        ([SAID, SECOND, STOP, DONE], BROKEN_OFF),
        ([SAID, SECOND, SECOND_STOP, DONE], BROKEN_OFF),
        ([SAID, chunk(finish=""), DONE], BROKEN_OFF),
        ([SAID, DONE, STOP], BROKEN_OFF),
    ],
)
def test_stream_without_an_end_is_not_complete(events: list[Any], words: str) -> None:
    """``[DONE]`` alone does not complete a stream."""
    with pytest.raises(UpstreamFault, match=words):
        read(*events).close()


@pytest.mark.parametrize(
    "delta",
    [
        {"content": "x"},
        {"reasoning_content": "x"},
        {"reasoning": "x"},
        {"refusal": "x"},
        {"tool_calls": [{"index": 0, "function": {"arguments": "x"}}]},
        {"function_call": {"name": "f"}},
    ],
    ids=lambda delta: next(iter(delta)),
)
def test_content_after_the_finish_reason_is_a_fault(delta: Any) -> None:
    """Clients read nothing after the finish reason, so the content would be lost."""
    for late in (chunk(delta), chunk(delta, finish="stop")):
        with pytest.raises(UpstreamFault, match="went on after"):
            read(SAID, STOP, late)
    assert read(SAID, STOP, chunk(delta, index=1, finish="stop")).close() == []


@pytest.mark.parametrize(
    "delta", [None, {}, {"content": ""}, {"content": "\n"}, {"tool_calls": []}, {"role": "assistant"}]
)
def test_empty_delta_after_the_finish_reason_is_no_fault(delta: Any) -> None:
    """Some servers send the usage with an empty delta. A repeated finish reason is no fault either."""
    for late in (chunk(delta), chunk(delta, finish="stop")):
        assert read(SAID, STOP, late, DONE).close() == []


@pytest.mark.parametrize(
    ("events", "wanted", "ends"),
    [
        ([], 1, False),
        ([SAID], 1, False),
        ([SAID, STOP], 1, True),
        ([SAID, STOP], 2, False),
        ([SAID, SECOND, STOP], 1, False),
        ([SAID, SECOND, STOP, SECOND_STOP], 2, True),
    ],
)
def test_stream_may_end_when_every_choice_has(events: list[Any], wanted: int, ends: bool) -> None:
    """All wanted choices and all choices seen must have a finish reason."""
    assert read(*events).may_end(wanted) is ends


@pytest.mark.parametrize("reason", [None, ""])
def test_whole_answer_without_a_finish_reason_is_truncated(reason: Any) -> None:
    """One choice without a finish reason truncates the whole answer."""
    broken = {"index": 1, "message": {"content": "y"}, "finish_reason": reason}
    for choices in ([broken], [*answer()["choices"], broken], [{"message": {"content": "y"}}]):
        with pytest.raises(UpstreamFault, match="broke off"):
            read_answer(json.dumps({"choices": choices}).encode())


CALLED = {"role": "assistant", "content": None, "tool_calls": [call("c1")]}


def test_empty_finish_reason_beside_calls_is_that_of_calls() -> None:
    """The provider xAI leaves it empty. Each choice is read on its own."""
    choices = [
        {"index": 0, "message": CALLED, "finish_reason": ""},
        {"index": 1, "message": {"role": "assistant", "content": "y"}, "finish_reason": "stop"},
    ]
    found = read_answer(json.dumps({"choices": choices}).encode())

    assert [choice["finish_reason"] for choice in found["choices"]] == ["tool_calls", "stop"]


@pytest.mark.parametrize(
    ("message", "reason"),
    [(CALLED, None), ({**CALLED, "tool_calls": []}, ""), ({**CALLED, "tool_calls": None}, "")],
)
def test_missing_finish_reason_beside_calls_is_no_empty_one(message: Any, reason: Any) -> None:
    """A call may have been cut."""
    choice = {"index": 0, "message": message, "finish_reason": reason}
    with pytest.raises(UpstreamFault, match="broke off"):
        read_answer(json.dumps({"choices": [choice]}).encode())
