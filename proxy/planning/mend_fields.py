"""Mends fields of a Messages request that Anthropic would refuse, beside its messages.

Sources: 9router#3795 (cache marks), and Anthropic's page "Extended thinking" (2026-11). The limit of the answer itself
is lowered before (:mod:`proxy.planning.limit_output`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sanitizers import Change
from sanitizers.changes import Kind
from sanitizers.native import Items
from sanitizers.native.messages.changed_messages import STEP, blocks_of
from sanitizers.native.messages.mend_limits import without_marks
from sanitizers.native.messages.violations import MOST_MARKS, is_blank_text, marks_in
from sanitizers.work_limit import metered

_LEAST_BUDGET = 1_024
_INTERLEAVED = "interleaved-thinking"
"""The beta with which a budget may exceed the limit of an answer."""

_CLEARING = "clear_thinking"


def mend_fields(
    fields: Mapping[str, Any],
    parameters: Mapping[str, Any],
    betas: str,
    *,
    drops_thinking: bool,
    called: Iterable[str] = (),
) -> tuple[dict[str, Any], tuple[Change, ...]]:
    """Return the *fields* of a request that have to change, each whole, and the changes. None removes a field.

    *parameters* are those of the plan, and *betas* is the client's header. With *drops_thinking* the request asks for
    no thinking, since its messages have none. *called* are the names of tools that a request without tools calls in its
    messages.
    """
    mender = _Mender(fields)
    limit = parameters.get("max_completion_tokens") or parameters.get("max_tokens")
    if drops_thinking:
        mender.stop_thinking()
    elif _INTERLEAVED not in betas:
        mender.keep_budget(limit)
    mender.keep_stops()
    mender.declare_once()
    mender.declare(called)
    mender.drop_blank_texts()
    mender.keep_marks()
    return mender.changed, tuple(mender.changes)


def called_names(items: Items) -> tuple[str, ...]:
    """Return the names of the tools that the messages *items* call, each once."""
    names: dict[str, None] = {}
    for item in metered(items):
        for block in metered(blocks_of(item)):
            if block.get("type") == "tool_use" and isinstance(name := block.get("name"), str) and name:
                names[name] = None
    return tuple(names)


def without_thinking(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changed *fields* of a request that asks for no thinking. None removes a field."""
    mender = _Mender(fields)
    mender.stop_thinking()
    return mender.changed


def lower_budget(fields: Mapping[str, Any], limit: Any) -> dict[str, Any]:
    """Return the changed *fields* of a request whose budget for thinking is below *limit*."""
    mender = _Mender(fields)
    mender.keep_budget(limit)
    return mender.changed


class _Mender:
    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields
        self.changed: dict[str, Any] = {}
        self.changes: list[Change] = []

    def stop_thinking(self) -> None:
        """Ask for no thinking, and for no edit that needs it."""
        if self._fields.get("thinking") is not None:
            self._change("thinking", None, "dropped", "thinking_dropped")
        management = self._fields.get("context_management")
        edits = management.get("edits") if isinstance(management, dict) else None
        if not isinstance(management, dict) or not isinstance(edits, list):
            return
        kept = [edit for edit in edits if not _clears_thinking(edit)]
        if len(kept) < len(edits):
            made = {**management, "edits": kept} if kept else None
            self._change("context_management", made, "dropped", "thinking_dropped")

    def keep_budget(self, limit: Any) -> None:
        """Lower the budget of thinking below the limit of the answer, or drop it where too little is left."""
        thinking = self._fields.get("thinking")
        budget = thinking.get("budget_tokens") if isinstance(thinking, dict) else None
        if not isinstance(thinking, dict) or not isinstance(budget, int) or not isinstance(limit, int):
            return
        if self._fields.get("max_tokens") and budget >= limit:
            lower = {**thinking, "budget_tokens": limit - 1} if limit > _LEAST_BUDGET else None
            self._change("thinking", lower, "replaced", "thinking_budget")

    def keep_stops(self) -> None:
        """Drop blank stop sequences: "each stop sequence must contain non-whitespace" (litellm#3286)."""
        stops = self._fields.get("stop_sequences")
        kept = [stop for stop in stops if stop.strip()] if isinstance(stops, list) else []
        if stops and len(kept) < len(stops):
            self._change("stop_sequences", kept or None, "dropped", "blank")

    def declare_once(self) -> None:
        """Keep the last declaration of each name, since Anthropic wants unique names."""
        tools = self._fields.get("tools")
        if not isinstance(tools, list):
            return
        last = {_name_of(tool, at): at for at, tool in enumerate(metered(tools))}
        if len(last) < len(tools):
            kept = [tool for at, tool in enumerate(metered(tools)) if last[_name_of(tool, at)] == at]
            self._fields = {**self._fields, "tools": kept}
            self._change("tools", kept, "dropped", "duplicate_declaration")

    def declare(self, called: Iterable[str]) -> None:
        """Declare the tools *called*, with schemas that allow everything, and forbid further calls.

        Anthropic refuses calls without tools (litellm#5388). The client declares none, so that it could not run a call.
        """
        tools = [{"name": name, "input_schema": {"type": "object", "properties": {}}} for name in called]
        if tools:
            self._change("tools", tools, "inserted", "undeclared_calls")
            self._change("tool_choice", {"type": "none"}, "inserted", "undeclared_calls")

    def drop_blank_texts(self) -> None:
        """Drop texts of ``system`` that say nothing: "system: text content blocks must be non-empty"."""
        system = self._fields.get("system")
        if not isinstance(system, list):
            return
        kept = [block for block in metered(system) if not is_blank_text(block)]
        if len(kept) < len(system):
            self._fields = {**self._fields, "system": kept}
            self._change("system", kept or None, "dropped", "empty_text")

    def keep_marks(self) -> None:
        """Drop the oldest cache marks of tools and ``system`` where these have too many for themselves."""
        held = {name: marks_in(self._fields.get(name)) for name in ("tools", "system")}
        too_many = sum(held.values()) - MOST_MARKS + (self._fields.get("cache_control") is not None)
        for name, count in held.items():
            if too_many > 0 and count:
                self._change(name, without_marks(self._fields[name], too_many), "dropped", "cache_mark")
                too_many -= count

    def _change(self, name: str, value: Any, kind: Kind, reason: str) -> None:
        self.changed[name] = value
        self.changes.append(Change(STEP, kind, 0, reason, name))


def _name_of(tool: Any, at: int) -> Any:
    """Return the name of *tool*, or its place for a tool without one."""
    name = tool.get("name") if isinstance(tool, dict) else None
    return name if isinstance(name, str) else at


def _clears_thinking(edit: Any) -> bool:
    kind = edit.get("type") if isinstance(edit, dict) else None
    return isinstance(kind, str) and kind.startswith(_CLEARING)
