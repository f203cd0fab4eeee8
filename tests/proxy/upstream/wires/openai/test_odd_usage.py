"""Tests of usage that stands in another place, or counts reasoning beside the answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.upstream.wires.openai import StreamReader, read_answer
from proxy.upstream.wires.openai.odd_usage import count_reasoning, take_odd_usage
from tests.support.scripted_upstream import answer

USAGE = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}


@pytest.mark.parametrize(
    ("chunk", "choice", "wanted"),
    [
        pytest.param({}, {"usage": USAGE}, USAGE, id="Moonshot"),
        pytest.param({"usage": None}, {"usage": USAGE}, USAGE, id="null counts as none"),
        pytest.param({"x_groq": {"id": "r", "usage": USAGE}}, {}, USAGE, id="Groq"),
        pytest.param({"x_groq": {"usage": {"a": 1}}}, {"usage": USAGE}, USAGE, id="the choice first"),
        pytest.param({"usage": {"a": 1}}, {"usage": USAGE}, {"a": 1}, id="its own"),
        pytest.param({"x_groq": {"id": "r"}}, {}, None, id="no usage in x_groq"),
        pytest.param({"x_groq": "r"}, {"usage": "none"}, None, id="other types"),
        pytest.param({}, {"usage": [1]}, None, id="a list"),
        pytest.param({}, {}, None, id="none"),
    ],
)
def test_usage_of_a_stream_is_found_in_each_place(chunk: Any, choice: Any, wanted: Any) -> None:
    """The usage of the chunk itself takes precedence."""
    take_odd_usage(chunk, choice)

    assert chunk.get("usage") == wanted


@pytest.mark.parametrize(
    ("usage", "completion"),
    [
        pytest.param((9, 5, 21, 7), 12, id="beside"),
        pytest.param((9, 12, 21, 7), 12, id="within"),
        pytest.param((9, 0, 16, 7), 7, id="reasoning alone"),
        pytest.param((9, 5, 14, 0), 5, id="none"),
        pytest.param((9, 5, 14, None), 5, id="null"),
        pytest.param((9, 5, 30, 7), 5, id="another total"),
        pytest.param((9, 5, None, 7), 5, id="no total"),
        pytest.param((None, 5, 21, 7), 5, id="no prompt"),
        pytest.param((9, "5", 21, 7), "5", id="a text"),
        pytest.param((9, 5, 15, True), 5, id="true is no count"),
    ],
)
def test_reasoning_is_counted_once(usage: tuple[Any, Any, Any, Any], completion: Any) -> None:
    """The total shows whether the provider counts the tokens of reasoning beside those of the answer."""
    prompt, said, total, reasoning = usage
    given = {
        "prompt_tokens": prompt,
        "completion_tokens": said,
        "total_tokens": total,
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }
    count_reasoning(given)

    assert given["completion_tokens"] == completion
    assert given["total_tokens"] == total


@pytest.mark.parametrize("details", [None, [], "none", {}])
def test_usage_without_details_stays(details: Any) -> None:
    """Most providers count no reasoning."""
    given = {**USAGE, "completion_tokens_details": details}
    count_reasoning(given)

    assert given == {**USAGE, "completion_tokens_details": details}


XAI = {
    "prompt_tokens": 9,
    "completion_tokens": 5,
    "total_tokens": 21,
    "completion_tokens_details": {"reasoning_tokens": 7},
}
COUNTED = {**XAI, "completion_tokens": 12}
LAST = {"index": 0, "delta": {}, "finish_reason": "stop"}


def test_reasoning_of_a_whole_answer_is_counted() -> None:
    """The total of xAI has the tokens of reasoning, and the count of the answer has not."""
    assert read_answer(json.dumps({**answer("a"), "usage": XAI}).encode())["usage"] == COUNTED


@pytest.mark.parametrize(
    ("event", "usage"),
    [
        ({"choices": [LAST], "usage": XAI}, COUNTED),
        ({"choices": [], "usage": XAI}, COUNTED),
        ({"choices": [{**LAST, "usage": USAGE}]}, USAGE),
        ({"choices": [LAST], "x_groq": {"usage": USAGE}}, USAGE),
        ({"choices": [{"index": 0, "delta": {"content": "a"}}], "x_groq": {"id": "r"}}, None),
    ],
)
def test_usage_of_a_streams_event_is_read(event: Any, usage: Any) -> None:
    """The usage stands in the last event of a choice, or in one of its own."""
    [chunk] = StreamReader().feed(json.dumps(event).encode())

    assert chunk.get("usage") == usage
