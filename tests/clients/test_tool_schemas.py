"""Tests that Gemini takes each tool of real packages through the running process, on either transport."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from proxy.emulator.arguments import value_for
from tests.clients.tool_sources.sources import NAME, SOURCES, Source
from tests.clients.tool_sources.tool import Tool
from tests.process.asking import GEMINI_MODELS
from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.support.builders import user

TRANSPORTS = ("direct", "litellm")
BATCH = 64
"""The number of tools in one request: as many as an agent with a few MCP servers has."""

FEWEST_SCHEMAS = 150


@pytest.fixture(scope="module")
def either(directory: Path, gemini_process: Gemini) -> Iterator[Served]:
    """Run ``turnright serve`` with each Gemini model on each transport."""
    config = {
        "model_list": [
            {
                "model_name": f"{transport}/{model}",
                "transport": transport,
                "litellm_params": {
                    "model": f"gemini/{model}",
                    "api_key": "emulated",
                    "api_base": gemini_process.api_base,
                },
            }
            for transport, model in itertools.product(TRANSPORTS, GEMINI_MODELS)
        ],
        "general_settings": {"drain_delay": 0, "drain_grace": 2},
        "router_settings": {"num_retries": 0, "cooldown_time": 0},
    }
    with serve(directory, config) as process:
        yield process


def test_there_are_many_schemas() -> None:
    """All sources together have at least 150 different schemas."""
    assert len({tool.meaning for source in SOURCES for tool in source.tools}) >= FEWEST_SCHEMAS


@pytest.mark.each_value
@pytest.mark.parametrize("model", GEMINI_MODELS)
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("source", SOURCES, ids=NAME)
def test_every_tool_is_taken(
    http: httpx.Client, gemini: Gemini, either: Served, source: Source, transport: str, model: str
) -> None:
    """Gemini takes all tools, and a call of each one comes back under the name that the client gave it."""
    for start in range(0, len(source.tools), BATCH):
        tools = source.tools[start : start + BATCH]
        gemini.clear()
        answer = send(http, either, f"{transport}/{model}", tools)
        if answer.status_code != 200:
            pytest.fail("\n".join(culprits(http, either, f"{transport}/{model}", tools)), pytrace=False)
        [entry] = gemini.journal()
        assert entry["verdict"] == {"status": 200, "message": None}

        declared = declarations(entry["body"])
        gemini.answer(*({"functionCall": call_of(each)} for each in declared))
        answer = send(http, either, f"{transport}/{model}", tools)

        assert answer.status_code == 200, answer.text
        calls = answer.json()["choices"][0]["message"]["tool_calls"]
        assert [call["function"]["name"] for call in calls] == [tool.name for tool in tools]


def send(http: httpx.Client, served: Served, model: str, tools: Sequence[Tool]) -> httpx.Response:
    """Send a chat request with *tools*, and return the response."""
    request = {"model": model, "messages": [user("go")], "tools": [tool.declaration for tool in tools]}
    return http.post(f"{served.base_url}/chat/completions", json=request)


def culprits(http: httpx.Client, served: Served, model: str, tools: Sequence[Tool]) -> list[str]:
    """Return a line for each tool that is refused alone, with the reason.

    If no tool is refused alone, return one line with all names.
    """
    answers = [(tool.name, send(http, served, model, [tool])) for tool in tools]
    refused = [f"{name}: {answer.text}" for name, answer in answers if answer.status_code != 200]
    return refused or [f"only together: {[tool.name for tool in tools]}"]


def declarations(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the function declarations in a request to Gemini, in either transport's spelling."""
    return [
        function
        for tool in body["tools"]
        for function in tool.get("functionDeclarations") or tool.get("function_declarations") or ()
    ]


def call_of(declared: dict[str, Any]) -> dict[str, Any]:
    """Return a call that fits a function's declaration."""
    schema = declared.get("parameters") or declared.get("parametersJsonSchema") or {}
    return {"name": declared["name"], "args": value_for(schema) if schema else {}}
