"""Read tool results so that equal results compare as equal.

Differences that the tool did not cause are removed. These are notices of another turnright proxy, call ids within
texts, and prompt-cache marks. Clients move these marks to the newest messages with every request.
"""

from __future__ import annotations

import re
from typing import Any

from sanitizers.messages import Message, is_part_list
from sanitizers.synthetic import NOTICE_START
from sanitizers.turns.carried_results import texts_of
from sanitizers.turns.notices import as_text, without_notices

_CALL_ID = re.compile(r"^Call id: [^\n]*\n(?=Error:\n)", re.MULTILINE)
"""A line that smolagents (memory.py, 1.26) writes before an error, with an id that is new for each call."""


def words_of(message: Message) -> str:
    """Return the texts of a result without turnright's notices.

    A value that is no text or part list is returned as JSON.
    """
    content = message.get("content")
    if isinstance(content, list) and is_part_list(content):
        return "".join(text for text in texts_of(message) if not text.startswith(NOTICE_START))
    return without_notices(as_text(content))


def outcome_of(message: Message) -> Any:
    """Return the content of a result for comparison: its text, or its parts where some part is not a text."""
    content = message.get("content")
    if (
        isinstance(content, list)
        and is_part_list(content)
        and any(part["type"] != "text" for part in content)
    ):
        return [_bare(part) for part in content if not _is_notice(part)]
    words = words_of(message)
    return _CALL_ID.sub("", words) if message["role"] == "user" else words


def _bare(part: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name not in ("cache_control", "tool_use_id")}


def _is_notice(part: dict[str, Any]) -> bool:
    return isinstance(text := part.get("text"), str) and text.startswith(NOTICE_START)
