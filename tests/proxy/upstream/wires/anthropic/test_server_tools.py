"""Tests of tools of Gemini's that Claude gets as those of Anthropic."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from proxy.core.chat_request import ChatRequest
from proxy.core.source import OPENAI_CHAT, Source
from proxy.core.upstream_call import UpstreamCall
from proxy.ingress.gemini_native.fields import read_fields
from proxy.ingress.gemini_native.read_request import to_chat
from proxy.upstream.wires.anthropic.server_tools import carried_tools, server_tools
from proxy.upstream.wires.anthropic.wire import ANTHROPIC
from tests.proxy.upstream.deployments import LIMITS, deployment_of

CLAUDE = deployment_of("anthropic/claude-sonnet-4-5", api_key="k")
KIMI = deployment_of("anthropic/kimi-k2", api_key="k", api_base="http://localhost:1")
SEARCH = {"type": "web_search_20250305", "name": "web_search"}
F = {"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]}


def asked(*tools: dict[str, Any]) -> ChatRequest:
    """Return a request with *tools*."""
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi."}]}], "tools": [*tools]}
    return to_chat(read_fields(json.dumps(body).encode(), model="m", max_nesting=50)).chat


def sent(*tools: dict[str, Any], deployment: Any = CLAUDE) -> Any:
    """Return the tools in the body that *deployment* gets."""
    chat = asked(*tools)
    call = UpstreamCall(deployment, chat.messages, chat.parameters, LIMITS, source=chat.source)
    return json.loads(ANTHROPIC.chat.write_request(call, stream=False)).get("tools")


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("googleSearch", SEARCH),
        ("google_search", SEARCH),
        ("urlContext", {"type": "web_fetch_20250910", "name": "web_fetch"}),
        ("codeExecution", {"type": "code_execution_20250825", "name": "code_execution"}),
    ],
)
def test_claude_gets_the_tool_that_serves_the_same_purpose(kind: str, written: dict[str, Any]) -> None:
    """It stands behind the functions of the client, or alone."""
    assert sent({kind: {}}) == [written]
    [function, tool] = sent({kind: {}}, F)
    assert (function["name"], tool) == ("f", written)


def test_server_of_another_vendor_gets_functions_alone() -> None:
    """It speaks the API, and runs no tools."""
    assert [tool["name"] for tool in sent({"googleSearch": {}}, F, deployment=KIMI)] == ["f"]
    assert carried_tools(asked({"googleSearch": {}}).source, KIMI) == ()


def test_chat_has_no_tools_of_a_server() -> None:
    """Chats, and requests of the proxy's own, declare functions alone."""
    chat = asked(F)

    assert server_tools(None, CLAUDE) == []
    assert server_tools(Source(OPENAI_CHAT, b"{}", chat.messages), CLAUDE) == []
    assert server_tools(chat.source, CLAUDE) == []
    assert chat.source is not None
    assert chat.source.native is not None
    without = replace(chat.source, native=replace(chat.source.native, fields={}))
    assert server_tools(without, CLAUDE) == []
