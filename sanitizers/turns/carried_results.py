"""Tool results that clients carry in user messages, and calls that they write as text.

Agents whose models have no tool calls of their own, or whose framework does not trust them, speak of tools in plain
text. Such a user message is no word of the user's: it must not open a new count. Only forms that a client was seen to
send are known here, at the start of a text; a user who happens to write one is counted on, never cut off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sanitizers.messages import Message

_RESULT = re.compile(
    r"Observation:\n"  # smolagents, memory.py (1.26)
    r"|(?:Call id: [^\n]*\n)?Error:\n"  # likewise, an action that failed
    r"|EXECUTION RESULT of \["  # OpenHands, without native calls (fn_call_converter.py)
)
_NEW_TASK = "\nNew task:\n"
"""smolagents joins neighbours of one role, so that a further task of the user's stands behind the last result."""

_CARRY_ON = "Now proceed and carry out this plan."
"""What smolagents says behind each of its plans (memory.py, 1.26), one in every ``planning_interval`` steps."""

_CALLS = "Calling tools:\n"
"""What stands before the list of calls in smolagents' assistant texts (memory.py, 1.26), as Python writes it."""

_HEAD = re.compile(
    r"\{'id': (?:'[^'\n]*'|None), 'type': 'function', 'function': \{'name': '([^'\n]+)', 'arguments': "
)
"""What stands before the arguments of each. They stay the text that they are: to let Python read it took a second for
a megabyte, and evaluates what a stranger wrote."""

_BETWEEN = "]}, \n"
"""What stands behind the arguments. Their own brackets go with it, at the end of all calls alike."""

Called = tuple[str, Any]
"""A call: the tool's name, and the arguments as they came."""


def texts_of(message: Message) -> Iterator[str]:
    """Yield the texts of a message's content."""
    content = message.get("content")
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, dict) and isinstance(text := part.get("text"), str):
                yield text


def carries_result(message: Message) -> bool:
    """Tell whether a user message holds the result of a tool, and nothing that the user added."""
    content = message.get("content")
    if isinstance(content, list) and any(
        isinstance(part, dict) and part.get("type") == "tool_result" for part in content
    ):
        return True
    carried = False
    for text in texts_of(message):
        carried = carried or _RESULT.match(text) is not None
        if carried and _NEW_TASK in text:
            return False
    return carried


def carries_on(message: Message) -> bool:
    """Tell whether a user message is a client's own, that its agent may go on: no result, and no word of the user's."""
    return list(texts_of(message)) == [_CARRY_ON]


def calls_in_text(message: Message) -> list[Called]:
    """Return the calls that an assistant message makes in its text; one without a name where they cannot be read."""
    for text in texts_of(message):
        if _CALLS not in text:
            continue
        written = text.rpartition(_CALLS)[2]
        return _read_calls(written) or [("", written)]
    return []


def _read_calls(written: str) -> list[Called]:
    _, *parts = _HEAD.split(written)
    return [
        (name, arguments.rstrip(_BETWEEN)) for name, arguments in zip(parts[::2], parts[1::2], strict=True)
    ]
