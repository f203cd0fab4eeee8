"""Finds the field of a request that a provider's error names by its path, and leaves it out.

Anthropic's paths have numbers for entries of lists, and the type of an entry behind its number
(``tools.3.custom.input_examples``, ``messages.1.content.0.tool_result.content.0.text.citations``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Path = Sequence[str]


def without_field(value: Any, path: Path) -> Any:
    """Return *value* without the field at *path*, or *value* itself where there is none.

    Only the containers on the way are copied. Objects keep the order of their keys.
    """
    if len(path) == 1 and isinstance(value, dict) and path[0] in value:
        return {name: held for name, held in value.items() if name != path[0]}
    if not path:
        return value
    name, rest = path[0], path[1:]
    if isinstance(value, list):
        at = int(name) if name.isdecimal() and len(name) < 7 else len(value)
        if at >= len(value):
            return value
        made = without_field(value[at], rest)
        return value if made is value[at] else [*value[:at], made, *value[at + 1 :]]
    if not isinstance(value, dict):
        return value
    if name not in value:  # the type of an entry, which is no key of it
        return without_field(value, rest)
    made = without_field(value[name], rest)
    return value if made is value[name] else {**value, name: made}
