"""Tests of changed turns of the model, and of the parts that stay."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.messages import Message
from sanitizers.native.gemini.project import project_contents
from sanitizers.native.gemini.rewrite_turn import TurnSources
from sanitizers.stand_ins import STAND_IN
from tests.sanitizers.native.gemini.building import called, model, said, user

THOUGHT = {"text": "hm", "thought": True}
CALL = {**called("f", "a", x=1), "partMetadata": {"b": 2}}
OTHER = {"functionCall": {"id": "b", "name": "g", "args": {}}, "thought_signature": "c2ln"}
PARTS = [THOUGHT, CALL, said("so"), OTHER]


def rewritten(change: Any, parts: Any = PARTS) -> list[dict[str, Any]]:
    """Return the parts of a turn of *parts* after *change* of its chat message."""
    projected = project_contents([user(said("go")), model(*parts)])
    message = change(projected.messages[1])
    sources = TurnSources(projected)
    place = sources.find(message)
    assert place == 1
    return sources.rewrite(message, place)


def with_signature(message: Message, at: int, signature: str | None) -> Message:
    """Return *message* with another signature on the call *at*, or none."""
    calls = [*message["tool_calls"]]
    calls[at] = {name: value for name, value in calls[at].items() if name != "extra_content"}
    if signature is not None:
        calls[at]["extra_content"] = {"google": {"thought_signature": signature}}
    return {**message, "tool_calls": calls}


def test_changed_signature_changes_its_part_alone() -> None:
    """Its field keeps its spelling, and other fields and the order stay."""
    made = rewritten(lambda message: with_signature(message, 1, "bmV3"))

    assert made == [THOUGHT, CALL, said("so"), {**OTHER, "thought_signature": "bmV3"}]
    assert all(new is old for new, old in zip(made[:3], PARTS, strict=False))


def test_removed_signature_leaves_the_part() -> None:
    """The other fields of the part stay."""
    made = rewritten(lambda message: with_signature(message, 1, None))

    assert made == [THOUGHT, CALL, said("so"), {"functionCall": OTHER["functionCall"]}]


def test_stand_in_stays_where_the_model_needs_none() -> None:
    """It stands for any signature, and the client has put it there."""
    made = rewritten(lambda message: with_signature(message, 0, None))

    assert all(new is old for new, old in zip(made, PARTS, strict=True))


def test_turns_with_the_same_id_are_told_apart() -> None:
    """Some providers use an id in every turn."""
    thoughts = [{"text": name, "thought": True} for name in "xy"]
    turns = [model(thought, OTHER) for thought in thoughts]
    projected = project_contents([user(said("go")), turns[0], user(said("go")), turns[1]])
    sources = TurnSources(projected)
    message = with_signature(projected.messages[3], 0, "bmV3")

    assert sources.find(message) == 3
    assert sources.rewrite(message, 3) == [thoughts[1], {**OTHER, "thought_signature": "bmV3"}]


def test_call_with_another_id_is_written_in_its_place() -> None:
    """The order of calls is that of their results."""

    def change(message: Message) -> Message:
        first, *others = message["tool_calls"]
        return {**message, "tool_calls": [{**first, "id": "new"}, *others]}

    made = rewritten(change)
    assert made[1]["functionCall"] == {"id": "new", "name": "f", "args": {"x": 1}}
    assert made[3] is OTHER


@pytest.mark.parametrize("came", ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"])
def test_one_stand_in_is_as_good_as_another(came: str) -> None:
    """The client's own stays."""
    part = {"functionCall": CALL["functionCall"], "thoughtSignature": came}
    [made] = rewritten(lambda message: with_signature(message, 0, STAND_IN), [part])

    assert made is part


def test_signature_in_the_alphabet_of_urls_is_the_same() -> None:
    """Only its spelling differs."""
    part = {"functionCall": CALL["functionCall"], "thoughtSignature": "-_-_"}
    [made] = rewritten(lambda message: {**message, "tool_calls": [*message["tool_calls"]]}, [part])

    assert made is part


def test_missing_signature_is_added_under_the_usual_name() -> None:
    """The part is the client's otherwise."""
    part = {"functionCall": CALL["functionCall"], "partMetadata": {}}
    [made] = rewritten(lambda message: with_signature(message, 0, STAND_IN), [part])

    assert made == {**part, "thoughtSignature": STAND_IN}


def test_null_arguments_go_with_another_change() -> None:
    """Gemini refuses them, and the call has none (AstrBot#7134)."""
    call = {"functionCall": {"id": "a", "name": "f", "args": None}}
    made = rewritten(lambda message: with_signature(message, 0, STAND_IN), [call])

    assert made == [{"functionCall": {"id": "a", "name": "f"}, "thoughtSignature": STAND_IN}]


def test_dropped_call_drops_its_part() -> None:
    """The others stay."""
    made = rewritten(lambda message: {**message, "tool_calls": message["tool_calls"][1:]})

    assert made == [THOUGHT, said("so"), OTHER]


def test_changed_text_stands_in_the_place_of_the_others() -> None:
    """Thoughts go with the text that they led to."""
    made = rewritten(lambda message: {**message, "content": "short"})

    assert made == [said("short"), CALL, OTHER]


@pytest.mark.parametrize(
    "function",
    [{"name": "h", "arguments": '{"x": 1}'}, {"name": "f", "arguments": '{"x": 2}'}],
)
def test_changed_call_is_written_anew(function: dict[str, str]) -> None:
    """Its part would say what the message no longer says."""

    def change(message: Message) -> Message:
        first, *others = message["tool_calls"]
        return {**message, "tool_calls": [{**first, "function": function}, *others]}

    args = {"x": int(function["arguments"][-2])}
    assert rewritten(change)[1]["functionCall"] == {"id": "a", "name": function["name"], "args": args}


def test_turn_of_several_or_of_none_has_no_source() -> None:
    """It is written from its message."""
    projected = project_contents(
        [
            user(said("go")),
            model(said("one"), called("f", "a")),
            user(said("go")),
            model(said("two"), called("f", "b")),
        ]
    )
    sources = TurnSources(projected)
    first, second = projected.messages[1], projected.messages[3]
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}

    assert sources.find({"role": "assistant", "content": "new"}) is None
    assert sources.find({"role": "assistant", "content": None, "tool_calls": [call]}) is None
    assert sources.find({**first, "tool_calls": [*first["tool_calls"], *second["tool_calls"]]}) is None
    assert sources.find({**first, "content": second["content"]}) is None
    assert sources.find({**first, "tool_calls": first["tool_calls"] * 2}) is None
    assert sources.find({**first, "tool_calls": [*first["tool_calls"], call]}) is None
    assert sources.find({**second, "content": "new"}) == 3
