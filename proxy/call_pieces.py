"""One tool call as it comes in pieces, and what of it can be passed on. Pure.

Its arguments are one JSON object in the end, as far as that is in what came: what follows a whole object begins
another call (hermes-agent#102953), a piece that says again all that was said adds only what is new, and arguments that
do not begin as an object are held back, since they may be one in a string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import orjson

_SEAM = re.compile(r"\}\s*\{")
_DECODER = json.JSONDecoder()


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


class Call:
    """One call, as far as it has come."""

    __slots__ = (
        "decoded",
        "doubtful",
        "held",
        "id",
        "index",
        "name",
        "place",
        "said_id",
        "signature",
        "texts",
    )

    def __init__(self, said_id: str | None, index: int | None, *, doubtful: bool = False) -> None:
        self.said_id = said_id
        """The provider's own id, if it gave any; others may have it, too."""

        self.index = index
        """The provider's own index, if it gave any."""

        self.doubtful = doubtful
        """Whether it may only repeat another, which is known when it is whole."""

        self.id = ""
        """The client's."""

        self.place = -1
        """Its place in the answer, once it is announced."""

        self.name = ""
        self.signature: str | None = None
        self.texts: list[str] = []
        self.held = False
        self.decoded = False
        """Whether the arguments are not written as they came."""

    def take(self, text: str, *, again: bool) -> tuple[str, str]:
        """Take a text of arguments; returns what of it is to be passed on, and what begins another call.

        *again* says that it came with the call's id or name, which a piece that only goes on has not: then it may
        be all that was said and more. By itself a text does not tell, ``{"a":`` may well go on with ``{"a":1}}``.
        """
        if not self.texts:
            text = text.lstrip()
            # An empty object may be a placeholder for what is to come, as Anthropic's events have it.
            self.held = text[:1] not in ("", "{") or text.rstrip() == "{}"
            after = False
        elif text[0] == "{":
            said = self._joined()
            if self.held and said.rstrip() == "{}":
                self.texts = []
                return self.take(text, again=again)
            if again and text.startswith(said):
                self.texts.append(text[len(said) :])
                return ("" if self.held else text[len(said) :]), ""
            after = said.rstrip().endswith("}")
        else:
            blank = text[0] in " \n\r\t"
            after = blank and self.texts[-1].rstrip()[-1:] == "}" and text.lstrip()[:1] == "{"
        if text:
            self.texts.append(text)
        if after or ("{" in text and _SEAM.search(text)):
            fresh, rest = self._split(text)
        else:
            fresh, rest = text, ""
        return ("" if self.held else fresh), rest

    def text(self) -> str:
        """Return the arguments, as they stand at the end."""
        return self._joined()

    def shown(self) -> str:
        """Return what of the arguments is passed on when the call is announced."""
        return "" if self.held else self._joined()

    def whole(self) -> str | None:
        """Return arguments that are a whole object, which nothing can follow; None while they are none."""
        if self.held and self.texts and self.texts[-1].rstrip().endswith('"'):
            text = self._joined()
            return text if _decoded(text) != text else None
        if not self.texts or not self.texts[-1].rstrip().endswith("}"):
            return None
        text = self._joined()
        try:
            return text if isinstance(orjson.loads(text), dict) else None
        except orjson.JSONDecodeError:
            return None

    def says_again(self, arguments: str) -> bool:
        """Tell whether *arguments* say no more than these, which are whole, however they are written."""
        if arguments.isspace() or arguments == self._joined():
            return True
        try:
            return bool(orjson.loads(arguments) == orjson.loads(self._joined()))
        except orjson.JSONDecodeError:
            return False

    def may_repeat(self, others: Iterable[Call]) -> bool:
        """Tell whether another call says all that this one has said so far."""
        return any(other.name == self.name and other.text().startswith(self.text()) for other in others)

    def repeats(self, others: Iterable[Call]) -> bool:
        """Tell whether another call says all that this one does."""
        return any(other.name == self.name and other.text() == self.text() for other in others)

    def finish(self, *, cut_off: bool) -> str:
        """Return what is still to be passed on at the end."""
        if not self.texts:
            if cut_off:
                return ""
            self.texts = ["{}"]
            return "{}"
        if not self.held:
            return ""
        self.held = False
        if not cut_off:
            text = self._joined()
            self.texts = [_decoded(text)]
            self.decoded = self.texts[0] != text
        return self._joined()

    def _joined(self) -> str:
        if len(self.texts) > 1:
            self.texts = ["".join(self.texts)]
        return self.texts[0] if self.texts else ""

    def _split(self, text: str) -> tuple[str, str]:
        """Split *text*, the last that was taken, where one whole object ends and another begins."""
        joined = self._joined()
        try:
            _, end = _DECODER.raw_decode(joined)
        except (ValueError, RecursionError):
            return text, ""
        rest = joined[end:].lstrip()
        if not rest.startswith("{"):
            return text, ""
        self.texts = [joined[:end]]
        return text[: max(0, end - len(joined) + len(text))], rest


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
