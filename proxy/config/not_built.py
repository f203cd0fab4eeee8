"""What the contract has and this version has not: the one table to delete rows from.

Every key of the contract parses from the first version on. A value whose behaviour is missing is refused with
a text that names the key. Whoever builds a behaviour deletes its row and its test case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple


class NotBuilt(NamedTuple):
    """Which values of a key are not built, how to name them, and what to use in their place."""

    refuses: Callable[[object], bool]
    subject: str
    instead: str


NOT_BUILT: Mapping[str, NotBuilt] = {
    "compaction.enabled": NotBuilt(bool, "compaction", "false"),
    "store.url": NotBuilt(
        lambda value: not str(value).startswith("memory://"), "a store other than memory://", "memory://"
    ),
}
"""Keys, with ``[]`` for any position of a list, to the values that are refused."""


def not_built_text(key: str, value: object) -> str | None:
    """Return why *value* cannot be used for *key* (``turns.mode``) in this version, or None if it can."""
    row = NOT_BUILT.get(key)
    if row is None or not row.refuses(value):
        return None
    return f"{row.subject} is not built in this version; remove the key or use {row.instead}"
