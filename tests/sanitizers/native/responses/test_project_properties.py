"""Tests, with random items, what every projection guarantees."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import example, given
from hypothesis import strategies as st

from sanitizers import Profile, Unrepairable, find_violations, sanitize
from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3_STRICT
from sanitizers.native.responses import project, read_tools
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import PROVIDER_PROFILES
from sanitizers.validation import read_history
from sanitizers.work_limit import WorkLimit, limited_by
from tests.sanitizers.native.responses.building import NO_TOOLS, answered, as_items, called, said
from tests.sanitizers.native.responses.drawn import items
from tests.support.strategies import damaged_histories, legal_histories, tokens_of

PROFILES = st.sampled_from([OPENAI, GEMINI_2, GEMINI_3_STRICT, *PROVIDER_PROFILES])
MEDIA_RULES = frozenset({"media_type", "media_unreadable", "refused_part", "remote_media"})
"""Rules by which a profile refuses a part of the newest user turn."""

T = TypeVar("T")

INSTRUCTIONS = st.sampled_from([None, "", "Be brief."])


def outcome(work: Callable[[], T]) -> T | Unrepairable:
    """Return what *work* returns, or the error with which it refuses."""
    try:
        return work()
    except Unrepairable as error:
        return error


@given(st.one_of(items(), items(odd=True)), INSTRUCTIONS, PROFILES)
@example([{"type": "reasoning", "summary": [], "encrypted_content": None}], None, OPENAI)
def test_items_are_refused_with_their_place_or_become_a_history_that_can_be_made_legal(
    native: list[Any], instructions: str | None, profile: Profile
) -> None:
    """Any list is refused with a place in it, or becomes a readable history that can be made legal."""
    before = copy.deepcopy(native)
    done = outcome(lambda: project(native, read_tools(None, native), instructions))

    assert native == before
    if isinstance(done, Unrepairable):
        assert done.param.startswith("input[") or (done.param, done.rule) == ("input", "nothing_to_send")
        return
    read_history(done.messages)
    sanitized = outcome(lambda: sanitize(done.messages, profile))
    if isinstance(sanitized, Unrepairable):
        assert sanitized.rule in MEDIA_RULES | {"nothing_to_send"}
        return
    assert sanitized.violations == ()
    assert find_violations(sanitized.messages, profile) == ()


@given(st.one_of(items(), items(odd=True)), INSTRUCTIONS)
def test_spans_cover_all_items_and_all_messages_once(native: list[Any], instructions: str | None) -> None:
    """The spans cover all items and all messages in their order, and each change names an item of the list."""
    try:
        done = project(native, NO_TOOLS, instructions)
    except Unrepairable:
        return

    assert [*itertools.chain(*(span.items for span in done.spans))] == [*range(len(native))]
    assert [*itertools.chain(*(span.messages for span in done.spans))] == [*range(len(done.messages))]
    assert all(0 <= change.index < len(native) for change in done.changes)
    for number, message in enumerate(done.messages):
        if message["role"] == "tool":
            [span] = [span for span in done.spans if number in span.messages]
            assert any(native[index]["type"].endswith(("_output", "_call")) for index in span.items)
            assert done.message_of(span.items.start) == span.messages.start


@given(items(), PROFILES)
def test_equal_items_give_equal_messages(native: list[Any], profile: Profile) -> None:
    """A copy of a list becomes the same messages, so that a provider's cached prefix stays valid."""
    try:
        done = project(native, NO_TOOLS)
    except Unrepairable:
        return
    again = project(copy.deepcopy(native), NO_TOOLS)

    assert json.dumps(done.messages) == json.dumps(again.messages)


@given(st.one_of(damaged_histories(), legal_histories()))
def test_no_text_of_a_chat_history_is_lost_unnamed(history: list[dict[str, Any]]) -> None:
    """A chat history that was written as items keeps all its texts, or a change names the item."""
    native = as_items(history)
    try:
        done = project(native, NO_TOOLS)
    except Unrepairable:
        return
    kept = {*tokens_of(done.messages)}
    refusals = json.dumps([message.get("refusal") for message in done.messages], ensure_ascii=False)
    named = {change.index for change in done.changes}

    for index, item in enumerate(native):
        words = item.get("content", item.get("output"))
        for token in tokens_of([{"content": _as_chat(words)}]):
            assert token in kept or token in refusals or index in named


def _as_chat(words: Any) -> Any:
    """Return the content of an item with chat's types of text parts."""
    if not isinstance(words, list):
        return words
    return [{**part, "type": "text"} if isinstance(part, dict) and "text" in part else part for part in words]


@given(legal_histories(extras=False, reuse_ids=False))
def test_legal_history_keeps_its_messages(history: list[dict[str, Any]]) -> None:
    """A legal chat history has as items the same calls and results, in the same order."""

    def outline(messages: list[dict[str, Any]]) -> list[Any]:
        return [
            message.get("tool_call_id") or [call["id"] for call in message["tool_calls"]]
            for message in messages
            if message.get("tool_calls") or message["role"] == "tool"
        ]

    assert outline(project(as_items(history), NO_TOOLS).messages) == outline(history)


def test_work_is_linear_and_counted() -> None:
    """The work is linear: twice the items take twice the steps."""

    def steps(size: int) -> int:
        limit = WorkLimit(10**9)
        turns = [
            [said("go"), called(f"c{n}"), said("x", "assistant"), answered(f"c{n}")] for n in range(size)
        ]
        native = [*itertools.chain(*turns)]
        with limited_by(limit):
            project(native, read_tools([{"type": "function", "name": "f"}] * size, native))
        return 10**9 - limit.left

    assert steps(400) <= 2 * steps(200) + 10
    assert steps(400) >= 1600
