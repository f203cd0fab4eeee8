"""Texts whose tokens can be counted without a tokenizer.

Each word is one token with the space before it, in OpenAI's vocabulary o200k (counted with tiktoken, 2026-11). For
these words turnright's estimate is within 1 % of that. So a run shows the errors of the accounts, and not those of the
estimator, which ``benchmarks.estimate_accuracy`` measures.
"""

from __future__ import annotations

import re
from random import Random

WORDS = (
    "time", "year", "life", "hand", "part", "case", "week", "work", "home", "room", "area", "fact", "book", "word",
    "side", "kind", "head", "hour", "game", "line", "city", "name", "team", "idea", "body", "back", "face", "door",
)  # fmt: skip

_TAG = re.compile(r"\[(\d+)\]")
TAG_TOKENS = 4
"""The tokens of a request's tag: two brackets, and a number of up to six digits."""

MESSAGE_TOKENS = 7
"""The tokens that a chat format adds to one message, and to the beginning of the answer."""


def words(draw: Random, count: int) -> str:
    """Return *count* words, joined by spaces."""
    return " ".join(draw.choices(WORDS, k=count))


def tagged(number: int, text: str) -> str:
    """Return the prompt of the request *number*."""
    return f"[{number}] {text}"


def find_number(text: str) -> int | None:
    """Return the number of the request whose prompt *text* contains, or None where there is none."""
    found = _TAG.search(text)
    return None if found is None else int(found[1])


def count_prompt(text: str) -> int:
    """Return the tokens of a prompt of one tagged message."""
    return len(text.split()) - 1 + TAG_TOKENS + MESSAGE_TOKENS
