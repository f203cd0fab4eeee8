"""Shorten a message's content to its head and its tail, with one marker between them that states what is left out.

A cap limits characters, bytes and lines: a content is within a cap when it is within all three limits. A shortened
content is within all three limits, its marker included. So a shortened content is never cut again under the same cap.
The result depends only on the arguments of :func:`cap_content`, and is the same in every request.

The limits in :mod:`sanitizers.budget.marks` follow other agents: 6,000 characters (LocalCowork), 10 KiB and 128 + 128
lines (codex, adk-code). The tests hold cases for the faults of these agents. A byte limit cut off the tail that had
just been kept, head and tail overlapped, and one line was kept twice. Cuts fell inside a character, and results were
longer than their limit.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, NamedTuple

from sanitizers.budget.markers import MARKER_ROOM, OF_RESULT, find_omission, omission_marker
from sanitizers.budget.safe_cut import safe_cut

SMALLEST = 2 * MARKER_ROOM
"""The smallest limit in characters or bytes. Below it, the marker would be most of the result."""

_HEAD = 0.4
"""The head's share of characters and bytes. Results begin with paths and commands, and end with verdicts and exit
codes."""

_HEAD_OF_ERROR = 0.2
"""The head's share of an error's characters, bytes and lines. The cause of an error stands at the end of the text."""

_HEAD_OF_LINES = 0.5
"""The head's share of the lines: one half, as in codex and adk-code."""

_USED = 0.7
"""If the tail uses less than this share of its characters, its limit of lines or bytes was reached first."""

_FIRST_WORD = re.compile(
    r"[\s\[<{'\"]{0,9}(?:error|exception|failed|failure|fatal|panic|uncaught|unhandled)\b"
)
_TRACEBACK = "traceback (most recent call last)"
_FLAG = re.compile(r'"is_?error": ?true')
_ERROR_LINE = re.compile(r"^[\w.]{1,80}(?:error|exception): ", re.MULTILINE)
_EXIT_CODE = re.compile(r"\bexit(?:ed)?(?: with)?(?: code| status)?:? [1-9]")
_LOOKED_AT = 1_000


@dataclass(frozen=True, slots=True)
class Cap:
    """The limits of one message's content: *characters*, *bytes* in UTF-8 and *lines*. None is no limit.

    Raises :class:`ValueError` for limits that leave no room for text and marker: fewer than 400 characters or bytes, or
    fewer than 4 lines.
    """

    characters: int
    bytes: int | None = None
    lines: int | None = None

    def __post_init__(self) -> None:
        if min(self.characters, self.bytes or SMALLEST) < SMALLEST or (self.lines or 4) < 4:
            raise ValueError(f"a cap needs at least {SMALLEST} characters and bytes, and 4 lines")


def cap_content(content: Any, cap: Cap, *, is_error: bool = False, advice: str = OF_RESULT) -> Any:
    """Return a message's *content* shortened to *cap*, or *content* itself when it is within the cap.

    The texts of a list of content parts are shortened together, as one text, and all other parts stay. *is_error* says
    that the content is an error, so that more of its tail is kept. A content that looks like an error is treated as an
    error too. *advice* is the marker's text after its numbers.
    """
    if isinstance(content, str):
        span = _find_span(content, cap, is_error, advice)
        return content if span is None else content[: span.head] + span.marker + content[span.tail :]
    if not isinstance(content, list):
        return content
    texts = [part["text"] for part in content if _is_text(part)]
    span = _find_span("".join(texts), cap, is_error, advice)
    return content if span is None else _cut_parts(content, span)


def length_of(content: Any) -> int:
    """Return the characters of text in a message's *content*. Media counts nothing."""
    if isinstance(content, str):
        return len(content)
    return sum(len(part["text"]) for part in content if _is_text(part)) if isinstance(content, list) else 0


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


class _Span(NamedTuple):
    """The cut of a text: everything from *head* to *tail* is replaced with *marker*."""

    head: int
    tail: int
    marker: str


def _find_span(text: str, cap: Cap, is_error: bool, advice: str) -> _Span | None:
    """Return the cut that brings *text* within *cap*, or None when it is within.

    Head and tail never overlap. Head and tail together are within every limit less the marker's room.
    """
    # Most texts are within the cap: cheap checks come first, and a long text is cut without counting its bytes.
    length = len(text)
    if (
        length <= cap.characters
        and (cap.bytes is None or 4 * length <= cap.bytes or _bytes_of(text) <= cap.bytes)
        and (cap.lines is None or text.count("\n") < cap.lines or _lines_of(text) <= cap.lines)
    ):
        return None
    failed = is_error or _looks_like_error(text)
    share, line_share = (_HEAD_OF_ERROR, _HEAD_OF_ERROR) if failed else (_HEAD, _HEAD_OF_LINES)
    characters = cap.characters - MARKER_ROOM
    room = None if cap.bytes is None else cap.bytes - MARKER_ROOM
    lines = None if cap.lines is None else cap.lines - 1
    head = _head_end(
        text,
        int(characters * share),
        None if room is None else int(room * share),
        None if lines is None else max(1, int(lines * line_share)),
    )
    # The tail gets the room that the head did not use, so that short first lines cost nothing.
    tail = _tail_start(
        text,
        characters - head,
        None if room is None else room - _bytes_of(text[:head]),
        None if lines is None else lines - text.count("\n", 0, head) - 1,
    )
    if len(text) - tail < _USED * (characters - head):
        # The tail ran out of lines or bytes: the head gets its characters, within the lines and bytes that are left.
        head = _head_end(
            text,
            characters - (len(text) - tail),
            None if room is None else room - _bytes_of(text[tail:]),
            None if lines is None else lines - _lines_of(text[tail:]),
        )
    return _span(text, head, tail, advice)


def _span(text: str, head: int, tail: int, advice: str) -> _Span:
    """Return the cut from *head* to *tail* with its marker."""
    total, lines = len(text), _lines_of(text)
    earlier = find_omission(text)
    if earlier is not None:  # the earlier marker is removed, and its numbers are added to the new one's
        head, tail = min(head, earlier.start), max(tail, earlier.end)
    kept = head + total - tail
    if earlier is not None:
        total, lines = earlier.characters, earlier.lines
    omitted_lines = max(0, lines - text.count("\n", 0, head) - 1 - _lines_of(text[tail:]))
    marker = omission_marker(total - kept, total, omitted_lines, lines, advice)
    return _Span(head, tail, marker)


def _head_end(text: str, characters: int, room: int | None, lines: int | None) -> int:
    """Return the end of a head of at most *characters*, *room* bytes and *lines*, if possible at a line's end."""
    end = min(characters, len(text))
    if room is not None:
        if text[:end].isascii():
            end = min(end, room)
        else:
            end = bisect_right(range(end + 1), room, key=lambda at: _bytes_of(text[:at])) - 1
    if lines is not None:
        pieces = text[:end].split("\n", lines)
        if len(pieces) > lines:
            return safe_cut(text, end - len(pieces[-1]) - 1, forward=False)
    newline = text.rfind("\n", end - end // 5, end)
    return safe_cut(text, newline if newline > 0 else end, forward=False)


def _tail_start(text: str, characters: int, room: int | None, lines: int | None) -> int:
    """Return where a tail of at most *characters*, *room* bytes and *lines* starts, at a line's start if near."""
    length = min(characters, len(text))
    if room is not None:
        if text[len(text) - length :].isascii():
            length = min(length, room)
        else:
            length = bisect_right(range(length + 1), room, key=lambda n: _bytes_of(text[len(text) - n :])) - 1
    start = len(text) - length
    if lines is not None:
        pieces = text[start : len(text) - text.endswith("\n")].rsplit("\n", lines)
        if len(pieces) > lines:
            return start + len(pieces[0]) + 1
    if start and text[start - 1] == "\n":
        return start
    newline = text.find("\n", start, start + length // 5)
    return newline + 1 if newline >= 0 else safe_cut(text, start, forward=True)


def _cut_parts(parts: list[Any], span: _Span) -> list[Any]:
    """Return *parts* with the marker in place of the texts between head and tail.

    A part whose text is gone is left out.
    """
    kept: list[Any] = []
    marker = span.marker
    start = 0
    for part in parts:
        if not _is_text(part):
            kept.append(part)
            continue
        text = part["text"]
        end = start + len(text)
        head, tail = text[: max(0, span.head - start)], text[max(0, span.tail - start) :]
        if end <= span.head or start >= span.tail:
            shown = text
        else:
            shown = head + marker + tail
            marker = ""
        if shown is text:
            kept.append(part)
        elif shown:
            kept.append({**part, "text": shown})
        start = end
    return kept


def _looks_like_error(text: str) -> bool:
    """Tell whether a text reports a failure, by its beginning and its end."""
    seen = text if len(text) <= 2 * _LOOKED_AT else f"{text[:_LOOKED_AT]}\n{text[-_LOOKED_AT:]}"
    seen = seen.lower()
    return (
        _FIRST_WORD.match(seen) is not None
        or _TRACEBACK in seen
        or ('error":' in seen and _FLAG.search(seen) is not None)
        or ("error: " in seen and _ERROR_LINE.search(seen) is not None)
        or ("exit" in seen and _EXIT_CODE.search(seen) is not None)
    )


def _bytes_of(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _lines_of(text: str) -> int:
    """Count lines. A line break at the end begins no further line."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0
