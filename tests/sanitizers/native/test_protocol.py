"""What holds for every native list format: a new one is added to :data:`FORMATS`, with lists to draw."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.emulator import judge
from proxy.emulator.parts import NO_TEXT
from sanitizers import Profile, Unrepairable, sanitize
from sanitizers.native import GEMINI_CONTENTS, Items, NativeListFormat
from sanitizers.profiles import GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT
from tests.support.strategies.contents import any_contents, damaged_contents, hostile_contents, legal_contents

Accepts = Callable[[str, Items], object]


def refused_contents(model: str, contents: Items) -> object:
    """Return why the emulator refuses contents, or None.

    That 1.5 wants a text beside an image is another matter: the pipeline has no rule about it either.
    """
    refusal = judge(model, {"contents": list(contents)})
    return None if refusal is not None and refusal.message == NO_TEXT else refusal


GEMINIS = {
    "gemini-1.5-flash": GEMINI_1,
    "gemini-2.5-flash": GEMINI_2,
    "gemini-3-flash-preview": GEMINI_3,
    "gemini-3.6-flash": GEMINI_3_STRICT,
}
FORMATS = [
    pytest.param(
        GEMINI_CONTENTS,
        st.one_of(legal_contents(), damaged_contents(), any_contents()),
        hostile_contents(),
        GEMINIS,
        refused_contents,
        id="gemini",
    )
]
every_format = pytest.mark.parametrize(("form", "lists", "hostile", "targets", "refused"), FORMATS)


def repaired(form: NativeListFormat[Any], native: Items, profile: Profile) -> tuple[Any, Any, Items] | None:
    """Return the projection, the outcome of the pipeline and the list again; None for what is beyond repair."""
    projected = form.project(native)
    try:
        done = sanitize(projected.messages, profile)
    except Unrepairable:
        return None
    return projected, done, form.apply(native, projected, done.messages, profile)


def contains(items: Sequence[object], wanted: object) -> bool:
    """Tell whether *wanted* itself, and not only its equal, is among *items*."""
    return any(item is wanted for item in items)


@every_format
def test_repaired_list_is_taken_and_stays(
    form: Any, lists: Any, hostile: Any, targets: Any, refused: Accepts
) -> None:
    """It breaks no rule of its own, the provider's judge takes it, and a second pass returns the same object."""

    @settings(max_examples=100)
    @given(lists, st.sampled_from([*targets]))
    def check(native: Items, model: str) -> None:
        profile = targets[model]
        made = repaired(form, native, profile)
        if made is None:
            return
        written = made[2]

        assert form.find_violations(written, profile) == ()
        assert refused(model, written) is None
        again = repaired(form, written, profile)
        assert again is not None
        assert again[2] is written

    check()


@every_format
def test_unchanged_items_are_the_same_objects(
    form: Any, lists: Any, hostile: Any, targets: Any, refused: Accepts
) -> None:
    """An item stays itself where its messages do, and neither it nor a neighbour breaks a rule."""

    @settings(max_examples=100)
    @given(lists, st.sampled_from([*targets]))
    def check(native: Items, model: str) -> None:
        profile = targets[model]
        made = repaired(form, native, profile)
        if made is None:
            return
        projected, done, written = made
        kept = {id(message) for message in done.messages}
        broken = {violation.index for violation in form.find_violations(native, profile)}

        def is_kept(index: int) -> bool:
            span = next(span for span in projected.spans if index in span.items)
            return all(id(projected.messages[at]) in kept for at in span.messages)

        for index, item in enumerate(native):
            around = [at for at in (index - 1, index, index + 1) if 0 <= at < len(native)]
            if all(map(is_kept, around)) and broken.isdisjoint(around):
                assert contains(written, item)
        if not broken and not done.changes:
            assert written is native

    check()


@every_format
def test_nothing_is_mutated(form: Any, lists: Any, hostile: Any, targets: Any, refused: Accepts) -> None:
    """The list, its messages and those of the pipeline are the same afterwards, down to the last field."""

    @settings(max_examples=100)
    @given(lists, st.sampled_from([*targets]))
    def check(native: Items, model: str) -> None:
        before = copy.deepcopy(native)
        projected = form.project(native)
        messages = copy.deepcopy(projected.messages)
        try:
            done = sanitize(projected.messages, targets[model])
        except Unrepairable:
            return
        sanitized = copy.deepcopy(done.messages)

        form.find_violations(native, targets[model])
        form.apply(native, projected, done.messages, targets[model])

        assert native == before
        assert projected.messages == messages
        assert done.messages == sanitized

    check()


@every_format
def test_spans_have_every_item_and_every_message(
    form: Any, lists: Any, hostile: Any, targets: Any, refused: Accepts
) -> None:
    """Each once and in order, so that any change can be led back to its item."""

    @settings(max_examples=100)
    @given(lists)
    def check(native: Items) -> None:
        projected = form.project(native)

        assert [at for span in projected.spans for at in span.items] == [*range(len(native))]
        assert [at for span in projected.spans for at in span.messages] == [*range(len(projected.messages))]

    check()


@every_format
def test_list_without_violations_is_taken(
    form: Any, lists: Any, hostile: Any, targets: Any, refused: Accepts
) -> None:
    """The rules leave nothing out that the provider's judge refuses."""

    @settings(max_examples=100)
    @given(lists, st.sampled_from([*targets]))
    def check(native: Items, model: str) -> None:
        profile = targets[model]
        if form.find_violations(native, profile) == ():
            assert refused(model, native) is None

    check()


@every_format
def test_unreadable_list_is_refused_and_any_other_is_taken(
    form: Any, lists: Any, hostile: Any, targets: Any, refused: Accepts
) -> None:
    """Whatever JSON a client sends, nothing but :class:`Unrepairable` is raised."""

    @settings(max_examples=100)
    @given(hostile, st.sampled_from([*targets]))
    def check(native: Items, model: str) -> None:
        try:
            projected = form.project(native)
        except Unrepairable:
            return
        form.find_violations(native, targets[model])
        repaired(form, native, targets[model])
        form.apply(native, projected, projected.messages, targets[model])

    check()
