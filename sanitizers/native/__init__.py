"""Native lists: the histories that providers write in formats of their own, such as Gemini's ``contents``.

An item whose messages come back from the sanitizer as the same objects stays the same item, unless the item breaks a
rule by itself. All other items are written anew. So unchanged items keep the fields that a chat message cannot hold.

    protocol    the methods of every format: project a list, check its rules, apply changed messages to it
    seal        texts that a client carries for the proxy unread
    gemini      Gemini's ``contents``
    messages    the messages of Anthropic's Messages API
    responses   the items of OpenAI's Responses API, for models that are asked by chat

Formats may import the rest of ``sanitizers``, but not one another, and the rest may not import this package. Two import
contracts in ``pyproject.toml`` enforce this.
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
