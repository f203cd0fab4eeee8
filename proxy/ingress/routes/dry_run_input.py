"""Gathers what the plan of a request depends on, for a dry run that sends nothing upstream."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial

from proxy.config.pools import choose_pool
from proxy.core.chat_request import ChatRequest
from proxy.core.offload import run_offloaded
from proxy.forwarding.chat.answer_signatures import load_signatures
from proxy.forwarding.chat.find_learned import with_learned
from proxy.forwarding.chat.find_memory import with_memory
from proxy.forwarding.gateway import Gateway
from proxy.observability.request_record import RequestRecord
from proxy.planning.budgets.budget_facts import facts_of
from proxy.planning.dry_run import DryRunInput
from proxy.planning.guard_turns import read_max_rounds
from proxy.planning.plan_target import plan_target
from proxy.planning.provider_needs import able_to_serve
from proxy.planning.signatures.restoring import signature_keys
from proxy.state.kept_signatures import StoredSignature


async def make_dry_run_input(
    chat: ChatRequest, gateway: Gateway, record: RequestRecord, max_rounds: str | None
) -> DryRunInput:
    """Return the input of a dry run of *chat* for the first deployment of its model.

    *max_rounds* is the value of the header. The request's models are noted in *record*.
    """
    settings = gateway.settings
    record.asked = chat.model
    deployment = able_to_serve(choose_pool(chat.model, settings, record.allowed), chat)[0]
    record.model = deployment.label
    asked = read_max_rounds(max_rounds)
    policy = gateway.turns.find(chat.model, record.model, record.key)
    await gateway.upstream.start()
    now = asyncio.get_running_loop().time()
    kept: Mapping[str, StoredSignature] = {}
    target = plan_target(deployment, settings.sanitize, gateway.upstream.unsupported)
    if target.profile.signs_calls:
        find = partial(signature_keys, chat.messages, chat.outline)
        kept = await load_signatures(gateway.store, record.key, await run_offloaded(chat.weight, find))
    lessons = gateway.learned_windows.peek(deployment, now, record.key)
    facts = facts_of(deployment, settings.budget, lessons, allows_cuts=chat.allows_cuts)
    instructions = gateway.instructions.find(deployment, record.key)
    given = DryRunInput(chat, target, facts, kept, policy, asked, instructions=instructions)
    given = await with_learned(given, gateway, record.key)
    return await with_memory(given, gateway, record.model, record.key)
