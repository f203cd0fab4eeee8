"""Counts the tokens of a request and of its answer, at four characters per token.

Source: platform.claude.com/docs/en/build-with-claude/prompt-caching. `input_tokens` is what neither comes from the
cache nor goes into it. Here everything up to the last cache mark is read from the cache once the conversation has an
assistant's message, and is written to it before.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.anthropic_emulator.caching import cache_marks


def asked_tokens(body: Mapping[str, Any]) -> int:
    """Return the number of tokens of a request, as `count_tokens` tells it."""
    shaping = [body.get(name) for name in ("system", "messages", "tools")]
    return 3 + len(json.dumps(shaping, ensure_ascii=False)) // 4


def usage(body: dict[str, Any], blocks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the `usage` of an answer with these *blocks*."""
    asked = asked_tokens(body)
    cached = asked * 3 // 4 if cache_marks(body) else 0
    is_read = any(message["role"] == "assistant" for message in body["messages"])
    written = 0 if is_read else cached
    searches = sum(block["type"] == "server_tool_use" for block in blocks)
    return {
        "input_tokens": asked - cached,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": cached - written,
        "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0},
        "output_tokens": 1 + len(json.dumps(list(blocks), ensure_ascii=False)) // 4,
        **({"server_tool_use": {"web_search_requests": searches}} if searches else {}),
        "service_tier": "standard",
    }
