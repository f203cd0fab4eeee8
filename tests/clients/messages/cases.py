"""The models that the clients of the Messages API ask, and what the providers' emulators say to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.clients.conftest import GEMINI_MODEL
from tests.clients.rounds import Round

GEMINI = f"gemini/{GEMINI_MODEL}"
GEMINI_AS_CLAUDE = "claude-sonnet-5"
"""Gemini by a name for which Claude Code writes system messages inside the history."""

GPT = "gpt-4.1"
GPT_AS_CLAUDE = "claude-opus-4-7"
CLAUDE = "claude-opus-4-8"
OLD_CLAUDE = "claude-sonnet-4-5"
"""A model with a budget for thinking, which a thought must open each run of calls for."""

SMALL_CLAUDE = "claude-haiku-4-5"
"""A model that refuses a field which Claude Code sends."""

CLAUDES = (CLAUDE, OLD_CLAUDE, SMALL_CLAUDE)
MODELS = (GEMINI, GPT, CLAUDE)

FIRST_VERSION, SECOND_VERSION = "2023-06-01", "2026-10-21"
VERSIONS = (FIRST_VERSION, SECOND_VERSION)

Blocks = Sequence[Mapping[str, Any]]


def blocks_of_round(expected: Round) -> list[dict[str, Any]]:
    """Return the answer of a round as blocks, with a thought before the text and one behind it."""
    blocks: list[dict[str, Any]] = [{"type": "thinking", "thinking": "Let me see."}]
    if expected.text:
        blocks += [{"type": "text", "text": expected.text}, {"type": "thinking", "thinking": "And now."}]
    for call in expected.calls:
        blocks.append({"type": "tool_use", "name": call.name, "input": dict(call.args)})
    return blocks


def check_messages_request(
    body: Mapping[str, Any], done: int, rounds: Sequence[Round], *, has_thoughts: bool = True
) -> None:
    """Check that Anthropic was sent *done* of *rounds*, each with its thoughts in place, and results behind it.

    With *has_thoughts* false, it must have been sent no thought.
    """
    _, *turns = body["messages"]
    assert [turn["role"] for turn in turns] == ["assistant", "user"] * done
    for number in range(done):
        called, answered = (turn["content"] for turn in turns[2 * number : 2 * number + 2])
        expected = rounds[number]
        kinds = [block["type"] for block in blocks_of_round(expected)]
        assert [block["type"] for block in called] == [
            kind for kind in kinds if has_thoughts or kind != "thinking"
        ]
        calls = [block for block in called if block["type"] == "tool_use"]
        assert [(call["name"], call["input"]) for call in calls] == [
            (call.name, call.args) for call in expected.calls
        ]
        assert [
            (result["tool_use_id"], result["content"])
            for result in answered
            if result["type"] == "tool_result"
        ] == [(call["id"], known.result) for call, known in zip(calls, expected.calls, strict=True)]
