"""Estimates the memory that decoding a JSON body takes, from its bytes alone.

A list of empty objects takes 24 times its bytes, and nested lists take 40 times. A text takes about its length. So the
brackets, commas and quotes of the body (its structure) decide the estimate. One pass at C speed deletes almost all
other bytes. A twentieth of a usual body is left, in which the values are counted.

Commas and brackets within texts count too if they cannot be distinguished from structure. So the estimate is an upper
bound. If the bound is high, the texts are separated and the rest is counted exactly. Sizes are those of CPython 3.11,
and tests/proxy/core/test_json_size.py checks them.
"""

from __future__ import annotations

import re
from math import inf
from operator import add
from typing import NamedTuple

_STRUCTURAL = b'{}[],:"\\'
_WIDE, _WIDEST = 0xC4, 0xF0
"""First bytes of UTF-8 characters: from U+0100 on, and from U+10000 on."""

_SIMPLIFIED = bytes(_WIDEST if byte >= _WIDEST else _WIDE if byte >= _WIDE else byte for byte in range(256))
_DELETED = bytes(byte for byte in range(256) if byte not in _STRUCTURAL and byte < _WIDE)

_OBJECT = 64
_FIRST_MEMBER, _MEMBER = 60, 60
"""The hash table of an object takes 120 bytes for one member, and up to 60 bytes a member for more.

It is largest just after it has grown.
"""

_ARRAY = 80
"""Bytes of a list without its pointers: two headers, and the rounding up of its block of pointers."""

_POINTER = 8
_NUMBER = 32
"""A number above 60 bits takes more memory, but also more bytes of the body, so the estimate still suffices."""

_STRING = 64
"""The header of a string without its text: 49 bytes, rounded up."""

_NOT_ASCII = 32
"""Further bytes of a string's header if the text is not ASCII."""

_WIDE_CHARACTER, _LONG_CHARACTER = bytes([_WIDE]), bytes([_WIDEST])

_DECODER = 16
"""Bytes that orjson's parser (yyjson) holds for each value until the Python objects are made."""

_ESCAPED = re.compile(rb"\\u(?!00)")
_SURROGATE = re.compile(rb"\\u[dD][89abAB]")
_FIRST_OF_WIDE = re.compile(rb"[\xc4-\xff]|\\u(?!00)")
_FIRST_OF_LONG = re.compile(rb"[\xf0-\xff]|\\u[dD][89abAB]")

_DENSE = 3
"""If the estimate without texts exceeds this multiple of the body's bytes, a more exact count follows."""

_CHUNK = 64 * 2**10
"""Bytes of the body that are split at once: 3 ms of a worker thread, and 2 MiB of memory."""

UNSCANNED = 2**20
"""Bodies up to this many bytes are not searched for escaped characters.

The search would take as long as the rest of the estimate. Such characters take 5 MiB at most in so small a body.
"""


def estimate_decoded(body: bytes, enough: float = inf) -> int:
    """Return an upper bound of the bytes of memory that the decoded values of *body* take, texts included.

    Counting stops above *enough*. The returned number is then larger than *enough*.

    CPython holds a text with a character beyond U+00FF in 2 or 4 bytes for each character. It also holds the UTF-8 form
    once the text is written. In a small body all texts count as wide if one of them has such a character.
    """
    structure = body.translate(_SIMPLIFIED, _DELETED)
    width = _find_width(body, structure)
    head = _STRING if width == 1 else _STRING + _NOT_ASCII
    size, text = _weigh(_count_coarsely(structure), head), width * len(body)
    if size > _DENSE * len(body):
        size = min(size, _weigh(_count_at_most(structure), head))
    if size > _DENSE * len(body) or (width > 1 and len(body) > UNSCANNED):
        counts, text = _count_exactly(body, enough)
        size = min(size, _weigh(counts, head))
    return size + text


class _Counts(NamedTuple):
    """The number of values of each kind. *members* counts the members of objects."""

    objects: int = 0
    arrays: int = 0
    members: int = 0
    strings: int = 0
    commas: int = 0
    numbers: int = 0


def _weigh(counts: _Counts, head: int) -> int:
    """Return the bytes of memory that the counted values take without their texts.

    *head* is the size of a string's header.
    """
    objects, arrays, members, strings, commas, numbers = counts
    return (
        _OBJECT * objects
        + _FIRST_MEMBER * min(objects, members)
        + _MEMBER * members
        + _ARRAY * arrays
        + (_POINTER + _DECODER) * (1 + commas + objects + arrays + members)
        + head * strings
        + _NUMBER * max(0, numbers)
    )


def _count_coarsely(structure: bytes) -> _Counts:
    """Return upper bounds of the counts, from single bytes of *structure*.

    These bounds suffice for most bodies, and take a tenth of the time of :func:`_count_at_most`.
    """
    count = structure.count
    commas, strings = count(b","), count(b'"') // 2 + 1
    return _Counts(count(b"{"), count(b"["), min(count(b":"), strings), strings, commas, commas + 1)


def _count_at_most(structure: bytes) -> _Counts:
    """Return closer upper bounds of the counts, from pairs of neighbouring bytes in *structure*.

    Outside of a string, an opening quote follows one of ``{[,:`` and no backslash. A comma followed by neither a quote
    nor a bracket is next to a number, ``true``, ``false`` or ``null``.
    """
    count = structure.count
    quoted, in_arrays, in_objects, members = count(b',"'), count(b'["'), count(b'{"'), count(b'":')
    commas = count(b",") - count(b",\\") - count(b",:")
    strings = 1 + quoted + in_arrays + in_objects + count(b':"')
    alone = count(b"[,") + count(b"[]") + count(b":,") + count(b":}")
    return _Counts(
        objects=in_objects + count(b"{}"),
        arrays=count(b"[") - count(b"[\\") - count(b"[:"),
        members=min(members, strings),
        strings=strings,
        commas=commas,
        numbers=1 + commas - quoted - count(b",{") - count(b",[") + alone,
    )


def _count_exactly(body: bytes, enough: float) -> tuple[_Counts, int]:
    """Return the exact counts outside of strings, and the bytes that the texts take.

    The exact count is for bodies with code in their texts, whose bounds are too high. Once escaped quotes are removed,
    every second piece between quotes is outside of a string. A chunk never ends after a backslash, so no escape is cut.
    """
    counts, within, at = _Counts(), 0, 0
    text, begun, width = len(body), 0, 0  # of the string that continues in the next chunk
    while at < len(body) and _weigh(counts, 0) <= enough:
        end = at + _CHUNK
        while body[end - 1 : end] == b"\\":
            end += 1
        pieces = body[at:end].replace(b"\\\\", b"__").replace(b'\\"', b"__").split(b'"')
        count = b"".join(pieces[within::2]).count
        found = count(b"{"), count(b"["), count(b":"), len(pieces) - 1, count(b","), 0
        counts = _Counts(*map(add, counts, found))
        for number in range(1 - within, len(pieces), 2):
            piece = pieces[number]
            if not begun and number < len(pieces) - 1 and piece.isascii() and b"\\" not in piece:
                continue
            begun, width = begun + len(piece), max(width, _width_of(piece))
            if number < len(pieces) - 1:
                text += begun * width
                begun = width = 0
        within, at = (within + len(pieces) - 1) % 2, end
    strings = (counts.strings + 1) // 2
    numbers = 1 + counts.commas - strings + counts.members
    return counts._replace(strings=strings, numbers=numbers), text + begun * width


def _width_of(piece: bytes) -> int:
    """Return the bytes of memory that each byte of a text takes beyond one, with the UTF-8 form of wide texts."""
    found = _FIRST_OF_LONG.search(piece) or _FIRST_OF_WIDE.search(piece)
    if found is None:
        return 0 if piece.isascii() and b"\\u" not in piece else 1
    return 4 if found.re is _FIRST_OF_LONG else 2


def _find_width(body: bytes, structure: bytes) -> int:
    """Return the most bytes of memory that one byte of text may take, with its UTF-8 form if that is held."""
    escapes = len(body) > UNSCANNED and b"\\u" in body
    if _LONG_CHARACTER in structure or (escapes and _SURROGATE.search(body)):
        return 5
    if _WIDE_CHARACTER in structure or (escapes and _ESCAPED.search(body)):
        return 3
    return 1 if body.isascii() and not escapes else 2
