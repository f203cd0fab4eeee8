"""Shares refused requests with other processes through the store, in the background.

The second refusal in one process is published for a minute. Another process looks for it after that process's own first
refusal of the same body. So the next equal request there is answered without a call. An answer deletes what was
published.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import orjson

from proxy.state import Store
from proxy.state.refused_requests import Refusal
from proxy.state.spaces import REFUSED

_VERSION = 1
_MOST_BYTES = 2_048
"""The most bytes of a stored refusal.

A longer refusal is not shared, since a shortened one would give its client other words.
"""

_ERRORS = range(400, 600)
_WAITING = 1_000
"""The most changes that wait for the store. Beyond that the oldest are dropped: they only save calls."""


@dataclass(frozen=True, slots=True)
class _Job:
    """One change that waits: a value to write, a look-up, or neither, which deletes the value."""

    value: bytes | None = None
    found: Callable[[Refusal], None] | None = None


class SharedRefusals:
    """Shares refusals through *store* (:class:`proxy.state.refused_requests.RefusalSharing`)."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._jobs: OrderedDict[tuple[str, str], _Job] = OrderedDict()
        self.wanted = asyncio.Event()
        """Set where a poll is wanted soon, since a change waits."""

    def look_up(self, tenant: str, identity: str, digest: bytes, found: Callable[[Refusal], None]) -> None:
        """Ask for a refusal (:class:`proxy.state.refused_requests.RefusalSharing`)."""
        self._add(tenant, identity, digest, _Job(found=found))

    def publish(self, tenant: str, identity: str, digest: bytes, refusal: Refusal) -> None:
        """Publish a refusal (:class:`proxy.state.refused_requests.RefusalSharing`)."""
        value = write_refusal(refusal)
        if value is not None:
            self._add(tenant, identity, digest, _Job(value=value))

    def withdraw(self, tenant: str, identity: str, digest: bytes) -> None:
        """Delete a refusal (:class:`proxy.state.refused_requests.RefusalSharing`)."""
        self._add(tenant, identity, digest, _Job())

    async def poll(self, now: float) -> None:
        """Make all changes that wait, with one call of the store for each kind of change and tenant.

        Two polls must not run at the same time.
        """
        self.wanted.clear()
        jobs, self._jobs = self._jobs, OrderedDict()
        tenants: dict[str, dict[str, _Job]] = {}
        for (tenant, key), job in jobs.items():
            tenants.setdefault(tenant, {})[key] = job
        async with asyncio.TaskGroup() as group:
            for tenant, by_key in tenants.items():
                group.create_task(self._do(tenant, by_key))

    async def _do(self, tenant: str, jobs: dict[str, _Job]) -> None:
        written = {key: job.value for key, job in jobs.items() if job.value is not None}
        asked = {key: job.found for key, job in jobs.items() if job.found is not None}
        gone = [key for key in jobs if key not in written and key not in asked]
        if gone:
            await self._store.delete(REFUSED, gone, tenant=tenant)
        if written:
            await self._store.put(REFUSED, written, tenant=tenant)
        if not asked:
            return
        stored = await self._store.get(REFUSED, asked, tenant=tenant)
        for key, value in stored.items():
            refusal = read_refusal(value)
            if refusal is not None:
                asked[key](refusal)

    def _add(self, tenant: str, identity: str, digest: bytes, job: _Job) -> None:
        place = tenant, _key(identity, digest)
        self._jobs[place] = job
        self._jobs.move_to_end(place)
        if len(self._jobs) > _WAITING:
            self._jobs.popitem(last=False)
        self.wanted.set()


def write_refusal(refusal: Refusal) -> bytes | None:
    """Return the bytes to store, or None for a refusal that is too long or has half a surrogate pair."""
    message = refusal.message
    try:
        value = orjson.dumps({"v": _VERSION, "status": refusal.status, "message": message})
    except orjson.JSONEncodeError:  # half a surrogate pair
        return None
    return value if len(value) <= _MOST_BYTES else None


def read_refusal(value: bytes) -> Refusal | None:
    """Return the refusal in *value*, or None. The value is not trusted."""
    if len(value) > _MOST_BYTES:
        return None
    try:
        fields = orjson.loads(value)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(fields, dict) or fields.get("v") != _VERSION:
        return None
    status, message = fields.get("status"), fields.get("message")
    if type(status) is not int or status not in _ERRORS or not isinstance(message, str):
        return None
    return Refusal(status, message)


def _key(identity: str, digest: bytes) -> str:
    """Return the store's key: a digest over the deployment's identity, of a fixed length, and the body's digest."""
    return hashlib.blake2b(identity.encode("ascii") + digest, digest_size=16).hexdigest()
