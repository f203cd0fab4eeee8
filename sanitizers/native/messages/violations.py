"""Check native messages by Anthropic's own rules for blocks, which no chat message shows.

Sources: claude-code#473 (results first), litellm#2549 (blank texts), langchain#34542 and 9router#3795 (cache marks),
claude-code#19822 (media), claude-code#64383 (results of Anthropic's tools). Anthropic's documentation (2026-11) on
system messages: directly after a user message, and last or before an assistant message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from sanitizers.native.messages.changed_messages import THINKING
from sanitizers.native.messages.envelope import is_own
from sanitizers.native.messages.server_blocks import SERVER_CALLS, SERVER_RESULTS
from sanitizers.native.protocol import Item, Items, ItemViolation
from sanitizers.work_limit import metered

MARK = "cache_control"

MOST_MARKS = 4
"""The most blocks with a cache mark, those of tools and ``system`` among them."""

MOST_MEDIA = 100
"""The most images and documents of a request. A document has one page at least."""

LONGEST_NAME = 128
"""The most characters of a tool's name."""

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_MEDIA = frozenset({"document", "image"})


def find_block_violations(
    items: Items, *, takes_systems: bool = True, marks: int = 0
) -> tuple[ItemViolation, ...]:
    """Return the rules that *items* break, in the order of the messages.

    *marks* is the number of cache marks outside the messages. *takes_systems* is false for models that take no system
    messages among the others.
    """
    found = {ItemViolation(rule, index) for rule, index in _broken(items, takes_systems, marks)}
    return tuple(sorted(found, key=lambda violation: (violation.index, violation.rule)))


def seal_of(block: Item) -> Any:
    """Return the text that Claude signs or hides in a block of thinking."""
    return block.get("signature" if block.get("type") == "thinking" else "data")


def is_blank_text(block: Any) -> bool:
    """Tell whether *block* is a text of nothing but white space."""
    if not isinstance(block, dict) or block.get("type") != "text":
        return False
    text = block.get("text")
    return text is None or (isinstance(text, str) and not text.strip())


def is_misnamed(block: Item) -> bool:
    """Tell whether the call *block* has a name that no tool may have: "String should match pattern" otherwise."""
    name = block.get("name")
    return not isinstance(name, str) or _NAME.fullmatch(name) is None


def is_silent_error(block: Item) -> bool:
    """Tell whether *block* is the result of a failed call that says nothing.

    "`tool_result` content cannot be empty if `is_error` is true" [from memory].
    """
    if block.get("is_error") is not True:
        return False
    content = block.get("content")
    return not content or (isinstance(content, list) and all(map(is_blank_text, content)))


def ends_in_thinking(item: Item) -> bool:
    """Tell whether *item* ends with thinking: "The final block in an assistant message cannot be `thinking`".

    Source: forgecode#2107.
    """
    content = item.get("content")
    last = content[-1] if isinstance(content, list) and content else None
    return isinstance(last, dict) and last.get("type") in THINKING


def ends_in_server_tool(item: Item) -> bool:
    """Tell whether *item* ends with a call or a result of a tool that Anthropic runs."""
    content = item.get("content")
    last = content[-1] if isinstance(content, list) and content else None
    return isinstance(last, dict) and last.get("type") in SERVER_CALLS | SERVER_RESULTS


def marks_in(blocks: Any) -> int:
    """Return the number of cache marks of *blocks* and of the contents of results among them."""
    if not blocks or not isinstance(blocks, list):
        return 0
    count = 0
    for block in metered(blocks):
        if isinstance(block, dict):
            count += block.get(MARK) is not None
            if block.get("type") == "tool_result":
                count += sum(isinstance(one, dict) and one.get(MARK) is not None for one in _inner(block))
    return count


def media_in(blocks: Any) -> int:
    """Return the number of images and documents among *blocks* and in the contents of results."""
    if not blocks or not isinstance(blocks, list):
        return 0
    count = 0
    for block in metered(blocks):
        if isinstance(block, dict):
            count += block.get("type") in _MEDIA
            if block.get("type") == "tool_result":
                count += sum(isinstance(one, dict) and one.get("type") in _MEDIA for one in _inner(block))
    return count


def _broken(items: Items, takes_systems: bool, marks: int) -> Iterator[tuple[str, int]]:
    has_many = False
    media = 0
    for index, item in enumerate(metered(items)):
        role, content = item.get("role"), item.get("content")
        before = items[index - 1] if index else None
        after = items[index + 1] if index + 1 < len(items) else None
        if not isinstance(content, list):
            if not isinstance(content, str) or not content.strip():
                yield "message_empty", index
        elif not content:
            yield "message_empty", index
        else:
            yield from ((rule, index) for rule in _broken_blocks(content))
        if role == "user":
            follows = before is not None and before.get("role") == "user"
            if follows and any(map(_is_result, content if isinstance(content, list) else ())):
                yield "results_split", index
        elif role == "assistant":
            if ends_in_thinking(item) and (after is None or after.get("role") != "assistant"):
                yield "thinking_last", index
        elif role == "system":
            if not takes_systems:
                yield "system_refused", index
            elif not _may_follow(before) or (after is not None and after.get("role") != "assistant"):
                yield "system_misplaced", index
        marks += marks_in(content)
        media += media_in(content)
        if media > MOST_MEDIA and not has_many:
            has_many = True
            yield "media_many", index
    if marks > MOST_MARKS:
        yield "marks_many", 0


def _may_follow(before: Item | None) -> bool:
    """Tell whether a system message may stand behind *before*."""
    if before is None:
        return False
    return before.get("role") == "user" or (before.get("role") == "assistant" and ends_in_server_tool(before))


def _broken_blocks(blocks: Iterable[Any]) -> Iterator[str]:
    has_words = False
    server_ids: set[Any] = set()
    for block in metered(blocks):
        kind = block.get("type") if isinstance(block, dict) else None
        if is_blank_text(block):
            yield "text_blank"
        if kind == "tool_result":
            if has_words:
                yield "results_behind"
            if any(map(is_blank_text, _inner(block))):
                yield "text_blank"
            if is_silent_error(block):
                yield "error_silent"
        else:
            has_words = True
        if kind in THINKING:
            seal = seal_of(block)
            if not isinstance(seal, str) or not seal:
                yield "thinking_unsigned"
            elif is_own(seal):
                yield "envelope_own"
            if block.get(MARK) is not None:
                yield "mark_misplaced"
        elif kind == "tool_use":
            if not isinstance(block.get("input"), dict):
                yield "input_no_object"
            if is_misnamed(block):
                yield "name_illegal"
        elif kind in SERVER_CALLS:
            server_ids.add(_hashable(block.get("id")))
        elif kind in SERVER_RESULTS and _hashable(block.get("tool_use_id")) not in server_ids:
            yield "server_result_orphaned"


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _inner(block: Item) -> list[Any]:
    content = block.get("content")
    return content if isinstance(content, list) else []


def _hashable(value: Any) -> Any:
    return value if isinstance(value, str) else None
