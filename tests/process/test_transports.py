"""Tests that both transports send Gemini the same request, except for intended differences."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from proxy.cli.comparison import run_comparison
from tests.process.asking import GEMINI_MODELS
from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.support.builders import assistant, call, image, system, text, tool, user
from tests.support.litellm_noise import LITELLM_NOISE

pytestmark = LITELLM_NOISE

SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": "Where."}, "depth": {"type": "integer"}},
    "required": ["path"],
}
TOOLS = [{"type": "function", "function": {"name": "read", "description": "Reads.", "parameters": SCHEMA}}]
ROUND = [user("go"), assistant("on it", calls=[call("c1", "read", '{"path": "/a"}')]), tool("c1", "found")]

RICH = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
        "unit": {"$ref": "#/definitions/Unit", "description": "Which."},
        "strict": {"type": ["boolean", "null"], "default": None},
        "level": {"enum": [1, 2, 3]},
        "kind": {"oneOf": [{"const": "a", "title": "First"}, {"const": "b"}]},
        "either": {"anyOf": [{"type": "string", "maxLength": 9}, {"type": "integer"}], "description": "E."},
        "pair": {"type": "array", "items": [{"type": "number"}, {"type": "number"}], "maxItems": 2},
        "both": {"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"required": ["a"]}]},
        "maybe": {"anyOf": [{"$ref": "#/definitions/Unit"}, {"type": "null"}]},
        "free": {"type": "object", "properties": {}},
        "size": {"type": "integer", "exclusiveMinimum": 0},
    },
    "required": ["unit", "strict"],
    "definitions": {"Unit": {"enum": ["c", "f"]}},
}
"""A tool's schema, parts of which litellm alone would lose, refuse or fail on.

Gemini's schema language can express the whole schema.
"""

REQUESTS: dict[str, dict[str, Any]] = {
    "plain": {"messages": [user("hello")]},
    "system": {"messages": [system("be brief"), user("hello"), assistant("hi"), user("again")]},
    "tools": {"messages": ROUND, "tools": TOOLS},
    "rich schema": {
        "messages": [user("x")],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": RICH, "strict": True}}],
    },
    "older functions": {"messages": [user("x")], "functions": [{"name": "f", "parameters": RICH}]},
    "tool choice required": {"messages": [user("x")], "tools": TOOLS, "tool_choice": "required"},
    "tool choice none": {"messages": [user("x")], "tools": TOOLS, "tool_choice": "none"},
    "tool choice by name": {
        "messages": [user("x")],
        "tools": TOOLS,
        "tool_choice": {"type": "function", "function": {"name": "read"}},
    },
    "result as an object": {"messages": [*ROUND[:2], tool("c1", '{"lines": 3}')], "tools": TOOLS},
    "result as a list": {"messages": [*ROUND[:2], tool("c1", "[1, 2]")], "tools": TOOLS},
    "results of two calls": {
        "messages": [
            user("go"),
            assistant(calls=[call("c1", "read", '{"path": "a"}'), call("c2", "read", '{"path": "b"}')]),
            tool("c2", "2"),
            tool("c1", "1"),
            user("and?"),
        ],
        "tools": TOOLS,
    },
    "settings": {
        "messages": [user("x")],
        "temperature": 0.3,
        "top_p": 0.9,
        "max_tokens": 50,
        "stop": ["END", "STOP"],
        "seed": 7,
    },
    "image": {"messages": [user([text("what?"), image()])]},
    "json": {"messages": [user("x")], "response_format": {"type": "json_object"}},
    "dangling call": {
        "messages": [user("go"), assistant(calls=[call("c1", "read")]), user("next")],
        "tools": TOOLS,
    },
    "broken arguments": {
        "messages": [user("go"), assistant(calls=[call("c1", "read", '{"path')]), tool("c1", "x")]
    },
}


@pytest.fixture(scope="module")
def both(directory: Path, gemini_process: Gemini) -> Iterator[tuple[Served, Served]]:
    """Run a process for each transport."""

    def config(transport: str) -> dict[str, Any]:
        parameters = {"model": "gemini/*", "api_key": "emulated", "api_base": gemini_process.api_base}
        entry = {"model_name": "gemini/*", "transport": transport, "litellm_params": parameters}
        return {"model_list": [entry], "general_settings": {"drain_delay": 0}}

    with serve(directory, config("litellm")) as one, serve(directory, config("direct")) as other:
        yield one, other


@pytest.mark.parametrize("model", GEMINI_MODELS)
@pytest.mark.parametrize("name", REQUESTS)
def test_both_transports_send_gemini_the_same_requests(
    http: httpx.Client, gemini: Gemini, both: tuple[Served, Served], name: str, model: str
) -> None:
    """Both transports send Gemini equal contents, tools and configuration, apart from the intended differences."""
    seen = []
    for served in both:
        gemini.clear()
        request = {"model": f"gemini/{model}", **REQUESTS[name]}
        answer = http.post(f"{served.origin}/v1/chat/completions", json=request)
        assert answer.status_code == 200, answer.text
        seen.append(meaning(gemini.journal()[0]["body"], model))

    assert seen[0] == seen[1]


def meaning(request: dict[str, Any], model: str) -> dict[str, Any]:
    """Return a request without differences of spelling and without the intended differences of the transports.

    - litellm writes parts in snake case; both are Gemini's own spellings;
    - litellm puts a blank text behind media that stand alone, which no model since 2.0 needs;
    - litellm forces ``temperature: 1.0`` on Gemini 3, which is the default there anyway;
    - base64 is compared by its bytes, schema types without regard to case.
    """
    plain = snake(request)
    config = plain.get("generation_config", {})
    if not model.startswith("gemini-2") and config.get("temperature") == 1.0:
        del config["temperature"]
    return {
        "contents": [
            (content["role"], [part for part in content["parts"] if part != {"text": " "}])
            for content in plain["contents"]
        ],
        "system": plain.get("system_instruction", {}).get("parts"),
        "tools": [tool["function_declarations"] for tool in plain.get("tools", ())],
        "choice": plain.get("tool_config"),
        "config": config,
    }


def snake(value: Any, key: str = "") -> Any:
    """Return JSON with Gemini's own keys in snake case, types in lower case, base64 as bytes."""
    if isinstance(value, dict):
        if key in ("args", "response", "properties"):  # the keys in there are the user's
            return {name: snake(inner) for name, inner in value.items()}
        spelled = {"".join(f"_{c.lower()}" if c.isupper() else c for c in name): name for name in value}
        return {name: snake(value[old], name) for name, old in spelled.items()}
    if isinstance(value, list):
        return [snake(item, key) for item in value]
    if key == "type" and isinstance(value, str):
        return value.lower()
    if key in ("data", "thought_signature") and isinstance(value, str):
        return base64.b64decode(value)
    return value


@pytest.mark.parametrize("transport", ["litellm", "direct"])
async def test_demo_on_each_transport(transport: str) -> None:
    """Every history of the demo has its expected result on each transport."""
    comparisons = await run_comparison(transport)

    assert all(comparison.is_as_expected for comparison in comparisons), comparisons
