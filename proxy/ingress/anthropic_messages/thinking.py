"""Reads ``thinking`` and ``output_config``: the effort and the answer's form, as chat parameters.

``disabled`` asks other models for as little reasoning as they have. ``adaptive``, and every newer type, leaves the
amount to ``output_config.effort`` or to the model. A budget has its nearest effort.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sanitizers.record import record

EFFORTS = frozenset({"low", "medium", "high", "xhigh", "max"})
"""The efforts of Anthropic's API (2026-11)."""

_LOW, _MEDIUM = 2_048, 8_192
"""The largest budgets that are a low and a medium effort. Claude Code sends 31,999 for its highest one."""


@record
class ReadThinking:
    """The *effort* in chat's words, or None for the model's own, and whether the client gets thinking blocks.

    With *shows_text*, these have the thoughts as text. Without it they have a signature alone.
    """

    effort: str | None
    has_blocks: bool
    shows_text: bool


def read_thinking(fields: Mapping[str, Any]) -> ReadThinking:
    """Return what the checked *fields* say about thinking.

    A client that does not ask for thinking gets no thinking blocks, since it may take the first block for the text.
    """
    thinking = fields.get("thinking") or {}
    kind = thinking.get("type")
    effort = (fields.get("output_config") or {}).get("effort")
    asked = effort if effort in EFFORTS else None
    if kind == "disabled":
        return ReadThinking("none", False, False)
    if kind == "enabled" and asked is None:
        asked = _effort_of(thinking.get("budget_tokens"))
    return ReadThinking(asked, kind is not None, thinking.get("display") != "omitted")


def read_format(fields: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the answer's form in the checked *fields* as chat's ``response_format``, or None for plain text.

    ``output_format`` is the older name, of a beta. ``strict`` stays away, since OpenAI refuses schemas with optional
    properties then, and Anthropic takes them.
    """
    given = (fields.get("output_config") or {}).get("format") or fields.get("output_format")
    if given is None:
        return None
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": given["schema"]}}


def _effort_of(budget: int | None) -> str | None:
    if budget is None:
        return None
    if budget <= _LOW:
        return "low"
    return "medium" if budget <= _MEDIUM else "high"
