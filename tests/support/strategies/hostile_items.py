"""Strategies for hostile requests of the Responses API, which start from valid ones."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from proxy.ingress.openai_responses.field_types import FIELD_TYPES
from sanitizers.native.responses.envelope import Envelope, pack_envelope, pack_summary
from sanitizers.native.responses.item_types import ITEM_TYPES
from tests.support.strategies.hostile import MODELS, junk, like, paths_of, replaced

_TOOLS: tuple[dict[str, Any], ...] = (
    {
        "type": "function",
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
    {
        "type": "custom",
        "name": "exec",
        "format": {"type": "grammar", "syntax": "lark", "definition": "start: /x/"},
    },
    {
        "type": "namespace",
        "name": "agents",
        "tools": [{"type": "function", "name": "close", "parameters": {}}],
    },
    {"type": "local_shell"},
    {"type": "web_search"},
)

_ITEMS: tuple[dict[str, Any], ...] = (
    {"type": "message", "role": "user", "content": "How is the weather?"},
    {"role": "developer", "content": [{"type": "input_text", "text": "Be brief."}]},
    {"role": "assistant", "content": [{"type": "output_text", "text": "Fine."}], "phase": "commentary"},
    {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "Weather."}],
        "encrypted_content": pack_envelope(Envelope("m", {"c1": "c2ln"}, None, "Weather.")),
    },
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "get_weather", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "20"}]},
    {"type": "custom_tool_call", "call_id": "c2", "name": "exec", "input": "text('hi')"},
    {"type": "custom_tool_call_output", "call_id": "c2", "output": "hi"},
    {"type": "local_shell_call", "id": "l1", "call_id": "c3", "action": {"type": "exec", "command": ["ls"]}},
    {"type": "local_shell_call_output", "id": "l1", "output": "a"},
    {"type": "mcp_call", "id": "mcp_1", "name": "f", "server_label": "s", "arguments": "{}", "output": "1"},
    {"type": "web_search_call", "id": "ws_1", "status": "completed"},
    {"type": "additional_tools", "role": "developer", "tools": [_TOOLS[0]]},
    {"type": "compaction", "encrypted_content": pack_summary("We went.")},
    {"type": "item_reference", "id": "rs_2"},
    {"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}]},
)

_ITEM_FIELDS = (
    *("action", "arguments", "call_id", "content", "encrypted_content", "id", "input", "name", "namespace"),
    *("operation", "output", "outputs", "phase", "role", "status", "summary", "tools", "extra_content"),
)


@st.composite
def responses_requests(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a request whose parts are valid, in any order."""
    request: dict[str, Any] = {
        "model": draw(st.sampled_from(MODELS)),
        "input": [_ITEMS[0], *draw(st.lists(st.sampled_from(_ITEMS), max_size=8))],
        "store": draw(st.booleans()),
    }
    if draw(st.booleans()):
        request["stream"] = True
    if draw(st.booleans()):
        request["tools"] = draw(st.lists(st.sampled_from(_TOOLS), max_size=5))
        request["tool_choice"] = draw(st.sampled_from(["auto", "required", "none"]))
    if draw(st.booleans()):
        request |= {
            "instructions": "Be brief.",
            "max_output_tokens": 100,
            "include": ["reasoning.encrypted_content"],
        }
        request["text"] = {"format": {"type": "json_schema", "name": "a", "schema": {}}, "verbosity": "low"}
        request["reasoning"] = {"effort": "low", "summary": "auto"}
    return request


@st.composite
def odd_responses(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a request with a few wrong values at any depth."""
    request: Any = draw(responses_requests())
    match draw(st.integers(0, 3)):
        case 0:
            names = draw(st.lists(st.sampled_from(sorted(FIELD_TYPES)), max_size=5, unique=True))
            request |= {name: draw(junk) for name in names}
        case 1:
            kinds = st.sampled_from([*sorted(ITEM_TYPES), "other"])
            fields = st.dictionaries(st.sampled_from(_ITEM_FIELDS), junk, max_size=6)
            items = st.builds(lambda kind, held: {"type": kind, **held}, kinds, fields)
            request["input"] = [*request["input"], *draw(st.lists(items, max_size=4))]
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


def hostile_responses() -> st.SearchStrategy[bytes]:
    """Draw a JSON body that resembles a request of the Responses API."""
    return odd_responses().map(lambda request: json.dumps(request).encode())
