"""Tests of items that a provider refuses by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.core.source import ResponsesRequest
from proxy.planning.repairs.refused_items import without_refused_items
from sanitizers.native.responses.changed_items import without_id
from tests.proxy.planning.repairs.test_unseal_items import OUTPUT, USER, plan_of, refusal
from tests.support.native_responses import CALL, MESSAGE, SEARCH, THOUGHT

ITEMS = [USER, THOUGHT, SEARCH, MESSAGE, CALL, OUTPUT]
SAID, CALLED = without_id(MESSAGE), without_id(CALL)
BARE = [USER, MESSAGE, CALL, OUTPUT]
REFERENCE = {"type": "item_reference", "id": "rs_0"}


def sent(items: list[Any], words: str) -> Any:
    """Return the items that are sent after a refusal of *items* with *words*, or None where nothing changes."""
    plan = without_refused_items(plan_of(items), refusal(words.lower()))
    if plan is None:
        return None
    source = plan.request.source
    assert source is not None
    assert isinstance(source.native, ResponsesRequest)
    assert source.messages is plan.messages
    assert not source.native.are_own
    return [*source.native.items]


def test_message_of_the_client_may_have_the_id_of_an_item() -> None:
    asking = {"type": "message", **USER, "id": "msg_0"}
    words = "Item 'msg_0' of type 'message' was provided without its required 'reasoning' item: 'rs_0'."

    assert sent([asking, *ITEMS[1:]], words) == [without_id(asking), *ITEMS[1:]]


@pytest.mark.parametrize(
    ("items", "words", "after"),
    [
        (
            ITEMS,
            "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
            [USER, SAID, CALLED, OUTPUT],
        ),
        (
            BARE,
            "Item 'msg_1' of type 'message' was provided without its required 'reasoning' item: 'rs_0'.",
            [USER, SAID, CALLED, OUTPUT],
        ),
        (
            BARE,
            "Item 'fc_1' was provided without its required 'reasoning' item: 'rs_0'.",
            [USER, SAID, CALLED, OUTPUT],
        ),
        (
            [*ITEMS, USER, {**SEARCH, "id": "ws_2"}, {**MESSAGE, "id": "msg_2"}],
            "Item 'ws_2' of type 'web_search_call' was provided without its required 'reasoning' item: 'rs_0'.",
            [*ITEMS, USER, SAID],
        ),
        (
            ITEMS,
            "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
            [USER, without_id(THOUGHT), *ITEMS[2:]],
        ),
        (
            ITEMS,
            "Item with id 'msg_1' not found. Items are not persisted when `store` is set to false.",
            [*ITEMS[:3], SAID, *ITEMS[4:]],
        ),
        (
            ITEMS,
            "Invalid 'input[4].id': 'fc_1'. Expected an ID that begins with 'x'.",
            [*ITEMS[:4], CALLED, OUTPUT],
        ),
        (
            ITEMS,
            "Invalid 'input[3].id': 'msg_1'. Invalid 'input[4].id': 'fc_1'.",
            [*ITEMS[:3], SAID, CALLED, OUTPUT],
        ),
    ],
    ids=[
        "alone",
        "message",
        "call",
        "turns without thoughts",
        "thought",
        "message of a store",
        "place",
        "two places",
    ],
)
def test_named_item_is_repaired(items: list[Any], words: str, after: list[Any]) -> None:
    assert sent(items, words) == after


def test_second_one_of_an_id_loses_it() -> None:
    """Such a pair is mended before it is sent. A provider may compare ids in another way."""
    twice = plan_of([USER, MESSAGE, {**MESSAGE, "id": "msg_2"}, USER])
    source = twice.request.source
    assert source is not None
    assert isinstance(source.native, ResponsesRequest)
    items: list[Any] = [USER, MESSAGE, {**MESSAGE, "phase": None}, USER]
    odd = replace(
        twice,
        request=replace(twice.request, source=replace(source, native=replace(source.native, items=items))),
    )
    mended = without_refused_items(odd, refusal("duplicate item found with id msg_1. remove duplicate items"))

    assert mended is not None
    assert mended.request.source is not None
    assert isinstance(mended.request.source.native, ResponsesRequest)
    assert mended.request.source.native.items == [USER, MESSAGE, {**SAID, "phase": None}, USER]


@pytest.mark.parametrize(
    "words",
    [
        "Item 'rs_9' of type 'reasoning' was provided without its required following item.",
        "Item with id 'rs_9' not found. Items are not persisted when `store` is set to false.",
        "Invalid 'input[99].id': 'x'.",
        "Invalid 'input[0].id': ''.",
        "Duplicate item found with id msg_1.",
        "The encrypted content gAAA could not be verified.",
        "",
    ],
)
def test_words_that_name_no_item_change_nothing(words: str) -> None:
    assert sent(ITEMS, words) is None


def test_changes_have_the_indexes_of_messages() -> None:
    """So are all repairs listed. The items may be others than those that came."""
    plan = plan_of([{"type": "reasoning", "id": "rs_0", "summary": []}, USER, THOUGHT, MESSAGE, USER])
    repaired = without_refused_items(
        plan, refusal("item with id 'msg_1' not found. items are not persisted when")
    )

    assert repaired is not None
    assert [(change.step, change.kind, change.index, change.reason) for change in repaired.later_changes] == [
        ("repair", "replaced", 1, "item_unknown")
    ]


def test_request_without_items_is_not_repaired() -> None:
    plan = plan_of(ITEMS)
    said = refusal("item with id 'rs_1' not found.")

    assert without_refused_items(replace(plan, request=replace(plan.request, source=None)), said) is None
    assert without_refused_items(replace(plan, messages=[*plan.messages]), said) is None


def test_many_names_are_not_all_read() -> None:
    words = " ".join(f"invalid 'input[{at}].id'" for at in range(200))
    items = [USER, *({**MESSAGE, "id": f"msg_{at}"} for at in range(200))]

    after = sent(items, words)
    assert sum("id" not in item for item in after) == 64  # the user's has none
