"""Finds the API that a client's request was written for, by its fields.

Requests of the Responses API and of Gemini's API have their history in fields of their own. Chats and requests of the
Messages API both have ``messages``. The latter are known by a field or a block that no chat has. A request with neither
reads the same as both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from proxy.core.source import ANTHROPIC_MESSAGES, GEMINI_NATIVE, OPENAI_CHAT, OPENAI_RESPONSES

HISTORY_FIELDS = ("input", "previous_response_id", "conversation")
"""The fields that a request of the Responses API has in place of ``messages``. At least one of them is there."""

_CONTENTS = "contents"
"""The field that a request of Gemini's API has in place of ``messages``."""

_MESSAGES_FIELDS = (
    "context_management",
    "mcp_servers",
    "output_config",
    "stop_sequences",
    "system",
    "thinking",
)
"""Fields of the Messages API that no chat has."""

READ = ("messages", "tools", _CONTENTS, *HISTORY_FIELDS, *_MESSAGES_FIELDS)
"""The fields that :func:`find_format` wants."""

_BLOCK = re.compile(rb'"type"\s*:\s*"(?:tool_use|tool_result|image|document|search_result)"')
_TOOL = re.compile(rb'"input_schema"\s*:')


def find_format(own: Mapping[str, bytes]) -> str:
    """Return the name of the API of a request whose fields :data:`READ` have the JSON *own*."""
    if "messages" not in own:
        if _CONTENTS in own:
            return GEMINI_NATIVE
        if any(name in own for name in HISTORY_FIELDS):
            return OPENAI_RESPONSES
    is_anthropics = (
        any(name in own for name in _MESSAGES_FIELDS)
        or _TOOL.search(own.get("tools", b"")) is not None
        or _BLOCK.search(own.get("messages", b"")) is not None
    )
    return ANTHROPIC_MESSAGES if is_anthropics else OPENAI_CHAT
