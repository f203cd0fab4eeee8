"""The words of one request. They distinguish quotations of the request from the provider's own words.

A provider may repeat a client's words in its error: shortened, escaped, unescaped, with other spaces, or joined. So
both sides are compared by their ASCII letters and digits alone. A provider's word that is wrongly found in a request
costs a little information. A client's word that passes for the provider's would count for other clients.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import compress
from typing import Any
from unicodedata import is_normalized, normalize

_SLICE = 64 * 2**10
"""Characters that are normalised at a time. Other threads run in between."""

_LETTERS = b"abcdefghijklmnopqrstuvwxyz0123456789"
_OTHERS = bytes(set(range(256)) - set(_LETTERS))
_LEVELS = 3
"""Levels of escapes that are removed. JSON within JSON occurs in the arguments of a call."""

_ESCAPED = tuple(
    (f"{mark}{ord(letter):02x}", letter)
    for letter in _LETTERS.decode() + " "
    for mark in ("\\u00", "\\x", "%")
)
_OTHER_ESCAPES = re.compile(r"\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|%[0-9a-f]{2}")
"""Escapes of characters that are not compared: punctuation, and all that is not ASCII."""

_WIDE_ESCAPE = re.compile(r"\\uff([0-5][0-9a-f])")
"""An escape of a full-width letter, which a provider may write in its usual form."""

_MARKUP = frozenset({"role", "type"})
"""Fields whose values stand between two pieces of text. A provider may join such pieces."""

_CONTENT = frozenset({"", "content", "text"})
"""Fields with text.

A provider may join several of these texts without the media between them. The name ``""`` stands for an element of a
list.
"""

_LONGEST_PAIRED = 200
"""The longest value that is kept with its field's name, in characters. Codes and delays are short."""


_SHORTEST_QUOTED = 4
_WORD = re.compile(r"[^\W_]+|[^\x00-\x7f]+")
_ESCAPE = re.compile(r"\\+(?:u([0-9a-f]{4})|x([0-9a-f]{2})|[nrtbf])|%([0-9a-f]{2})", re.IGNORECASE)
"""An escape in a provider's words. In a quoted ``line\\nnext`` it would else be the first letter of a word."""


class RequestWords:
    """The words of one request as it was sent. *values* are its messages, parameters and all other sent values.

    *values* are not read before the first call of :meth:`contains`. For a request of some MiB, that call takes too long
    for the event loop.
    """

    def __init__(self, *values: Any) -> None:
        self._values = values
        self._found: list[bytes] | None = None

    def contains(self, words: str) -> bool:
        """Return True where *words* occur in the request."""
        if self._found is None:
            self._found = list(self._read())
        wanted = _letters_of(words)
        return any(wanted in text for text in self._found)

    def without_quotations(self, words: str) -> str:
        """Return a provider's *words*, with an ellipsis for each word that occurs in the request.

        Words of fewer than four letters stay, since they say nothing of a request. Words with non-ASCII letters are
        replaced, since :meth:`contains` cannot look them up. Escapes are replaced by what they stand for.
        """
        for _ in range(_LEVELS):
            words = _ESCAPE.sub(_written, words)
        return _WORD.sub(lambda word: "…" if self._may_quote(word[0]) else word[0], words)

    def _may_quote(self, word: str) -> bool:
        return not word.isascii() or (len(word) >= _SHORTEST_QUOTED and self.contains(word))

    def _read(self) -> Iterator[bytes]:
        pieces = _collect(self._values)
        yield from _streams(pieces.texts, pieces.of_content)
        for others in (pieces.marks, pieces.pairs):
            yield from _streams(others)


NO_WORDS = RequestWords()
"""The words of an unknown request: none, so that nothing counts as a quotation."""


@dataclass(slots=True)
class _Pieces:
    """The texts of a request, in order."""

    texts: list[str] = field(default_factory=list)
    """Every text and number."""

    of_content: list[bool] = field(default_factory=list)
    """True for each of *texts* that is a message's content."""

    marks: list[str] = field(default_factory=list)
    """Names of fields, and values of the fields ``role`` and ``type``."""

    pairs: list[str] = field(default_factory=list)
    """Names of fields, each followed by its value if the value is short."""


def _collect(values: Any) -> _Pieces:
    found = _Pieces()
    texts, of_content, marks, pairs = found.texts, found.of_content, found.marks, found.pairs
    stack = [iter([("", value) for value in values])]
    while stack:
        for name, value in stack[-1]:
            if name and isinstance(name, str):
                pairs.append(name)
            if isinstance(value, Mapping):
                marks += [inner for inner in value if isinstance(inner, str)]
                stack.append(iter([*value.items()]))
                break
            if isinstance(value, list | tuple):
                stack.append(iter([("", inner) for inner in value]))
                break
            if isinstance(value, int | float) and not isinstance(value, bool):
                value = str(value)
            if not isinstance(value, str):
                continue
            if len(value) <= _LONGEST_PAIRED:
                pairs.append(value)
            if name in _MARKUP:
                marks.append(value)
            else:
                texts.append(value)
                of_content.append(name in _CONTENT)
        else:
            stack.pop()
    return found


def _streams(pieces: list[str], of_content: Iterable[bool] = ()) -> Iterator[bytes]:
    """Yield the joined letters of all *pieces*, and of the content pieces alone, with and without escapes."""
    chosen = list(of_content)
    for level in range(_LEVELS + 1):
        if level:
            kept = ["\\" in piece or (level == 1 and "%" in piece) for piece in pieces]
            pieces = [_unescaped(piece.lower()) for piece in compress(pieces, kept)]
            chosen = [*compress(chosen, kept)]
            if not pieces:
                break
        letters = [_letters_of(piece) for piece in pieces]
        yield b"".join(letters)
        if not all(chosen):
            yield b"".join(compress(letters, chosen))


def _written(escape: re.Match[str]) -> str:
    """Return the character that *escape* stands for, or a space for white space."""
    code = escape[1] or escape[2] or escape[3]
    return chr(int(code, 16)) if code else " "


def _letters_of(text: str) -> bytes:
    if text.isascii():
        return text.lower().encode().translate(None, _OTHERS)
    return b"".join(_folded(text[at : at + _SLICE]) for at in range(0, len(text), _SLICE))


def _folded(text: str) -> bytes:
    if not is_normalized("NFKC", text):
        text = normalize("NFKC", text)
    return text.casefold().encode("ascii", "ignore").translate(None, _OTHERS)


def _unescaped(text: str) -> str:
    """Return *text*, in lower case, without one level of escapes of JSON, Python and URLs."""
    text = text.replace("\\\\", "\0")
    for letter in "nrtbf":
        text = text.replace("\\" + letter, " ")
    for mark in ("\\u00", "\\x", "%"):
        if mark in text:
            for escaped, letter in _ESCAPED:
                if escaped.startswith(mark):
                    text = text.replace(escaped, letter)
    text = _WIDE_ESCAPE.sub(lambda found: chr(0xFF00 + int(found[1], 16)), text)
    return _OTHER_ESCAPES.sub(" ", text).replace("\0", "\\")
