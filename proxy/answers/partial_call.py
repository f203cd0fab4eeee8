"""One tool call as it comes in pieces, and what of it can be passed on. Pure.

Its arguments are one JSON object in the end, as far as that is in what came: what follows a whole object begins
another call (hermes-agent#102953), a piece that says again all that was said adds only what is new, and arguments that
do not begin as an object are held back, since they may be one in a string.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate, islice, repeat
from types import MappingProxyType
from typing import Any

import orjson

_WITHIN_A_STRING = re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL)
_NO_BRACKET = re.compile(r'(?:[^"{}\[\]]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_MARK = re.compile(r'"(?:[^"\\]++|\\.)*+["\\]?|[{}\[\]]', re.DOTALL)
"""A bracket, or a string with what of it there is: one that ends with a backslash goes on."""

_STEPS = MappingProxyType({"{": 1, "[": 1, "}": -1, "]": -1})
_BLOCK = 64 * 1024
"""Characters that are looked at together: a list of their brackets takes half a MiB."""
_LONGEST_IN_A_STRING = 64 * 1024
"""Characters of arguments that are looked at for an object in a string, while they come."""


def piece_of(
    place: int,
    arguments: str,
    *,
    signature: str | None = None,
    call_id: str | None = None,
    name: str = "",
) -> dict[str, Any]:
    """Return a piece as OpenAI writes it; with *call_id* the one that begins a call."""
    function = {"name": name, "arguments": arguments} if name else {"arguments": arguments}
    piece: dict[str, Any] = {"index": place}
    if call_id is not None:
        piece |= {"id": call_id, "type": "function"}
    piece["function"] = function
    if signature is not None:
        piece["extra_content"] = {"google": {"thought_signature": signature}}
    return piece


def join_pieces(pieces: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the pieces of one delta, one a call, in the calls' order.

    OpenAI's own client takes the first delta's list as it is: two pieces of a call are two calls then, and the place in
    the list is the call's.
    """
    joined: dict[int, dict[str, Any]] = {}
    for piece in pieces:
        place = piece["index"]
        first = joined.get(place)
        if first is None:
            joined[place] = piece
            continue
        function = {**first["function"]}
        function["arguments"] = function.get("arguments", "") + piece["function"].get("arguments", "")
        if "name" in piece["function"]:
            function["name"] = function.get("name", "") + piece["function"]["name"]
        joined[place] = {**first, **piece, "function": function}
    return [joined[place] for place in sorted(joined)]


class ObjectEnd:
    """Finds where the JSON object in a text that comes in pieces ends; each character is looked at once.

    A provider may send a mebibyte of brackets, and the event loop waits. So there is no step of Python for each one.
    """

    __slots__ = ("_depth", "_escaped", "_in_string", "found")

    def __init__(self) -> None:
        self.found = False
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def look(self, text: str) -> int | None:
        """Return the place in *text*, which goes on with what came before, behind the end; None before it has come."""
        for start in range(0, len(text), _BLOCK):
            end = self._look_into(text[start : start + _BLOCK])
            if end is not None:
                self.found = True
                return start + end
        return None

    def _look_into(self, text: str) -> int | None:
        at = self._leave_string(text) if self._in_string else 0
        if self._depth == 0 and not self._in_string:
            at = _end_of(_NO_BRACKET, text, at)
            first = text[at : at + 1]
            if first in ("}", "]"):
                return at + 1
            if first == '"':  # it goes on in the next text
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
        """Return the place behind the string that place *at* of *text* is in, or the length where it goes on."""
        at = _end_of(_WITHIN_A_STRING, text, at + 1 if self._escaped else at)
        self._in_string = text[at : at + 1] != '"'
        self._escaped = at < len(text) and self._in_string  # at a backslash that ends the text
        return min(at + 1, len(text))


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    assert found is not None, "the pattern matches nothing, too"
    return found.end()


class PartialCall:
    """One call, as far as it has come."""

    __slots__ = (
        "_end",
        "_size",
        "_texts",
        "_whole",
        "decoded",
        "doubtful",
        "headed",
        "held",
        "id",
        "index",
        "name",
        "place",
        "said_id",
        "signature",
    )

    def __init__(self, said_id: str | None, index: int | None, *, doubtful: bool = False) -> None:
        self.said_id = said_id
        """The provider's own id, if it gave any; others may have it, too."""

        self.index = index
        """The provider's own index, if it gave any."""

        self.doubtful = doubtful
        """Whether it may only repeat another, which is known when it is whole."""

        self.headed = False
        """Whether its name came once more, without arguments: those that come next may be another call's."""

        self.id = ""
        """The client's."""

        self.place = -1
        """Its place in the answer, once it is announced."""

        self.name = ""
        self.signature: str | None = None
        self.decoded = False
        """Whether the arguments are not written as they came."""

        self._begin()

    def _begin(self) -> None:
        self.held = False
        self._texts: list[str] = []
        self._size = 0
        self._end = ObjectEnd()
        self._whole: bool | None = None  # of what ended: whether it is an object

    @property
    def has_arguments(self) -> bool:
        """Whether anything of the arguments has come."""
        return self._size > 0

    def take(self, text: str, *, again: bool) -> tuple[str, str]:
        """Take a text of arguments; returns what of it is to be passed on, and what begins another call.

        *again* says that it came with the call's name, which a piece that only goes on has not: then it may be all
        that was said and more. By itself a text does not tell, ``{"a":`` may well go on with ``{"a":1}}``.
        """
        if not self._size:
            text = text.lstrip()
            # An empty object may be a placeholder for what is to come, as Anthropic's events have it.
            self.held = text[:1] not in ("", "{") or text.rstrip() == "{}"
        elif self.held and self._size <= 4 and text.lstrip()[:1] == "{" and self.text().rstrip() == "{}":
            self._begin()
            return self.take(text, again=again)
        elif again and len(text) >= self._size and text.startswith(self.text()):
            text = text[self._size :]
        if not text or (self._end.found and text.isspace()):
            return "", ""
        if self._end.found:
            rest = text.lstrip()
            if (rest[0] == "{" or self.headed) and self.whole() is not None:
                return "", rest
        elif self._size or text[0] == "{":
            end = self._end.look(text)
            if end is not None and (rest := text[end:].lstrip()):
                self._add(text[:end])
                if rest[0] == "{" and self.whole() is not None:
                    return ("" if self.held else text[:end]), rest
                self._add(text[end:])
                return ("" if self.held else text), ""
        self._add(text)
        return ("" if self.held else text), ""

    def text(self) -> str:
        """Return the arguments, as they stand."""
        if len(self._texts) > 1:
            self._texts = ["".join(self._texts)]
        return self._texts[0] if self._texts else ""

    def shown(self) -> str:
        """Return what of the arguments is passed on when the call is announced."""
        return "" if self.held else self.text()

    def whole(self) -> str | None:
        """Return arguments that are a whole object, which nothing can follow; None while they are none."""
        if self._end.found:
            if self._whole is None:
                self._whole = _is_object(self.text())
            return self.text() if self._whole else None
        if self.held and self._size <= _LONGEST_IN_A_STRING and self._texts[-1].rstrip().endswith('"'):
            text = self.text()
            return text if _decoded(text) != text else None
        return None

    def says_again(self, arguments: str) -> bool:
        """Tell whether *arguments* say no more than these, which are whole, however they are written."""
        if arguments.isspace() or arguments == self.text():
            return True
        try:
            return bool(orjson.loads(arguments) == orjson.loads(self.text()))
        except (orjson.JSONDecodeError, RecursionError):
            return False

    def may_repeat(self, others: Iterable[PartialCall]) -> bool:
        """Tell whether another call says all that this one has said so far."""
        return any(other.name == self.name and other.text().startswith(self.text()) for other in others)

    def repeats(self, others: Iterable[PartialCall]) -> bool:
        """Tell whether another call says all that this one does."""
        return any(other.name == self.name and other.text() == self.text() for other in others)

    def is_complete(self, *, another_has_arguments: bool) -> bool:
        """Tell whether what is held back can be said, since another call begins.

        An empty object is none's placeholder then. No arguments at all are complete where the other call comes with
        its own: servers that begin all calls first send the arguments of each later.
        """
        if not self._size:
            return another_has_arguments
        return self.held and self.whole() is not None

    @property
    def is_open_ended(self) -> bool:
        """Whether anything may be left for :meth:`finish` to say."""
        return self.held or not self._size

    def finish(self, *, cut_off: bool) -> str:
        """Return what is still to be passed on at the end."""
        if not self._size:
            if cut_off:
                return ""
            self._add("{}")
            return "{}"
        if not self.held:
            return ""
        self.held = False
        if not cut_off:
            text = self.text()
            self._texts = [_decoded(text)]
            self.decoded = self._texts[0] != text
        return self.text()

    def _add(self, text: str) -> None:
        self._texts.append(text)
        self._size += len(text)
        self._whole = None


def _is_object(text: str) -> bool:
    try:
        return isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError:
        return False


def _decoded(text: str) -> str:
    """Return arguments that were encoded twice, or are ``null``, as an object; others as they are."""
    if text.strip() == "null":
        return "{}"
    try:
        inner = orjson.loads(text)
        if isinstance(inner, str) and isinstance(orjson.loads(inner), dict):
            return inner
    except orjson.JSONDecodeError:
        pass
    return text
