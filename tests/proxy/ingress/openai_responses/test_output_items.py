"""A call's item has the type and the names that the client declared, and values of the types that it knows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.ingress.openai_responses.output_items import (
    CALL_TYPES,
    call_item,
    name_call,
    read_citations,
    read_logprobs,
    reasoning_item,
)
from sanitizers.native.responses.client_tools import CLIENT_TOOLS
from sanitizers.native.responses.tools import read_tools
from tests.proxy.ingress.openai_responses.responding import TOOLS

TABLE = read_tools(TOOLS, ())
EXEC = {"type": "exec", "env": {}}
SHELL = {"timeout_ms": None, "max_output_length": None}


def item(name: str, arguments: Any) -> dict[str, Any]:
    """Return the item of a call of *name*, without its id and status. *arguments* are a text or JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    found = call_item("x_1", name_call("call_1", name, TABLE), text, "completed")
    assert (found.pop("id"), found.pop("status"), found.pop("call_id")) == ("x_1", "completed", "call_1")
    return found


def test_every_kind_of_tools_has_a_type_of_items() -> None:
    """The kinds of declared tools are known here."""
    assert set(CALL_TYPES) == {"custom", "function", *CLIENT_TOOLS}


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("f", '{"a": 1}', {"type": "function_call", "name": "f", "arguments": '{"a": 1}'}),
        ("f", "x", {"type": "function_call", "name": "f", "arguments": "x"}),
        ("ns__g", "{}", {"type": "function_call", "name": "g", "namespace": "ns", "arguments": "{}"}),
        ("undeclared", "{}", {"type": "function_call", "name": "undeclared", "arguments": "{}"}),
        ("ex", {"input": "a\nb"}, {"type": "custom_tool_call", "name": "ex", "input": "a\nb"}),
        ("ex", {"input": 1}, {"type": "custom_tool_call", "name": "ex", "input": '{"input": 1}'}),
        ("ex", "a raw text", {"type": "custom_tool_call", "name": "ex", "input": "a raw text"}),
        ("local_shell", {"command": ["ls", "-l"]}, {**EXEC, "command": ["ls", "-l"]}),
        ("local_shell", {"command": "ls -l"}, {**EXEC, "command": ["bash", "-lc", "ls -l"]}),
        (
            "local_shell",
            {
                "command": ["ls", 1],
                "env": {"A": "b", "C": 1},
                "timeout_ms": 5,
                "working_directory": "/x",
                "user": 1,
            },
            {
                "type": "exec",
                "command": ["ls"],
                "env": {"A": "b"},
                "timeout_ms": 5,
                "working_directory": "/x",
            },
        ),
        ("local_shell", "x", {**EXEC, "command": []}),
        ("shell", {"commands": ["ls"]}, {**SHELL, "commands": ["ls"]}),
        ("shell", {"commands": "ls", "timeout_ms": "5"}, {**SHELL, "commands": ["ls"]}),
        (
            "shell",
            {"commands": {}, "max_output_length": 9},
            {"timeout_ms": None, "max_output_length": 9, "commands": []},
        ),
        (
            "apply_patch",
            {"type": "create_file", "path": "a", "diff": "+b"},
            {"type": "create_file", "path": "a", "diff": "+b"},
        ),
        (
            "apply_patch",
            {"type": "delete_file", "path": "a", "diff": ""},
            {"type": "delete_file", "path": "a"},
        ),
        ("apply_patch", {"type": ["x"], "path": 1}, {"type": "update_file", "path": "", "diff": ""}),
    ],
)
def test_a_call_has_the_form_of_its_tool(name: str, arguments: Any, expected: dict[str, Any]) -> None:
    """Names are exact pairs, custom inputs raw texts, and actions have typed fields."""
    found = item(name, arguments)
    action = found.get("action", found.get("operation"))

    assert (found if action is None else action) == expected
    if action is not None:
        assert found["type"] == f"{name}_call"


def test_citations_of_another_form_are_left_out() -> None:
    """A citation has an address and a range. A missing title is empty."""
    good = {"start_index": 1, "end_index": 2, "url": "u"}
    given = [
        {"url_citation": good},
        {"url_citation": {"url": "u"}},
        {"url_citation": 1},
        {},
        1,
        {"type": "file"},
    ]

    assert read_citations(given) == [{"type": "url_citation", **good, "title": ""}]
    assert read_citations(None) == []


def test_logprobs_without_content_are_empty() -> None:
    """Null and missing lists are empty."""
    refusal = {"refusal": [{"token": "a", "logprob": 0}]}
    nothings: tuple[dict[str, Any] | None, ...] = (None, {}, {"content": None}, {"content": []}, refusal)
    for given in nothings:
        assert read_logprobs(given) == []


def test_a_reasoning_item_may_show_nothing() -> None:
    """Without shown thoughts the summary is empty, and the envelope is there."""
    assert reasoning_item("rs_1", "", "tr1_x") == {
        "id": "rs_1",
        "type": "reasoning",
        "summary": [],
        "encrypted_content": "tr1_x",
    }
