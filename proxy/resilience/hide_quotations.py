"""Takes quotations of the operator's instructions out of a provider's message.

A provider may repeat the request in its error. The client may read its own words there, but not the operator's. Single
words of the instructions also occur in a provider's own text, so only runs of words count as quotations. The words are
compared without case, spaces and punctuation, and in the encodings that errors use.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from html import escape
from unicodedata import normalize
from urllib.parse import quote

from proxy.core.instructions import Instructions

_SHORTEST = 16
"""The bytes of the shortest run of words that is hidden. A whole text of the operator may be shorter."""

_WORD = re.compile(r"[0-9A-Za-z]+|[^\W_]")
"""A word, or one letter of a script other than ASCII. Such scripts may write sentences without spaces."""

_OTHERS = bytes(code for code in range(128) if not chr(code).isalnum())
_HIDDEN = "…"


def hide_quotations(message: str, instructions: Instructions) -> str:
    """Return a provider's *message* with an ellipsis for each run of words that quotes *instructions*."""
    places = [found.span() for found in _WORD.finditer(message)]
    words = [_letters_of(message[start:end]) for start, end in places]
    texts = {_letters_of(form) for form in _forms(instructions.text)}
    wholes = {_letters_of(part.text) for part in instructions.parts}
    shown: list[str] = []
    at = done = 0
    while at < len(words):
        end = _end_of_quotation(words, at, texts, wholes)
        if end > at:
            shown += [message[done : places[at][0]], _HIDDEN]
            at, done = end, places[end - 1][1]
        else:
            at += 1
    return "".join((*shown, message[done:]))


def _end_of_quotation(
    words: Sequence[str], start: int, texts: Collection[str], wholes: Collection[str]
) -> int:
    """Return the end of the quotation that begins with the word at *start*, or *start* where none begins."""
    run, at, found = "", start, start
    while at < len(words) and len(run.encode()) < _SHORTEST:
        run += words[at]
        at += 1
        if run in wholes:
            found = at
    if len(run.encode()) < _SHORTEST:
        return found
    texts = [text for text in texts if run in text]
    while texts:
        found = at
        if at == len(words):
            break
        run += words[at]
        at += 1
        texts = [text for text in texts if run in text]
    return found


def _forms(text: str) -> Iterator[str]:
    """Yield *text* as it is, and as JSON, Python, URLs and HTML write it.

    Two levels of JSON differ only in punctuation.
    """
    yield text
    yield json.dumps(text)
    yield json.dumps(text, ensure_ascii=False)
    yield ascii(text)
    yield quote(text)
    yield escape(text)


def _letters_of(text: str) -> str:
    if text.isascii():
        return text.lower().encode().translate(None, _OTHERS).decode()
    parted = normalize("NFKD", text)  # an accent becomes a mark of its own
    return "".join(_WORD.findall(parted.casefold()))
