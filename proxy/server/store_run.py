"""Runs the store outside the process, and the exchange with other replicas, while the process serves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from proxy.forwarding.gateway import Gateway
from proxy.observability.logs import get_log
from proxy.state import MemoryStore
from proxy.state.sharing.replica_sync import ReplicaSync


@asynccontextmanager
async def running_store(gateway: Gateway) -> AsyncIterator[None]:
    """Open the store of *gateway* and exchange facts with other replicas while the context lasts.

    A store that cannot be reached at the start is used as soon as it can be reached. A store in memory needs nothing.
    Raises :class:`proxy.state.external.backend.StoreInUse` for a file that another process uses.
    """
    store, sharing = gateway.store, gateway.sharing
    if isinstance(store, MemoryStore) or sharing is None:
        yield
        return
    exchange = ReplicaSync(sharing.sources(), asyncio.get_running_loop().time, _report)
    async with store.running(exchange.run):
        try:
            yield
        finally:
            await sharing.close()


def _report(source: str, error: Exception | None) -> None:
    """Log that a *source* of shared facts begins to fail, or works again.

    Only the error's type is logged, since its text may hold a key.
    """
    if error is None:
        get_log().info("sharing_works", source=source)
    else:
        get_log().error("sharing_failed", source=source, error=type(error).__name__)
