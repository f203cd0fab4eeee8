"""Builds memories for tests: a memory in place of some messages of a history."""

from __future__ import annotations

from typing import Any

from proxy.planning.compact.applied_memory import AppliedMemory
from tests.support.builders import user

CREATED = 1_795_500_000
"""24 November 2026, 06:00:00 UTC."""

TEXT = "A record of the earlier conversation, kept by the gateway.\n" + "\n".join(
    f"- Fact {number}: src/module_{number}.py was read." for number in range(40)
)


def memory_of(start: int, end: int, *pinned: int, text: str = TEXT, tokens: int = 1_840) -> AppliedMemory:
    """Return a memory with *text* in place of the messages from *start* up to *end*, except those *pinned*."""
    message: dict[str, Any] = user(text)
    return AppliedMemory(message, start, end, pinned, tokens, 3, CREATED, "cheap")
