"""Counts the tokens of a request's input, as a plan of it would count them. All native formats have such a path.

By default nothing is sent upstream. An entry with ``count_tokens: provider`` whose provider speaks the Messages API is
asked, unless the request would be cut. Where that fails, the estimate is answered.
"""

from __future__ import annotations

import asyncio
from functools import partial

from proxy.core.chat_request import ChatRequest
from proxy.core.errors import ProxyError
from proxy.core.offload import run_offloaded
from proxy.forwarding.attempt import timeouts_of
from proxy.forwarding.chat.plan_attempts import ChatAttemptPlanner
from proxy.forwarding.gateway import Gateway
from proxy.ingress.routes.dry_run_input import make_dry_run_input
from proxy.observability.logs import get_log
from proxy.observability.request_record import RequestRecord
from proxy.planning.budgets.fit_request import estimate_sent
from proxy.planning.dry_run import run_dry
from proxy.planning.plan import Plan, planning_weight
from proxy.upstream.transports import speaks_messages
from sanitizers.budget.families import Family

_LONGEST_S = 10.0
"""The most seconds that a provider has for a count. The client waits for it, and has its own estimate too."""


async def count_input(chat: ChatRequest, gateway: Gateway, facts: RequestRecord) -> int:
    """Return the tokens of the input of *chat*: the provider's count where it is asked, or the estimate.

    Raises the error by which *chat* would be refused.
    """
    given = await make_dry_run_input(chat, gateway, facts, None)
    weight = planning_weight(chat, given.target)
    run = await run_offloaded(weight, partial(run_dry, given))
    if run.shown is None:
        assert run.refusal is not None, "a request has a plan, or it is refused"
        raise run.refusal
    counted = await _ask_provider(run.sent, gateway, facts)
    if counted is not None:
        return counted
    if run.shown.budget is not None:
        return run.shown.budget.estimate
    # it is too long for the model, and the client wants to know by how much
    return await run_offloaded(weight, partial(_estimate, run.shown, given.facts.family))


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
