"""Runs the store, the limits of client keys, and the exchange with other replicas, while the process serves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeAlias

from proxy.forwarding.gateway import Gateway
from proxy.observability.logs import get_log
from proxy.state import MemoryStore
from proxy.state.sharing.replica_sync import ReplicaSync

Work: TypeAlias = Callable[[], Coroutine[Any, Any, None]]

_AGAIN_S = 1.0
"""Seconds after which background work that failed is begun again."""


@asynccontextmanager
async def running_store(gateway: Gateway) -> AsyncIterator[None]:
    """Open the store of *gateway* and exchange facts with other replicas while the context lasts.

    A store that cannot be reached at the start is used as soon as it can be reached. With a store in memory, only the
    limits have background work.

    Raises :class:`proxy.state.external.backend.StoreInUse` for a file that another process uses.
    """
    store, sharing, limiter = gateway.store, gateway.sharing, gateway.limiter
    limits = [partial(_keep_running, work) for work in limiter.work()]
    if isinstance(store, MemoryStore) or sharing is None:
        async with _running(limits):
            yield
        return
    exchange = ReplicaSync(sharing.sources(), asyncio.get_running_loop().time, _report)
    async with store.running(exchange.run, *limits):
        try:
            yield
        finally:
            await sharing.close()
            await limiter.close()


@asynccontextmanager
async def _running(works: Iterable[Work]) -> AsyncIterator[None]:
    """Do *works*, which never raise, in the background while the context lasts.

    This is no task group, which would wrap an error of the context in an error of its own.
    """
    loop = asyncio.get_running_loop()
    tasks = [loop.create_task(work()) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()


async def _keep_running(work: Work) -> None:
    """Do the *work* of the limits. A failure is logged, and the work begins again: it must not end the process."""
    while True:
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - requests are served without the exchange
            _report("limits", error)
            await asyncio.sleep(_AGAIN_S)
        else:
            return


def _report(source: str, error: Exception | None) -> None:
    """Log that a *source* of shared facts begins to fail, or works again.

    Only the error's type is logged, since its text may hold a key.
    """
    if error is None:
        get_log().info("sharing_works", source=source)
    else:
        get_log().error("sharing_failed", source=source, error=type(error).__name__)
