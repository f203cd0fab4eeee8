"""Tests, with random messages, that writing changed histories keeps what did not change."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sanitizers import Unrepairable, sanitize
from sanitizers.native.messages.apply import apply_messages
from sanitizers.native.messages.project import project
from sanitizers.provider_profiles import ANTHROPIC, ANTHROPIC_STRICT
from tests.sanitizers.native.messages.building import TENANT, as_items
from tests.sanitizers.native.messages.drawn import SYSTEMS, items
from tests.support.strategies import damaged_histories

Calls = list[tuple[Any, Any, Any]]


def calls_and_results(messages: Any) -> list[Any]:
    """Return the calls and results of a chat history in their order, with what they say."""
    said: list[Any] = []
    for message in messages:
        for call in message.get("tool_calls") or ():
            function = call["function"]
            said.append((call["id"], function["name"], json.loads(function["arguments"])))
        if message["role"] == "tool":
            said.append((message["tool_call_id"], message.get("is_error")))
    return said


@given(items(), st.sampled_from(SYSTEMS))
def test_unchanged_history_is_the_same_list(native: list[Any], system: Any) -> None:
    """Without a change, the very list of the client goes out, and its ``system`` stays."""
    try:
        projected = project(native, system, tenant=TENANT)
    except Unrepairable:
        return
    done = apply_messages(native, projected, system, [*projected.messages])

    assert done.items is native
    assert (done.changes, done.system, done.origins) == ((), None, None)


@given(st.one_of(items(), damaged_histories().map(as_items)), st.sampled_from(SYSTEMS), st.booleans())
def test_sanitized_history_is_read_again_as_it_was_written(
    native: list[Any], system: Any, prefill: bool
) -> None:
    """A sanitized history is written and read again as the same calls and results in order."""
    before = copy.deepcopy(native)
    try:
        projected = project(native, system, tenant=TENANT)
        profile = ANTHROPIC if prefill else ANTHROPIC_STRICT
        sanitized = sanitize(projected.messages, profile).messages
    except Unrepairable:
        return
    done = apply_messages(native, projected, system, sanitized)
    again = project([*done.items], done.system if done.system is not None else system, tenant=TENANT)

    assert native == before
    assert calls_and_results(again.messages) == calls_and_results(sanitized)
    if done.origins is not None:
        assert len(done.origins) == len(done.items)
        assert all(0 <= origin < len(native) for origin in done.origins)


@given(items(), st.integers(0, 6))
def test_messages_that_did_not_change_stay_the_same_objects(native: list[Any], gone: int) -> None:
    """A history without one of its messages keeps all other messages of its client."""
    try:
        projected = project(native, tenant=TENANT)
    except Unrepairable:
        return
    place = gone % len(projected.messages)
    left = [message for at, message in enumerate(projected.messages) if at != place]
    done = apply_messages(native, projected, None, left)
    span = next(span for span in projected.spans if place in span.messages)

    kept = {id(item) for item in done.items}
    run = {"tool", "user"}
    if projected.messages[place]["role"] not in run:
        assert all(id(item) in kept for at, item in enumerate(native) if at not in span.items)
    blocks = {id(block) for item in done.items for block in item["content"] if isinstance(block, dict)}
    for at, item in enumerate(native):
        if at not in span.items and isinstance(item["content"], list):
            assert {id(block) for block in item["content"]} <= blocks
