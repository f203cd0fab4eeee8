"""Receives a request of the inspector's page, and holds a slot of the worker thread for the request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

from aiohttp import web

from proxy.config.pools import allowed_names
from proxy.core.errors import BodyTooLarge
from proxy.forwarding.gateway import RECORD, Gateway
from proxy.ingress.routes.read_body import read_body
from proxy.inspector.convert_items import convert_contents, convert_items, convert_messages
from proxy.inspector.read_query import ContentsQuery, ItemsQuery, MessagesQuery, Query, read_query
from proxy.inspector.worker_thread import LARGEST_MIB, InspectionPlaces, refuse_long, run_in_worker

PLACES: web.AppKey[InspectionPlaces] = web.AppKey("seats", InspectionPlaces)
"""The slots that all inspections of an application share."""


@asynccontextmanager
async def hold_query(
    request: web.Request, gateway: Gateway, sender_of: Callable[[str | None], str]
) -> AsyncIterator[Query]:
    """Yield the page's request, and hold a slot of the worker thread meanwhile.

    *sender_of* returns the key whose stored conversations may be read, for the id of a recent request or for None. The
    inspection has the deadline of any request, and a shutdown ends it.
    """
    settings, in_flight, record = gateway.settings, gateway.lifecycle.in_flight, request[RECORD]

    def read(body: bytes) -> Query | ContentsQuery | ItemsQuery | MessagesQuery:
        return read_query(
            body,
            max_nesting=settings.general_settings.max_nesting,
            mends=settings.sanitize.mode == "repair",
            default=next(iter(allowed_names(settings, settings.routes.names, record.allowed)), ""),
        )

    task = asyncio.current_task()
    assert task is not None
    record.deadline = record.started + settings.router_settings.timeout
    in_flight[task] = record
    try:
        body = await _read(request, gateway)
        async with request.app[PLACES].hold(record.client):
            asked = await run_in_worker(partial(read, body))
            if isinstance(asked, ItemsQuery):
                asked = await convert_items(asked, gateway, sender_of(asked.recent))
            elif isinstance(asked, MessagesQuery):
                asked = await convert_messages(asked, sender_of(asked.recent))
            elif isinstance(asked, ContentsQuery):
                asked = await convert_contents(asked, sender_of(asked.recent))
            refuse_long(len(asked.chat.messages))
            yield asked
    finally:
        del in_flight[task]


async def _read(request: web.Request, gateway: Gateway) -> bytes:
    """Return the body. Raises :class:`BodyTooLarge` as soon as the body is known to be too large."""
    most = LARGEST_MIB * 2**20
    try:
        if (request.content_length or 0) <= most:
            bounded = request.clone(client_max_size=min(most, request.client_max_size))
            return await read_body(bounded, gateway, request[RECORD])
    except web.HTTPRequestEntityTooLarge:
        if request.client_max_size < most:
            raise  # over the limit of every request (max_body_mib)
    raise BodyTooLarge(f"The inspector looks at {LARGEST_MIB} MiB at most.")
