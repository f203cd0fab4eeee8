"""Tests of writing an assistant's message as blocks, with thinking in its places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from sanitizers.native.messages.write_turn import is_thought, turn_blocks, write_call
from sanitizers.work_limit import WorkLimit, limited_by

Item = dict[str, Any]
MARK = {"type": "ephemeral"}
FIRST = {"type": "thinking", "thinking": "one", "signature": "s1"}
HIDDEN = {"type": "redacted_thinking", "data": "x"}
LAST = {"type": "thinking", "thinking": "", "signature": "s2"}


def call(call_id: str, arguments: Any = '{"a": 1}', **more: Any) -> Item:
    """Return a call in chat's form."""
    function = {"name": "f", "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function, **more}


def used(call_id: str, given: Any = None, **more: Any) -> Item:
    """Return the block of a call."""
    return {"type": "tool_use", "id": call_id, "name": "f", "input": given or {"a": 1}, **more}


def words(text: str, **more: Any) -> Item:
    """Return a text's block."""
    return {"type": "text", "text": text, **more}


def place(length: int) -> Item:
    """Return the place of a text."""
    return {"type": "text", "length": length}


def called(call_id: str) -> Item:
    """Return the place of a call."""
    return {"type": "tool_use", "id": call_id}


def turn(content: Any, calls: Sequence[Item] = (), **more: Any) -> Item:
    """Return an assistant's message."""
    message = {"role": "assistant", "content": content, **more}
    return {**message, "tool_calls": [*calls]} if calls else message


@pytest.mark.parametrize(
    ("message", "blocks"),
    [
        (turn("hi"), [words("hi")]),
        (turn(" "), []),
        (turn(None, [call("c1")]), [used("c1")]),
        (turn("hi", [call("c1"), call("c2")]), [words("hi"), used("c1"), used("c2")]),
        (turn("hi", thinking_blocks=[FIRST, HIDDEN]), [FIRST, HIDDEN, words("hi")]),
        (turn("hi", cache_control=MARK), [words("hi", cache_control=MARK)]),
        (
            turn("hi", [call("c1")], cache_control=MARK),
            [words("hi"), used("c1", cache_control=MARK)],
        ),
        (turn("hi", [call("c1", cache_control=MARK)]), [words("hi"), used("c1", cache_control=MARK)]),
        (turn([words("a"), words("b", cache_control=MARK)]), [words("a"), words("b", cache_control=MARK)]),
        (turn([words(""), {"type": "refusal", "refusal": "no"}]), [words("no")]),
    ],
)
def test_turn_becomes_blocks(message: Item, blocks: list[Item]) -> None:
    """Without places the order is thinking, text, calls."""
    assert turn_blocks(message) == blocks


@pytest.mark.parametrize(
    ("message", "blocks"),
    [
        (
            turn("onetwo", [call("c1"), call("c2")], thinking_blocks=[
                FIRST, place(3), LAST, called("c1"), HIDDEN, place(3), called("c2"),
            ]),
            [FIRST, words("one"), LAST, used("c1"), HIDDEN, words("two"), used("c2")],
        ),
        (
            turn("one\n\n", [call("c1")], thinking_blocks=[FIRST, place(3), LAST, place(2), called("c1")]),
            [FIRST, words("one"), LAST, used("c1")],
        ),
        (
            turn([words("on"), words("etwo", cache_control=MARK)], thinking_blocks=[place(3), FIRST, place(3)]),
            [words("on"), words("e", cache_control=MARK), FIRST, words("two", cache_control=MARK)],
        ),
        (turn("one", thinking_blocks=[FIRST, place(0), place(3)]), [FIRST, words("one")]),
    ],
)  # fmt: skip
def test_blocks_stand_in_their_places(message: Item, blocks: list[Item]) -> None:
    """Places say where the text is cut, and which call stands where."""
    assert turn_blocks(message) == blocks


@pytest.mark.parametrize(
    "places",
    [
        [place(2), FIRST, called("c1")],  # a character is left
        [place(4), FIRST, called("c1")],
        [place(-1), FIRST, place(4), called("c1")],
        [{"type": "text", "length": True}, FIRST, place(2), called("c1")],
        [{"type": "text"}, FIRST, called("c1")],
        [place(3), FIRST],  # a call is left
        [place(3), FIRST, called("c2")],
        [place(3), FIRST, called("c1"), called("c1")],
        [place(3), FIRST, {"type": "tool_use", "id": ["c1"]}],
        [place(3), FIRST, called("c1"), {"type": "image"}],
        [place(3), FIRST, called("c1"), "x"],
    ],
)
def test_places_of_another_turn_are_ignored(places: list[Any]) -> None:
    """A client may have edited the text or the calls."""
    blocks = turn_blocks(turn("one", [call("c1")], thinking_blocks=places))
    assert blocks == [FIRST, words("one"), used("c1")]


def test_places_of_calls_with_one_id_are_ignored() -> None:
    """A place names one call."""
    blocks = turn_blocks(turn("", [call("c1"), call("c1")], thinking_blocks=[called("c1"), called("c1")]))
    assert blocks == [used("c1"), used("c1")]


@pytest.mark.parametrize(
    ("block", "is_read"),
    [
        (FIRST, True),
        (LAST, True),
        (HIDDEN, True),
        ({"type": "thinking", "thinking": "one"}, False),
        ({"type": "thinking", "thinking": "one", "signature": ""}, False),
        ({"type": "thinking", "signature": "s"}, False),
        ({"type": "redacted_thinking"}, False),
        ({"type": "redacted_thinking", "data": ""}, False),
        ({"type": "text", "text": "one"}, False),
        ("one", False),
    ],
)
def test_thought_has_its_signature_or_its_data(block: Any, *, is_read: bool) -> None:
    """Anthropic refuses a thought without a signature, so it is not sent."""
    assert is_thought(block) is is_read
    assert turn_blocks(turn("hi", thinking_blocks=[block])) == [*([block] if is_read else []), words("hi")]


@pytest.mark.parametrize("bare", [{}, {"signature": ""}, {"signature": None}])
def test_model_that_does_not_sign_gets_its_thoughts(bare: dict[str, Any]) -> None:
    """Other vendors' models with this API sign nothing, and want their thoughts back."""
    thought = {"type": "thinking", "thinking": "one", **bare}
    placed = [place(2), thought]

    assert turn_blocks(turn("hi", thinking_blocks=[thought]), signs=False) == [thought, words("hi")]
    assert turn_blocks(turn("hi", thinking_blocks=placed), signs=False) == [words("hi"), thought]


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ("", {}),
        ("{}", {}),
        (None, {}),
        ('{"a": [1]}', {"a": [1]}),
        ("[1]", {"_raw": "[1]"}),
        ('{"a"', {"_raw": '{"a"'}),
    ],
)
def test_input_is_an_object(arguments: Any, given: Item) -> None:
    """Anthropic says "tool_use.input: Input should be a valid dictionary" otherwise."""
    assert write_call(call("c1", arguments))["input"] == given


def test_unchanged_calls_and_parts_are_their_native_blocks() -> None:
    """A native block may hold what a chat message cannot hold, and the text around it is cut all the same."""
    one, part = call("c1"), words("one")
    native, cited = {**used("c1"), "caller": {"type": "direct"}}, words("one", citations=[1])
    originals = {id(one): native, id(part): cited}
    assert turn_blocks(turn([part], [one]), originals) == [cited, native]
    placed = turn([part], [one], thinking_blocks=[FIRST, place(3), called("c1")])
    assert turn_blocks(placed, originals) == [FIRST, cited, native]
    cut = turn([part], [one], thinking_blocks=[place(1), FIRST, place(2), called("c1")])
    assert turn_blocks(cut, originals) == [words("o"), FIRST, words("ne"), native]


def test_work_grows_with_the_places_alone() -> None:
    """A place for each character of a long text takes as many steps as there are places."""
    many = 20_000
    limit = WorkLimit(8 * many)
    with limited_by(limit):
        blocks = turn_blocks(turn("x" * many, thinking_blocks=[place(1)] * many))
    assert len(blocks) == many
