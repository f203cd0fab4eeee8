"""Refuses requests over the process's limits at once. A queue would delay every client."""

from __future__ import annotations

from math import inf

from aiohttp import web
from aiohttp.typedefs import Handler

from proxy.core.errors import BodyTooLarge, Overloaded
from proxy.core.worker_threads import CLIENT
from proxy.forwarding.deliver import deliver
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.ingress.middlewares.key_limits import refuse_known
from proxy.ingress.routes.paths import OTHER, is_ui_work


@web.middleware
async def limit_requests(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse API requests over ``max_in_flight``, and bodies whose ``Content-Length`` is over ``max_body_mib``.

    A key whose limits are used up is refused first (:mod:`proxy.ingress.middlewares.key_limits`).

    Where free slots are few, clients share them, so that one runaway agent cannot shut the others out
    (:class:`proxy.resilience.fairness.Admission`). :mod:`proxy.core.clients` says who a client is. The inspector's
    requests with a body have the same limits.
    """
    record = request[RECORD]
    if record.route != OTHER or is_ui_work(request):
        gateway = request[GATEWAY]
        general = gateway.settings.general_settings
        if record.key:
            refuse_known(record, gateway)
        if (request.content_length or 0) > general.max_body_mib * 2**20:
            raise BodyTooLarge(
                f"The body is over {general.max_body_mib} MiB (general_settings.max_body_mib)."
            )
        client, admission = record.client, gateway.admission
        if not admission.admit(client, record.started):
            gateway.metrics.shed.inc()
            raise Overloaded("Too many requests are in flight; try again.", headers={"Retry-After": "1"})
        CLIENT.set(client)
        try:
            response = await handler(request)
            record.deadline = inf
            return await deliver(request, response, record, draining=gateway.lifecycle.draining)
        finally:
            admission.release(client)
            if record.reserved:
                gateway.memory.release(client, record.reserved)
    return await handler(request)
