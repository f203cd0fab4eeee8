"""Tests that the tools of a request to Gemini reach other providers, and that nothing of them is lost unnamed.

The emulators of OpenAI and of Claude judge requests strictly: types in capitals, for one, are refused.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proxy.upstream.select_transport import SelectingUpstream
from tests.support.anthropic_emulator import serving_anthropic
from tests.support.emulated import Emulator
from tests.support.openai_emulator import serving_openai
from tests.support.proxied import Proxied, Reply, proxied, settings_of

MODELS = {"openai": "openai/gpt-4.1", "claude": "anthropic/claude-sonnet-4-5"}
FUNCTION = {
    "name": "find_it",
    "description": "Finds it.",
    "parameters": {
        "type": "OBJECT",
        "properties": {
            "max_items": {"type": "INTEGER", "minimum": 1, "format": "int32"},
            "kind": {"type": "STRING", "nullable": True, "enum": ["a", "b"], "format": "enum"},
            "points": {"type": "ARRAY", "items": {"type": "NUMBER"}, "min_items": "1"},
            "either": {"any_of": [{"type": "STRING"}, {"type": "BOOLEAN"}], "nullable": True},
        },
        "required": ["kind"],
        "property_ordering": ["kind", "points"],
    },
}
DECLARED = {"functionDeclarations": [FUNCTION]}
SEARCH: dict[str, Any] = {"googleSearch": {}}


@asynccontextmanager
async def serving() -> AsyncIterator[tuple[Proxied, dict[str, Emulator]]]:
    """Serve the proxy in front of both emulators."""
    async with serving_openai() as openai, serving_anthropic() as claude:
        emulators = {"openai": openai, "claude": claude}
        models = {
            name: {"model": MODELS[name], "api_base": one.base_url, "api_key": "emulated"}
            for name, one in emulators.items()
        }
        settings = settings_of(models)
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            yield proxy, emulators


async def ask(proxy: Proxied, model: str, *tools: dict[str, Any], **fields: Any) -> Reply:
    """Ask *model* with *tools*, and with the whole list of changes."""
    body = {"contents": [{"parts": [{"text": "Hi."}]}], "tools": [*tools], **fields}
    return await proxy.post(body, f"/v1beta/models/{model}:generateContent")


@pytest.mark.parametrize("model", MODELS)
async def test_schema_of_gemini_is_legal_elsewhere(model: str) -> None:
    """Its types are in capitals, one is nullable, and a property has the name of a field."""
    async with serving() as (proxy, emulators):
        reply = await ask(proxy, model, DECLARED)
        [asked] = emulators[model].requests

    assert reply.status == 200, reply.raw
    [tool] = asked.body["tools"]
    schema = tool["function"]["parameters"] if model == "openai" else tool["input_schema"]
    assert list(schema["properties"]) == ["kind", "points", "max_items", "either"]
    assert "STRING" not in str(schema)


@pytest.mark.parametrize("mode", ["ANY", "auto"])
async def test_search_is_claude_s_own_beside_functions_and_alone(mode: str) -> None:
    """The change list names nothing of the tool, since nothing is lost."""
    config = {"functionCallingConfig": {"mode": mode}}
    async with serving() as (proxy, emulators):
        replies = [
            await ask(proxy, "claude", SEARCH, DECLARED, toolConfig=config),
            await ask(proxy, "claude", SEARCH),
        ]
        mixed, alone = (asked.body for asked in emulators["claude"].requests)

    assert [reply.status for reply in replies] == [200, 200], [reply.raw for reply in replies]
    assert [tool["name"] for tool in mixed["tools"]] == ["find_it", "web_search"]
    assert alone["tools"] == [{"type": "web_search_20250305", "name": "web_search"}]
    for reply in replies:
        assert "items" not in reply.headers.get("x-turnright-changes", "")


async def test_search_is_left_out_of_a_chat_and_reported() -> None:
    """The model still has its functions."""
    async with serving() as (proxy, emulators):
        reply = await ask(proxy, "openai", SEARCH, DECLARED)
        [asked] = emulators["openai"].requests

    assert reply.status == 200, reply.raw
    assert [tool["function"]["name"] for tool in asked.body["tools"]] == ["find_it"]
    assert "items" in reply.headers["x-turnright-changes"]


@pytest.mark.parametrize(
    ("model", "tool", "place"),
    [
        ("openai", SEARCH, "tools[0].googleSearch"),
        ("openai", {"url_context": {}}, "tools[0].urlContext"),
        ("claude", {"googleMaps": {}}, "tools[0].googleMaps"),
        ("claude", {"computerUse": {}}, "tools[0].computerUse"),
        ("claude", {"fileSearch": {"fileSearchStoreNames": ["s"]}}, "tools[0].fileSearch"),
    ],
)
async def test_request_with_only_a_tool_that_nobody_else_runs_is_refused(
    model: str, tool: dict[str, Any], place: str
) -> None:
    """The model would answer from what it knows, and the client would take that for a search."""
    async with serving() as (proxy, emulators):
        reply = await ask(proxy, model, tool)
        asked = [*emulators[model].requests]

    assert (reply.status, reply.json["error"]["status"]) == (400, "INVALID_ARGUMENT")
    assert place in reply.json["error"]["message"]
    assert asked == []


@pytest.mark.parametrize("model", MODELS)
async def test_settings_that_only_gemini_serves_are_refused(model: str) -> None:
    """Images, caches and enumerations as text are of no other provider."""
    configs = (
        {"generationConfig": {"responseModalities": ["IMAGE"]}},
        {"generationConfig": {"responseMimeType": "text/x.enum", "responseSchema": {"enum": ["a"]}}},
        {"cachedContent": "cachedContents/c"},
    )
    async with serving() as (proxy, emulators):
        replies = [await ask(proxy, model, **config) for config in configs]
        asked = [*emulators[model].requests]

    assert [(reply.status, reply.json["error"]["status"]) for reply in replies] == [
        (400, "INVALID_ARGUMENT")
    ] * 3
    assert asked == []


@pytest.mark.parametrize("model", MODELS)
async def test_json_answer_is_asked_for_in_the_provider_s_own_form(model: str) -> None:
    """The schema has JSON Schema's types there. gemini-cli's router sends types in capitals as JSON Schema."""
    schema = {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}, "required": ["a"]}
    async with serving() as (proxy, emulators):
        for field in ("responseSchema", "responseJsonSchema"):
            reply = await ask(
                proxy,
                model,
                generationConfig={"responseMimeType": "application/json", field: schema, "topK": 64},
            )
            assert reply.status == 200, reply.raw
        bodies = [asked.body for asked in emulators[model].requests]

    for body in bodies:
        assert "OBJECT" not in str(body)
        assert "'a': {'type': 'string'}" in str(body)
