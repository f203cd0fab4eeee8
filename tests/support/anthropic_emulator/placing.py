"""Checks that the latest assistant message has all thoughts of its answer, unchanged and in their places.

Sources: the text, claude-code#19539, #63203. A message without any thought is legal where thinking does not require
one. In earlier messages each thought stands for itself.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

from tests.support.anthropic_emulator.pairing import blocks_of
from tests.support.anthropic_emulator.signatures import NOWHERE, Place, place_of

CHANGED = (
    "messages.{index}.content.{place}: `thinking` or `redacted_thinking` blocks in the latest assistant message "
    "cannot be modified. These blocks must remain as they were in the original response."
)
THOUGHTS = ("thinking", "redacted_thinking")


def kinds_of(blocks: Sequence[dict[str, Any]]) -> str:
    """Return the kinds of *blocks*, with the name and input of calls. Neighbouring texts count as one.

    A gateway may give calls ids of its own, since no signature covers them.
    """
    kinds: list[str] = []
    for block in blocks:
        kind = block["type"]
        if kind == "tool_use":
            kind = f"{block['name']}({_digest(block['input'])})"
        if kind != "text" or kinds[-1:] != ["text"]:
            kinds.append(kind)
    return ",".join(kinds)


def _digest(given: Any) -> str:
    return hashlib.sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()[:8]


def places_in(answer: str, blocks: Sequence[dict[str, Any]]) -> dict[int, Place]:
    """Return the place of each thought in the blocks of an answer, by the thought's index."""
    indices = [index for index, block in enumerate(blocks) if block["type"] in THOUGHTS]
    starts = [0, *(index + 1 for index in indices)]
    return {
        index: Place(answer, number, len(indices), kinds_of(blocks[starts[number] : index]))
        for number, index in enumerate(indices)
    }


def placing_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the error text of each thought in the latest assistant message that is not as it was in its answer."""
    latest = max((i for i, message in enumerate(messages) if message["role"] == "assistant"), default=None)
    if latest is None:
        return
    first = latest
    while first and messages[first - 1]["role"] == "assistant":
        first -= 1
    blocks = [block for message in messages[first : latest + 1] for block in blocks_of(message)]
    found: dict[str, list[int]] = {}
    counts: dict[str, int] = {}
    start = 0
    for index, block in enumerate(blocks):
        if block["type"] not in THOUGHTS:
            continue
        place = place_of(block.get("signature") or block.get("data") or "")
        before, start = kinds_of(blocks[start:index]), index + 1
        if place is None or place == NOWHERE:
            continue
        numbers = found.setdefault(place.answer, [])
        counts[place.answer] = place.count
        is_there = before == place.before
        if first < latest and place.number == 0:  # blocks of an earlier answer may come before
            is_there = f",{before}".endswith(f",{place.before}" if place.before else "")
        if place.number != len(numbers) or not is_there:
            yield CHANGED.format(index=latest, place=index)
        numbers.append(place.number)
    for answer, numbers in found.items():
        if len(numbers) != counts[answer]:
            yield CHANGED.format(index=latest, place=max(0, len(blocks) - 1))
