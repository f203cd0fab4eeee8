"""Each rule of OpenAI refuses with its own text, and the nearest legal history passes."""

from typing import Any

import pytest

from tests.support.openai_emulator import judge_openai, judge_openai_body
from tests.support_tests.openai_cases import ACCEPTED, EMPTY, REFUSED, U


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    """The first fault is named in OpenAI's words, with its param and code, in OpenAI's envelope."""
    messages, words, param, code = REFUSED[case]
    refusal = judge_openai(messages)
    assert refusal is not None
    error = {"message": words, "type": "invalid_request_error", "param": param, "code": code}
    assert refusal.envelope() == {"error": error}
    assert refusal.status == 400


@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted(case: str) -> None:
    """What OpenAI takes is not refused."""
    assert judge_openai(ACCEPTED[case]) is None


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (None, "We could not parse the JSON body of your request."),
        ({"messages": [U]}, "you must provide a model parameter"),
        ({"model": "m"}, "Missing required parameter: 'messages'."),
        (
            {"model": "m", "messages": [U], "stream_options": {"include_usage": True}},
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        ),
        ({"model": "m", "messages": []}, f"Invalid 'messages': {EMPTY}"),
    ],
)
def test_refused_bodies(body: Any, words: str) -> None:
    """Beside the messages, the request itself has to be whole."""
    refusal = judge_openai_body(body)
    assert refusal is not None
    assert refusal.message.startswith(words)
