"""The words of one request, to tell what a provider quotes of it from what the provider says itself.

A provider may repeat a client's words in its error: shortened, escaped, unescaped, with other spaces, or with its parts
joined. Both sides are therefore compared by their ASCII letters and digits alone. A word that is held by mistake costs
a little knowledge; a client's word that is taken for the provider's would count for others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from unicodedata import is_normalized, normalize

_SLICE = 64 * 2**10
"""Characters that are brought to one form at a time: other threads have their turn in between."""

_LETTERS = b"abcdefghijklmnopqrstuvwxyz0123456789"
_OTHERS = bytes(set(range(256)) - set(_LETTERS))
_LEVELS = 3
"""Levels of escapes that are looked behind: JSON within JSON, for the arguments of a call."""

_ESCAPED = tuple(
    (f"{mark}{ord(letter):02x}", letter)
    for letter in _LETTERS.decode() + " "
    for mark in ("\\u00", "\\x", "%")
)
_MARKUP = frozenset({"role", "type"})
"""Fields whose values stand between the pieces of a text, which a provider may join."""


class RequestWords:
    """The words of one request as it was sent; *values* are its messages, parameters and whatever else goes out.

    Nothing is read before somebody asks. A question about a request of some MiB takes too long for the event loop.
    """

    def __init__(self, *values: Any) -> None:
        self._values = values
        self._found: list[bytes] | None = None

    def hold(self, words: str) -> bool:
        """Tell whether *words* occur in the request."""
        if self._found is None:
            self._found = list(self._read())
        wanted = _letters_of(words)
        return any(wanted in text for text in self._found)

    def _read(self) -> Iterator[bytes]:
        texts: list[str] = []
        marks: list[str] = []
        _collect(self._values, texts, marks)
        for pieces in (texts, marks):
            yield b"".join(map(_letters_of, pieces))
            escaped = [piece.lower() for piece in pieces if "\\" in piece or "%" in piece]
            for _ in range(_LEVELS):
                if not escaped:
                    break
                escaped = [*map(_unescaped, escaped)]
                yield b"".join(map(_letters_of, escaped))
                escaped = [piece for piece in escaped if "\\" in piece]


NO_WORDS = RequestWords()
"""Of a request that is not known."""


def _collect(values: Any, texts: list[str], marks: list[str]) -> None:
    """Add every text and number in *values*, in order; names of fields and what only marks a text go to *marks*."""
    stack = [iter(values)]
    while stack:
        for value in stack[-1]:
            if isinstance(value, str):
                texts.append(value)
            elif isinstance(value, Mapping):
                marks += [name for name in value if isinstance(name, str)]
                marks += [mark for name in _MARKUP if isinstance(mark := value.get(name), str)]
                stack.append(iter([inner for name, inner in value.items() if name not in _MARKUP]))
                break
            elif isinstance(value, list | tuple):
                stack.append(iter(value))
                break
            elif isinstance(value, int | float) and not isinstance(value, bool):
                texts.append(str(value))
        else:
            stack.pop()


def _letters_of(text: str) -> bytes:
    if text.isascii():
        return text.lower().encode().translate(None, _OTHERS)
    return b"".join(_plain(text[at : at + _SLICE]) for at in range(0, len(text), _SLICE))


def _plain(text: str) -> bytes:
    if not is_normalized("NFKC", text):
        text = normalize("NFKC", text)
    return text.casefold().encode("ascii", "ignore").translate(None, _OTHERS)


def _unescaped(text: str) -> str:
    """Return *text*, in lower case, without one level of JSON's, Python's and an address's escapes."""
    text = text.replace("\\\\", "\0")
    for letter in "nrtbf":
        text = text.replace("\\" + letter, " ")
    for mark in ("\\u00", "\\x", "%"):
        if mark in text:
            for escaped, letter in _ESCAPED:
                if escaped.startswith(mark):
                    text = text.replace(escaped, letter)
    return text.replace("\0", "\\")
