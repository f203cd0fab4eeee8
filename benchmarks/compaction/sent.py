"""Reads and checks one request as the provider received it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from benchmarks.compaction.gateways import Asked, memory_of


@dataclass
class Sent:
    """One request as the provider received it: its messages as JSON, and its memory."""

    messages: list[bytes]
    memory: str | None
    is_cut: bool

    @classmethod
    def of(cls, body: bytes, asked: Asked) -> Sent:
        """Return the request with these bytes."""
        messages = orjson.loads(body)["messages"]
        memory = memory_of(messages) if asked.memory else None
        return cls([orjson.dumps(message) for message in messages], memory, "budget=" in asked.changes)


@dataclass
class Found:
    """The faults of one session. *differences* are those that a store that does not answer explains."""

    violations: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)


def broken_pair(messages: Sequence[dict[str, Any]]) -> str | None:
    """Return the first fault in the pairs of calls and results, or None.

    Each call has one result, and the results stand directly behind the message with their calls.
    """
    waiting: set[str] = set()
    for at, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return f"messages[{at}] is a result without a call"
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return f"messages[{at}]: {len(waiting)} calls have no result"
        waiting = {made["id"] for made in message.get("tool_calls") or ()}
    return f"at the end: {len(waiting)} calls have no result" if waiting else None
