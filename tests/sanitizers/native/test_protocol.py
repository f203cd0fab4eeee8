"""Tests of the rules that every native list format keeps.

A new format is added to :data:`FORMATS`, with lists to draw.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.emulator import judge
from proxy.emulator.parts import NO_TEXT
from sanitizers import Profile, Unrepairable, sanitize
from sanitizers.gemini_profiles import GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT
from sanitizers.native import GEMINI_CONTENTS, Items, NativeListFormat
from tests.support.strategies.contents import any_contents, damaged_contents, hostile_contents, legal_contents


def refused_contents(model: str, contents: Items) -> object:
    """Return why the emulator refuses contents, or None.

    Gemini 1.5 wants a text beside an image. The pipeline has no rule for that, so that the refusal does not count.
    """
    refusal = judge(model, {"contents": list(contents)})
    return None if refusal is not None and refusal.message == NO_TEXT else refusal


GEMINIS = {
    "gemini-1.5-flash": GEMINI_1,
    "gemini-2.5-flash": GEMINI_2,
    "gemini-3-flash-preview": GEMINI_3,
    "gemini-3.6-flash": GEMINI_3_STRICT,
}


class Case(NamedTuple):
    """A list format with its test data: strategies for lists, profiles by model name, and the provider's judge."""

    form: NativeListFormat[Any]
    lists: st.SearchStrategy[Items]
    hostile: st.SearchStrategy[Items]
    targets: dict[str, Profile]
    refused: Callable[[str, Items], object]

    def drawn(self) -> st.SearchStrategy[tuple[Items, str]]:
        """Return a strategy that draws a list and a model."""
        return st.tuples(self.lists, st.sampled_from([*self.targets]))


FORMATS = {
    "gemini": Case(
        GEMINI_CONTENTS,
        st.one_of(legal_contents(), damaged_contents(), any_contents()),
        hostile_contents(),
        GEMINIS,
        refused_contents,
    )
}
every_format = pytest.mark.parametrize("case", FORMATS.values(), ids=FORMATS)


def repaired(form: NativeListFormat[Any], native: Items, profile: Profile) -> tuple[Any, Any, Items] | None:
    """Return the projection, the pipeline's outcome and the written list, or None for a list beyond repair.

    No step mutates the list, its messages or those of the pipeline.
    """
    before = copy.deepcopy(native)
    projected = form.project(native)
    messages = copy.deepcopy(projected.messages)
    try:
        done = sanitize(projected.messages, profile)
    except Unrepairable:
        return None
    sanitized = copy.deepcopy(done.messages)
    form.find_violations(native, profile)
    written = form.apply(native, projected, done.messages, profile)
    assert (native, projected.messages, done.messages) == (before, messages, sanitized)
    return projected, done, written


@every_format
def test_repaired_list_is_taken_and_stays(case: Case) -> None:
    """A repaired list breaks no rule, and the provider's judge accepts it. A second pass returns the same object."""

    @given(case.drawn())
    def check(drawn: tuple[Items, str]) -> None:
        native, model = drawn
        profile = case.targets[model]
        made = repaired(case.form, native, profile)
        if made is None:
            return
        written = made[2]

        assert case.form.find_violations(written, profile) == ()
        assert case.refused(model, written) is None
        again = repaired(case.form, written, profile)
        assert again is not None
        assert again[2] is written

    check()


@every_format
def test_unchanged_items_are_the_same_objects(case: Case) -> None:
    """An item stays the same object if no message of the item or of its neighbours is changed.

    Items that break a rule, and their neighbours, are exempt.
    """

    @given(case.drawn())
    def check(drawn: tuple[Items, str]) -> None:
        native, model = drawn
        profile = case.targets[model]
        made = repaired(case.form, native, profile)
        if made is None:
            return
        projected, done, written = made
        kept = {id(message) for message in done.messages}
        items = {id(item) for item in written}
        broken = {violation.index for violation in case.form.find_violations(native, profile)}

        def is_kept(index: int) -> bool:
            span = next(span for span in projected.spans if index in span.items)
            return all(id(projected.messages[at]) in kept for at in span.messages)

        for index, item in enumerate(native):
            around = [at for at in (index - 1, index, index + 1) if 0 <= at < len(native)]
            if all(map(is_kept, around)) and broken.isdisjoint(around):
                assert id(item) in items
        if not broken and not done.changes:
            assert written is native

    check()


@every_format
def test_spans_have_every_item_and_every_message(case: Case) -> None:
    """Each item and each message is in one span, in order, so that any change leads back to its item."""

    @given(case.lists)
    def check(native: Items) -> None:
        projected = case.form.project(native)

        assert [at for span in projected.spans for at in span.items] == [*range(len(native))]
        assert [at for span in projected.spans for at in span.messages] == [*range(len(projected.messages))]

    check()


@every_format
def test_list_without_violations_is_taken(case: Case) -> None:
    """The rules cover all that the provider's judge refuses."""

    @given(case.drawn())
    def check(drawn: tuple[Items, str]) -> None:
        native, model = drawn
        if case.form.find_violations(native, case.targets[model]) == ():
            assert case.refused(model, native) is None

    check()


@every_format
def test_unreadable_list_is_refused_and_any_other_is_taken(case: Case) -> None:
    """Any JSON of a client raises :class:`Unrepairable`, or is projected and written back without an error."""

    @given(case.hostile, st.sampled_from([*case.targets]))
    def check(native: Items, model: str) -> None:
        profile = case.targets[model]
        try:
            projected = case.form.project(native)
        except Unrepairable:
            return
        repaired(case.form, native, profile)
        case.form.apply(native, projected, projected.messages, profile)

    check()
