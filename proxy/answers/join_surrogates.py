r"""Halves of characters: what stays behind where a provider cuts an escaped emoji in two. Pure.

JSON writes an emoji as two escapes, ``\ud83d\ude00``. A provider that cuts its text by tokens or by length may end a
chunk, or an answer, between them. One half is no text: strict parsers refuse it, and an OpenAI answers a history that
holds one with ``400 … no low surrogate``, so that a conversation would be lost over it. Halves that follow one another
are joined, and one that stays alone is U+FFFD, as Unicode has it for what is no character.
"""

from __future__ import annotations

from typing import Any

REPLACEMENT = "\ufffd"

Held = dict[tuple[int, str | int], str]
"""First halves that wait for their second ones: by choice, and by the text's name or the call's place."""


def join_surrogates(held: Held, key: tuple[int, str | int], text: str) -> str:
    """Return *text*, which goes on with the text of *key*, in whole characters.

    A first half at its end is kept in *held*, for the next text of that key to be joined to.
    """
    if held:
        text = held.pop(key, "") + text
    if "\ud800" <= text[-1:] <= "\udbff":
        held[key] = text[-1]
        text = text[:-1]
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def release_surrogates(held: Held, index: int, delta: dict[str, Any]) -> None:
    """Put what is still held for the choice *index* behind the texts of its last *delta*, each half as U+FFFD."""
    for key in [key for key in held if key[0] == index]:
        del held[key]
        name = key[1]
        if isinstance(name, str):
            delta[name] = (delta.get(name) or "") + REPLACEMENT
        else:
            piece = {"index": name, "function": {"arguments": REPLACEMENT}}
            delta["tool_calls"] = [*delta.get("tool_calls", ()), piece]
