"""Tests of reading Gemini's whole answers, and of the faults for bodies that hold no answer."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.upstream.wires.gemini import read_answer

SIGNATURE = "T3Vycw=="
SIGNED = {"google": {"thought_signature": SIGNATURE}}
"""The value of ``extra_content`` in which a call or a message of the proxy's answer carries the signature."""


def body(*parts: dict[str, Any], reason: str | None = "STOP", **rest: Any) -> dict[str, Any]:
    """Return Gemini's answer with one candidate, which holds *parts*."""
    ending = {"finishReason": reason} if reason else {}
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **ending}], **rest}


def call(name: str = "f", args: Any = None, **rest: Any) -> dict[str, Any]:
    """Return a part with a call. *rest* holds more fields of the call."""
    return {"functionCall": {"name": name, **({"args": args} if args is not None else {}), **rest}}


def only_choice(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer's only choice."""
    (choice,) = answer["choices"]
    assert isinstance(choice, dict)
    return choice


@pytest.mark.parametrize(
    ("parts", "message", "reason"),
    [
        ([{"text": "a"}, {"text": "b"}], {"content": "ab"}, "stop"),
        (
            [{"text": "why", "thought": True}, {"text": "a"}],
            {"content": "a", "reasoning_content": "why"},
            "stop",
        ),
        (
            [{"text": "a"}, {"inlineData": {"mimeType": "image/png", "data": "aGk="}}, {"text": "b"}],
            {"content": "a\n[An image that the model returned cannot be carried.]\nb"},
            "stop",
        ),
        (
            [{"text": "a"}, {"fileData": {"mimeType": "audio/wav", "fileUri": "x"}}],
            {"content": "a\n[Audio that the model returned cannot be carried.]\n"},
            "stop",
        ),
        (
            [{"text": "a"}, {"inlineData": None}, {"text": "", "inlineData": "x"}],
            {"content": "a\n[A file that the model returned cannot be carried.]\n"},
            "stop",
        ),
        (
            [{"inlineData": {"mimeType": "image/png"}, "thought": True}, {"text": "a"}],
            {
                "content": "a",
                "reasoning_content": "\n[An image that the model returned cannot be carried.]\n",
            },
            "stop",
        ),
        (
            [{"text": "a"}, {"text": "", "thoughtSignature": SIGNATURE}],
            {"content": "a", "extra_content": SIGNED},
            "stop",
        ),
        (
            [call(args={"x": "é"}, id="c1")],
            {
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"x": "é"}'}}
                ],
            },
            "tool_calls",
        ),
        (
            [{"text": "a"}, {**call(id="c1"), "thoughtSignature": SIGNATURE}],
            {
                "content": "a",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "f", "arguments": "{}"},
                        "extra_content": SIGNED,
                    }
                ],
            },
            "tool_calls",
        ),
    ],
)
def test_parts_become_text_reasoning_calls_and_signatures(
    parts: list[dict[str, Any]], message: dict[str, Any], reason: str
) -> None:
    """Parts become text, reasoning, calls and signatures.

    Each signature is in its call, or in the message of its text.
    """
    expected = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
    assert only_choice(read_answer(body(*parts), model="m")) == expected


def test_each_candidate_is_a_choice() -> None:
    """Each candidate becomes a choice with the candidate's index."""
    candidates = [
        {"content": {"parts": [{"text": t}]}, "finishReason": "STOP", "index": i} for i, t in enumerate("ab")
    ]

    choices = read_answer({"candidates": candidates[::-1]}, model="m")["choices"]

    assert [(c["index"], c["message"]["content"]) for c in choices] == [(0, "a"), (1, "b")]


def test_blocked_prompt_is_one_filtered_choice() -> None:
    """A blocked prompt becomes one filtered choice. Gemini sends a reason and no candidate."""
    answer = read_answer(
        {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"totalTokenCount": 3}}, model="m"
    )

    message = {"role": "assistant", "content": None}
    assert only_choice(answer) == {"index": 0, "message": message, "finish_reason": "content_filter"}


@pytest.mark.parametrize(
    ("answer", "words", "cause"),
    [
        (body(reason="MALFORMED_FUNCTION_CALL"), "tool call that cannot be read", Cause.MALFORMED_CALL),
        (
            body({"text": "}}"}, reason="MALFORMED_FUNCTION_CALL"),
            "MALFORMED_FUNCTION_CALL",
            Cause.MALFORMED_CALL,
        ),
        (body(call(), reason="UNEXPECTED_TOOL_CALL"), "not declared", Cause.UNEXPECTED_CALL),
        (body({"text": "a"}, reason="OTHER"), "OTHER", Cause.ODD_END),
        (body({"text": "a"}, reason="SOMETHING_NEW"), "SOMETHING_NEW", Cause.ODD_END),
        (body({"text": "a"}, reason=None), "broke off", Cause.TRUNCATED),
        (body(), "nothing", Cause.EMPTY),
        (body({"text": ""}), "nothing", Cause.EMPTY),
        (body({"text": "why", "thought": True}), "nothing", Cause.THINKING_ONLY),
        (body({"inlineData": {"mimeType": "image/png", "data": "aGk="}}), "media", Cause.NOT_AN_ANSWER),
        ({"candidates": [{"finishReason": "STOP"}]}, "nothing", Cause.EMPTY),
        (
            {"candidates": [*body({"text": "a"})["candidates"], {"index": 1, "finishReason": "STOP"}]},
            "nothing",
            Cause.EMPTY,
        ),
        ({}, "no candidate", Cause.EMPTY),
        ({"candidates": []}, "no candidate", Cause.EMPTY),
        ({"promptFeedback": {}}, "no candidate", Cause.EMPTY),
        ({"choices": []}, "no candidate", Cause.EMPTY),
        ({"candidates": {}}, "no candidate", Cause.EMPTY),
        ({"candidates": "x"}, "not Gemini's", Cause.NOT_AN_ANSWER),
        ({"candidates": ["x"]}, "not Gemini's", Cause.NOT_AN_ANSWER),
        ({"candidates": [{"content": "x"}]}, "not Gemini's", Cause.NOT_AN_ANSWER),
        ({"candidates": [{"content": {"parts": "x"}}]}, "not Gemini's", Cause.NOT_AN_ANSWER),
        ({"candidates": [{"content": {"parts": ["x"]}}]}, "not Gemini's", Cause.NOT_AN_ANSWER),
        ([], "not Gemini's", Cause.NOT_AN_ANSWER),
        (body({"functionCall": "x"}), "without a name", Cause.MALFORMED_CALL),
        (body(call("")), "without a name", Cause.MALFORMED_CALL),
        (body(call(args=[1])), "no object", Cause.MALFORMED_CALL),
    ],
)
def test_200_that_is_no_answer_is_a_fault(answer: Any, words: str, cause: Cause) -> None:
    """A 200 without an answer is a fault whose message and cause name the reason.

    The answer is never an empty ``stop``.
    """
    with pytest.raises(UpstreamFault, match=words) as caught:
        read_answer(answer, model="m")

    assert caught.value.cause is cause


def test_error_in_a_200_keeps_its_status() -> None:
    """An error in a 200 keeps Google's status and message."""
    with pytest.raises(UpstreamFault, match="overloaded") as caught:
        read_answer({"error": {"code": 503, "message": "The model is overloaded."}}, model="m")

    assert caught.value.http_status == 503


def test_id_and_model_are_geminis() -> None:
    """The answer has Gemini's id and model. If Gemini names no model, the answer has the requested model."""
    named = read_answer(body({"text": "a"}, responseId="r1", modelVersion="v1"), model="m")
    unnamed = read_answer(body({"text": "a"}), model="m")

    assert (named["id"], named["model"], named["object"]) == ("r1", "v1", "chat.completion")
    assert ("id" in unnamed, unnamed["model"]) == (False, "m")
