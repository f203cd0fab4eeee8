"""Tests that empty answers and streams are told from answers with content."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.answers.find_empty import AnswerStart, find_empty, has_content, is_filtered
from proxy.core.failures import Cause

CALL = [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]


def answer(message: dict[str, Any], reason: str = "stop") -> dict[str, Any]:
    """Return an answer that is not streamed, with one choice."""
    return {"choices": [{"message": message, "finish_reason": reason}]}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"content": "hi"}, True),
        ({"content": " \n"}, False),
        ({"content": None, "tool_calls": CALL}, True),
        ({"tool_calls": []}, False),
        ({"refusal": "No."}, True),
        ({"audio": {"id": "a"}}, True),
        ({"function_call": {"name": "f"}}, True),
        ({"reasoning_content": "Hm."}, False),
        ({"role": "assistant"}, False),
    ],
)
def test_content_is_text_calls_refusals_and_media(message: dict[str, Any], expected: bool) -> None:
    """Text, calls, refusals and media are content, but blank text and reasoning are not."""
    assert has_content(message) is expected


@pytest.mark.parametrize(
    ("message", "reason", "cause"),
    [
        ({"content": "hi"}, "stop", None),
        ({"content": ""}, "stop", Cause.EMPTY),
        ({"content": "", "reasoning_content": "Hm."}, "stop", Cause.THINKING_ONLY),
        ({"content": ""}, "length", None),
        ({"content": ""}, "content_filter", Cause.CONTENT_FILTER),
        ({"content": "", "reasoning_content": "Hm."}, "content_filter", Cause.CONTENT_FILTER),
        ({"content": "I"}, "content_filter", None),
    ],
)
def test_an_answer_without_content_has_a_cause(
    message: dict[str, Any], reason: str, cause: Cause | None
) -> None:
    """An empty answer has a cause, unless it was cut off for its length, since a retry would end the same way."""
    assert find_empty(answer(message, reason)) is cause


def test_one_choice_with_content_is_enough() -> None:
    """One choice with content is enough, and an answer without any choice is empty."""
    choices = answer({"content": ""})["choices"] + answer({"content": "hi"})["choices"]

    assert find_empty({"choices": choices}) is None
    assert find_empty({"choices": []}) is Cause.EMPTY


def test_a_stream_is_an_answer_from_its_first_content_on() -> None:
    """A stream's answer begins with its first content, and earlier reasoning changes the cause of an empty answer."""
    start = AnswerStart()

    def opens(delta: dict[str, Any], reason: str | None = None) -> bool:
        return start.opens({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})

    assert not opens({"role": "assistant", "content": ""})
    causes = [start.missing]
    assert not opens({"reasoning_content": "Hm."})
    assert not opens({}, "stop")
    causes.append(start.missing)
    assert causes == [Cause.EMPTY, Cause.THINKING_ONLY]
    assert opens({"content": "hi"})
    assert opens({}, "length")


@pytest.mark.parametrize(
    ("choices", "filtered"),
    [
        ([({}, "content_filter")], True),
        ([({"content": ""}, "content_filter"), ({}, "content_filter")], True),
        ([({"content": "I"}, "content_filter")], False),
        ([({}, "content_filter"), ({}, None)], False),
        ([({}, "stop")], False),
        ([], False),
    ],
)
def test_a_stream_that_a_filter_stops_at_once_is_found(
    choices: list[tuple[dict[str, Any], str | None]], filtered: bool
) -> None:
    """A chunk is filtered if a filter ended all of its choices before any text."""
    chunk = {"choices": [{"delta": delta, "finish_reason": reason} for delta, reason in choices]}

    assert is_filtered(chunk) is filtered
