"""The control endpoints under ``/_emulator``. They script faults and answers, and list received requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aiohttp import web

from proxy.emulator.errors import Refusal
from proxy.emulator.faults import InvalidControl, Item, Queue, parse_answers, parse_faults
from proxy.emulator.journal import parse_json
from proxy.emulator.state import STATE, json_response, refusal_response


async def post_faults(request: web.Request) -> web.Response:
    """Append ``{"faults": [...]}`` to the queue. The answer has the number of waiting faults."""
    return await _extend(request, request.app[STATE].faults, parse_faults)


async def get_faults(request: web.Request) -> web.Response:
    """Answer with the waiting faults."""
    return json_response({"faults": [fault.as_json() for fault in request.app[STATE].faults.items]})


async def delete_faults(request: web.Request) -> web.Response:
    """Remove the waiting faults."""
    request.app[STATE].faults.items.clear()
    return json_response({})


async def post_answers(request: web.Request) -> web.Response:
    """Append ``{"answers": [...]}`` to the queue. The answer has the number of waiting answers."""
    return await _extend(request, request.app[STATE].answers, parse_answers)


async def delete_answers(request: web.Request) -> web.Response:
    """Remove the waiting answers."""
    request.app[STATE].answers.items.clear()
    return json_response({})


async def get_requests(request: web.Request) -> web.Response:
    """Answer with the journal, oldest entry first."""
    return json_response({"requests": request.app[STATE].journal.as_json()})


async def delete_requests(request: web.Request) -> web.Response:
    """Empty the journal."""
    request.app[STATE].journal.clear()
    return json_response({})


async def _extend(
    request: web.Request, queue: Queue[Item], parse: Callable[[Any], tuple[Item, ...]]
) -> web.Response:
    try:
        queue.extend(parse(parse_json(await request.read())))
    except InvalidControl as fault:
        return refusal_response(Refusal(str(fault)))
    return json_response({"queued": len(queue.items)})


ROUTES = (
    web.post("/_emulator/faults", post_faults),
    web.get("/_emulator/faults", get_faults),
    web.delete("/_emulator/faults", delete_faults),
    web.post("/_emulator/answers", post_answers),
    web.delete("/_emulator/answers", delete_answers),
    web.get("/_emulator/requests", get_requests),
    web.delete("/_emulator/requests", delete_requests),
)
