r"""Joins surrogate pairs that a provider split.

JSON may write an emoji as two escapes, ``\ud83d\ude00``. A provider that cuts its text by tokens or by length may end a
chunk, or an answer, between the two escapes. A single surrogate is not legal text. Strict parsers refuse it. OpenAI
refuses a history with a single surrogate (``400 … no low surrogate``), so the conversation could not go on. Adjacent
surrogates are joined. A single surrogate becomes U+FFFD, Unicode's replacement character.
"""

from __future__ import annotations

from typing import Any

REPLACEMENT = "\ufffd"

PendingSurrogates = dict[tuple[int, str | int], str]
"""High surrogates that wait for their low ones.

A key is the choice's index with the delta's field or the call's index.
"""


def join_surrogates(pending: PendingSurrogates, key: tuple[int, str | int], text: str) -> str:
    """Return *text*, the next text of *key*, without lone surrogates.

    A high surrogate at the end of *text* is kept in *pending*, and joined to the next text of *key*.
    """
    if pending:
        text = pending.pop(key, "") + text
    if "\ud800" <= text[-1:] <= "\udbff":
        pending[key] = text[-1]
        text = text[:-1]
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def release_surrogates(pending: PendingSurrogates, index: int, delta: dict[str, Any]) -> None:
    """Add U+FFFD to the last *delta* of the choice *index* for each surrogate that is still in *pending*."""
    for key in [key for key in pending if key[0] == index]:
        del pending[key]
        name = key[1]
        if isinstance(name, str):
            delta[name] = (delta.get(name) or "") + REPLACEMENT
        else:
            piece = {"index": name, "function": {"arguments": REPLACEMENT}}
            delta["tool_calls"] = [*delta.get("tool_calls", ()), piece]
