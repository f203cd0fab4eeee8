"""Tests of the pass that finds messages without faults."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers import Unrepairable
from sanitizers.native.messages import mend
from sanitizers.native.messages.changed_messages import ChangedMessages
from sanitizers.native.messages.project import project
from sanitizers.native.messages.sound_messages import are_sound
from sanitizers.native.messages.violations import find_block_violations
from tests.sanitizers.native.messages.building import (
    MARK,
    TENANT,
    Item,
    answered,
    assistant,
    image,
    inline,
    said,
    sealed,
    thought,
    used,
    user,
)
from tests.sanitizers.native.messages.drawn import items

GO = user("go")
SOUND: dict[str, list[Item]] = {
    "texts": [GO, assistant("yes"), user(said("on"))],
    "calls and results": [
        GO,
        assistant(said("yes"), used("a"), used("b")),
        user(answered("a"), answered("b")),
    ],
    "a result of texts, and words": [GO, assistant(used("a")), user(answered("a", [said("x")]), said("y"))],
    "an empty result": [GO, assistant(used("a")), user(answered("a", ""))],
    "thinking": [GO, assistant(thought(), said("yes"))],
    "marks": [user(said("go", **MARK)), assistant({**used("a"), **MARK}), user({**answered("a"), **MARK})],
}
UNKNOWN: dict[str, list[Item]] = {
    "a blank text": [user(" ")],
    "a blank block": [user(said(" "))],
    "no block": [user()],
    "a blank block of the model's": [GO, assistant(said(" "))],
    "an image": [user(image())],
    "an image in a result": [GO, assistant(used("a")), user(answered("a", [image()]))],
    "a blank text in a result": [GO, assistant(used("a")), user(answered("a", [said("")]))],
    "a marked text in a result": [GO, assistant(used("a")), user(answered("a", [said("x", **MARK)]))],
    "an error without words": [GO, assistant(used("a")), user({**answered("a", ""), "is_error": True})],
    "words before a result": [GO, assistant(used("a")), user(said("x"), answered("a"))],
    "results in two messages": [
        GO,
        assistant(used("a"), used("b")),
        user(answered("a")),
        user(answered("b")),
    ],
    "a system message": [GO, inline("x")],
    "an input that is a text": [GO, assistant({**used("a"), "input": "{}"})],
    "an illegal name": [GO, assistant({**used("a"), "name": "a b"})],
    "thinking at the end": [GO, assistant(said("x"), thought())],
    "unsigned thinking": [GO, assistant(thought(""), said("x"))],
    "an envelope": [GO, assistant(sealed("a"), said("x"))],
    "marked thinking": [GO, assistant({**thought(), **MARK}, said("x"))],
    "five marks": [user(*[said("x", **MARK)] * 5)],
}


@pytest.mark.parametrize("native", SOUND.values(), ids=SOUND)
def test_messages_of_agents_are_sound(native: list[Item]) -> None:
    """One pass tells that nothing need be mended."""
    assert are_sound(native, 4)


@pytest.mark.parametrize("native", UNKNOWN.values(), ids=UNKNOWN)
def test_other_messages_are_left_to_mending(native: list[Item]) -> None:
    """The pass does not vouch for faults, nor for blocks that it does not know."""
    assert not are_sound(native, 4)


@given(items(), st.integers(0, 5))
def test_sound_messages_break_no_rule_and_are_not_mended(native: list[Item], marks: int) -> None:
    """Mending finds nothing to change in sound messages."""
    try:
        project(native, tenant=TENANT)
    except Unrepairable:
        return
    if not are_sound(native, max(0, 4 - marks)):
        return

    assert {violation.rule for violation in find_block_violations(native, marks=marks)} <= {"marks_many"}
    before = ChangedMessages(native)
    with mock.patch.object(mend, "are_sound", return_value=False):
        assert mend.mend_messages(before, marks=marks, takes_systems=False, signs=False) is before
