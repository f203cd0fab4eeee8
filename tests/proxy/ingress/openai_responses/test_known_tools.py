"""The same tools give the same table, from the cache. Faulty, large and changed tools do not."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.chat_request import LARGEST_KNOWN
from proxy.ingress.openai_responses.known_tools import read_known_tools
from sanitizers import Unrepairable
from tests.proxy.ingress.openai_responses.responding import TOOLS

CARRIER = {"type": "additional_tools", "role": "developer", "tools": TOOLS}
USER = {"role": "user", "content": "Hi."}


def test_equal_tools_are_one_object() -> None:
    """Equal lists give one table, whose chat tools later steps know again by identity."""
    first = read_known_tools([dict(tool) for tool in TOOLS], [USER])
    again = read_known_tools([dict(tool) for tool in TOOLS], [USER, USER])

    assert first.known is not None
    assert first.table.chat_tools is again.table.chat_tools is first.known.tools
    assert first.known.names == ("f", "ex", "ns__g", "local_shell", "shell", "apply_patch")
    assert first.known.are_checked


def test_tools_in_items_are_known_by_their_places() -> None:
    """Tools of items are cached too, and a fault or a change of one names the item where it stands."""
    dropped = {**CARRIER, "tools": [*TOOLS, {"type": "web_search"}]}
    at_one, at_two = read_known_tools(None, [USER, dropped]), read_known_tools(None, [USER, USER, dropped])

    assert [change.detail for change in at_one.table.changes] == ["input[1].tools[6]:web_search"]
    assert [change.detail for change in at_two.table.changes] == ["input[2].tools[6]:web_search"]
    assert read_known_tools(None, [USER, dropped]).table is at_one.table


@pytest.mark.parametrize(
    ("tools", "items", "param"),
    [
        ([{"type": "function"}], [], "tools[0].name"),
        ([{}], [], "tools[0].type"),
        (None, [USER, {**CARRIER, "tools": [{"type": "function"}]}], "input[1].tools[0].name"),
    ],
)
def test_a_fault_has_its_place_each_time(tools: Any, items: Any, param: str) -> None:
    """A fault is found again, since it is not cached."""
    for _ in range(2):
        with pytest.raises(Unrepairable) as refused:
            read_known_tools(tools, items)
        assert refused.value.param == param


@pytest.mark.parametrize(
    "tools",
    [
        [{"type": "function", "name": "f", "description": "x" * LARGEST_KNOWN}],
        [{"type": "function", "name": "f", "parameters": {"enum": [[]] * 9_000}}],
        [{"type": "function", "name": "f", "parameters": {"maximum": 10**30}}],
    ],
)
def test_large_and_odd_tools_are_read_without_the_cache(tools: list[dict[str, Any]]) -> None:
    """A client cannot fill the cache with large tools. They are read all the same."""
    found = read_known_tools(tools, [])

    assert found.known is None
    assert found.table.chat_tools[0]["function"]["name"] == "f"
    assert read_known_tools(tools, []).table is not found.table


def test_no_tools_are_an_empty_table() -> None:
    """Without tools there is nothing to cache, and with tools of the server alone there are no chat tools."""
    assert read_known_tools(None, [USER]).table.chat_tools == []
    assert read_known_tools([{"type": "web_search"}], []).known is None
