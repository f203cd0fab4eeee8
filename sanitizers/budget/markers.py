"""Write the texts that replace removed content, and recognize them in a history.

A marker states only how much is missing, or that a result was cleared. It holds nothing that differs between two
requests with the same beginning, such as a time, an id or a percentage. So providers' prompt caches keep hitting. A
changed wording would invalidate every cached prefix, so a test pins the bytes.

One turnright proxy may call another. So a marker in a history is recognized, but only where its numbers fit the text
that holds the marker. A text that quotes a marker is treated like any other text, and so is a text that another program
cut. A client cannot protect a long text from being cut by writing a marker into it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sanitizers.merging import SEPARATOR
from sanitizers.messages import Message
from sanitizers.synthetic import CONTINUE, HISTORY_START, SYSTEM_ONLY, is_instruction

CLEARED = "[tool result cleared to save context; call the tool again if needed]"
"""The content of a tool result that was cleared."""

OF_RESULT = "head and tail kept. Repeat the call with a narrower range to see more."
"""The text after the numbers in the marker of a tool result."""

OF_TEXT = "head and tail kept."
"""The text after the numbers in the marker of a user's text."""

MARKER_ROOM = 200
"""Characters, and bytes, that are kept free for a marker.

No marker is longer if its numbers have at most nine digits.
"""

_OMISSION = re.compile(
    r"\n\[… (\d{1,12}) of (\d{1,12}) characters \(~(\d{1,12}) of (\d{1,12}) lines\) omitted by the gateway; "
    rf"(?:{re.escape(OF_RESULT)}|{re.escape(OF_TEXT)}) …\]\n"
)
_OMISSION_START = "\n[… "
_CANDIDATES = 16

_NOTICE = re.compile(
    r"<context_notice>(\d{1,12}) earlier messages were removed to fit the context window\."
    r"</context_notice>"
)
_JOINED = re.compile(rf"(?:(?:\A|{SEPARATOR}){_NOTICE.pattern})(?=\Z|{SEPARATOR})")
"""A notice that was joined to other texts as its own paragraph.

A notice that somebody quotes is rarely a paragraph of its own.
"""

_FROM_A_RESULT = re.compile(r"\[[A-Z][a-z]+ from the result of .{1,200}:\]\Z", re.DOTALL)
"""The beginning of the message that holds the media of tool results (:func:`sanitizers.synthetic.media_of_result`)."""

_SYNTHETIC = frozenset({HISTORY_START, SYSTEM_ONLY, CONTINUE})


@dataclass(frozen=True, slots=True)
class Omission:
    """One marker in a text: it reaches from *start* to *end*. *characters* and *lines* are the original text's."""

    start: int
    end: int
    characters: int
    lines: int


def omission_marker(omitted: int, characters: int, omitted_lines: int, lines: int, advice: str) -> str:
    """Return the marker for *omitted* of *characters* and *omitted_lines* of *lines*, line breaks included."""
    return (
        f"\n[… {omitted} of {characters} characters (~{omitted_lines} of {lines} lines) omitted by the gateway; "
        f"{advice} …]\n"
    )


def find_omission(text: str) -> Omission | None:
    """Return the marker in *text* whose numbers fit that text, or None."""
    at = -1
    for _ in range(_CANDIDATES):
        at = text.find(_OMISSION_START, at + 1)
        if at < 0:
            return None
        match = _OMISSION.match(text, at)
        if match:
            omitted, characters, _, lines = (int(number) for number in match.groups())
            if len(text) - len(match[0]) + omitted == characters:
                return Omission(match.start(), match.end(), characters, lines)
    return None


def notice_message(removed: int) -> Message:
    """Return the user message that replaces *removed* messages and states their number."""
    return {
        "role": "user",
        "content": f"<context_notice>{removed} earlier messages were removed to fit the context window."
        "</context_notice>",
    }


def noticed(message: Message) -> int | None:
    """Return the number of messages that a notice states, or None when *message* is no notice."""
    content = message.get("content")
    if message["role"] != "user" or not isinstance(content, str):
        return None
    match = _NOTICE.fullmatch(content)
    return int(match[1]) if match else None


def without_notice(message: Message) -> tuple[Message, int]:
    """Return *message* without the notices that were joined to its text, and the number of messages that they state.

    Where a provider refuses two user messages in a row, a notice was joined to the message before it. Returns *message*
    itself when it holds no notice.
    """
    content = message.get("content")
    if isinstance(content, str):
        kept, removed = _cut_notices(content)
        return ({**message, "content": kept}, removed) if removed else (message, 0)
    if not isinstance(content, list):
        return message, 0
    parts = []
    removed = 0
    for part in content:
        if part.get("type") == "text" and isinstance(part.get("text"), str):
            kept, found = _cut_notices(part["text"])
            removed += found
            if found and not kept:
                continue
            part = {**part, "text": kept} if found else part
        parts.append(part)
    return ({**message, "content": parts}, removed) if removed else (message, 0)


def _cut_notices(text: str) -> tuple[str, int]:
    if "<context_notice>" not in text:
        return text, 0
    removed = sum(int(match[1]) for match in _JOINED.finditer(text))
    if not removed:
        return text, 0
    rest = _JOINED.sub("", text)
    return (rest.removeprefix(SEPARATOR) if _JOINED.match(text) else rest), removed


def is_from_user(message: Message) -> bool:
    """Tell whether *message* is the user's own: a user message that is neither a notice nor inserted by a step."""
    content = message.get("content")
    if isinstance(content, list) and content:
        text = content[0].get("text")
        return message["role"] == "user" and not (isinstance(text, str) and _FROM_A_RESULT.match(text))
    return message["role"] == "user" and not (
        isinstance(content, str)
        and (content in _SYNTHETIC or is_instruction(message) or noticed(message) is not None)
    )
