"""Tests of reading calls and their outputs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sanitizers.native.responses import read_tools
from sanitizers.native.responses.call_items import CLIENT_CALLS, OUTPUTS, SERVER_CALLS, CallReader
from tests.sanitizers.native.responses.building import NO_TOOLS, Item, called, projected, signature_of
from tests.support.builders import PNG_URL

IMAGE = {"type": "image_url", "image_url": {"url": PNG_URL}}
TABLE = read_tools([{"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "f"}]}], [])


def reader(*items: Item) -> CallReader:
    """Return a reader of *items*."""
    return CallReader(items, TABLE, [])


@pytest.mark.parametrize(
    ("item", "name", "arguments"),
    [
        (called("a", "f", '{"x": 1}', namespace="n"), "n__f", '{"x": 1}'),
        (called("a", "f"), "n__f", "{}"),
        (called("a", "g", ""), "g", "{}"),
        (called("a", "g", None), "g", "{}"),
        (called("a", "g", {"x": 1}), "g", {"x": 1}),
        (called("a", None), "", "{}"),
        (
            {"type": "custom_tool_call", "name": "exec", "input": "text('hi')"},
            "exec",
            '{"input": "text(\'hi\')"}',
        ),
        ({"type": "custom_tool_call", "name": "exec"}, "exec", '{"input": ""}'),
        (
            {"type": "local_shell_call", "action": {"type": "exec", "command": ["ls"]}},
            "local_shell",
            '{"command": ["ls"]}',
        ),
        ({"type": "shell_call", "action": {"commands": ["ls"]}}, "shell", '{"commands": ["ls"]}'),
        (
            {"type": "apply_patch_call", "operation": {"type": "delete_file"}},
            "apply_patch",
            '{"type": "delete_file"}',
        ),
        ({"type": "computer_call", "action": {"type": "wait"}}, "computer", '{"type": "wait"}'),
        (
            {"type": "computer_call", "actions": [{"type": "wait"}]},
            "computer",
            '{"actions": [{"type": "wait"}]}',
        ),
    ],
)
def test_call_of_the_client_is_a_call_of_a_function(item: Item, name: str, arguments: Any) -> None:
    """Each call is a call of the function that its tool became. Odd arguments are left to the sanitizing steps."""
    call = reader().read_call(item["type"], {"call_id": "a", **item}, 0)

    assert call == {"id": "a", "type": "function", "function": {"name": name, "arguments": arguments}}


def test_missing_id_of_a_call_is_empty() -> None:
    """A call without an id gets one from the sanitizing steps."""
    assert reader().read_call("function_call", called(None), 0)["id"] == ""


@pytest.mark.parametrize(
    ("extra", "signature"),
    [
        ({"google": {"thought_signature": "S"}}, "S"),
        ({"google": {"thought_signature": 7}}, None),
        ({"google": None}, None),
        (7, None),
    ],
)
def test_signature_that_a_client_kept_on_the_call_is_carried(extra: Any, signature: str | None) -> None:
    """Some clients return unknown fields of a call, and so a signature."""
    call = reader().read_call("function_call", called("a", extra_content=extra), 0)

    assert signature_of(call) == signature


@pytest.mark.parametrize(
    ("item", "content"),
    [
        ({"type": "function_call_output", "output": "x"}, "x"),
        ({"type": "function_call_output"}, ""),
        ({"type": "function_call_output", "output": [{"type": "input_text", "text": "x"}]}, "x"),
        (
            {"type": "function_call_output", "output": [{"type": "input_image", "image_url": PNG_URL}]},
            [IMAGE],
        ),
        (
            {"type": "custom_tool_call_output", "output": [{"type": "input_image", "image_url": PNG_URL}]},
            [IMAGE],
        ),
        ({"type": "function_call_output", "output": {"a": 1}}, {"a": 1}),
        (
            {"type": "shell_call_output", "output": [{"stdout": "x", "type": "odd"}]},
            '[{"stdout": "x", "type": "odd"}]',
        ),
        ({"type": "shell_call_output", "output": "x"}, "x"),
        (
            {"type": "apply_patch_call_output", "status": "failed", "output": "no"},
            '{"status": "failed", "output": "no"}',
        ),
        ({"type": "apply_patch_call_output", "status": "completed"}, '{"status": "completed"}'),
        (
            {"type": "computer_call_output", "output": {"type": "computer_screenshot", "image_url": PNG_URL}},
            [IMAGE],
        ),
    ],
)
def test_output_is_a_result(item: Item, content: Any) -> None:
    """Each output is a tool message of its call. Images stay images (Kiro-Go#124)."""
    result = reader().read_output(item["type"], {"call_id": "a", **item}, 0)

    assert result == {"role": "tool", "tool_call_id": "a", "content": content}


def test_result_without_a_call_id_keeps_its_name() -> None:
    """No call is guessed for a result without an id."""
    item = {"type": "function_call_output", "name": "f", "namespace": "n", "output": "x"}

    assert reader().read_output(item["type"], item, 0) == {"role": "tool", "name": "n__f", "content": "x"}
    assert reader().read_output(item["type"], {"output": "x"}, 0) == {"role": "tool", "content": "x"}


@pytest.mark.parametrize(
    ("call", "output", "paired"),
    [
        ({"id": "lsh", "call_id": "a"}, {"id": "lsh"}, "a"),
        ({"id": "lsh", "call_id": "a"}, {"id": "a"}, "a"),
        ({"id": "lsh", "call_id": "a"}, {"id": "other", "call_id": "a"}, "a"),
        ({"id": "lsh"}, {"id": "lsh"}, "lsh"),
        ({"id": "lsh", "call_id": "a"}, {"id": "lost"}, "lost"),
    ],
)
def test_local_shell_pairs_by_the_id_of_the_call(call: Item, output: Item, paired: str) -> None:
    """The output of the local shell has its call's item id, and no call id."""
    both = projected(
        {"type": "local_shell_call", **call}, {"type": "local_shell_call_output", "output": "x", **output}
    )

    assert both.messages[1]["tool_call_id"] == paired
    assert (both.messages[0]["tool_calls"][0]["id"] == paired) == (paired != "lost")


@pytest.mark.parametrize(
    ("item", "name", "arguments", "content"),
    [
        (
            {"type": "mcp_call", "name": "f", "server_label": "s", "arguments": '{"a": 1}', "output": "x"},
            "s__f",
            {"a": 1},
            "x",
        ),
        ({"type": "mcp_call", "name": "f", "error": {"code": 1}}, "n__f", {}, '{"error": {"code": 1}}'),
        ({"type": "mcp_call", "name": "f", "output": [1]}, "n__f", {}, "[1]"),
        (
            {"type": "code_interpreter_call", "code": "1", "outputs": []},
            "code_interpreter",
            {"code": "1"},
            "",
        ),
        (
            {"type": "code_interpreter_call", "outputs": [{"logs": "1"}, {"logs": "2"}]},
            "code_interpreter",
            {"code": ""},
            "1\n2",
        ),
        (
            {"type": "code_interpreter_call", "outputs": [{"logs": "1"}, {"type": "image", "url": PNG_URL}]},
            "code_interpreter",
            {"code": ""},
            [{"type": "text", "text": "1"}, IMAGE],
        ),
        ({"type": "code_interpreter_call", "outputs": [7]}, "code_interpreter", {"code": ""}, "7"),
    ],
)
def test_server_call_is_read_with_its_result(item: Item, name: str, arguments: Any, content: Any) -> None:
    """A call that the server ran is a call and a result of one id."""
    read = reader().read_server_call(item["type"], {"id": "m", **item}, 0)

    assert read is not None
    assert read.call["function"]["name"] == name
    assert json.loads(read.call["function"]["arguments"]) == arguments
    assert read.result == {"role": "tool", "tool_call_id": "m", "content": content}
    assert read.call["id"] == "m"


@pytest.mark.parametrize(
    "item",
    [{"type": "mcp_call", "name": "f"}, {"type": "code_interpreter_call", "code": "1", "outputs": None}],
)
def test_server_call_without_a_result_is_not_read(item: Item) -> None:
    """A call that the server ran is read with its result, or not at all."""
    assert reader().read_server_call(item["type"], item, 0) is None


def test_server_call_without_an_id_gets_one_that_nobody_has() -> None:
    """A derived id is that of no other item, and stays the same."""
    item = {"type": "mcp_call", "name": "f", "output": "x"}
    first = reader(item).read_server_call("mcp_call", item, 0)
    assert first is not None
    taken = reader(item, called(first.call["id"])).read_server_call("mcp_call", item, 0)
    assert taken is not None

    assert first.call["id"] == first.result["tool_call_id"]
    assert taken.call["id"] != first.call["id"]


def test_each_call_of_the_client_has_its_output() -> None:
    """The types of outputs are those of the calls."""
    assert len(CLIENT_CALLS) == len(OUTPUTS)
    assert CLIENT_CALLS.isdisjoint(SERVER_CALLS)
    assert NO_TOOLS.client_name("shell") == "shell"
