"""Tests of writing a whole answer in Gemini's form."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.gemini_native.answer_context import AnswerContext
from proxy.ingress.gemini_native.write_answer import make_answer
from proxy.ingress.token_numbers import TokenNumbers
from tests.proxy.ingress.gemini_native.test_write_parts import call
from tests.support.gemini_grammar import find_answer_faults
from tests.support.scripted_upstream import answer

SIGNED = {"google": {"thought_signature": "QQ=="}}


def made(
    text: str | None = None, *, finish: str = "stop", shows: bool = True, **fields: Any
) -> dict[str, Any]:
    """Return the answer with *text* and *fields* in Gemini's form. It must follow the grammar."""
    given = answer(text, **fields)
    given["choices"][0]["finish_reason"] = finish
    found = make_answer(AnswerContext("asked", "seed", shows_thoughts=shows), given)
    assert find_answer_faults(found) == []
    return found


def parts(*arguments: Any, **fields: Any) -> list[dict[str, Any]]:
    """Return the parts of the answer's only candidate."""
    [candidate] = made(*arguments, **fields)["candidates"]
    found: list[dict[str, Any]] = candidate["content"]["parts"]
    return found


def test_answer_has_its_counts_and_its_names() -> None:
    found = made("Hi.")

    assert found == {
        "candidates": [
            {"content": {"parts": [{"text": "Hi."}], "role": "model"}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10},
        "modelVersion": "scripted",
        "responseId": "chatcmpl-scripted",
    }


def test_parts_come_as_thoughts_text_and_calls() -> None:
    found = parts("Hi.", reasoning_content="Hm.", tool_calls=[call()], finish="tool_calls")

    assert [sorted(part) for part in found] == [["text", "thought"], ["text"], ["functionCall"]]


def test_thoughts_are_shown_to_those_who_want_them() -> None:
    assert parts("Hi.", reasoning_content="Hm.", shows=False) == [{"text": "Hi."}]


def test_signature_of_a_text_stands_on_the_text() -> None:
    assert parts("Hi.", extra_content=SIGNED) == [{"text": "Hi.", "thoughtSignature": "QQ=="}]


def test_refusal_is_a_text() -> None:
    assert parts(refusal="No.") == [{"text": "No."}]


def test_answer_that_says_nothing_has_a_part() -> None:
    """gemini-cli asks four times for an answer without parts."""
    assert parts() == [{"text": " "}]


def test_older_form_of_a_call_has_an_id() -> None:
    [part] = parts(function_call={"name": "f", "arguments": "{}"}, finish="function_call")

    assert part["functionCall"]["id"].startswith("call_")


@pytest.mark.parametrize(("finish", "reason"), [("length", "MAX_TOKENS"), ("content_filter", "SAFETY")])
def test_answer_that_was_stopped_says_why(finish: str, reason: str) -> None:
    [candidate] = made("Hi.", finish=finish)["candidates"]
    [cut] = made(finish="length")["candidates"]

    assert candidate["finishReason"] == reason
    assert cut == {"finishReason": "MAX_TOKENS", "index": 0}


def test_answer_of_which_nothing_passed_a_filter_has_no_candidate() -> None:
    found = made(finish="content_filter")

    assert (found["promptFeedback"], "candidates" in found) == ({"blockReason": "SAFETY"}, False)


def test_each_choice_is_a_candidate() -> None:
    given = answer("One.")
    given["choices"].append({**given["choices"][0], "index": 1, "finish_reason": "content_filter"})
    found = make_answer(AnswerContext("m", "seed"), given)

    assert find_answer_faults(found) == []
    assert [one["index"] for one in found["candidates"]] == [0, 1]


def test_missing_counts_are_estimated() -> None:
    given = {name: value for name, value in answer("12345678").items() if name != "usage"}
    found = make_answer(AnswerContext("m", "seed", numbers=lambda: TokenNumbers(9)), given)

    assert found["usageMetadata"] == {
        "promptTokenCount": 9,
        "candidatesTokenCount": 2,
        "totalTokenCount": 11,
    }


def test_log_probabilities_are_those_of_the_candidate() -> None:
    given = answer("Hi")
    given["choices"][0]["logprobs"] = {"content": [{"token": "Hi", "logprob": -1.0}]}
    [candidate] = make_answer(AnswerContext("m", "seed"), given)["candidates"]

    assert candidate["logprobsResult"]["chosenCandidates"] == [{"token": "Hi", "logProbability": -1.0}]
