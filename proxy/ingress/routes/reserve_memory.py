"""Reserves memory for a request while its body arrives and before it is decoded, or refuses the request.

The memory is held until the request ends (:mod:`proxy.ingress.middlewares.limits`).
"""

from __future__ import annotations

import asyncio

from proxy.core.errors import BodyTooLarge, Overloaded
from proxy.core.offload import LARGE, parse_weight, run_offloaded
from proxy.forwarding.gateway import Gateway
from proxy.observability.request_record import RequestRecord
from proxy.resilience.memory_need import DIRECT_TIMES, LARGEST_TIMES, MIB, need_of

_UNCOUNTED = LARGE
"""The largest body, in bytes, that is not searched for its number of JSON values while there is enough free memory.

One pass over 390 KB takes 0.4 ms.
"""

_ROOM_DIVISOR = 4
"""Values are not counted while all requests, this one included, take less than a quarter of the memory."""


async def reserve_decoded(body: bytes, record: RequestRecord, gateway: Gateway) -> None:
    """Reserve the memory for the request with the large *body*.

    Raises the errors of :func:`reserve`, and :class:`BodyTooLarge` for values that take too much memory.
    """
    most, memory = gateway.settings.general_settings.max_body_mib, gateway.memory
    largest = LARGEST_TIMES * len(body)
    if len(body) <= _UNCOUNTED and largest <= min(
        memory.capacity // _ROOM_DIVISOR - memory.in_flight, DIRECT_TIMES * most * MIB
    ):
        reserve(record, gateway, largest * gateway.memory_factor // DIRECT_TIMES)
        return
    weight = parse_weight(body)
    if weight <= LARGE:  # half a millisecond, which may run on the event loop
        need = need_of(body, most)
    else:
        need = await run_offloaded(weight, lambda: need_of(body, most))
    reserve(record, gateway, need * gateway.memory_factor // DIRECT_TIMES)


def reserve(record: RequestRecord, gateway: Gateway, size: int) -> None:
    """Reserve memory for the request of *record*, so that it holds *size* bytes in all.

    Raises :class:`BodyTooLarge` where *size* is over the limit of all requests. Raises :class:`Overloaded` where too
    little memory is free now.
    """
    held, memory = record.reserved, gateway.memory
    now = asyncio.get_running_loop().time() if held else record.started
    if size <= held and held:
        return
    if memory.admit(record.client, now, size - held, held):
        record.reserved = size
        return
    if size > memory.capacity:
        raise BodyTooLarge(
            f"The request would take {-(-size // MIB)} MiB of memory; all requests together may take "
            f"{memory.capacity // MIB} (general_settings.max_in_flight_mib)."
        )
    gateway.metrics.shed.inc()
    raise Overloaded(
        "The requests in flight take the memory there is (general_settings.max_in_flight_mib); try again.",
        headers={"Retry-After": "1"},
    )
