"""Finds the memory of a conversation for a dry run: for ``POST /v1/explain`` and the inspector.

The look-up is the same as for a request that is sent. A dry run begins no summary, and records nothing of the request.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from proxy.core.offload import run_offloaded
from proxy.forwarding.chat.conversation_memory import ConversationMemory
from proxy.forwarding.gateway import Gateway
from proxy.planning.dry_run import DryRunInput
from proxy.planning.guard_turns import guard_chat


async def with_memory(given: DryRunInput, gateway: Gateway, label: str, key: str) -> DryRunInput:
    """Return *given* with the memory that would be sent with its request, or *given* itself where there is none.

    *label* is the model's name in the configuration, and *key* is the name of the client's key. The turn guard is
    applied before the look-up, since stored summaries also cover histories after the guard.
    """
    chat, mode = given.request, given.target.sanitize.mode
    policy = gateway.compaction.find(chat.model, label, key)
    if policy is None or mode != "repair":
        return given
    guarded, _ = await run_offloaded(
        chat.weight, partial(guard_chat, chat, given.policy, given.max_rounds, mode=mode)
    )
    conversations, instructions = gateway.summaries.conversations, gateway.instructions
    look_up = ConversationMemory(
        guarded, key, gateway.store, policy, conversations, instructions=instructions
    )
    memory = await look_up.find(given.facts)
    return given if memory is None else replace(given, memory=memory)
