"""``POST /v1/explain``: shows how a chat request would be changed, without sending it upstream."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from proxy.core.json_text import write_json
from proxy.core.offload import parse_weight, run_offloaded
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.json_response import written_response
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.ingress.routes.dry_run_input import make_dry_run_input
from proxy.ingress.routes.read_body import read_body
from proxy.planning.describe_dry_run import describe_dry_run
from proxy.planning.dry_run import run_dry
from proxy.planning.guard_turns import MAX_ROUNDS
from proxy.planning.plan import planning_weight


async def explain(request: web.Request) -> web.Response:
    """Answer with a dry run: the body that would be sent, the changes, and the verdict (such as ``repaired``).

    The text of the operator's instructions is shown to the master key alone.
    """
    gateway, record = request[GATEWAY], request[RECORD]
    settings = gateway.settings
    body = await read_body(request, gateway, record)
    nesting, mends = settings.general_settings.max_nesting, settings.sanitize.mode == "repair"
    weight = parse_weight(body)
    parse = partial(parse_chat_request, body, max_nesting=nesting, mends=mends, weight=weight)
    chat = await run_offloaded(weight, parse)
    given = await make_dry_run_input(chat, gateway, record, request.headers.get(MAX_ROUNDS))
    is_operator = settings.general_settings.is_operator(record.key)

    def describe() -> bytes:
        run = run_dry(given)
        return write_json(describe_dry_run(run if is_operator else run.for_client()))

    return written_response(await run_offloaded(planning_weight(chat, given.target), describe))
