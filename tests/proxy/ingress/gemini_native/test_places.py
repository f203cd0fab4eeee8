"""Tests of numbers of chat messages as the places of contents."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.client_places import NO_ENTRY
from proxy.ingress.gemini_native.places import ContentPlaces
from sanitizers.native import Span

TEXT, IMAGE = {"text": "x"}, {"inline_data": {"mime_type": "image/png", "data": ""}}
RESULT, SIGNED = {"functionResponse": {"name": "f", "response": {}}}, {"text": "x", "thought": True}
ITEMS: list[dict[str, Any]] = [
    {"role": "user", "parts": [TEXT]},
    {"role": "user", "parts": [TEXT, RESULT, IMAGE, {"function_response": {}}]},
    {"role": "model", "parts": [SIGNED, TEXT]},
    {"role": "user", "parts": TEXT},
]
SPANS = [
    Span(range(1), range(1, 2)),
    Span(range(1, 2), range(2, 5)),
    Span(range(2, 3), range(5, 6)),
    Span(range(3, 4), range(6, 7)),
]
PLACES = ContentPlaces(SPANS, ITEMS)


@pytest.mark.parametrize(
    ("chat", "own"),
    [
        ("messages[0]", "systemInstruction"),
        ("messages[1]", "contents[0]"),
        ("messages[1].content[0].text", "contents[0].parts[0]"),
        ("messages[2]", "contents[1].parts[1]"),
        ("messages[3].tool_call_id", "contents[1].parts[3]"),
        ("messages[4].content[1].image_url", "contents[1].parts[2]"),
        ("messages[4].content[2]", "contents[1]"),
        ("messages[4]", "contents[1]"),
        ("messages[5].content[0]", "contents[2]"),
        ("messages[5].tool_calls[0]", "contents[2]"),
        ("messages[6].content[0]", "contents[3]"),
        ("messages[7]", "systemInstruction"),
    ],
)
def test_message_has_the_place_of_its_part(chat: str, own: str) -> None:
    """A part whose place is not certain has that of its content."""
    assert PLACES.rename(f"'{chat}' is wrong, and so is {chat}.") == f"'{own}' is wrong, and so is {own}."
    assert PLACES.rename_param(chat) == own


@pytest.mark.parametrize(
    ("param", "own"),
    [
        ("messages", "contents"),
        ("max_completion_tokens", "generationConfig.maxOutputTokens"),
        ("reasoning_effort", "generationConfig.thinkingConfig"),
        ("tools[3].function.parameters", "tools"),
        ("tools[0].functionDeclarations[2].name", "tools[0].functionDeclarations[2].name"),
        ("generationConfig.topP", "generationConfig.topP"),
        ("contents[2].parts[1]", "contents[2].parts[1]"),
        ("cachedContent", "cachedContent"),
        ("model", "model"),
        ("seed", "generationConfig.seed"),
    ],
)
def test_field_of_a_chat_has_geminis_name(param: str, own: str) -> None:
    assert PLACES.rename_param(param) == own


def test_place_without_any_spans_is_contents() -> None:
    assert ContentPlaces().rename_param("messages[3].role") == "contents"


def test_changes_have_the_indexes_of_contents() -> None:
    """Changes of the client's own entries have these indexes already."""
    steps = ("shape", "items", "item_repair", "tools")
    found = PLACES.renumber([{"step": step, "index": 5} for step in steps])

    assert [one["index"] for one in found] == [2, 5, 5, 5]
    assert [PLACES.of_message(message) for message in (-1, 0, 1, 4, 9)] == [
        NO_ENTRY,
        NO_ENTRY,
        0,
        1,
        NO_ENTRY,
    ]
