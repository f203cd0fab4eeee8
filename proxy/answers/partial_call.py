"""One tool call that comes in pieces, and the parts of the call that can be sent to the client.

The call's arguments become one JSON object where the pieces allow. A further object after a whole one begins another
call (hermes-agent#102953). A piece that names the call again, and repeats all earlier text, adds only its new part.
Arguments that do not begin as an object are withheld, since they may be an object encoded in a string. ``{}`` is
withheld too, since it may be a placeholder.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from proxy.answers.object_end import ObjectEnd

_LONGEST_IN_A_STRING = 64 * 1024
"""The longest unfinished arguments, in characters, that are checked for an object encoded in a string."""


def piece_of(
    place: int,
    arguments: str,
    *,
    signature: str | None = None,
    call_id: str | None = None,
    name: str = "",
) -> dict[str, Any]:
    """Return a piece in OpenAI's form. With *call_id* it is the first piece of a call."""
    function = {"name": name, "arguments": arguments} if name else {"arguments": arguments}
    piece: dict[str, Any] = {"index": place}
    if call_id is not None:
        piece |= {"id": call_id, "type": "function"}
    piece["function"] = function
    if signature is not None:
        piece["extra_content"] = {"google": {"thought_signature": signature}}
    return piece


def join_pieces(pieces: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return *pieces*, those of one delta, joined to one piece for each call, in the calls' order.

    OpenAI's own client uses the first delta's list as it is. Two pieces of one call would become two calls there.
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


class PartialCall:
    """One tool call, with the pieces that have arrived."""

    __slots__ = (
        "_end",
        "_size",
        "_texts",
        "_whole",
        "id",
        "index",
        "maybe_repeated",
        "name",
        "name_repeated",
        "place",
        "provider_id",
        "rewritten",
        "signature",
        "withheld",
    )

    def __init__(self, provider_id: str | None, index: int | None, *, maybe_repeated: bool = False) -> None:
        self.provider_id = provider_id
        """The provider's own id, if it gave any. Other calls may have the same id."""

        self.index = index
        """The provider's own index, if it gave any."""

        self.maybe_repeated = maybe_repeated
        """True where the call may be a mere copy of another call. This is certain only once the call is whole."""

        self.name_repeated = False
        """True where the call's name came again without arguments.

        The next arguments may then belong to another call.
        """

        self.id = ""
        """The call's id in the answer for the client."""

        self.place = -1
        """The call's index in the answer for the client. -1 until the call is announced."""

        self.name = ""
        self.signature: str | None = None
        self.rewritten = False
        """True where :meth:`finish` changed the arguments: they were encoded twice, or ``null``."""

        self._begin()

    def _begin(self) -> None:
        self.withheld = False
        self._texts: list[str] = []
        self._size = 0
        self._end = ObjectEnd()
        self._whole: bool | None = None  # whether the ended text is an object

    @property
    def has_arguments(self) -> bool:
        """True where any part of the arguments has come."""
        return self._size > 0

    def add_text(self, text: str, *, again: bool) -> tuple[str, str]:
        """Add text to the arguments. Return the part to send on, and the part that begins another call.

        *again* is true where the text came with the call's name. Only then may it repeat all earlier text. Text
        without a name always continues the arguments: ``{"a":`` may continue with ``{"a":1}}``.
        """
        if not self._size:
            text = text.lstrip()
            # An empty object may be a placeholder for later arguments, as in Anthropic's events.
            self.withheld = text[:1] not in ("", "{") or text.rstrip() == "{}"
        elif self.withheld and self._size <= 4 and text.lstrip()[:1] == "{" and self.text().rstrip() == "{}":
            self._begin()
            return self.add_text(text, again=again)
        elif again and len(text) >= self._size and text.startswith(self.text()):
            text = text[self._size :]
        if not text or (self._end.found and text.isspace()):
            return "", ""
        if self._end.found:
            rest = text.lstrip()
            if (rest[0] == "{" or self.name_repeated) and self.whole_arguments() is not None:
                return "", rest
        elif self._size or text[0] == "{":
            end = self._end.find_end(text)
            if end is not None and (rest := text[end:].lstrip()):
                self._add(text[:end])
                if rest[0] == "{" and self.whole_arguments() is not None:
                    return ("" if self.withheld else text[:end]), rest
                self._add(text[end:])
                return ("" if self.withheld else text), ""
        self._add(text)
        return ("" if self.withheld else text), ""

    def text(self) -> str:
        """Return the arguments so far."""
        if len(self._texts) > 1:
            self._texts = ["".join(self._texts)]
        return self._texts[0] if self._texts else ""

    def sendable(self) -> str:
        """Return the part of the arguments to send when the call is announced."""
        return "" if self.withheld else self.text()

    def whole_arguments(self) -> str | None:
        """Return the arguments where they are a whole object, which may be encoded in a string, else None."""
        if self._end.found:
            if self._whole is None:
                self._whole = _is_object(self.text())
            return self.text() if self._whole else None
        if self.withheld and self._size <= _LONGEST_IN_A_STRING and self._texts[-1].rstrip().endswith('"'):
            text = self.text()
            return text if _decoded(text) != text else None
        return None

    def means_same(self, arguments: str) -> bool:
        """Return True where *arguments* are the same JSON value as this call's arguments, or blank."""
        if arguments.isspace() or arguments == self.text():
            return True
        try:
            return bool(orjson.loads(arguments) == orjson.loads(self.text()))
        except (orjson.JSONDecodeError, RecursionError):
            return False

    def may_repeat(self, others: Iterable[PartialCall]) -> bool:
        """Return True where a call of the same name in *others* has arguments that begin with this call's."""
        return any(other.name == self.name and other.text().startswith(self.text()) for other in others)

    def repeats(self, others: Iterable[PartialCall]) -> bool:
        """Return True where a call in *others* has the same name and arguments."""
        return any(other.name == self.name and other.text() == self.text() for other in others)

    def is_complete(self, *, another_has_arguments: bool) -> bool:
        """Return True where withheld arguments can be sent, since another call begins.

        An empty object is then not a placeholder. A call without arguments is complete where the next call comes with
        arguments. Some servers announce all calls first, and send the arguments of each call later.
        """
        if not self._size:
            return another_has_arguments
        return self.withheld and self.whole_arguments() is not None

    @property
    def is_unfinished(self) -> bool:
        """True where :meth:`finish` may return text."""
        return self.withheld or not self._size

    def finish(self, *, cut_off: bool) -> str:
        """Return the arguments left to be sent when the call ends. With *cut_off* they stay as they came."""
        if not self._size:
            if cut_off:
                return ""
            self._add("{}")
            return "{}"
        if not self.withheld:
            return ""
        self.withheld = False
        if not cut_off:
            text = self.text()
            self._texts = [_decoded(text)]
            self.rewritten = self._texts[0] != text
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
    """Return arguments that were encoded twice, or are ``null``, as an object. Return others unchanged."""
    if text.strip() == "null":
        return "{}"
    try:
        inner = orjson.loads(text)
        if isinstance(inner, str) and isinstance(orjson.loads(inner), dict):
            return inner
    except orjson.JSONDecodeError:
        pass
    return text
