"""Mend the blocks of one native message that Anthropic would refuse, one by one.

What Claude signed is never edited: a block of thinking stays as it came, or goes whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sanitizers.changes import Kind
from sanitizers.messages import parse_arguments
from sanitizers.native.messages.changed_messages import THINKING, blocks_of, with_blocks
from sanitizers.native.messages.envelope import is_own
from sanitizers.native.messages.server_blocks import SERVER_CALLS, SERVER_RESULTS
from sanitizers.native.messages.violations import (
    LONGEST_NAME,
    MARK,
    is_blank_text,
    is_misnamed,
    is_silent_error,
    seal_of,
)
from sanitizers.native.protocol import Item
from sanitizers.synthetic import EMPTY_RESULT, RAW_ARGUMENTS
from sanitizers.work_limit import metered

_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")

Report = Callable[[Kind, str, str], None]
"""Notes one change of a message: its kind, its reason and its detail."""


def mend_blocks(item: Item, report: Report, *, signs: bool = True) -> Item | None:
    """Return *item* with blocks that Anthropic takes, or None where nothing is left. *item* itself needs no change.

    Results come first, in their order. Thoughts without a signature stay where the model does not sign them (*signs*).
    """
    content = item.get("content")
    if content.__class__ is str and content and not content.isspace():
        return item
    results: list[Any] = []
    rest: list[Any] = []
    is_mixed = False
    server_ids: set[str] = set()
    for number, block in enumerate(metered(blocks_of(item))):
        if not signs and _is_bare_thought(block):
            rest.append(block)
            continue
        mended = _mend(block, f"content.{number}", report, server_ids)
        if mended is None:
            continue
        if mended.get("type") == "tool_result":
            is_mixed = is_mixed or bool(rest)
            results.append(mended)
        else:
            rest.append(mended)
    if is_mixed:
        report("moved", "results_first", "")
    if not results and not rest:
        report("dropped", "empty_message", "")
        return None
    return item if isinstance(content, str) else with_blocks(item, [*results, *rest])


def _mend(block: Any, place: str, report: Report, server_ids: set[str]) -> Any:
    """Return *block* as Anthropic takes it, or None for one that goes."""
    kind = block.get("type")
    if kind == "text":
        if is_blank_text(block):
            report("dropped", "empty_text", place)
            return None
    elif kind in THINKING:
        return _mend_thinking(block, place, report)
    elif kind == "tool_use":
        return _mend_call(block, place, report)
    elif kind == "tool_result":
        return _mend_result(block, place, report)
    elif kind in SERVER_CALLS:
        if isinstance(block.get("id"), str):
            server_ids.add(block["id"])
    elif kind in SERVER_RESULTS:
        call_id = block.get("tool_use_id")
        if not isinstance(call_id, str) or call_id not in server_ids:
            report("dropped", "orphaned_result", place)
            return None
    return block


def _is_bare_thought(block: Item) -> bool:
    return block.get("type") == "thinking" and not seal_of(block)


def _mend_thinking(block: Item, place: str, report: Report) -> Item | None:
    seal = seal_of(block)
    if not isinstance(seal, str) or not seal:
        report("dropped", "thought_unsigned", place)
        return None
    if is_own(seal):
        report("dropped", "own_envelope", place)
        return None
    if block.get(MARK) is not None:
        report("dropped", "cache_mark", place)
        return {name: value for name, value in block.items() if name != MARK}
    return block


def _mend_call(block: Item, place: str, report: Report) -> Item:
    if not isinstance(block.get("input"), dict):
        report("replaced", "arguments", place)
        block = {**block, "input": _as_object(block.get("input"))}
    if is_misnamed(block):
        report("replaced", "call_name", place)
        name = str(block.get("name") or "")
        block = {**block, "name": _ILLEGAL.sub("_", name)[:LONGEST_NAME] or "_"}
    return block


def _mend_result(block: Item, place: str, report: Report) -> Item:
    if is_silent_error(block):
        report("replaced", "blank_result", place)
        return {**block, "content": EMPTY_RESULT}
    content = block.get("content")
    if not isinstance(content, list):
        return block
    kept = [inner for inner in metered(content) if not is_blank_text(inner)]
    if len(kept) == len(content):
        return block
    report("dropped", "empty_text", place)
    return {**block, "content": kept}


def _as_object(given: Any) -> dict[str, Any]:
    """Return the input of a call as an object. Clients send its JSON as a text, or nothing for no input."""
    if given is None or given == "":
        return {}
    parsed = parse_arguments(given) if isinstance(given, str) else None
    return {RAW_ARGUMENTS: given} if parsed is None else parsed
