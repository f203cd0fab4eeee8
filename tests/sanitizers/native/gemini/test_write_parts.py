"""Tests how messages become parts of a content."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import Unrepairable
from sanitizers.native.gemini.write_parts import sound_parts, write_result, write_turn
from tests.sanitizers.native.gemini.building import SIGNED, answered, said
from tests.support.builders import assistant, call, image, text, tool, user
from tests.support.strategies.contents import PNG


def test_sound_parts_are_the_same_objects_and_others_are_left_out() -> None:
    """Parts that Gemini accepts stay the same objects with thoughts, signatures and unknown fields.

    Parts without data, and empty texts without a signature, are left out.
    """
    thought = {"text": "a", "thought": True, "later": 1}
    signed = {"text": "", "thoughtSignature": SIGNED}

    kept = sound_parts([thought, {}, said(""), signed, {"thoughtSignature": SIGNED}])

    assert [id(part) for part in kept] == [id(thought), id(signed)]


def test_second_data_of_a_part_is_left_out() -> None:
    """The second data field of a part is left out, since Gemini accepts one field of the oneof."""
    assert sound_parts([{"text": "a", "inlineData": {}, "thought": True}]) == [{"text": "a", "thought": True}]


def test_arguments_that_are_null_are_left_out() -> None:
    """Gemini refuses a null where an object of arguments may stand (AstrBot#7134)."""
    native = {"functionCall": {"name": "f", "args": None}, "thoughtSignature": SIGNED}

    assert sound_parts([native]) == [{"functionCall": {"name": "f"}, "thoughtSignature": SIGNED}]


def test_unchanged_part_of_a_changed_message_is_its_native_part() -> None:
    """An unchanged part of a changed message is written as its native part, with all fields."""
    native = {"text": "a", "videoMetadata": {}}
    part, made = text("a"), call("x", "f", "{}")
    native_call = {"functionCall": {"name": "f"}, "thoughtSignature": SIGNED}
    message = assistant([part, text("b")], [made])

    parts = write_turn(message, {id(part): native, id(made): native_call}, set())

    assert parts[0] is native
    assert parts[1:] == [said("b"), native_call]


@pytest.mark.parametrize(
    ("arguments", "args"), [('{"a": 1}', {"a": 1}), ("[1]", {"_raw": "[1]"}), ("", {"_raw": ""})]
)
def test_new_call_has_its_arguments_as_an_object(arguments: str, args: dict[str, Any]) -> None:
    """A new call has its arguments as an object. The call's id is left out if the client's call had none."""
    message = assistant(None, [call("x", "f", arguments), call("y", "g", "{}")])

    parts = write_turn(message, {}, {"y"})

    assert parts[0] == {"functionCall": {"id": "x", "name": "f", "args": args}}
    assert parts[1] == {"functionCall": {"name": "g", "args": {}}}


def test_changed_call_keeps_its_signature() -> None:
    """A changed call keeps its signature, which is in the call's ``extra_content.google``."""
    changed = {**call("x", "f", "{}"), "extra_content": {"google": {"thought_signature": SIGNED}}}

    [part] = write_turn(assistant(None, [changed]), {}, set())

    assert part["thoughtSignature"] == SIGNED


def test_new_media_is_written_inline() -> None:
    """New media is written inline, with the bytes of its data: URL."""
    url = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}

    assert write_turn(user([url]), {}, set()) == [{"inlineData": {"mimeType": "image/png", "data": PNG}}]


def test_media_that_is_not_inline_is_refused() -> None:
    """Media that is not inline is refused. The pipeline leaves no such media for Gemini."""
    with pytest.raises(Unrepairable):
        write_turn(user([image("https://example.org/a.png")]), {}, set())


@pytest.mark.parametrize(
    ("content", "response"),
    [
        ("text", {"output": "text"}),
        ('{"error": "x"}', {"error": "x"}),
        ("{broken", {"output": "{broken"}),
        ("", {"output": ""}),
        ([text("a"), text("b")], {"output": "ab"}),
    ],
)
def test_new_result_is_its_own_object_or_its_text(content: Any, response: dict[str, Any]) -> None:
    """A new result becomes a response with its JSON object, or with its text under ``output``.

    It has its call's name and id.
    """
    part = write_result(tool("x", content), None, "f", "x", {})

    assert part == {"functionResponse": {"id": "x", "name": "f", "response": response}}


def test_unchanged_result_of_its_call_is_the_same_object() -> None:
    """An unchanged result of its call is returned as the same object."""
    original = answered("f", "x")

    assert write_result(tool("x", "done"), original, "f", "x", {}) is original


@pytest.mark.parametrize(("name", "call_id"), [("g", "x"), ("f", "y"), ("f", None)])
def test_unchanged_result_of_a_call_by_another_name_or_id_keeps_the_rest(
    name: str, call_id: str | None
) -> None:
    """An unchanged result gets its call's new name or id, and keeps its response and unknown fields."""
    original = answered("f", "x")
    original["functionResponse"]["willContinue"] = False
    original["partMetadata"] = {}

    part = write_result(tool("x", "done"), original, name, call_id, {})

    named = {"name": name} if call_id is None else {"id": call_id, "name": name}
    rest = {"response": {"output": "done"}, "willContinue": False}
    assert part == {"partMetadata": {}, "functionResponse": {**named, **rest}}
