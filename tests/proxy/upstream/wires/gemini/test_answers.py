"""Whole answers of Gemini, and the faults in place of an answer."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.gemini import read_answer

SIGNATURE = "T3Vycw=="
SIGNED = {"google": {"thought_signature": SIGNATURE}}
"""How an answer carries it: beside a call, or beside the text."""


def body(*parts: dict[str, Any], reason: str | None = "STOP", **rest: Any) -> dict[str, Any]:
    """Return an answer of one candidate."""
    ending = {"finishReason": reason} if reason else {}
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **ending}], **rest}


def call(name: str = "f", args: Any = None, **rest: Any) -> dict[str, Any]:
    """Return a part with a call. *rest* holds more fields of the call."""
    return {"functionCall": {"name": name, **({"args": args} if args is not None else {}), **rest}}


def only_choice(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the one choice."""
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
    """Each signature stands beside its call or text."""
    expected = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
    assert only_choice(read_answer(body(*parts), model="m")) == expected


def test_each_candidate_is_a_choice() -> None:
    """The choice has the candidate's index."""
    candidates = [
        {"content": {"parts": [{"text": t}]}, "finishReason": "STOP", "index": i} for i, t in enumerate("ab")
    ]

    choices = read_answer({"candidates": candidates[::-1]}, model="m")["choices"]

    assert [(c["index"], c["message"]["content"]) for c in choices] == [(0, "a"), (1, "b")]


def test_blocked_prompt_is_one_filtered_choice() -> None:
    """Gemini sends a reason and no candidate."""
    answer = read_answer(
        {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"totalTokenCount": 3}}, model="m"
    )

    message = {"role": "assistant", "content": None}
    assert only_choice(answer) == {"index": 0, "message": message, "finish_reason": "content_filter"}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (body(reason="MALFORMED_FUNCTION_CALL"), "tool call that cannot be read"),
        (body({"text": "}}"}, reason="MALFORMED_FUNCTION_CALL"), "MALFORMED_FUNCTION_CALL"),
        (body(call(), reason="UNEXPECTED_TOOL_CALL"), "not declared"),
        (body({"text": "a"}, reason="OTHER"), "OTHER"),
        (body({"text": "a"}, reason="SOMETHING_NEW"), "SOMETHING_NEW"),
        (body({"text": "a"}, reason=None), "broke off"),
        (body(), "nothing"),
        (body({"text": ""}), "nothing"),
        (body({"text": "why", "thought": True}), "nothing"),
        (body({"inlineData": {"mimeType": "image/png", "data": "aGk="}}), "media"),
        ({"candidates": [{"finishReason": "STOP"}]}, "nothing"),
        (
            {"candidates": [*body({"text": "a"})["candidates"], {"index": 1, "finishReason": "STOP"}]},
            "nothing",
        ),
        ({}, "no candidate"),
        ({"candidates": []}, "no candidate"),
        ({"promptFeedback": {}}, "no candidate"),
        ({"choices": []}, "no candidate"),
        ({"candidates": {}}, "no candidate"),
        ({"candidates": "x"}, "not Gemini's"),
        ({"candidates": ["x"]}, "not Gemini's"),
        ({"candidates": [{"content": "x"}]}, "not Gemini's"),
        ({"candidates": [{"content": {"parts": "x"}}]}, "not Gemini's"),
        ({"candidates": [{"content": {"parts": ["x"]}}]}, "not Gemini's"),
        ([], "not Gemini's"),
        (body({"functionCall": "x"}), "without a name"),
        (body(call("")), "without a name"),
        (body(call(args=[1])), "no object"),
    ],
)
def test_200_that_is_no_answer_is_a_fault(answer: Any, words: str) -> None:
    """The message names the reason. It is never an empty ``stop``."""
    with pytest.raises(UpstreamFault, match=words):
        read_answer(answer, model="m")


def test_error_in_a_200_keeps_its_status() -> None:
    """The message is Google's."""
    with pytest.raises(UpstreamFault, match="overloaded") as caught:
        read_answer({"error": {"code": 503, "message": "The model is overloaded."}}, model="m")

    assert caught.value.http_status == 503


def test_id_and_model_are_geminis() -> None:
    """The requested model is used when Gemini names none."""
    named = read_answer(body({"text": "a"}, responseId="r1", modelVersion="v1"), model="m")
    unnamed = read_answer(body({"text": "a"}), model="m")

    assert (named["id"], named["model"], named["object"]) == ("r1", "v1", "chat.completion")
    assert ("id" in unnamed, unnamed["model"]) == (False, "m")
