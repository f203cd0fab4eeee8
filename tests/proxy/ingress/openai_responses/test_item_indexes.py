"""Tests of the numbers of messages as numbers of items."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import ContextTooLong, UnrepairableHistory
from proxy.ingress.openai_responses.item_indexes import NO_ITEM, ItemIndexes
from sanitizers import Change
from sanitizers.native import Span

SPANS = [
    Span(range(0), range(1)),  # the instructions
    Span(range(1), range(1, 2)),
    Span(range(1, 4), range(2, 4)),  # three items became two messages
    Span(range(4, 5), range(4, 4)),  # a thought that became none
    Span(range(5, 6), range(4, 5)),
]
ALL = ItemIndexes(SPANS)
LATER = ItemIndexes(SPANS, earlier=4)


@pytest.mark.parametrize(
    ("message", "item", "own"),
    [
        (0, NO_ITEM, NO_ITEM),
        (1, 0, NO_ITEM),
        (2, 1, NO_ITEM),
        (3, 1, NO_ITEM),
        (4, 5, 1),
        (5, NO_ITEM, NO_ITEM),
        (-1, NO_ITEM, NO_ITEM),
    ],
)
def test_message_is_found_by_its_first_item(message: int, item: int, own: int) -> None:
    """Instructions, stored items and messages of the proxy's own have no item of the request."""
    assert ALL.of_message(message) == item
    assert LATER.of_message(message) == own


def test_text_names_items() -> None:
    """Each place in the text of a refusal is one that the client knows."""
    text = "Broken. messages[4].content: x; messages[1]: y; all messages; my_messages[1]."

    assert ALL.rename(text) == "Broken. input[5].content: x; input[0]: y; all messages; my_messages[1]."
    assert LATER.rename(text) == "Broken. input[1].content: x; input: y; all messages; my_messages[1]."


def test_changes_of_items_are_those_of_own_items() -> None:
    """Places in the detail move as well. The tools of the request are no items."""
    changes = [
        Change("items", "dropped", 5, "server_item", "web_search_call"),
        Change("items", "dropped", 1, "server_item", "web_search_call"),
        Change("items", "dropped", 4, "server_tool", "input[4].tools[2]:web_search"),
        Change("items", "dropped", 2, "server_tool", "tools[2]:web_search"),
        Change("session", "dropped", 0, "old_turns", "turns=3"),
        Change("shape", "replaced", 0, "half_character"),
    ]

    assert ALL.renumber_items(changes) == tuple(changes)
    assert [(change.index, change.detail) for change in LATER.renumber_items(changes)] == [
        (1, "web_search_call"),
        (NO_ITEM, "web_search_call"),
        (0, "input[0].tools[2]:web_search"),
        (2, "tools[2]:web_search"),
        (0, "turns=3"),
        (0, ""),
    ]


def test_refusal_lists_items() -> None:
    """Broken rules and changes have the numbers of items, but for changes of no message."""
    error = UnrepairableHistory(
        "The history is broken. messages[4]: rule.",
        violations=[{"index": 4, "rule": "rule"}],
        changes=[
            {"step": "pairing", "index": 1},
            {"step": "tools", "index": 3},
            {"step": "item_repair", "index": 3},  # it has the number of an item
        ],
    )

    ALL.rename_error(error)

    assert error.message == "The history is broken. input[5]: rule."
    assert error.details["violations"] == [{"index": 5, "rule": "rule"}]
    assert error.details["changes"] == [
        {"step": "pairing", "index": 0},
        {"step": "tools", "index": 3},
        {"step": "item_repair", "index": 3},
    ]
    assert LATER.renumber([{"step": "item_repair", "index": 5}, {"step": "item_repair", "index": 3}]) == [
        {"step": "item_repair", "index": 1},
        {"step": "item_repair", "index": NO_ITEM},
    ]


def test_other_refusal_has_no_lists() -> None:
    """A refusal without lists keeps none."""
    error = ContextTooLong("Too long at messages[1].")

    ALL.rename_error(error)

    assert (error.message, error.details) == ("Too long at input[0].", {})


def test_explanation_has_the_numbers_of_items() -> None:
    """The changes that were made while the items were read have these numbers already."""
    described: dict[str, Any] = {
        "changes": [{"step": "items", "index": 4}, {"step": "pairing", "index": 4}],
        "found": [{"rule": "x", "index": 1}],
        "violations": [],
        "refusal": {"message": "messages[1] is long.", "rule": "x", "param": None},
        "memory": {"replaced": [1, 4], "pinned": [2], "text": "t"},
        "verdict": "repaired",
    }

    assert ALL.renumber_explanation(described, mended=1) == {
        "changes": [{"step": "items", "index": 4}, {"step": "pairing", "index": 5}],
        "found": [{"rule": "x", "index": 0}],
        "violations": [],
        "refusal": {"message": "input[0] is long.", "rule": "x", "param": None},
        "memory": {"replaced": [0, 5], "pinned": [1], "text": "t"},
        "verdict": "repaired",
    }
