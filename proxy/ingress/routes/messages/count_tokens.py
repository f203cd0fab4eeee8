"""``POST /v1/messages/count_tokens``: estimates the tokens of a request's input, without sending it upstream.

Claude Code asks 13 times for one look at its context. For each request that fails, it asks a model for one token
(2.1.197, run in 2026-11).
"""

from __future__ import annotations

from functools import partial

from aiohttp import web

from proxy.core.offload import run_offloaded
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.json_response import json_response
from proxy.ingress.anthropic_messages.errors import REQUEST_ID
from proxy.ingress.routes.dry_run_input import make_dry_run_input
from proxy.ingress.routes.messages.open_request import open_request, renamed_errors
from proxy.planning.budgets.fit_request import estimate_sent
from proxy.planning.dry_run import run_dry
from proxy.planning.plan import Plan, planning_weight
from sanitizers.budget.families import Family


async def count_tokens(request: web.Request) -> web.StreamResponse:
    """Answer with the estimate of the tokens that the request's input takes."""
    opened = await open_request(request, wants_answer=False)
    with renamed_errors(opened):
        given = await make_dry_run_input(opened.chat, request[GATEWAY], request[RECORD], None)
        weight = planning_weight(opened.chat, given.target)
        run = await run_offloaded(weight, partial(run_dry, given))
        if run.shown is None:
            assert run.refusal is not None, "a request has a plan, or it is refused"
            raise run.refusal
        if run.shown.budget is not None:
            tokens = run.shown.budget.estimate
        else:  # it is too long for the model, and the client wants to know by how much
            tokens = await run_offloaded(weight, partial(_estimate, run.shown, given.facts.family))
    return json_response({"input_tokens": tokens}, headers={REQUEST_ID: request[RECORD].request_id})


def _estimate(plan: Plan, family: Family) -> int:
    return estimate_sent(plan.messages, plan.parameters, family)
