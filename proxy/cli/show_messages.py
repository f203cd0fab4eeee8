"""Writes a chat message in one line for a terminal, and lists how two forms of a message differ.

Unprintable characters of a history are shown as escapes, so that no text can move the cursor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from proxy.core.json_text import write_json

_EXCERPT = 72
_LEAD = 16
"""The most characters of a value that are shown before the first difference."""

_MAX_CALLS = 6
_MAX_DIFFERENCES = 3
_ABSENT = object()


def excerpt(message: Mapping[str, Any]) -> str:
    """Return a message in one line: its role, the calls that it makes or answers, and the start of its content."""
    words = [str(message.get("role"))]
    if message.get("tool_call_id"):
        words.append(f"({message['tool_call_id']})")
    for call in (message.get("tool_calls") or ())[:_MAX_CALLS]:
        function = call.get("function") or {}
        words.append(f"{function.get('name')}({call.get('id')})")
    content = message.get("content")
    if content:
        words.append(content if isinstance(content, str) else write_json(content).decode())
    return _shorten(" ".join(word[: 2 * _EXCERPT] for word in words))


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the differences between two forms of a message.

    A pair has two lines, each with the role and a field's path: one shows the value before, one the value after. After
    three pairs, a last pair has the number of further fields that differ.
    """
    found = list(_walk(before, after, ""))
    for path, old, new in found[:_MAX_DIFFERENCES]:
        was, now = _text_of(old), _text_of(new)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(was, now, strict=False)))
        start = max(0, same - _LEAD)
        lead = "…" if start else ""
        head = f"{after.get('role')} {path} "
        yield _shorten(f"{head}{lead}{was[start:]}"), _shorten(f"{head}{lead}{now[start:]}")
    if (more := len(found) - _MAX_DIFFERENCES) > 0:
        yield f"and {more} more fields", f"and {more} more fields"


def printable(text: str) -> str:
    """Return *text* with an escape for each unprintable character."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def _walk(old: Any, new: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the innermost values that differ, with their paths. Lists of different lengths differ as a whole."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in dict.fromkeys([*old, *new]):
            yield from _walk(
                old.get(name, _ABSENT), new.get(name, _ABSENT), f"{path}.{name}" if path else name
            )
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, pair in enumerate(zip(old, new, strict=True)):
            yield from _walk(*pair, f"{path}[{at}]")
    elif old is not new and old != new:
        yield path, old, new


def _text_of(value: Any) -> str:
    if value is _ABSENT:
        return "(none)"
    return value if isinstance(value, str) else write_json(value).decode()


def _shorten(text: str) -> str:
    shown = printable(text[:_EXCERPT])
    return f"{shown}…" if len(text) > _EXCERPT else shown
