"""Tests that a provider's answer that is not streamed is normalised to OpenAI's fields and values."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.answers.normalize_answer import AnswerFindings, normalize_answer

CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def normalized(**answer: Any) -> dict[str, Any]:
    """Return the normalized form of an answer with the fields *answer*."""
    found, findings = normalize_answer(answer, fallback_id="f1", created=5, model="m")
    assert findings == AnswerFindings()
    return found


def said(message: Any, finish_reason: Any = None, **choice: Any) -> dict[str, Any]:
    """Return the normalized choice of an answer with one choice."""
    [found] = normalized(choices=[{"message": message, "finish_reason": finish_reason, **choice}])["choices"]
    assert isinstance(found, dict)
    return found


def test_what_is_missing_is_filled() -> None:
    """A missing id, object, created or model is filled in, since strict clients need all four."""
    found = normalized(choices=[{"message": {"content": "x"}}])

    assert {name: found[name] for name in ("id", "object", "created", "model")} == {
        "id": "f1",
        "object": "chat.completion",
        "created": 5,
        "model": "m",
    }
    assert found["choices"] == [
        {"index": 0, "message": {"content": "x", "role": "assistant"}, "finish_reason": "stop"}
    ]


def test_what_is_there_stays() -> None:
    """The client gets the provider's own id, time, model and fingerprint."""
    given = {"id": "g", "created": 9, "model": "x", "system_fingerprint": "fp", "service_tier": "flex"}
    found = normalized(**given)

    assert {name: found[name] for name in given} == given


def test_unknown_fields_are_removed() -> None:
    """Vendors' fields are removed from the answer, the message, the calls and the usage."""
    found = normalized(
        vertex_ai_grounding_metadata=[],
        choices=[
            {
                "message": {
                    "content": None,
                    "thinking_blocks": [],
                    "provider_specific_fields": {},
                    "tool_calls": [{**CALL, "index": 0, "provider_specific_fields": {"x": 1}}],
                },
                "safety": [],
            }
        ],
        usage={"prompt_tokens": 1, "cost": 0.1, "completion_tokens": 2},
    )

    assert found.keys() == {"id", "object", "created", "model", "choices", "usage"}
    assert found["choices"][0].keys() == {"index", "message", "finish_reason"}
    assert found["choices"][0]["message"] == {"content": None, "role": "assistant", "tool_calls": [CALL]}
    assert found["usage"] == {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}


def test_the_model_s_content_stays() -> None:
    """The client gets reasoning, refusals, annotations, audio and log probabilities."""
    message = {
        "content": "x",
        "reasoning_content": "r",
        "refusal": "n",
        "annotations": [1],
        "audio": {"id": "a"},
    }
    found = said(message, "stop", logprobs={"content": []})

    assert found["message"] == {**message, "role": "assistant"}
    assert found["logprobs"] == {"content": []}


@pytest.mark.parametrize("calls", [[], None])
def test_empty_tool_calls_are_removed(calls: Any) -> None:
    """An empty list of calls is removed, since agents read it as a tool round."""
    assert "tool_calls" not in said({"content": "x", "tool_calls": calls})["message"]


@pytest.mark.parametrize(
    ("reason", "calls", "wanted"),
    [
        ("stop", False, "stop"),
        ("stop", True, "tool_calls"),
        ("function_call", True, "tool_calls"),
        ("tool_calls", True, "tool_calls"),
        ("length", True, "length"),
        ("content_filter", False, "content_filter"),
        (None, False, "stop"),
        (None, True, "tool_calls"),
        ("", False, "stop"),
    ],
)
def test_a_finish_reason_agrees_with_the_calls(reason: Any, calls: bool, wanted: str) -> None:
    """Every choice gets a finish reason that agrees with its calls. Gemini also ends calls with STOP."""
    assert said({"tool_calls": [CALL] if calls else None}, reason)["finish_reason"] == wanted


def test_choices_keep_their_index() -> None:
    """A choice keeps the provider's index. A choice without an index gets its position."""
    found = normalized(choices=[{"message": {}}, {"message": None}, {"index": 7, "message": {}}])

    assert [choice["index"] for choice in found["choices"]] == [0, 1, 7]


def test_input_is_not_touched() -> None:
    """The provider's answer is not changed."""
    message = {"content": "x", "extra": 1, "tool_calls": [{**CALL, "extra": 1}]}
    answer: dict[str, Any] = {"choices": [{"message": message}], "usage": {"cost": 1}}
    before = repr(answer)
    normalize_answer(answer, fallback_id="f", created=1, model="m")

    assert repr(answer) == before
