"""Reads the texts and the calls of messages whose shapes nothing has checked yet.

Compaction reads the client's messages before they are sanitized. So a message's content may be any JSON value. The
returned texts have no control characters, terminal colours and lone surrogates, since some providers or stores refuse
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from sanitizers.budget.json_text import json_text
from sanitizers.budget.safe_cut import safe_cut
from sanitizers.messages import RESULT_ROLES, Message, Messages, parse_arguments

MARK = " […]"
"""The mark after a text that was cut."""

_TERMINAL = re.compile(r"\x1b(?:\[[0-9;?]{0,32}[A-Za-z]|.)?")
"""Terminal escape sequences, such as colours."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


class Call(NamedTuple):
    """One call in an assistant message. *arguments* is the parsed object, or the text where it is no object."""

    id: str
    name: str
    arguments: Any


class Answered(NamedTuple):
    """A tool's result with the call that it answers, where that call is known. *at* is the result's index."""

    at: int
    call: Call | None
    text: str


def plain_text(text: str) -> str:
    """Return *text* without terminal colours and without control characters other than tabs and line breaks.

    A lone surrogate becomes U+FFFD.
    """
    if _CONTROL.search(text) is None:
        return text
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _CONTROL.sub("", _TERMINAL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def text_of(message: Message) -> str:
    """Return the text of a message's content. A content of a wrong type is returned as JSON."""
    content = message.get("content")
    if isinstance(content, str):
        return plain_text(content)
    if content is None:
        return ""
    if not isinstance(content, list):
        return plain_text(json_text(content))
    return plain_text("\n".join(filter(None, map(_part_text, content))))


def _part_text(part: Any) -> str:
    if isinstance(part, dict):
        text = part.get("text")
        if isinstance(text, str):
            return text
        return "" if isinstance(part.get("type"), str) else json_text(part)
    return part if isinstance(part, str) else json_text(part)


def calls_of(message: Message) -> list[Call]:
    """Return the calls of a message, from ``tool_calls`` and from the older ``function_call``."""
    listed = message.get("tool_calls")
    calls = [_call(entry) for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    older = message.get("function_call")
    if isinstance(older, dict):
        calls.append(_call({"function": older}))
    return calls


def _call(entry: dict[str, Any]) -> Call:
    function = entry.get("function") or entry.get("custom")
    if not isinstance(function, dict):
        function = {}
    name, arguments = function.get("name"), function.get("arguments", function.get("input"))
    if isinstance(arguments, str):
        arguments = arguments if (parsed := parse_arguments(arguments)) is None else parsed
    call_id = entry.get("id")
    return Call(call_id if isinstance(call_id, str) else "", name if isinstance(name, str) else "", arguments)


def answered_calls(messages: Messages) -> Iterator[Answered]:
    """Yield all tool results of *messages*, oldest first, with their calls.

    A result belongs to the newest call before it with the same id. A result without a call id belongs to the newest
    call of the function that the result names.
    """
    calls: dict[str, Call] = {}
    for at, message in enumerate(messages):
        if message.get("role") in RESULT_ROLES:
            key = message.get("tool_call_id") or message.get("name")
            yield Answered(at, calls.get(key) if isinstance(key, str) else None, text_of(message))
        else:
            for call in calls_of(message):
                calls[call.name] = calls[call.id or call.name] = call


def strings_in(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the strings in a JSON value, in order, each with the nearest key above it."""
    pending: list[tuple[str, Any]] = [("", value)]
    while pending:
        key, item = pending.pop()
        if isinstance(item, str):
            yield key, item
        elif isinstance(item, dict):
            pending += [(str(name), item[name]) for name in reversed(item)]
        elif isinstance(item, list):
            pending += [(key, entry) for entry in reversed(item)]


def cut_at_word(text: str, limit: int, mark: str = MARK) -> str:
    """Return *text*, or its first *limit* characters cut at a word, with *mark* after them.

    A text without spaces near the limit, such as Chinese, is cut between two characters.
    """
    if len(text) <= limit:
        return text
    if text[limit].isspace():
        return text[:limit].rstrip() + mark
    words = re.search(r"\s\S{0,79}\Z", text[max(0, limit - 80) : limit])
    end = max(0, limit - 80) + words.start() if words else safe_cut(text, limit, forward=False)
    return text[:end].rstrip() + mark
