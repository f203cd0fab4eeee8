"""Finds the end of a JSON object whose text comes in pieces."""

from __future__ import annotations

import re
from itertools import accumulate, islice, repeat
from types import MappingProxyType

_WITHIN_A_STRING = re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL)
_NO_BRACKET = re.compile(r'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_MARK = re.compile(r'"(?:[^"\\]++|\\.)*+["\\]?|[{}\[\]]', re.DOTALL)
"""Matches a bracket, a whole string, or the start of an unfinished string.

A backslash at the text's end is included.
"""
_STEPS = MappingProxyType({"{": 1, "[": 1, "}": -1, "]": -1})
_BLOCK = 64 * 1024
"""Characters that are searched together. A list of their brackets takes half a MiB."""


class ObjectEnd:
    """Finds the end of a JSON object whose text comes in pieces.

    Each text is searched when it comes, and earlier texts are not read again. A provider may send a mebibyte of
    brackets, and the event loop waits for the search. So no Python code runs once per bracket.
    """

    __slots__ = ("_depth", "_escaped", "_in_string", "found")

    def __init__(self) -> None:
        self.found = False
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def find_end(self, text: str) -> int | None:
        """Return the index in *text* after the object's end, or None where the end has not come."""
        for start in range(0, len(text), _BLOCK):
            end = self._find_in_block(text[start : start + _BLOCK])
            if end is not None:
                self.found = True
                return start + end
        return None

    def _find_in_block(self, text: str) -> int | None:
        at = self._leave_string(text) if self._in_string else 0
        if self._depth == 0 and not self._in_string:
            at = _end_of(_NO_BRACKET, text, at)
            first = text[at : at + 1]
            if first in ("}", "]"):
                return at + 1
            if first == '"':  # the string continues in the next text
                self._leave_string(text, at + 1)
                return None
        marks = _MARK.findall(text, at)
        if marks and marks[-1][0] == '"':
            self._leave_string(marks[-1], 1)
        depths = list(accumulate(map(_STEPS.get, marks, repeat(0)), initial=self._depth))
        self._depth = depths[-1]
        if 0 not in depths[1:]:
            return None
        return next(islice(_MARK.finditer(text, at), depths.index(0, 1) - 1, None)).end()

    def _leave_string(self, text: str, at: int = 0) -> int:
        """Return the index after the end of the string that contains index *at* of *text*.

        Return the length of *text* where the string does not end in it.
        """
        at = _end_of(_WITHIN_A_STRING, text, at + 1 if self._escaped else at)
        self._in_string = text[at : at + 1] != '"'
        self._escaped = at < len(text) and self._in_string  # at a backslash that ends the text
        return min(at + 1, len(text))


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    assert found is not None, "the pattern matches nothing, too"
    return found.end()
