"""``POST /v1/messages/count_tokens``: estimates the tokens of a request's input, or asks the provider for them.

By default nothing is sent upstream. An entry with ``count_tokens: provider`` whose provider speaks the Messages API is
asked, unless the request would be cut. Where that fails, the estimate is answered.

Claude Code asks 13 times for one look at its context. For each request that fails, it asks a model for one token
(2.1.197, run in 2026-11).
"""

from __future__ import annotations

import asyncio
from functools import partial

from aiohttp import web

from proxy.core.errors import ProxyError
from proxy.core.offload import run_offloaded
from proxy.forwarding.attempt import timeouts_of
from proxy.forwarding.chat.plan_attempts import ChatAttemptPlanner
from proxy.forwarding.gateway import GATEWAY, RECORD, Gateway
from proxy.forwarding.json_response import json_response
from proxy.ingress.anthropic_messages.errors import REQUEST_ID
from proxy.ingress.routes.dry_run_input import make_dry_run_input
from proxy.ingress.routes.messages.open_request import open_request, renamed_errors
from proxy.observability.logs import get_log
from proxy.observability.request_record import RequestRecord
from proxy.planning.budgets.fit_request import estimate_sent
from proxy.planning.dry_run import run_dry
from proxy.planning.plan import Plan, planning_weight
from proxy.upstream.transports import speaks_messages
from sanitizers.budget.families import Family

_LONGEST_S = 10.0
"""The most seconds that a provider has for a count. The client waits for it, and has its own estimate too."""


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
        counted = await _ask_provider(run.sent, request[GATEWAY], request[RECORD])
        if counted is not None:
            tokens = counted
        elif run.shown.budget is not None:
            tokens = run.shown.budget.estimate
        else:  # it is too long for the model, and the client wants to know by how much
            tokens = await run_offloaded(weight, partial(_estimate, run.shown, given.facts.family))
    return json_response({"input_tokens": tokens}, headers={REQUEST_ID: request[RECORD].request_id})


async def _ask_provider(plan: Plan | None, gateway: Gateway, facts: RequestRecord) -> int | None:
    """Return the provider's number for *plan*, or None where it is not to be asked, or fails."""
    if plan is None or not plan.deployment.counts_at_provider or not speaks_messages(plan.deployment):
        return None
    if plan.budget is not None and plan.budget.sent != plan.budget.estimate:
        return None
    left_s = facts.deadline - asyncio.get_running_loop().time()
    timeouts = timeouts_of(plan.deployment, gateway.settings.router_settings, left_s=min(left_s, _LONGEST_S))
    try:
        answer = await gateway.upstream.count_tokens(ChatAttemptPlanner.call_of(plan, timeouts))
    except ProxyError as error:
        get_log().warning("count_failed", request_id=facts.request_id, reason=error.code)
        return None
    count: int = answer["input_tokens"]
    return count


def _estimate(plan: Plan, family: Family) -> int:
    return estimate_sent(plan.messages, plan.parameters, family)
