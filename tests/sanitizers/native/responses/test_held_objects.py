"""Tests of finding the ids of objects in a provider's account."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.native.responses.held_objects import file_need, item_needs, tool_needs
from sanitizers.native.responses.tools import read_tools


@pytest.mark.parametrize(
    ("tool", "places"),
    [
        ({"type": "file_search", "vector_store_ids": ["vs_1"]}, ["vector_store_ids"]),
        ({"type": "code_interpreter", "container": "cntr_1"}, ["container"]),
        ({"type": "code_interpreter", "container": {"type": "auto"}}, []),
        (
            {"type": "code_interpreter", "container": {"type": "auto", "file_ids": ["f"]}},
            ["container.file_ids"],
        ),
        (
            {"type": "shell", "environment": {"type": "container_reference", "container_id": "c"}},
            ["environment.container_id"],
        ),
        (
            {"type": "shell", "environment": {"type": "container_auto", "skills": [{}]}},
            ["environment.skills"],
        ),
        ({"type": "shell", "environment": {"type": "local", "skills": [{}]}}, []),
        ({"type": "mcp", "server_label": "x", "connector_id": "connector_gmail"}, ["connector_id"]),
        ({"type": "image_generation", "input_image_mask": {"file_id": "f"}}, ["input_image_mask.file_id"]),
        ({"type": "unheard_of", "drawer_id": "d"}, ["drawer_id"]),
        ({"type": "web_search", "user_location": {"city": "Ulm"}}, []),
        ({"type": "function", "name": "f", "file_id": "x"}, []),
        ({"type": "custom", "name": "f", "file_id": "x"}, []),
    ],
)
def test_objects_that_a_tool_names_are_needs_of_the_table(tool: Any, places: list[str]) -> None:
    """A chat goes without the tool, which is reported."""
    table = read_tools([{"type": "function", "name": "g"}, tool], ())

    assert [need.param for need in table.needs] == [f"tools[1].{place}" for place in places]
    assert all(need.can_be_left_out and need.names_object for need in table.needs)


def test_object_in_a_tool_of_an_item_has_the_items_place() -> None:
    search = {"type": "file_search", "vector_store_ids": ["vs_1"]}
    table = read_tools(
        None, [{"type": "message", "role": "user"}, {"type": "additional_tools", "tools": [search]}]
    )

    assert [need.param for need in table.needs] == ["input[1].tools[0].vector_store_ids"]


def test_tools_of_a_changed_configuration_name_objects_too() -> None:
    """A list of tools that a server sent does not: its schemas are the server's."""
    tools = [
        {"type": "code_interpreter", "container": "cntr_1"},
        {"type": "code_interpreter", "container": {"type": "auto", "file_ids": ["f"]}},
    ]
    places = [need.param for need in item_needs({"tools": tools}, "configuration_update", "input[0]")]

    assert places == ["input[0].tools[0].container", "input[0].tools[1].container.file_ids"]
    assert [*item_needs({"tools": [{"name": "f", "container": "x"}]}, "mcp_list_tools", "input[0]")] == []


def test_no_message_has_a_value_of_the_client() -> None:
    """An id may be a secret, and the place is enough."""
    tool = {"type": "mcp", "connector_id": "s3cret", "container": "s3cret"}
    item = {"type": "code_interpreter_call", "container_id": "s3cret"}
    needs = [
        *tool_needs(tool, "tools[0]"),
        *item_needs(item, "code_interpreter_call", "input[0]"),
        file_need("input[0].content[0].file_id", can_be_left_out=False),
    ]

    assert len(needs) == 4
    assert not any("s3cret" in need.message for need in needs)
    assert all(need.param in need.message for need in needs)
