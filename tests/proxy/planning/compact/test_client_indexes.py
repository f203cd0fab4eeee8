"""Tests that the indexes of a plan are those of the client's messages, for any memory in any history."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from proxy.planning.compact.applied_memory import AppliedMemory
from proxy.planning.compact.client_indexes import (
    changes_for_client,
    compacted_request,
    find_pinned,
    sanitized_for_client,
)
from sanitizers import Change, Profile, Sanitized, sanitize
from tests.proxy.inspector.looking import parse
from tests.proxy.planning.compact.memories import TEXT, memory_of
from tests.sanitizers.budget.test_fit_properties import profiles
from tests.support.builders import assistant, system, user
from tests.support.strategies.sessions import sessions

History = list[dict[str, Any]]

HISTORY = [system(), user("goal"), assistant("One."), user("Go on.")]


class Compacted(NamedTuple):
    """A client's history, and a memory of some of its messages."""

    history: History
    memory: AppliedMemory


@st.composite
def compacted(draw: st.DrawFn) -> Compacted:
    """Draw a history with a memory that ends where a round begins, and some messages that stay."""
    history = draw(sessions(max_rounds=12))
    start = 1 + next(at for at, message in enumerate(history) if message["role"] == "user")
    ends = [at for at in range(start, len(history)) if history[at]["role"] != "tool"] or [start]
    end = draw(st.sampled_from(ends))
    loose = [at for at in range(start, end) if history[at]["role"] in ("user", "system")]
    pinned = sorted(draw(st.sets(st.sampled_from(loose), max_size=2))) if loose else []
    return Compacted(history, memory_of(start, end, *pinned))


@given(compacted())
def test_each_message_but_the_memory_has_its_own_index(made: Compacted) -> None:
    """The memory counts as the first message that it replaces."""
    history, memory = made
    for at, message in enumerate(memory.apply_to(history)):
        origin = memory.origin_of(at)
        assert (message is history[origin]) if message is not memory.message else (origin == memory.start)


@given(compacted(), profiles)
def test_origins_lead_to_the_client_s_messages(made: Compacted, profile: Profile) -> None:
    """An unchanged message of the sanitized history is the client's message at its origin."""
    history, memory = made
    request = compacted_request(parse(history), memory)
    sanitized = sanitized_for_client(sanitize(request.messages, profile), memory)

    assert sanitized.origins is not None
    own = {id(message): at for at, message in enumerate(request.messages)}
    for message, origin in zip(sanitized.messages, sanitized.origins, strict=True):
        if id(message) in own:
            assert origin == memory.origin_of(own[id(message)])


@given(compacted(), profiles)
def test_the_pinned_message_is_the_one_that_holds_the_memory(made: Compacted, profile: Profile) -> None:
    """A provider that refuses two user messages in a row gets the memory within another message."""
    history, memory = made
    request = compacted_request(parse(history), memory)
    sanitized = sanitize(request.messages, profile)
    (holder,) = find_pinned(request, sanitized, sanitized.messages)

    assert TEXT in str(holder["content"])
    assert any(message is holder for message in sanitized.messages)


def test_changes_of_declared_tools_keep_their_positions() -> None:
    """The index of such a change is the tool's position. A renamed call has a message's index."""
    changes = [Change("tools", "replaced", 5, reason) for reason in ("tool_name", "call_name", "tool_choice")]

    assert [change.index for change in changes_for_client(changes, memory_of(1, 11))] == [5, 14, 5]


def test_a_rebuilt_memory_is_found_by_its_origin() -> None:
    """The memory's own place counts, even where another user message follows directly."""
    request = compacted_request(parse(HISTORY), memory_of(2, 3))
    rebuilt = [dict(message) for message in request.messages]

    for origins in (None, (0, 1, 2, 3)):
        assert find_pinned(request, Sanitized(rebuilt, origins=origins), rebuilt)[0] is rebuilt[2]


def test_an_inserted_message_is_not_taken_for_the_memory() -> None:
    """A message that a step inserts has the origin of the message that it belongs to."""
    request = compacted_request(parse(HISTORY), memory_of(2, 3))
    sent = [*request.messages[:3], user("inserted"), *request.messages[3:]]

    assert find_pinned(request, Sanitized(sent, origins=(0, 1, 2, 2, 3)), sent)[0] is sent[2]


def test_the_message_that_is_sent_is_pinned() -> None:
    """An instruction of the proxy makes a new object of the message that holds the memory."""
    request = compacted_request(parse(HISTORY[1:]), memory_of(1, 2))
    joined = [user(f"goal\n\n{TEXT}"), user("Go on.")]
    sent = [user(f"goal\n\n{TEXT}\n\nAnswer in JSON."), joined[1]]

    assert find_pinned(request, Sanitized(joined, origins=(0, 2)), sent)[0] is sent[0]
