"""Reserves memory for a request while its body arrives and before it is decoded, or refuses the request.

What is reserved is held until the request ends (:mod:`proxy.middlewares.limits`).
"""

from __future__ import annotations

import asyncio

from aiohttp import web

from proxy.beside_the_loop import work_beside
from proxy.errors import BodyTooLarge, Overloaded
from proxy.keys import GATEWAY, RECORD, Gateway
from proxy.observation import Record
from proxy.resilience.memory_need import DIRECT_TIMES, LITELLM_TIMES, MIB, SMALL, need_of


async def reserve_decoded(request: web.Request, body: bytes) -> None:
    """Reserve what the request of *body* is going to take.

    Raises what :func:`reserve` raises, and :class:`BodyTooLarge` for values that take too much.
    """
    gateway, record = request[GATEWAY], request[RECORD]
    size = len(body)
    if size <= SMALL:
        need = DIRECT_TIMES * size
    else:
        most = gateway.settings.general_settings.max_body_mib
        need = await work_beside(size, lambda: need_of(body, most))
    if gateway.uses_litellm:
        need = need * LITELLM_TIMES // DIRECT_TIMES
    reserve(record, gateway, need)


def reserve(record: Record, gateway: Gateway, size: int) -> None:
    """Reserve *size* bytes for the request of *record*, those included that it holds already.

    Raises :class:`BodyTooLarge` where the process has never so much, and :class:`Overloaded` where it has not now.
    """
    room, memory = record.room, gateway.memory
    if room is None:
        record.room = memory.acquire(record.client, record.started, size)
        if record.room is not None:
            return
    elif room.grow(size, asyncio.get_running_loop().time()):
        return
    if size > memory.most:
        raise BodyTooLarge(
            f"The request would take {-(-size // MIB)} MiB of memory; all requests together may take "
            f"{memory.most // MIB} (general_settings.max_in_flight_mib)."
        )
    gateway.metrics.shed.inc()
    raise Overloaded(
        "The requests in flight take the memory there is (general_settings.max_in_flight_mib); try again.",
        headers={"Retry-After": "1"},
    )
