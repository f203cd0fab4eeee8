"""Builds messages and event streams as Anthropic sends them, with blocks of each kind that its clients were sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Json = dict[str, Any]

THOUGHT: Json = {"type": "thinking", "thinking": "Let me see. ✓", "signature": "EqQBCkYIsig+/=="}
SILENT_THOUGHT: Json = {"type": "thinking", "thinking": "", "signature": "EqQBsilent"}
REDACTED: Json = {"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix/LafPsn4a"}
TEXT: Json = {"type": "text", "text": "Well. ✓ \U0001f600\nNext. \u2028"}
CALL: Json = {"type": "tool_use", "id": "toolu_01A", "name": "f", "input": {"x": 1.0, "q": "caf\u00e9"}}
EMPTY_CALL: Json = {
    "type": "tool_use",
    "id": "toolu_01B",
    "name": "g",
    "input": {},
    "caller": {"type": "direct"},
}
CITED: Json = {
    "type": "text",
    "text": "The grass is green.",
    "citations": [
        {
            "type": "char_location",
            "cited_text": "The grass is green.",
            "document_index": 0,
            "document_title": None,
            "start_char_index": 0,
            "end_char_index": 19,
        },
        {"type": "web_search_result_location", "url": "https://a", "encrypted_index": "EpMBCioIAR=="},
    ],
}
SEARCH: Json = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
FOUND: Json = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": [
        {
            "type": "web_search_result",
            "url": "https://a",
            "title": "A",
            "encrypted_content": "EqgfCioIARg=",
            "page_age": None,
        }
    ],
}
RUN: Json = {
    "type": "server_tool_use",
    "id": "srvtoolu_2",
    "name": "bash_code_execution",
    "input": {"command": "ls"},
}
RAN: Json = {
    "type": "bash_code_execution_tool_result",
    "tool_use_id": "srvtoolu_2",
    "content": {"type": "bash_code_execution_result", "stdout": "a\n", "return_code": 0, "content": []},
}
ASKED_ELSEWHERE: Json = {
    "type": "mcp_tool_use",
    "id": "mcptoolu_1",
    "name": "echo",
    "server_name": "s",
    "input": {"a": 1},
}
TOLD_ELSEWHERE: Json = {
    "type": "mcp_tool_result",
    "tool_use_id": "mcptoolu_1",
    "is_error": False,
    "content": [{"type": "text", "text": "Hello"}],
}
UNKNOWN: Json = {
    "type": "hologram",
    "weight": 1.10,
    "tiny": 1e-7,
    "large": 10**17,
    "none": None,
    "zero": -0.0,
}

ANSWERS: Mapping[str, tuple[Sequence[Json], Json]] = {
    "text": ((TEXT,), {}),
    "thought and text": ((THOUGHT, TEXT), {}),
    "interleaved thinking": (
        (THOUGHT, TEXT, SILENT_THOUGHT, CALL, REDACTED, EMPTY_CALL),
        {"stop_reason": "tool_use"},
    ),
    "calls before the text": ((CALL, EMPTY_CALL, TEXT), {"stop_reason": "tool_use"}),
    "citations": ((CITED, TEXT), {}),
    "server tools": (
        (TEXT, SEARCH, FOUND, CITED, RUN, RAN),
        {"container": {"id": "container_1", "expires_at": "2026-11-28T00:00:00Z"}},
    ),
    "paused": ((SEARCH, FOUND), {"stop_reason": "pause_turn"}),
    "tools of others": ((ASKED_ELSEWHERE, TOLD_ELSEWHERE, TEXT), {}),
    "unknown block": ((UNKNOWN, TEXT, UNKNOWN), {}),
    "compaction": (({"type": "compaction", "content": "We went."}, TEXT), {}),
    "word of a later version": (
        ({"type": "compaction", "content": "We went."},),
        {"stop_reason": "compaction"},
    ),
    "stop sequence": ((TEXT,), {"stop_reason": "stop_sequence", "stop_sequence": "END"}),
    "cut text": ((TEXT,), {"stop_reason": "max_tokens"}),
    "window exceeded": ((TEXT, CALL), {"stop_reason": "model_context_window_exceeded"}),
    "refusal": (
        (TEXT,),
        {"stop_reason": "refusal", "stop_details": {"type": "refusal", "category": "x", "explanation": None}},
    ),
    "refusal without words": ((), {"stop_reason": "refusal", "stop_details": {"type": "refusal"}}),
    "call with an empty object": (
        ({**CALL, "id": "toolu_01C", "input": {}, "name": "explicit"}, CALL),
        {"stop_reason": "tool_use"},
    ),
    "edited context": (
        (TEXT,),
        {"context_management": {"applied_edits": [{"type": "clear_thinking_20251015", "cleared": 2}]}},
    ),
}
"""The blocks and the further fields of answers, by the name of the case."""

USAGE: Json = {
    "input_tokens": 10,
    "cache_creation_input_tokens": 5,
    "cache_read_input_tokens": 7,
    "cache_creation": {"ephemeral_5m_input_tokens": 5, "ephemeral_1h_input_tokens": 0},
    "output_tokens": 9,
    "output_tokens_details": {"thinking_tokens": 3},
    "server_tool_use": {"web_search_requests": 1},
    "service_tier": "standard",
    "new_count": 1.50,
}
END_FIELDS = ("stop_reason", "stop_sequence", "stop_details", "container")
"""Fields that a stream tells at its end, within the ``delta``."""


def message(content: Sequence[Json], **fields: Any) -> Json:
    """Return an answer of the provider's."""
    return {
        "model": "claude-opus-4-8",
        "id": "msg_theirs",
        "type": "message",
        "role": "assistant",
        "content": list(content),
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
        **fields,
    }


def answer_of(name: str) -> Json:
    """Return the answer of the case *name* in `ANSWERS`."""
    content, fields = ANSWERS[name]
    return message(content, **fields)


def events_of(answer: Mapping[str, Any]) -> Iterator[Json]:
    """Yield the events of a stream that adds up to *answer*, with pings and fields that no client knows."""
    opening = {**message(()), "stop_reason": None, "usage": {**USAGE, "output_tokens": 1}}
    yield {"type": "message_start", "message": opening, "new": {"b": 1.0, "a": None}}
    for index, block in enumerate(answer["content"]):
        yield {"type": "content_block_start", "index": index, "content_block": _blank(block)}
        if index == 0:
            yield {"type": "ping"}
        for delta in _deltas(block):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    further = {name: value for name, value in answer.items() if name == "context_management"}
    end = {name: answer[name] for name in END_FIELDS if name in answer}
    yield {"type": "message_delta", "delta": end, "usage": answer["usage"], **further}
    yield {"type": "message_stop", "amazon-bedrock-invocationMetrics": {"latency": 1.0}}


def write_events(events: Iterator[Json]) -> list[bytes]:
    """Return the bytes of each event."""
    return [
        f"event: {one['type']}\ndata: {json.dumps(one, ensure_ascii=False)}\n\n".encode() for one in events
    ]


def write_stream(answer: Mapping[str, Any]) -> bytes:
    """Return the bytes of a stream that adds up to *answer*."""
    return b"".join(write_events(events_of(answer)))


_BLANKS: Mapping[str, Json] = {
    "text": {"text": ""},
    "thinking": {"thinking": "", "signature": ""},
    **{kind: {"input": {}} for kind in ("tool_use", "server_tool_use", "mcp_tool_use")},
    "compaction": {"content": None},
}


def _blank(block: Json) -> Json:
    begun = {**block, **_BLANKS.get(block["type"], {})}
    return begun | ({"citations": []} if "citations" in block else {})


def _deltas(block: Json) -> Iterator[Json]:
    kind = block["type"]
    if kind == "text":
        yield from ({"type": "text_delta", "text": piece} for piece in _pieces(block["text"]))
        yield from ({"type": "citations_delta", "citation": one} for one in block.get("citations", ()))
    elif kind == "thinking":
        for piece in _pieces(block["thinking"]):
            yield {"type": "thinking_delta", "thinking": piece, "estimated_tokens": 1}
        yield {"type": "signature_delta", "signature": block["signature"]}
    elif "input" in _BLANKS.get(kind, {}):
        is_silent = not block["input"] and block["name"] != "explicit"
        written = "" if is_silent else json.dumps(block["input"], ensure_ascii=False)
        yield from ({"type": "input_json_delta", "partial_json": piece} for piece in ("", *_pieces(written)))
    elif kind == "compaction":
        yield {"type": "compaction_delta", "content": block["content"]}
    elif kind == "hologram":
        yield {"type": "hologram_delta", "pixels": [0.10, None]}


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), 7):
        yield text[start : start + 7]
