"""``POST /v1/responses/input_tokens``: estimates the tokens of a request's input, without sending it upstream."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from proxy.core.offload import run_offloaded
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.json_response import json_response
from proxy.ingress.routes.dry_run_input import make_dry_run_input
from proxy.ingress.routes.responses.open_request import open_request, renamed_errors
from proxy.planning.dry_run import run_dry
from proxy.planning.plan import planning_weight


async def count_tokens(request: web.Request) -> web.StreamResponse:
    """Answer with the estimate of the tokens that the request's input takes, its stored conversation included.

    A request with a part that only a provider can read is refused, since an estimate without it would be wrong.
    """
    opened = await open_request(request)
    for need in opened.chat.needs:
        if need.hides_content:
            raise need.error(need.message, param=need.param)
    with renamed_errors(opened):
        given = await make_dry_run_input(opened.chat, request[GATEWAY], request[RECORD], None)
        run = await run_offloaded(planning_weight(opened.chat, given.target), partial(run_dry, given))
        budget = None if run.shown is None else run.shown.budget
        if budget is None:
            assert run.refusal is not None, "a plan counts the tokens, or the request is refused"
            raise run.refusal
    return json_response({"object": "response.input_tokens", "input_tokens": budget.estimate})
