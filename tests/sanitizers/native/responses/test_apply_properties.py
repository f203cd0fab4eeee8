"""Properties of items after changes of their messages, over lists of any items."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from sanitizers import Unrepairable, sanitize
from sanitizers.native.responses import ResponsesProjection, ToolTable, project, read_tools
from sanitizers.native.responses.apply import apply_messages
from sanitizers.native.responses.changed_items import ChangedItems
from sanitizers.native.responses.mend import mend_items
from sanitizers.native.responses.violations import find_item_violations
from sanitizers.profiles import OPENAI
from tests.sanitizers.native.responses.drawn import items

_SHARED_IDS = ("ci_", "mcp_", "call_")
"""Begin the ids that the strategy gives to several calls of the server, and the ids of repeated calls."""


def read(given: list[Any]) -> tuple[ToolTable, ResponsesProjection]:
    """Return the tools and the messages of *given*, or end the example where it cannot be read by itself."""
    try:
        table = read_tools(None, given)
        done = project(given, table)
    except Unrepairable:
        assume(False)
    assume(not done.needs)
    return table, done


def repaired(given: list[Any]) -> tuple[list[Any], ChangedItems]:
    """Return the sanitized messages of *given*, and the items that are written from them."""
    table, done = read(given)
    try:
        messages = sanitize(done.messages, OPENAI).messages
    except Unrepairable:
        assume(False)
    return [*messages], mend_items(apply_messages(given, done, table, messages))


def counted(messages: Any) -> Counter[Any]:
    """Return what *messages* hold, each piece with its number."""
    return Counter(piece for message in messages for piece in _pieces(message))


def _pieces(message: dict[str, Any]) -> Iterator[Any]:
    for name in ("content", "refusal"):
        held = message.get(name)
        if message["role"] == "tool":
            continue  # shells and patches hold their outputs in other forms
        for part in held if isinstance(held, list) else [held]:
            text = part.get("text", json.dumps(part, sort_keys=True)) if isinstance(part, dict) else part
            yield from ((message["role"], line) for line in (text or "").split("\n\n") if line)
    for call in message.get("tool_calls") or ():
        if not call["id"].startswith(_SHARED_IDS):
            yield call["id"], call["function"]["name"], call["function"]["arguments"]
    if message["role"] == "tool" and not message["tool_call_id"].startswith(_SHARED_IDS):
        yield "result", message["tool_call_id"]


@given(items())
def test_written_items_break_no_rule_and_are_written_once(given: list[Any]) -> None:
    before = deepcopy(given)
    _, done = repaired(given)

    assert given == before
    assert find_item_violations(done.items) == ()
    again = ChangedItems(done.items)
    assert mend_items(again) is again


@given(items())
def test_unchanged_messages_give_the_same_object(given: list[Any]) -> None:
    table, done = read(given)

    assert apply_messages(given, done, table, [*done.messages]).items is given


@given(items())
def test_written_items_hold_what_the_messages_hold(given: list[Any]) -> None:
    """The items, read again, have the texts, calls and results of the sanitized messages."""
    shells = [item for item in given if item["type"] == "local_shell_call"]
    assume(len(shells) < 2)  # their outputs name them by one id
    assume(
        not any(item["type"] == "mcp_call" and item["id"] == "a" for item in given)
    )  # an id of the client's calls
    messages, done = repaired(given)
    assume(not any(change.reason in ("missing_result", "orphaned_result") for change in done.changes))

    assert counted(project(done.items, read_tools(None, done.items)).messages) == counted(messages)


@given(items(odd=True))
def test_no_item_that_can_be_read_makes_a_fault(given: list[Any]) -> None:
    """Items before a summary are not read, and may hold anything."""
    table, done = read(given)

    assert find_item_violations(mend_items(apply_messages(given, done, table, [*done.messages])).items) == ()
    assert find_item_violations(mend_items(ChangedItems([*given])).items) == ()


@given(items(), st.data())
def test_any_changed_history_is_written_without_a_fault(given: list[Any], data: st.DataObject) -> None:
    """Messages may be dropped, moved, copied or inserted, as cuts and repairs do."""
    table, done = read(given)
    note = {"role": "user", "content": "Note."}
    choices = [*done.messages, *deepcopy(done.messages), note]
    changed = data.draw(st.lists(st.sampled_from(choices), max_size=8, unique_by=id))
    applied = apply_messages(given, done, table, changed)

    assert len(applied.origins or applied.items) == len(applied.items)
    assert find_item_violations(mend_items(applied).items) == ()
