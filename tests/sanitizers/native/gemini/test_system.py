"""Tests of the system instruction as a message, and back."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import Unrepairable
from sanitizers.native.gemini.system import is_sound_system, system_message, write_system

RULES, MORE = {"text": "rules"}, {"text": "more"}


@pytest.mark.parametrize(
    ("system", "content"),
    [
        ("rules", "rules"),
        ({"parts": [RULES]}, "rules"),
        ({"role": "user", "parts": RULES}, "rules"),
        ({"text": "rules"}, "rules"),
        ([RULES], "rules"),
        (["rules"], "rules"),
        ({"parts": [RULES, {"text": ""}, {"text": "hm", "thought": True}]}, "rules"),
        ({"parts": [RULES, MORE]}, [{"type": "text", **RULES}, {"type": "text", **MORE}]),
    ],
)
def test_instruction_is_one_message(system: Any, content: Any) -> None:
    """Clients send a content, its parts, or a text alone."""
    assert system_message(system) == [{"role": "system", "content": content}]


@pytest.mark.parametrize("system", [None, "", {}, {"parts": []}, {"parts": None}, {"parts": [{"text": ""}]}])
def test_empty_instruction_is_no_message(system: Any) -> None:
    """Gemini reads an empty instruction as none."""
    assert system_message(system) == []


@pytest.mark.parametrize(
    ("system", "param"),
    [
        (7, "systemInstruction"),
        ({"parts": 7}, "systemInstruction.parts"),
        ({"parts": [RULES, 7]}, "systemInstruction.parts[1]"),
        ({"parts": [{"text": 7}]}, "systemInstruction.parts[0].text"),
        ({"parts": [{"inline_data": {}}]}, "systemInstruction.parts[0].inline_data"),
        ({"role": 7, "parts": [RULES]}, "systemInstruction.role"),
        ({"parts": [{**RULES, "fileData": {"fileUri": "files/a"}}]}, "systemInstruction.parts[0]"),
    ],
)
def test_anything_but_texts_is_refused_with_its_place(system: Any, param: str) -> None:
    """Gemini takes texts alone there."""
    with pytest.raises(Unrepairable) as refused:
        system_message(system)

    assert refused.value.param == param


@pytest.mark.parametrize("system", ["rules", {"role": "system", "parts": [{**RULES, "partMetadata": {}}]}])
def test_messages_that_stay_keep_their_parts(system: Any) -> None:
    """Further fields of the instruction and of its parts stay too."""
    before = system_message(system)
    added = {"role": "system", "content": "operator"}
    written = write_system(system, before, [added, *before])

    own = [RULES] if isinstance(system, str) else system["parts"]
    assert written is not None
    assert written["parts"] == [{"text": "operator"}, *own]
    assert written.get("role") == (None if isinstance(system, str) else "system")


def test_changed_message_is_written_anew() -> None:
    """Its parts become parts, and empty ones are left out."""
    before = system_message({"parts": [RULES]})
    texts = [{"type": "text", "text": "a"}, {"type": "text", "text": ""}]

    assert write_system({"parts": [RULES]}, before, [{"role": "system", "content": texts}]) == {
        "parts": [{"text": "a"}]
    }
    assert write_system({"parts": [RULES]}, before, []) is None


@pytest.mark.parametrize(
    ("system", "is_sound"),
    [
        (None, True),
        ({"parts": [RULES, MORE]}, True),
        ({"role": "user", "parts": [RULES]}, True),
        ("rules", False),
        ("", False),
        ({}, False),
        ({"text": "rules"}, False),
        ({"parts": []}, False),
        ({"parts": RULES}, False),
        ({"parts": ["rules"]}, False),
        ({"parts": [RULES, {"text": ""}]}, False),
    ],
)
def test_only_parts_with_texts_are_sound(system: Any, is_sound: bool) -> None:
    """Gemini refuses every other form."""
    assert is_sound_system(system) is is_sound
