"""Tell which blocks of ``thinking_blocks`` the model that wrote them can read again."""

from __future__ import annotations

from typing import Any


def is_readable_thought(block: Any) -> bool:
    """Tell whether *block* is a signed thought, a hidden one, or the place of a text or a call."""
    if not isinstance(block, dict):
        return False
    kind = block.get("type")
    if kind == "thinking":
        signature = block.get("signature")
        return isinstance(block.get("thinking"), str) and isinstance(signature, str) and signature != ""
    if kind == "redacted_thinking":
        data = block.get("data")
        return isinstance(data, str) and data != ""
    return kind in ("text", "tool_use")
