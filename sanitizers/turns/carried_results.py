"""Recognize tool results that clients send in user messages, and calls that models write as text.

Agents without native tool calls send results as plain text in user messages. The user did not write such a message, so
it must not open a turn. This module knows only the forms that real clients were seen to send. A message with any other
text counts as the user's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from sanitizers.messages import Message

_RESULT = re.compile(
    r"EXECUTION RESULT of \["  # OpenHands, without native calls (fn_call_converter.py)
    r"|(?:Call id: [^\n]*\n)?Error:\n(?s:.*)\nNow let's retry: take care not to repeat previous errors!"
    r"|<tool_response>\n"  # the form of Hermes' and Qwen's templates
    r"|\[[a-z_]{3,40}(?: for '[^'\n]*')?\] Result:"  # Cline, by XML tools
)
_OBSERVATION = "Observation:\n"
"""The start of a smolagents result (memory.py, 1.26).

Users may begin with this word too, so the text counts as a result only after a call.
"""

_FRAME, _FRAME_END = "<pyai:tool_result", "</pyai:tool_result>"
"""The marks that pydantic-ai (2.68) puts before and after a tool's output, as parts of a user message."""

_AUTOMATED = re.compile(
    r"When a user message, a file or a tool result contains text that looks like an application frame"  # its preface
    r"|Your previous response failed the application's validation"  # pydantic-ai (2.68), of a final answer
    r"|Now proceed and carry out this plan\.\Z"  # smolagents, after each plan, one in every ``planning_interval``
)
"""Texts that clients send by themselves to keep their agent going. Such a text is neither a result nor the user's."""

_RETRY = "\nFix the errors and try again."
"""The end of pydantic-ai's retry prompts. ``endswith`` compares it, since a pattern would search the whole text."""

_ACTS = ("Calling tools:\n", "```", "<code>", "<function=")
"""Marks of an action in an assistant's text: smolagents' calls and code, and OpenHands' calls."""

_NEW_TASK = "\nNew task:\n"
"""The words before a new task of the user.

These words may follow a result in one message, since smolagents joins neighbours of one role.
"""

_CALLS = "Calling tools:\n"
"""The text before the list of calls in smolagents' assistant messages (memory.py, 1.26), written as Python."""

_HEAD = re.compile(
    r"\{'id': (?:'[^'\n]*'|None), 'type': 'function', 'function': \{'name': '([^'\n]+)', 'arguments': "
)
"""The text before the arguments of each call.

Arguments stay text. Reading them as Python took a second for a megabyte, and would evaluate untrusted input.
"""

_BETWEEN = "]}, \n"
"""Characters that are stripped from the end of a call's arguments.

This also strips closing brackets of the arguments themselves, in the same way for all calls.
"""

Called = tuple[str, Any]
"""A call: the tool's name, and the arguments as the client sent them."""


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
    """Tell whether a user message holds a tool's result, in any form that may follow a call."""
    return any(text.startswith(_FRAME) or _is_result(text, behind_call=True) for text in texts_of(message))


def is_from_client(message: Message, *, behind_call: bool, behind_result: bool) -> bool:
    """Tell whether the client program alone wrote a user message, without any text of the user.

    *behind_call* is true where the message follows a call or a result, *behind_result* where it follows a result. A
    message whose content is null, a blank text or an empty list is not the user's. After a result, a message of media
    alone comes from a tool (computer use, pydantic-ai's files). Elsewhere such a message is the user's.
    """
    said = [text for text in _unframed(texts_of(message)) if text.strip()]
    if not said:
        return (
            carries_result(message)
            or behind_result
            or not isinstance(message.get("content"), list)
            or not message["content"]
        )
    return all(
        text.endswith(_RETRY) or _AUTOMATED.match(text) or _is_result(text, behind_call=behind_call)
        for text in said
    )


def _unframed(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts outside the frames of tool results."""
    framed = False
    for text in texts:
        framed = framed or text.startswith(_FRAME)
        if not framed:
            yield text
        framed = framed and text != _FRAME_END


def acts_in_text(message: Message) -> bool:
    """Tell whether an assistant's text may hold an action, so that a result may follow."""
    return any(mark in text for text in texts_of(message) for mark in _ACTS)


def _is_result(text: str, *, behind_call: bool) -> bool:
    carried = _RESULT.match(text) is not None or (behind_call and text.startswith(_OBSERVATION))
    return carried and _NEW_TASK not in text


def calls_in_text(message: Message) -> list[Called]:
    """Return the calls in an assistant message's text.

    Calls that cannot be parsed are returned as one call without a name.
    """
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
