"""Write JSON values as compact text, as a provider would show them to its model."""

from __future__ import annotations

from typing import Any

import orjson

_DIGITS_PER_BIT = 0.30103
_LONG = 1 << 12
"""The most bits of an integer that is written out.

A larger integer is replaced with nines of about the same length. Python refuses to write more than 4,300 digits, and
takes quadratic time.
"""


def json_text(value: Any) -> str:
    """Return *value* as compact JSON. Never raises.

    orjson cannot write lone surrogates, integers of more than 64 bits, and values nested more than 250 deep. A value
    with any of these is written in another order and without escapes, which hardly changes its tokens.
    """
    try:
        return orjson.dumps(value).decode()
    except (TypeError, RecursionError):
        return "".join(_fragments(value))


def _fragments(value: Any) -> list[str]:
    """Return the pieces of *value*'s JSON. The punctuation of a container comes before its contents."""
    fragments: list[str] = []
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            fragments.append(f'"{item}"')
        elif isinstance(item, dict):
            fragments.append("{" + ",".join(f'"{name}":' for name in item) + "}")
            pending += item.values()
        elif isinstance(item, list | tuple):
            fragments.append("[" + "," * (len(item) - 1) + "]")
            pending += item
        elif isinstance(item, int) and item.bit_length() > _LONG:
            fragments.append("9" * int(item.bit_length() * _DIGITS_PER_BIT))
        else:
            fragments.append(str(item))
    return fragments
