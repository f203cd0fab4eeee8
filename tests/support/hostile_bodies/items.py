"""Builders of hostile requests of the Responses API: many items, tools, envelopes and references of each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sanitizers.native.responses.envelope import Envelope, pack_envelope, pack_summary
from tests.support.hostile_bodies.making import DEEP, Body, Builder, flat, many

RESPONSES = "/v1/responses"

_USER = {"role": "user", "content": "Go."}
_SUMMARY = pack_summary("We went.")
_ENVELOPE = pack_envelope(Envelope("m", {"c": "s"}, None, "I think."))


def _items(size: int, item: Callable[[int], dict[str, Any]], *before: dict[str, Any]) -> Body:
    return {"input": [_USER, *before, *many(size, item)]}


def _tools(size: int, tool: Callable[[int], dict[str, Any]], **parameters: Any) -> Body:
    return {"input": "Go.", "tools": many(size, tool), **parameters}


def _call(at: int, **fields: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": f"c{at}", "name": "f", "arguments": "{}", **fields}


def _output(at: int, **fields: Any) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": f"c{at}", "output": "1", **fields}


def _function(at: int, **fields: Any) -> dict[str, Any]:
    return {"type": "function", "name": f"f{at}", "parameters": {}, **fields}


def _reasoning(at: int, **fields: Any) -> dict[str, Any]:
    return {"type": "reasoning", "summary": [{"type": "summary_text", "text": f"t{at}"}], **fields}


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


ITEMS: Mapping[str, Builder] = {
    "items_of_the_user": lambda size: _items(size, lambda _: _USER),
    "items_that_are_empty": lambda size: _items(size, lambda _: {}),
    "items_of_unknown_types": lambda size: _items(size, lambda at: {"type": f"t{at}"}),
    "items_of_the_server": lambda size: _items(size, lambda at: {"type": "web_search_call", "id": f"w{at}"}),
    "items_with_many_parts": lambda size: {
        "input": [{"role": "user", "content": many(size, lambda _: {"type": "input_text", "text": ""})}]
    },
    "items_of_the_assistant": lambda size: _items(size, lambda _: {"role": "assistant", "content": "a"}),
    "calls_of_items": lambda size: {"input": [_USER, *flat(size, lambda at: [_call(at), _output(at)])]},
    "calls_of_items_without_outputs": lambda size: _items(size, _call),
    "calls_of_items_with_one_id": lambda size: _items(size, lambda at: _call(at, call_id="?!")),
    "calls_of_items_in_namespaces": lambda size: _items(size, lambda at: _call(at, namespace=f"n {at}")),
    "calls_of_items_with_long_names": lambda size: _items(size, lambda at: _call(at, name="n" * 200)),
    "outputs_without_calls": lambda size: _items(size, _output),
    "outputs_of_one_call": lambda size: _items(size, lambda _: _output(0), _call(0)),
    "outputs_without_ids": lambda size: _items(
        size, lambda _: {"type": "function_call_output", "name": "f", "output": "1"}
    ),
    "custom_calls": lambda size: _items(
        size, lambda at: {"type": "custom_tool_call", "call_id": f"c{at}", "name": "f", "input": "{"}
    ),
    "shell_calls": lambda size: _items(
        size, lambda at: {"type": "local_shell_call", "id": f"l{at}", "action": {"command": ["ls"]}}
    ),
    "computer_calls": lambda size: _items(
        size, lambda at: {"type": "computer_call", "call_id": f"c{at}", "action": _nested(DEEP - 5)}
    ),
    "server_calls_without_ids": lambda size: _items(
        size, lambda _: {"type": "mcp_call", "name": "f", "server_label": "s", "output": "1"}
    ),
    "server_calls_with_logs": lambda size: _items(
        0, _call, {"type": "code_interpreter_call", "outputs": many(size, lambda _: {"logs": "a"})}
    ),
    "thoughts_of_one_turn": lambda size: _items(size, _reasoning),
    "thoughts_with_envelopes": lambda size: _items(
        size, lambda at: _reasoning(at, encrypted_content=_ENVELOPE)
    ),
    "thoughts_with_foreign_contents": lambda size: _items(
        size, lambda at: _reasoning(at, encrypted_content="gAAAA")
    ),
    "thoughts_with_many_signatures": lambda size: _items(
        0,
        _call,
        _reasoning(
            0,
            encrypted_content=pack_envelope(
                Envelope("m", {f"c{at}": "" for at in range(size // 16)}, None, "")
            ),
        ),
    ),
    "summaries": lambda size: _items(size, lambda _: {"type": "compaction", "encrypted_content": _SUMMARY}),
    "summary_requests": lambda size: _items(size, lambda _: {"type": "compaction_trigger"}),
    "references_to_thoughts": lambda size: _items(
        size, lambda at: {"type": "item_reference", "id": f"rs_{at}"}
    ),
    "references_to_messages": lambda size: _items(size, lambda at: {"id": f"msg_{at}"}),
    "tools_of_items": lambda size: _items(
        size, lambda at: {"type": "additional_tools", "role": "developer", "tools": [_function(at)]}
    ),
    "tools_that_were_found": lambda size: _items(
        0, _call, {"type": "tool_search_output", "tools": many(size, _function)}
    ),
    "tools_in_namespaces": lambda size: _tools(
        size, lambda at: {"type": "namespace", "name": f"n{at}", "tools": [_function(0)]}
    ),
    "tools_in_one_namespace": lambda size: _tools(
        0,
        _function,
        tools=[{"type": "namespace", "name": "n", "description": "d", "tools": many(size, _function)}],
    ),
    "tools_whose_flat_names_collide": lambda size: {
        "input": "Go.",
        "tools": flat(
            size,
            lambda at: [
                _function(0, name=f"n__f{at}"),
                {"type": "namespace", "name": "n", "tools": [_function(at)]},
            ],
        ),
    },
    "tools_of_the_server": lambda size: _tools(size, lambda _: {"type": "web_search"}),
    "tools_that_are_custom": lambda size: _tools(size, lambda at: {"type": "custom", "name": f"c {at}"}),
    "allowed_tools": lambda size: _tools(
        0,
        _function,
        tool_choice={
            "type": "allowed_tools",
            "mode": "auto",
            "tools": many(size, lambda _: {"type": "function", "name": "f0"}),
        },
    ),
    "includes": lambda size: {"input": "Go.", "include": many(size, lambda at: f"i{at}")},
    "fields_of_responses": lambda size: {"input": "Go.", **{f"field_{at}": 1 for at in range(size // 18)}},
    "long_instructions": lambda size: {"input": "Go.", "instructions": "word " * (size // 5)},
    "a_long_previous_id": lambda size: {"input": "Go.", "previous_response_id": "r" * size},
}
