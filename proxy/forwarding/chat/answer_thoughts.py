"""Stores the thoughts of a model's answer, and loads those of a client's history.

Thoughts are stored before the client gets the end of the answer. The client's next request then finds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from proxy.core.chat_request import ChatRequest
from proxy.core.offload import MEDIUM, run_offloaded
from proxy.core.source import ANTHROPIC_MESSAGES
from proxy.core.upstream_call import UpstreamCall
from proxy.planning.plan import Plan
from proxy.planning.signatures.origins import origin_of
from proxy.planning.signatures.thoughts import key_of_text, thought_keys
from proxy.state import Store
from proxy.state.kept_thoughts import StoredThoughts, Thoughts, pack_thoughts, unpack_thoughts
from proxy.state.spaces import THOUGHTS
from proxy.upstream.wires.native_events import takes_native


async def load_thoughts(store: Store, tenant: str, chat: ChatRequest) -> Mapping[int, StoredThoughts]:
    """Return the thoughts that are stored for *tenant*, by the ``id`` of the message object of *chat* that had them."""
    find = partial(thought_keys, chat.messages, tenant)
    keys = find() if chat.weight <= MEDIUM else await run_offloaded(chat.weight, find)
    if not keys:
        return {}
    values = await store.get(THOUGHTS, set(keys.values()), tenant=tenant)
    found = {key: kept for key, value in values.items() if (kept := unpack_thoughts(value)) is not None}
    return {id(chat.messages[at]): found[key] for at, key in keys.items() if key in found}


async def keep_thoughts(
    thoughts: Thoughts, call: UpstreamCall, plan: Plan, tenant: str, store: Store
) -> None:
    """Store the thoughts of an answer to *call* for *tenant*, where the model wants them back.

    A call's id is the key where the proxy made the id. Without calls, the conversation is the key. That an answer with
    calls had no thoughts is stored too: a lost thought is told from one that never was.
    """
    if not restores_thoughts(call) or not (thoughts.entries or thoughts.calls):
        return
    if thoughts.calls:
        key = thoughts.calls[0].id
    else:
        messages = plan.request.messages
        find = partial(key_of_text, messages, thoughts.text, tenant)
        key = find() if call.weight <= MEDIUM else await run_offloaded(call.weight, find)
    value = pack_thoughts(thoughts, origin_of(call.deployment, call.rules))
    await store.put(THOUGHTS, {key: value}, tenant=tenant)


def restores_thoughts(call: UpstreamCall) -> bool:
    """Tell whether the proxy keeps the thoughts of the answer to *call*, and makes the ids of its calls.

    A client of the provider's own format gets and returns the provider's blocks and ids themselves.
    """
    return call.rules.keeps_thoughts and not takes_native(ANTHROPIC_MESSAGES, call)
