"""Opens sessions over each kind of store for tests, and builds responses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from proxy.state.external.backend import Backend, Bounds
from proxy.state.external.external_store import ExternalStore
from proxy.state.memory import MemoryStore
from proxy.state.sessions.external_records import ExternalRecords
from proxy.state.sessions.memory_records import MemoryRecords
from proxy.state.sessions.record_store import Limits
from proxy.state.sessions.responses import ResponseRecord
from proxy.state.sessions.sessions import Sessions
from tests.support.dictionary_backend import CountedEvents, DictionaryBackend

MIB = 2**20
LIMITS = Limits(3_600.0, Bounds(64 * MIB, 256 * MIB))
MAX_BYTES = 32 * MIB


class Replica:
    """One process's sessions over *backend*, with the events of its store."""

    def __init__(self, backend: Backend, limits: Limits = LIMITS, max_bytes: int = MAX_BYTES) -> None:
        self.backend = backend
        self.events = CountedEvents()
        self.store = ExternalStore(backend, MemoryStore(100_000), "tr", None, self.events)
        self.sessions = Sessions(ExternalRecords(self.store, limits), max_bytes)


def memory_sessions(limits: Limits = LIMITS, max_bytes: int = MAX_BYTES, **settings: Any) -> Sessions:
    """Return sessions in memory."""
    return Sessions(MemoryRecords(limits), max_bytes, **settings)


@asynccontextmanager
async def replicas(
    backends: Sequence[Backend], limits: Limits = LIMITS, max_bytes: int = MAX_BYTES
) -> AsyncIterator[list[Replica]]:
    """Run a replica over each of *backends*."""
    async with AsyncExitStack() as stack:
        running = [Replica(backend, limits, max_bytes) for backend in backends]
        for each in running:
            await stack.enter_async_context(each.store.running())
        yield running


def shared_dictionaries(count: int) -> list[DictionaryBackend]:
    """Return backends over one dictionary."""
    values = dict[str, bytes]()
    return [DictionaryBackend(values) for _ in range(count)]


def user(text: str, **fields: Any) -> dict[str, Any]:
    """Return a user's message."""
    return {"type": "message", "role": "user", "content": text, **fields}


def said(text: str, **fields: Any) -> dict[str, Any]:
    """Return an assistant's message with an id."""
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"id": f"msg_{text}", "type": "message", "role": "assistant", "content": [part], **fields}


def record(number: int, parent: int | None = None, **fields: Any) -> ResponseRecord:
    """Return the response ``resp_number`` with one word of the user and one answer."""
    id_ = f"resp_{number}"
    values: dict[str, Any] = {
        "id": id_,
        "input": [user(f"q{number}")],
        "output": [said(f"a{number}")],
        "response": {"id": id_, "object": "response", "status": "completed", "output": []},
        "model": "gemini",
        "created_at": 1_800_000_000 + number,
        "parent_id": None if parent is None else f"resp_{parent}",
        **fields,
    }
    return ResponseRecord(**values)


async def keep_chain(
    sessions: Sessions, tenant: str, count: int, make: Callable[..., ResponseRecord] = record
) -> None:
    """Keep *count* responses, each of which continues the one before."""
    for number in range(count):
        assert await sessions.keep_response(tenant, make(number, number - 1 if number else None))


def texts(items: Sequence[dict[str, Any]]) -> list[str]:
    """Return the texts of messages."""
    found = []
    for item in items:
        content = item["content"]
        found.append(content if isinstance(content, str) else content[0]["text"])
    return found
