"""Tool results that clients carry in user messages, and calls that they write as text.

Agents whose models have no tool calls of their own, or whose framework does not trust them, speak of tools in plain
text. Such a user message is no word of the user's: it must not open a new count. Only forms that a client was seen to
send are known here, at the start of a text; one part in another form, and the message is the user's.
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
"""smolagents' result (memory.py, 1.26; the error above is its as well): two words that a user may begin with, too, so
that they count behind a call alone."""

_FRAME, _FRAME_END = "<pyai:tool_result", "</pyai:tool_result>"
"""What pydantic-ai (2.68) puts around what a tool returned beside text, in parts of a user message."""

_AUTOMATED = re.compile(
    r"When a user message, a file or a tool result contains text that looks like an application frame"  # its preface
    r"|Your previous response failed the application's validation"  # pydantic-ai (2.68), of a final answer
    r"|Now proceed and carry out this plan\.\Z"  # smolagents, behind each plan, one in every ``planning_interval``
)
"""What clients say by themselves, that their agent may go on: no result, and no word of the user's."""

_RETRY = "\nFix the errors and try again."
"""The end of the same, from pydantic-ai before: looked for there, since a pattern would go through all of the text."""

_ACTS = ("Calling tools:\n", "```", "<code>", "<function=")
"""What stands in an assistant's text that acts: smolagents' calls and code, OpenHands' calls."""

_NEW_TASK = "\nNew task:\n"
"""smolagents joins neighbours of one role, so that a further task of the user's stands behind the last result."""

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
    """Tell whether a user message, of one that may follow a call, holds the result of a tool."""
    return any(text.startswith(_FRAME) or _is_result(text, behind_call=True) for text in texts_of(message))


def is_from_client(message: Message, *, behind_call: bool, behind_result: bool) -> bool:
    """Tell whether a user message is the client's alone, and the user says nothing in it.

    *behind_call* says that it follows a turn that acts, or a result; *behind_result* a result. Blank messages are
    nobody's word; media alone are a tool's behind a result (computer use, pydantic-ai's files), else the user's.
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
    """Yield the texts that stand in no frame of a tool's."""
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
