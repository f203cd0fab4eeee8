"""Tests of finding the native messages that changed chat messages were made of."""

from __future__ import annotations

from sanitizers.native.messages.find_sources import SourceFinder, originals_of
from sanitizers.native.messages.project import project
from tests.sanitizers.native.messages.building import answered, assistant, image, said, thought, used, user

ITEMS = [
    user("go"),
    assistant(used("a")),
    user(answered("a")),
    assistant("same"),
    user("x"),
    assistant("same"),
]


def test_turn_is_found_by_its_call_or_its_text_and_never_twice() -> None:
    """Equal texts are found one after the other."""
    projected = project(ITEMS)
    finder = SourceFinder(projected, set())
    text = {"role": "assistant", "content": "same"}

    assert finder.find({**projected.messages[1], "content": "new"}) == [1]
    assert [finder.find(text), finder.find(text), finder.find(text)] == [[3], [5], []]


def test_turns_that_stay_and_earlier_ones_are_not_found() -> None:
    """A changed history keeps its order."""
    projected = project(ITEMS)
    finder = SourceFinder(projected, {3})

    assert finder.find({"role": "assistant", "content": "same"}) == [5]
    assert finder.find(projected.messages[1]) == []


def test_turn_is_found_by_its_thinking() -> None:
    """The list of thoughts is the same object where the text is new."""
    projected = project([user("go"), assistant(thought(), said("x"))])

    assert SourceFinder(projected, set()).find({**projected.messages[1], "content": "y"}) == [1]


def test_part_and_result_have_their_blocks() -> None:
    """A document of two parts has no block for one of them."""
    document = {"type": "document", "context": "C", "source": {"type": "text", "data": "d"}}
    items = [assistant(used("a")), user(answered("a", [said("A"), image()]), document, said("x"), image())]
    projected = project(items, [said("s"), said("t")])
    found = originals_of(items, projected, projected.spans, [said("s"), said("t")])
    [system, _, result, words] = projected.messages

    assert [found[id(part)] for part in system["content"]] == [said("s"), said("t")]
    assert found[id(result)] is items[1]["content"][0]
    assert [found[id(part)] for part in result["content"]] == items[1]["content"][0]["content"]
    assert [found.get(id(part)) for part in words["content"]] == [None, None, *items[1]["content"][2:]]
