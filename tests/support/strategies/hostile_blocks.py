"""Strategies for hostile requests of Anthropic's Messages API, which start from valid ones."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from sanitizers.native.messages.envelope import SignedCall, pack_signature
from tests.support.builders import PNG_URL
from tests.support.strategies.hostile import MODELS, junk, like, paths_of, replaced

CLAUDE = "claude"
"""The name of a model that gets the client's own messages."""

FIELDS = (
    *("cache_control", "container", "context_management", "max_tokens", "mcp_servers", "metadata"),
    *("output_config", "output_format", "service_tier", "speed", "stop_sequences", "stream", "system"),
    *("temperature", "thinking", "tool_choice", "tools", "top_k", "top_p"),
)

_PNG = {"type": "base64", "media_type": "image/png", "data": PNG_URL.partition(",")[2]}
_MARK = {"type": "ephemeral"}
_TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": "get_weather",
        "description": "Get the weather.",
        "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
        "cache_control": _MARK,
    },
    {"type": "custom", "name": "strict", "input_schema": {"type": "object"}, "strict": True},
    {"type": "bash_20250124", "name": "bash"},
    {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
    {"type": "web_search_20250305", "name": "web_search", "max_uses": 8},
)

_BLOCKS: tuple[dict[str, Any], ...] = (
    {"type": "text", "text": "Fine.", "cache_control": _MARK},
    {"type": "text", "text": "Cited.", "citations": [{"type": "char_location", "cited_text": "C"}]},
    {"type": "thinking", "thinking": "Hm.", "signature": "EqQB"},
    {"type": "thinking", "thinking": "", "signature": pack_signature(SignedCall("o", "c1", "c2ln"), "")},
    {"type": "redacted_thinking", "data": "EmwK"},
    {"type": "tool_use", "id": "c1", "name": "get_weather", "input": {"city": "Paris"}},
    {"type": "tool_use", "id": "c2", "name": "bash", "input": {"command": "ls"}},
    {"type": "tool_result", "tool_use_id": "c1", "content": "20 degrees"},
    {
        "type": "tool_result",
        "tool_use_id": "c2",
        "is_error": True,
        "content": [{"type": "text", "text": "No."}, {"type": "image", "source": _PNG}],
    },
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
    {
        "type": "web_search_tool_result",
        "tool_use_id": "s1",
        "content": [
            {"type": "web_search_result", "url": "https://a", "title": "A", "encrypted_content": "E"}
        ],
    },
    {"type": "image", "source": _PNG},
    {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "D."}, "title": "T"},
    {"type": "document", "source": {"type": "file", "file_id": "file_1"}},
    {"type": "search_result", "source": "s", "title": "T", "content": [{"type": "text", "text": "a"}]},
    {"type": "container_upload", "file_id": "file_1"},
)

_MESSAGES: tuple[dict[str, Any], ...] = (
    {"role": "user", "content": "How is the weather?"},
    {"role": "assistant", "content": [_BLOCKS[2], _BLOCKS[5], _BLOCKS[6]]},
    {"role": "user", "content": [_BLOCKS[8], _BLOCKS[7]]},
    {"role": "assistant", "content": [_BLOCKS[9], _BLOCKS[10], _BLOCKS[1]]},
    {"role": "assistant", "content": "It is"},
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [_BLOCKS[11], _BLOCKS[12]]},
)

_BLOCK_FIELDS = (
    *("caller", "cache_control", "citations", "content", "data", "file_id", "id", "input", "is_error"),
    *("name", "signature", "source", "text", "thinking", "title", "tool_use_id", "type"),
)


@st.composite
def messages_requests(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a request whose parts are valid, in any order."""
    request: dict[str, Any] = {
        "model": draw(st.sampled_from((*MODELS, CLAUDE, CLAUDE))),
        "max_tokens": draw(st.sampled_from((1, 2_048))),
        "messages": [_MESSAGES[0], *draw(st.lists(st.sampled_from(_MESSAGES), max_size=6))],
    }
    if draw(st.booleans()):
        request["stream"] = True
    if draw(st.booleans()):
        request["tools"] = draw(st.lists(st.sampled_from(_TOOLS), max_size=5))
        request["tool_choice"] = {"type": draw(st.sampled_from(["auto", "any", "none"]))}
    if draw(st.booleans()):
        request |= {
            "system": [{"type": "text", "text": "Be brief.", "cache_control": _MARK}],
            "thinking": {"type": "enabled", "budget_tokens": 1_024},
            "output_config": {"effort": "high"},
            "metadata": {"user_id": "u"},
        }
    return request


@st.composite
def odd_messages(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a request with a few wrong values at any depth."""
    request: Any = draw(messages_requests())
    match draw(st.integers(0, 3)):
        case 0:
            names = draw(st.lists(st.sampled_from(FIELDS), max_size=5, unique=True))
            request |= {name: draw(junk) for name in names}
        case 1:
            fields = st.dictionaries(st.sampled_from(_BLOCK_FIELDS), junk, max_size=6)
            kinds = st.sampled_from([*(block["type"] for block in _BLOCKS), "other"])
            odd = st.builds(lambda kind, held: {"type": kind, **held}, kinds, fields)
            roles = st.sampled_from(["user", "assistant", "system"])
            blocks = st.lists(odd | st.sampled_from(_BLOCKS), max_size=5)
            message = st.builds(lambda role, content: {"role": role, "content": content}, roles, blocks)
            request["messages"] = [*request["messages"], *draw(st.lists(message, max_size=4))]
        case 2:
            request["tools"] = draw(st.lists(st.sampled_from(_TOOLS) | junk, max_size=4))
        case _:
            pass
    for _ in range(draw(st.integers(0, 3))):
        places = list(paths_of(request))[1:]
        path = draw(st.sampled_from(places))
        old = request
        for name in path:
            old = old[name]
        request = replaced(request, path, draw(like(old) if draw(st.integers(0, 3)) else junk))
    return dict(request)


def hostile_messages() -> st.SearchStrategy[bytes]:
    """Draw a JSON body that resembles a request of Anthropic's Messages API."""
    return odd_messages().map(lambda request: json.dumps(request).encode())
