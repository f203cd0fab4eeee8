"""Tests of Ollama's judge: each broken rule is refused with its own text, and similar legal requests pass."""

from typing import Any

import pytest

from tests.support.builders import PNG_URL, assistant, system, user
from tests.support.ollama_emulator import judge_ollama
from tests.support.ollama_emulator import judging as rules
from tests.support_tests.chat_cases import function

U = user("Hello.")
FIELD = "ChatRequest.messages.tool_calls.function.arguments"
ARGUMENTS = {"field": FIELD, "type": "api.ToolCallFunctionArguments"}


def body(*messages: Any, model: str = "qwen3.5", **fields: Any) -> dict[str, Any]:
    """Return a request to Ollama."""
    return {"model": model, "messages": list(messages), **fields}


def called(arguments: Any) -> dict[str, Any]:
    """Return an assistant message with a call that has *arguments*."""
    return assistant("", tool_calls=[{"function": {"name": "f", "arguments": arguments}}])


RESULT = {"role": "tool", "content": "ok", "tool_name": "f"}

REFUSED: dict[str, tuple[Any, str, int]] = {
    "no body": (None, rules.NO_BODY, 400),
    "no model": ({"messages": [U]}, rules.NO_MODEL, 400),
    "no user": (body(system(), assistant("a")), "no user query found in messages", 500),
    "role of another": (
        body(U, {"role": "function", "content": "a"}),
        "invalid role: function, must be one of [system, user, assistant, tool]",
        400,
    ),
    "parts": (
        body(user([{"type": "text", "text": "a"}])),
        "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",
        400,
    ),
    "arguments as text": (
        body(U, called("{}")),
        rules.UNREADABLE.format(found="string", **ARGUMENTS),
        400,
    ),
    "arguments as a list": (
        body(U, called([1])),
        rules.UNREADABLE.format(found="array", **ARGUMENTS),
        400,
    ),
    "an image by address": (body(user("a", images=[PNG_URL])), "illegal base64 data at input byte 4", 400),
    "tools of a model without": (
        body(U, model="gemma2", tools=[function("f")]),
        "registry.ollama.ai/library/gemma2:latest does not support tools",
        400,
    ),
}
ACCEPTED: dict[str, Any] = {
    "a round": body(U, called({"a": 1}), RESULT, tools=[function("f")]),
    "no user, another model": body(system(), model="llama3.3"),
    "any order": body(assistant("a"), RESULT, U, U, assistant("")),
    "an image": body(user("a", images=[PNG_URL.partition(",")[2]])),
}


@pytest.mark.parametrize("case", REFUSED)
def test_ollama_judge_names_the_fault_in_ollamas_words(case: str) -> None:
    """The refusal of a broken rule has Ollama's text in Ollama's envelope."""
    asked, words, status = REFUSED[case]

    refusal = judge_ollama(asked)

    assert refusal is not None
    assert (refusal.envelope(), refusal.status) == ({"error": words}, status)


@pytest.mark.parametrize("case", ACCEPTED)
def test_ollama_judge_takes_what_ollama_takes(case: str) -> None:
    """The judge accepts requests that Ollama accepts."""
    assert judge_ollama(ACCEPTED[case]) is None
