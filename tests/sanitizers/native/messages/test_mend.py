"""Tests of mending native messages that Anthropic would refuse."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers import Unrepairable, sanitize
from sanitizers.native.messages.apply import apply_messages
from sanitizers.native.messages.changed_messages import ChangedMessages, blocks_of
from sanitizers.native.messages.mend import mend_messages
from sanitizers.native.messages.project import project
from sanitizers.native.messages.violations import find_block_violations
from sanitizers.native.protocol import Items
from sanitizers.provider_profiles import ANTHROPIC
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
from tests.sanitizers.native.messages.drawn import SERVER, items

REMINDER = said("<system-reminder>\nNow.\n</system-reminder>")


def mended(*native: Item, **options: Any) -> tuple[Items, list[tuple[int, str, str]]]:
    """Return *native* mended, and the changes, each as index, kind and reason."""
    done = mend_messages(ChangedMessages([*native]), **options)
    return done.items, [(change.index, change.kind, change.reason) for change in done.changes]


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (
            user(said("x"), answered("a"), said("y"), answered("b")),
            user(answered("a"), answered("b"), said("x"), said("y")),
            ("moved", "results_first"),
        ),
        (user(said(" \n"), said("x")), user(said("x")), ("dropped", "empty_text")),
        (user(answered("a", [said(""), image()])), user(answered("a", [image()])), ("dropped", "empty_text")),
        (assistant(sealed("a"), used("a")), assistant(used("a")), ("dropped", "own_envelope")),
        (assistant(thought("tr1_x"), used("a")), assistant(used("a")), ("dropped", "own_envelope")),
        (assistant(thought(""), used("a")), assistant(used("a")), ("dropped", "thought_unsigned")),
        (
            assistant({"type": "redacted_thinking", "data": ""}, used("a")),
            assistant(used("a")),
            ("dropped", "thought_unsigned"),
        ),
        (
            assistant({**thought(), **MARK}, used("a")),
            assistant(thought(), used("a")),
            ("dropped", "cache_mark"),
        ),
        (assistant({**used("a"), "input": None}), assistant(used("a")), ("replaced", "arguments")),
        (
            assistant({**used("a"), "input": '{"p": 1}'}),
            assistant(used("a", given={"p": 1})),
            ("replaced", "arguments"),
        ),
        (
            assistant({**used("a"), "input": "no"}),
            assistant(used("a", given={"_raw": "no"})),
            ("replaced", "arguments"),
        ),
        (assistant(said("x"), SERVER[1]), assistant(said("x")), ("dropped", "orphaned_result")),
        (assistant(used("a", "f.g h")), assistant(used("a", "f_g_h")), ("replaced", "call_name")),
        (assistant(used("a", "")), assistant(used("a", "_")), ("replaced", "call_name")),
        (assistant(used("a", "f" * 129)), assistant(used("a", "f" * 128)), ("replaced", "call_name")),
        (
            user(answered("a", "", is_error=True)),
            user(answered("a", "(empty result)", is_error=True)),
            ("replaced", "blank_result"),
        ),
        (
            user(answered("a", [said(" ")], is_error=True)),
            user(answered("a", "(empty result)", is_error=True)),
            ("replaced", "blank_result"),
        ),
        (assistant(said("x"), thought()), assistant(said("x")), ("dropped", "thinking_last")),
        (assistant(used("a"), thought(), thought()), assistant(used("a")), ("dropped", "thinking_last")),
    ],
)
def test_block_that_anthropic_refuses_is_mended_and_named(
    before: Item, after: Item, change: tuple[str, str]
) -> None:
    """Each fault of a block has its own repair, and the change list names the message."""
    items, changes = mended(assistant("hi"), before)

    assert [*items] == [assistant("hi"), after]
    assert changes == [(1, *change)]


def test_model_that_does_not_sign_gets_its_thoughts_back() -> None:
    """Hidden data without content, and our own envelopes, are no thoughts of such a model either."""
    hidden = {"type": "redacted_thinking", "data": ""}
    native = [user("go"), assistant(thought(""), {"type": "thinking", "thinking": "hm"}, used("a"))]
    before = ChangedMessages([*native, assistant(hidden, sealed("a"), used("b"))])

    done = mend_messages(before, signs=False)

    assert [*done.items] == [*native, assistant(used("b"))]
    assert [(change.index, change.reason) for change in done.changes] == [
        (2, "thought_unsigned"),
        (2, "own_envelope"),
    ]


def test_message_of_thinking_alone_is_dropped_unless_the_model_goes_on() -> None:
    """Anthropic joins messages of one role, so that thinking before the model's next message is not its end."""
    items, changes = mended(
        user("hi"), assistant(thought()), user("go"), assistant(thought()), assistant("x")
    )

    assert [*items] == [user("hi"), user("go"), assistant(thought()), assistant("x")]
    assert changes == [(1, "dropped", "thinking_last")]


@pytest.mark.parametrize(
    "native",
    [
        [
            user("go"),
            assistant(thought(), said("x"), thought("S2"), used("a")),
            user(answered("a", None), said("y")),
        ],
        [user("go"), inline("Now."), assistant("ok")],
        [user("go"), inline("Now.")],
        [user("go"), assistant(*SERVER), inline("Now.")],
        [user("a"), user("b")],
        [user({"type": "unheard_of"}), assistant({"type": "compaction", "content": ""})],
        [user(*[said("x", **MARK)] * 4)],
        [user(*[image()] * 100)],
    ],
)
def test_legal_messages_stay_the_same_list(native: list[Item]) -> None:
    """Nothing is changed that Anthropic takes."""
    before = ChangedMessages(native)

    assert mend_messages(before) is before
    assert find_block_violations(native) == ()


def test_message_without_any_block_is_dropped() -> None:
    """A message of envelopes alone, or of blank texts, has nothing for Anthropic."""
    items, changes = mended(
        user("go"), assistant(sealed("a")), user(said("")), {"role": "user", "content": " "}
    )

    assert [*items] == [user("go")]
    assert [(at, reason) for at, kind, reason in changes if reason == "empty_message"] == [
        (1, "empty_message"),
        (2, "empty_message"),
        (3, "empty_message"),
    ]


def test_results_of_several_messages_are_joined() -> None:
    """Anthropic looks for the results of a turn at the beginning of the next message alone."""
    items, changes = mended(
        user("go"), assistant(used("a"), used("b")), user(answered("a"), said("x")), user(answered("b"))
    )

    assert items[2] == user(answered("a"), answered("b"), said("x"))
    assert (len(items), changes) == (3, [(3, "merged", "results_first")])


@pytest.mark.parametrize(
    ("native", "after"),
    [
        ([inline("Now."), user("a")], [user("a"), inline("Now.")]),
        (
            [user("a"), inline("Now."), user("b"), user("c"), assistant("d")],
            [user("a"), user("b"), user("c"), inline("Now."), assistant("d")],
        ),
        ([user("a"), assistant("b"), inline("Now.")], [user("a"), assistant("b"), user(REMINDER)]),
        (
            [user("a"), inline("Now."), inline("More.")],
            [user("a"), {"role": "system", "content": [said("Now."), said("More.")]}],
        ),
    ],
)
def test_system_message_in_a_wrong_place_is_moved(native: list[Item], after: list[Item]) -> None:
    """A system message stands directly behind the user's, and last or before the model's."""
    items, changes = mended(*native)

    assert [*items] == after
    assert changes


def test_model_without_system_messages_gets_reminders() -> None:
    """A reminder stands in the user's message before it, behind the results."""
    items, changes = mended(
        user("go"),
        assistant(used("a")),
        user(answered("a")),
        inline("Now."),
        assistant("ok"),
        inline("Now."),
        takes_systems=False,
    )

    assert [*items][2:] == [user(answered("a"), REMINDER), assistant("ok"), user(REMINDER)]
    assert changes == [(3, "replaced", "system_as_reminder"), (5, "replaced", "system_as_reminder")]


def test_oldest_media_above_the_limit_become_notes() -> None:
    """The newest hundred images stay, and each older one is a text that says so."""
    items, changes = mended(
        user(answered("a", [said("x"), image()]), image()), assistant("hi"), user(*[image()] * 99)
    )
    [result, last] = blocks_of(items[0])

    assert [part["type"] for part in result["content"]] == ["text", "text"]
    assert last["type"] == "image"
    assert (0, "dropped", "media_many") in changes
    assert find_block_violations(items) == ()


def test_oldest_marks_above_the_limit_are_dropped() -> None:
    """Marks of tools and ``system`` count, and the newest marks stay."""
    native = [
        user(said("a", **MARK)),
        assistant(said("b", **MARK)),
        user(said("c", **MARK), answered("x", [said("d", **MARK)])),
    ]

    items, changes = mended(*native, marks=2)
    left = [block.get("text") for item in items for block in blocks_of(item) if "cache_control" in block]

    assert left == ["c"]
    assert [(at, reason) for at, _, reason in changes if reason == "cache_mark"] == [
        (0, "cache_mark"),
        (1, "cache_mark"),
    ]
    assert find_block_violations(items, marks=2) == ()


@given(items(), st.booleans(), st.integers(0, 4))
def test_nothing_illegal_is_left_and_thinking_is_never_edited(
    native: list[Any], takes_systems: bool, marks: int
) -> None:
    """Whatever a readable list holds, nothing illegal is left, and what Claude signed is as it came."""
    try:
        projected = project(native, tenant=TENANT)
        sanitized = sanitize(projected.messages, ANTHROPIC).messages
    except Unrepairable:
        return
    before = copy.deepcopy(native)
    applied = apply_messages(native, projected, None, sanitized)
    done = mend_messages(applied, takes_systems=takes_systems, marks=marks)

    assert native == before
    assert find_block_violations(done.items, takes_systems=takes_systems, marks=marks) == ()
    assert (done is applied) is (not done.changes)
    kept = [
        block
        for item in done.items
        for block in blocks_of(item)
        if block["type"] in ("thinking", "redacted_thinking")
    ]
    came = [block for item in native for block in blocks_of(item)]
    assert all(block in came for block in kept)
    assert all("tr1_" not in str(block) for block in kept)
