"""Tell in one pass that Anthropic takes the messages of nearly all agents, so that nothing need be mended.

The pass knows texts, calls, results of texts, and signed thinking before them. What it does not know is for
:mod:`sanitizers.native.messages.mend` to check.
"""

from __future__ import annotations

from typing import Any

from sanitizers.native.messages.changed_messages import THINKING
from sanitizers.native.messages.envelope import is_own
from sanitizers.native.messages.violations import MARK, is_misnamed, seal_of
from sanitizers.native.protocol import Items
from sanitizers.work_limit import metered

_UNSOUND = -1


def are_sound(items: Items, most_marks: int) -> bool:
    """Tell whether *items* surely break no rule of :mod:`.violations`. They may have *most_marks* cache marks at most.

    False says only that the pass does not know.
    """
    marks = 0
    names: set[Any] = set()
    before: Any = None
    for item in metered(items):
        role, content = item.get("role"), item.get("content")
        if content.__class__ is str:
            if not content or content.isspace() or role not in ("assistant", "user"):
                return False
        elif content.__class__ is not list or not content:
            return False
        else:
            if role == "user":
                held = _marks_of_user(content, before != "user")
            elif role == "assistant":
                held = _marks_of_model(content, names)
            else:
                return False
            if held == _UNSOUND:
                return False
            marks += held
        before = role
    return marks <= most_marks and not any(is_misnamed({"name": name}) for name in names)


def _marks_of_user(blocks: list[Any], may_hold_results: bool) -> int:
    """Return the number of cache marks of *blocks*, or -1 where they may break a rule."""
    marks = 0
    for block in metered(blocks):
        if block.__class__ is not dict:
            return _UNSOUND
        kind = block.get("type")
        if kind == "tool_result":
            said = block.get("content")
            if not may_hold_results or (not said and block.get("is_error") is True):
                return _UNSOUND
            if said.__class__ is list and not _are_texts(said):
                return _UNSOUND
        elif kind == "text":
            text = block.get("text")
            if text.__class__ is not str or not text or text.isspace():
                return _UNSOUND
            may_hold_results = False
        else:
            return _UNSOUND
        if MARK in block and block[MARK] is not None:
            marks += 1
    return marks


def _marks_of_model(blocks: list[Any], names: set[Any]) -> int:
    """Return the number of cache marks of *blocks*, or -1 where they may break a rule. Add the tools' *names*."""
    marks = 0
    kind: Any = None
    for block in metered(blocks):
        if block.__class__ is not dict:
            return _UNSOUND
        kind = block.get("type")
        is_marked = MARK in block and block[MARK] is not None
        if kind == "tool_use":
            name = block.get("name")
            if block.get("input").__class__ is not dict or name.__class__ is not str:
                return _UNSOUND
            names.add(name)
        elif kind == "text":
            text = block.get("text")
            if text.__class__ is not str or not text or text.isspace():
                return _UNSOUND
        elif kind in THINKING:
            seal = seal_of(block)
            if seal.__class__ is not str or not seal or is_own(seal) or is_marked:
                return _UNSOUND
        else:
            return _UNSOUND
        marks += is_marked
    return _UNSOUND if kind in THINKING else marks


def _are_texts(parts: list[Any]) -> bool:
    """Tell whether *parts*, the content of a result, are texts with words and without marks."""
    for part in metered(parts):
        if part.__class__ is not dict or part.get("type") != "text" or MARK in part:
            return False
        text = part.get("text")
        if text.__class__ is not str or not text or text.isspace():
            return False
    return True
