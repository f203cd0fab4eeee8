"""Reads and checks one request as the provider received it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import orjson

from benchmarks.compaction.gateways import Asked, memory_of

_COVERS = re.compile(r'covers="messages \d+-(\d+)"')


@dataclass
class Sent:
    """One request as the provider received it: its messages as JSON, and its memory.

    *repairs* are the proxy's changes other than a memory and a cut. A legal history needs none.
    """

    messages: list[bytes]
    memory: str | None
    is_cut: bool
    repairs: tuple[str, ...]

    @classmethod
    def of(cls, body: bytes, asked: Asked) -> Sent:
        """Return the request whose bytes are *body*. *asked* is the proxy's answer to it."""
        messages = orjson.loads(body)["messages"]
        memory = memory_of(messages) if asked.memory else None
        changes = [change for change in asked.changes.split(",") if change]
        repairs = tuple(change for change in changes if not change.startswith(("budget=", "compaction=")))
        return cls(
            [orjson.dumps(message) for message in messages], memory, "budget=" in asked.changes, repairs
        )


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


def covered_by(memory: str | None) -> int:
    """Return the number of the client's messages that *memory* covers, the first messages included.

    Returns 0 without a memory.
    """
    found = _COVERS.search(memory or "")
    return int(found[1]) + 1 if found is not None else 0


def digest_of(messages: Sequence[dict[str, Any]]) -> str:
    """Return a digest of the JSON of *messages*."""
    return blake2b(orjson.dumps(list(messages)), digest_size=16).hexdigest()
