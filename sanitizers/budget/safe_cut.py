"""Find a position where a text may be cut: never inside a cluster that is shown as one character.

Python cuts a string between code points. Such a cut can separate a letter from its accent, or CR from LF. It can also
split a family emoji, a flag's two letters or a surrogate pair. Only the two characters around a position are compared,
so a cut costs the same in a text of any length.
"""

from __future__ import annotations

import unicodedata

_REACH = 64
"""The most characters by which a cut is moved. Longer clusters exist only in hostile texts, which are cut anyway."""

_JOINER = "\u200d"


def safe_cut(text: str, at: int, *, forward: bool) -> int:
    """Return the position nearest to *at* where *text* may be cut, looking forward or backward.

    *at* is a position between two characters, 0 to ``len(text)``. The result is at most 64 characters away. If all 64
    characters are one cluster, only pairs (surrogates, CR LF) are kept together.
    """
    step = 1 if forward else -1
    for position in range(at, at + step * _REACH, step):
        if position <= 0 or position >= len(text):
            return max(0, min(position, len(text)))
        if not _is_joined(text[position - 1], text[position]):
            return position
    return at + step if _is_pair(text[at - 1], text[at]) else at


def _is_joined(before: str, after: str) -> bool:
    """Tell whether two neighbouring characters are shown as one, by the rules of UAX 29 that need no table."""
    if after < "\u0300" and before != _JOINER:
        return before == "\r" and after == "\n"
    return (
        _is_pair(before, after)
        or before == _JOINER
        or after == _JOINER
        or unicodedata.category(after)[0] == "M"  # accents, vowel signs, variation selectors
        or "\U0001f3fb" <= after <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= after <= "\U000e007f"  # the tags of flags such as Scotland's
        or (_is_regional(before) and _is_regional(after))
    )


def _is_pair(before: str, after: str) -> bool:
    """Tell whether two characters are one in any encoding: surrogate halves, or CR LF."""
    return ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff") or (
        before == "\r" and after == "\n"
    )


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
