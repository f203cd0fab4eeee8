"""Tests of the values that changed items are."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.native.responses.changed_items import ChangedItems, part_from_thought, without_id
from tests.sanitizers.native.responses.building import called, said

SEARCH = {"type": "web_search_call", "id": "ws_1"}
MCP = {"type": "mcp_call", "id": "mcp_1", "name": "f", "server_label": "s", "output": "x"}


def test_origins_are_the_indexes_themselves_where_nothing_changed() -> None:
    assert ChangedItems([]).origin_of(3) == 3
    assert ChangedItems([], origins=(5, -1)).origin_of(0) == 5


@pytest.mark.parametrize(
    ("item", "parted"),
    [
        (said("A", "assistant", id="msg_1"), said("A", "assistant")),
        ({"role": "assistant", "content": "A", "id": "msg_1"}, {"role": "assistant", "content": "A"}),
        (called("a", id="fc_1"), called("a")),
        (SEARCH, None),
        ({"type": "web_search_call"}, {"type": "web_search_call"}),
        (MCP, MCP),
        ({"type": "made_up", "id": "x"}, {"type": "made_up", "id": "x"}),
    ],
)
def test_item_behind_a_dropped_thought_loses_its_id_where_it_needs_none(item: Any, parted: Any) -> None:
    assert part_from_thought(item) == parted


def test_item_without_an_id_stays_the_same_object() -> None:
    item = called("a")

    assert part_from_thought(item) is item
    assert without_id({"id": "x", "type": "message"}) == {"type": "message"}
