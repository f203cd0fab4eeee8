"""The settings that this version does not implement. Whoever implements one deletes its row and its test case.

Every documented key is accepted by the parser. A value that is not implemented is refused with a text that names the
key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple


class NotBuilt(NamedTuple):
    """The values of a key that are not implemented, a name for them, and the value to use instead."""

    refuses: Callable[[object], bool]
    subject: str
    instead: str


NOT_BUILT: Mapping[str, NotBuilt] = {
    "compaction.enabled": NotBuilt(bool, "compaction", "false"),
    "store.url": NotBuilt(
        lambda value: not str(value).startswith("memory://"), "a store other than memory://", "memory://"
    ),
}
"""The refused values by key, with ``[]`` for any position of a list."""


def not_built_text(key: str, value: object) -> str | None:
    """Return the reason why *value* is refused for *key* (``turns.mode``) in this version, or None where it is not."""
    row = NOT_BUILT.get(key)
    if row is None or not row.refuses(value):
        return None
    return f"{row.subject} is not built in this version; remove the key or use {row.instead}"
