"""Stores the thought signatures of a model's answer, and loads the signatures for a client's history.

A signature is stored under an id before the client gets that id. The client's next request then finds the signature.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

from proxy.answers.restore_tool_names import UNCHANGED, ToolNameMap
from proxy.core.upstream_call import UpstreamCall
from proxy.forwarding.chat.answer_thoughts import restores_thoughts
from proxy.planning.plan import Plan
from proxy.planning.signatures.client_ids import CallIds, ids_in, tag_in
from proxy.planning.signatures.origins import origin_of, tag_of
from proxy.state import Store
from proxy.state.kept_signatures import (
    TEXT_PREFIX,
    Signed,
    StoredSignature,
    pack,
    pack_refused,
    text_key,
    unpack,
)
from proxy.state.spaces import SIGNATURES
from proxy.upstream.signature_carriers import STAND_INS, canonical_signature
from sanitizers import Messages
from sanitizers.messages import base_id, tool_calls_of

_MAX_DOUBTED = 64
"""The largest number of signatures that are noted as refused for one request. The newest are noted."""


async def load_signatures(store: Store, tenant: str, keys: Collection[str]) -> Mapping[str, StoredSignature]:
    """Return the signatures that are stored for *tenant* under *keys*, by key.

    :func:`proxy.planning.signatures.restoring.signature_keys` finds the keys of a history. A tenant is the name of the
    client's key. Ids of another tenant are unknown here, even where the client has read them. A store outside the
    process is not asked for ids that the proxy did not make, since it cannot hold them.
    """
    if not keys:
        return {}
    if not store.is_in_process:  # memory answers as fast as a key is checked
        keys = [key for key in keys if key.startswith(TEXT_PREFIX) or tag_in(key) is not None]
    values = await store.get(SIGNATURES, keys, tenant=tenant)
    return {key: kept for key, value in values.items() if (kept := unpack(value)) is not None}


async def keep_signatures(signed: Collection[Signed], call: UpstreamCall, tenant: str, store: Store) -> None:
    """Store the signatures of an answer to *call* for *tenant*, where the model needs them returned."""
    if signed and call.rules.signs_calls:
        origin = origin_of(call.deployment, call.rules)
        values = {one.id or text_key(one.signature): pack(one, origin) for one in signed}
        await store.put(SIGNATURES, values, tenant=tenant)


async def note_refused(store: Store, tenant: str, messages: Messages) -> None:
    """Note as refused, for *tenant*, the signatures in *messages* that this proxy did not issue.

    Without this note a session with one bad signature would be refused, and repaired, at every request. A provider does
    not say which signature it refused. Signatures that this proxy stored are not noted. For other tenants the
    signatures stay valid, since the request may have been refused for another reason.
    """
    brought = [
        text_key(signature)
        for message in messages
        for call in tool_calls_of(message)
        if (signature := canonical_signature(call)) is not None
        and signature not in STAND_INS
        and tag_in(base_id(str(call.get("id") or ""))) is None
    ]
    await store.put(SIGNATURES, dict.fromkeys(brought[-_MAX_DOUBTED:], pack_refused()), tenant=tenant)


def call_ids(call: UpstreamCall, plan: Plan, token: Callable[[], str]) -> CallIds:
    """Return the ids for the tool calls in the answer to *call*.

    Each id is made with *token*, so that nobody can guess the id.
    """
    rules = call.rules
    is_found_by_id = rules.signs_calls or (rules.keeps_thoughts and restores_thoughts(call))
    tag = partial(_tag_for, call) if is_found_by_id else None
    return CallIds(token, tag=tag, taken=partial(ids_in, plan.request.messages))


def _tag_for(call: UpstreamCall) -> str:
    return tag_of(origin_of(call.deployment, call.rules))


def client_tool_names(plan: Plan) -> ToolNameMap:
    """Return the map that restores the client's tool names in the answer to *plan*."""
    return ToolNameMap(plan.client_tool_names) if plan.client_tool_names else UNCHANGED
