"""Tests, with random messages, what every projection guarantees."""

from __future__ import annotations

import copy
import itertools
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sanitizers import Profile, Unrepairable, find_violations, sanitize
from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3_STRICT
from sanitizers.native.messages.project import MessagesProjection, project
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import PROVIDER_PROFILES
from sanitizers.validation import read_history
from sanitizers.work_limit import WorkLimit, limited_by
from tests.sanitizers.native.messages.building import TENANT, answered, as_items, assistant, said, used, user
from tests.sanitizers.native.messages.drawn import SYSTEMS, items
from tests.support.strategies import damaged_histories, tokens_of

PROFILES = st.sampled_from([OPENAI, GEMINI_2, GEMINI_3_STRICT, *PROVIDER_PROFILES])
MEDIA_RULES = frozenset({"media_type", "media_unreadable", "refused_part", "remote_media"})
"""Rules by which a profile refuses a part of the newest user turn."""


def outcome(native: list[Any], system: Any = None) -> MessagesProjection | Unrepairable:
    """Return the projection of *native*, or the error with which it is refused."""
    try:
        return project(native, system, tenant=TENANT)
    except Unrepairable as error:
        return error


@given(st.one_of(items(), items(odd=True)), st.sampled_from(SYSTEMS), PROFILES)
def test_messages_are_refused_with_their_place_or_become_a_history_that_can_be_made_legal(
    native: list[Any], system: Any, profile: Profile
) -> None:
    """Any list is refused with a place in it, or becomes a readable history that can be made legal."""
    before = copy.deepcopy(native)
    done = outcome(native, system)

    assert native == before
    if isinstance(done, Unrepairable):
        assert done.param == "messages" or done.param.startswith("messages.")
        assert done.message.startswith(f"{done.param}: ")
        return
    read_history(done.messages)
    try:
        sanitized = sanitize(done.messages, profile)
    except Unrepairable as error:
        refused = error.rule
    else:
        assert find_violations(sanitized.messages, profile) == sanitized.violations == ()
        return
    assert refused in MEDIA_RULES | {"nothing_to_send"}


@given(st.one_of(items(), items(odd=True)), st.sampled_from(SYSTEMS))
def test_spans_cover_all_messages_once(native: list[Any], system: Any) -> None:
    """The spans cover all messages of both sides behind the leading ones. Each change names one of the client's."""
    done = outcome(native, system)
    if isinstance(done, Unrepairable):
        return

    assert [*itertools.chain(*(span.items for span in done.spans))] == [*range(len(native))]
    covered = [*itertools.chain(*(span.messages for span in done.spans))]
    assert covered == [*range(done.leading, len(done.messages))]
    assert all(0 <= change.index < len(native) for change in done.changes)
    for place in covered:
        assert any(done.item_of(place) in span.items for span in done.spans if place in span.messages)


@given(items())
def test_equal_lists_give_equal_messages(native: list[Any]) -> None:
    """A copy of a list becomes the same messages, so that a provider's cached prefix stays valid."""
    done, again = outcome(native), outcome(copy.deepcopy(native))
    if isinstance(done, Unrepairable) or isinstance(again, Unrepairable):
        assert isinstance(done, Unrepairable)
        assert isinstance(again, Unrepairable)
        return

    assert json.dumps(done.messages) == json.dumps(again.messages)


@given(damaged_histories())
def test_no_text_of_a_chat_history_is_lost(history: list[dict[str, Any]]) -> None:
    """A chat history that was written as messages keeps all its texts."""
    native = as_items(history)
    done = outcome(native)
    if isinstance(done, Unrepairable):
        return
    kept = {*tokens_of(done.messages)}

    for item in native:
        assert {*tokens_of([item])} <= kept


def test_work_is_linear_and_counted() -> None:
    """The work is linear: twice the messages take twice the steps."""

    def steps(size: int) -> int:
        limit = WorkLimit(10**9)
        turns = [
            [user(answered(f"{n}"), said("x")), assistant(said("y"), used(f"{n + 1}"))] for n in range(size)
        ]
        with limited_by(limit):
            project([*itertools.chain(*turns)])
        return 10**9 - limit.left

    assert steps(400) <= 2 * steps(200) + 10
    assert steps(400) >= 1600
