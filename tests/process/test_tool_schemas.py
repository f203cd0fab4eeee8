"""Tests that Gemini accepts the tool schemas that clients declare, through the running process."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.process.asking import GEMINI_MODELS, ask, body
from tests.process.emulators import Gemini
from tests.process.running import Served

NODE = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
    },
    "required": ["name"],
    "additionalProperties": False,
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "no properties": {"type": "object", "properties": {}, "additionalProperties": False},
    "strict": {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    },
    "recursive": {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/Node"}},
        "$defs": {"Node": NODE},
    },
    "map": {
        "type": "object",
        "properties": {"env": {"type": "object", "additionalProperties": {"type": "string"}}},
    },
    "anything": {"type": "object", "properties": {"value": {}, "flag": True, "list": {"type": "array"}}},
    "root choice": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "properties": {"a": {}, "b": {}}},
    "values": {
        "type": "object",
        "properties": {"n": {"enum": [1, 2.5, "x", "", None, True]}, "m": {"const": 7}},
    },
    "formats": {"type": "object", "properties": {"u": {"type": "string", "format": "uri", "minLength": 1}}},
    "conditions": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "number", "multipleOf": 0.5}},
        "if": {"properties": {"a": {"const": "x"}}},
        "then": {"required": ["b"]},
        "dependentRequired": {"a": ["b"]},
    },
    "junk": {"type": "dict", "properties": {"a": None, "b": [1]}, "required": "a", "title": 5},
}


def request_of(model: str) -> dict[str, Any]:
    """Return a request that declares a tool for every schema."""
    tools = [
        {
            "type": "function",
            "function": {"name": name.replace(" ", "_"), "description": name, "parameters": schema},
        }
        for name, schema in SCHEMAS.items()
    ]
    return {**body(model, [{"role": "user", "content": "hello"}]), "tools": tools}


@pytest.mark.parametrize("model", [*GEMINI_MODELS, "gemini-2.0-flash"])
def test_every_schema_is_taken_at_once(
    http: httpx.Client, served: Served, gemini: Gemini, model: str, transport: str
) -> None:
    """Gemini accepts every schema at the first try; the direct transport sends JSON Schema where it is more precise."""
    answer = ask(http, served, request_of(f"gemini/{model}"))
    [entry] = gemini.journal()

    assert answer.is_whole, answer.text
    assert entry["verdict"]["status"] == 200
    [tool] = entry["body"]["tools"]
    declared = {
        each["name"]: each for each in tool.get("functionDeclarations") or tool["function_declarations"]
    }
    assert list(declared) == [name.replace(" ", "_") for name in SCHEMAS]
    as_json = {name for name, each in declared.items() if "parametersJsonSchema" in each}
    if transport == "direct" and model != "gemini-2.0-flash":
        assert {"strict", "recursive", "map", "anything"} <= as_json
        assert declared["recursive"]["parametersJsonSchema"]["$defs"] == {"Node": NODE}
    else:
        assert not as_json
