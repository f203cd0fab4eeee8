"""Tests of the changes to single items."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import Change
from sanitizers.native.responses import SUMMARY_START, pack_summary
from sanitizers.native.responses.changed_items import ChangedItems
from sanitizers.native.responses.mend import drop_items, mend_items
from sanitizers.native.responses.violations import find_item_violations
from sanitizers.work_limit import WorkLimit, limited_by
from tests.sanitizers.native.responses.building import Item, answered, called, said, sealed, thought
from tests.sanitizers.native.responses.test_violations import BROKEN, LEGAL, SEARCH, TOOLS, TRIGGER

SEALED = thought("gAAAAx")
USER = said("Hi.")
SAID = said("Well.", "assistant", id="msg_1")
BARE = said("Well.", "assistant")
OWN_SUMMARY = {"type": "compaction", "encrypted_content": pack_summary("So far.")}


def mended(*items: Item) -> list[Item]:
    """Return *items* after mending."""
    return [*mend_items(ChangedItems(items)).items]


def reasons(*items: Item) -> list[tuple[str, int, str]]:
    """Return the changes of *items*: kind, index and reason."""
    return [(change.kind, change.index, change.reason) for change in mend_items(ChangedItems(items)).changes]


@pytest.mark.parametrize("items", LEGAL.values(), ids=LEGAL)
def test_legal_items_come_back_as_the_same_object(items: list[Any]) -> None:
    before = ChangedItems(items)

    assert mend_items(before) is before


@pytest.mark.parametrize(("items", "broken"), BROKEN.values(), ids=BROKEN)
def test_broken_items_become_legal_and_each_change_is_listed(items: list[Any], broken: Any) -> None:
    done = mend_items(ChangedItems(items))

    assert find_item_violations(done.items) == ()
    assert {change.index for change in done.changes} & {index for _, index in broken}
    assert {change.step for change in done.changes} == {"item_repair"}


def test_unchanged_items_stay_the_same_objects() -> None:
    items = [USER, SEALED, SAID, called("a"), {**USER}]

    done = mend_items(ChangedItems(items))

    assert [id(item) for item in done.items[:4]] == [id(item) for item in items[:4]]
    assert done.origins == (0, 1, 2, 3, 3, 4)


@pytest.mark.parametrize("sealed_by", [sealed("hm"), None, ""])
def test_thought_that_the_provider_cannot_read_goes_and_its_items_lose_their_ids(
    sealed_by: str | None,
) -> None:
    """An item's id may require the thought before it."""
    call = called("a", id="fc_1")

    assert mended(USER, thought(sealed_by, "hm"), SAID, call, answered("a", id="fco_1")) == [
        USER,
        BARE,
        called("a"),
        answered("a", id="fco_1"),
    ]


def test_search_that_follows_a_dropped_thought_is_dropped_too() -> None:
    """It needs its id, which may require the thought."""
    assert mended(thought(None), SEARCH, SAID) == [BARE]
    assert reasons(thought(None), SEARCH, SAID) == [
        ("dropped", 0, "reasoning_unsealed"),
        ("dropped", 1, "item_of_reasoning"),
        ("replaced", 2, "item_of_reasoning"),
    ]


@pytest.mark.parametrize(
    ("item", "name", "empty"),
    [(SAID, "content", ""), (SEALED, "summary", []), (called("a"), "arguments", "{}")],
)
def test_missing_field_becomes_empty(item: Any, name: str, empty: Any) -> None:
    """A chat does without it, so that only items show it."""
    for given in ({**item, name: None}, {key: value for key, value in item.items() if key != name}):
        items = [given, SAID, answered("a")] if name == "arguments" else [given, SAID]
        at = mended(*items)[0]

        assert at == {**item, name: empty}
        assert ("replaced", 0, "field_missing") in reasons(*items)


def test_items_of_the_next_thought_keep_their_ids() -> None:
    assert mended(thought(None, item_id="rs_2"), SEALED, SAID) == [SEALED, SAID]


def test_thought_whose_next_item_is_dropped_is_dropped_too() -> None:
    odd = {**SEARCH, "action": {"type": "other"}}

    assert mended(SEALED, odd, SAID) == [BARE]
    assert reasons(SEALED, odd, SAID) == [
        ("dropped", 0, "reasoning_alone"),
        ("dropped", 1, "search_action"),
        ("replaced", 2, "item_of_reasoning"),
    ]
    assert mended(SEALED, SAID, odd) == [SEALED, SAID]
    assert mended(SEALED, {**SEARCH, "id": "!"}, USER) == [USER]
    assert reasons({**SEARCH, "id": "!"}) == [("dropped", 0, "item_id_illegal")]


def test_id_that_the_provider_refuses_is_dropped() -> None:
    assert mended({**SAID, "id": "__fake_id__"}) == [BARE]
    assert mended({**SEALED, "id": ""}, BARE) == [{k: v for k, v in SEALED.items() if k != "id"}, BARE]


def test_repeated_item_is_dropped_and_another_one_of_its_id_loses_the_id() -> None:
    assert mended(SEALED, SAID, USER, SEALED, SAID) == [SEALED, SAID, USER]
    other = said("Other.", "assistant", id="msg_1")
    assert mended(SAID, USER, other) == [SAID, USER, said("Other.", "assistant")]


def test_own_summary_is_a_message_and_stands_for_the_models_items() -> None:
    later = {**OWN_SUMMARY, "encrypted_content": pack_summary("More.")}
    message = {"type": "message", "role": "user", "content": SUMMARY_START + "More."}

    assert mended(USER, OWN_SUMMARY, SAID, called("a"), answered("a"), later, BARE) == [USER, message, BARE]
    assert reasons(OWN_SUMMARY, SAID, later) == [
        ("dropped", 0, "summarized"),
        ("dropped", 1, "summarized"),
        ("replaced", 2, "own_summary"),
    ]


def test_tools_before_a_summary_stay() -> None:
    """They belong to the request."""
    assert mended(TOOLS, OWN_SUMMARY)[0] is TOOLS


def test_trigger_is_moved_to_the_end_once() -> None:
    assert mended(TRIGGER, USER) == [USER, TRIGGER]
    assert mended(TRIGGER, USER, {**TRIGGER}) == [USER, TRIGGER]


@pytest.mark.parametrize(
    "items",
    [
        [OWN_SUMMARY] * 1000,
        [USER, *[{**SAID}] * 1000],
        [USER, *[{**SEALED}, {**SEARCH, "action": {"type": "other"}}] * 500],
        [called("a"), *[{"type": "custom_tool_call_output", "call_id": "a", "output": "1"}] * 1000],
        [TRIGGER] * 1000,
    ],
    ids=["summaries", "repeated", "searches", "outputs", "triggers"],
)
def test_work_grows_with_the_number_of_items_alone(items: list[Item]) -> None:
    """Each loop takes one step for an item."""
    with limited_by(WorkLimit(40 * len(items))):
        assert find_item_violations(mend_items(ChangedItems(items)).items) == ()


def test_changes_have_the_indexes_that_the_items_had_at_first() -> None:
    """The list was changed before, by two items less."""
    before = ChangedItems([USER, SEALED], (Change("item_repair", "dropped", 1, "x"),), (2, 3))

    done = mend_items(before)

    assert [(change.index, change.reason) for change in done.changes] == [(1, "x"), (3, "reasoning_alone")]
    assert done.origins == (2,)


def test_dropped_items_leave_none_that_needs_them() -> None:
    """The dropped items themselves are not listed."""
    done = drop_items([USER, SEALED, SAID, USER], {1})

    assert done.items == [USER, BARE, USER]
    assert drop_items([SEALED, USER, SAID], {2}).items == [SEALED, USER]
    assert [(change.index, change.reason) for change in done.changes] == [(2, "item_of_reasoning")]
