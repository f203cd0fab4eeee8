"""Native lists: the histories that providers write in formats of their own, such as Gemini's ``contents``.

The package's one rule: an item whose every message comes back as the same object is written as the very same item.
Only what was changed is written anew, so that nothing is lost that a chat message has no place for.

    protocol    what every format does: project a list, check its own rules, apply changed messages to it
    gemini      Gemini's ``contents``

Formats import the rest of ``sanitizers`` and not one another. Nothing else in ``sanitizers`` imports this package. Two
contracts in ``pyproject.toml`` hold both.
"""

from sanitizers.native.gemini import GEMINI_CONTENTS
from sanitizers.native.protocol import Item, Items, ItemViolation, NativeListFormat, Projection, Span

__all__ = [
    "GEMINI_CONTENTS",
    "Item",
    "ItemViolation",
    "Items",
    "NativeListFormat",
    "Projection",
    "Span",
]
