"""The signatures of one request's answers and history, on their way into the store and out of it.

They are kept before the client gets the ids that they are kept under, so that it cannot come back too early.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial

from proxy.answers.restore_tool_names import UNCHANGED, NamesBack
from proxy.core.upstream_call import UpstreamCall
from proxy.planning.plan import Plan
from proxy.planning.signatures.client_ids import CallIds, ids_in, tag_in
from proxy.planning.signatures.origins import origin_of, tag_of
from proxy.state import Store
from proxy.state.kept_signatures import SPACE, Kept, Signed, pack, pack_refused, text_key, unpack
from proxy.upstream.signature_carriers import STAND_INS, own_signature
from sanitizers import Messages
from sanitizers.messages import base_id, tool_calls_of

_MOST_DOUBTED = 64
"""Signatures of one request that are noted as refused, the newest."""


async def load_signatures(store: Store, tenant: str, keys: Collection[str]) -> Mapping[str, Kept]:
    """Return what is kept for *tenant* under *keys*, by key: those of a history.

    :func:`proxy.planning.signatures.restoring.keys_wanted` finds them. A tenant is the name of the client's key. An id
    of another tenant's is unknown here, wherever it was read.
    """
    if not keys:
        return {}
    values = await store.get(SPACE, keys, tenant=tenant)
    return {key: kept for key, value in values.items() if (kept := unpack(value)) is not None}


async def keep_signatures(signed: Collection[Signed], call: UpstreamCall, tenant: str, store: Store) -> None:
    """Keep for *tenant* what an answer to *call* was signed with, of a model that asks for it back."""
    if signed and call.rules.signs_calls:
        origin = origin_of(call.deployment, call.rules)
        values = {one.id or text_key(one.signature): pack(one, origin) for one in signed}
        await store.put(SPACE, values, tenant=tenant)


async def note_refused(store: Store, tenant: str, messages: Messages) -> None:
    """Note that signatures which *tenant* brought from elsewhere, in *messages* as they were sent, were refused.

    Without this a session with one bad signature would be refused, and repaired, at every request. A provider does not
    say which it was; those that were kept here are not doubted. For other tenants they count as good: what was refused
    may have been refused for something else in the same request.
    """
    brought = [
        text_key(signature)
        for message in messages
        for call in tool_calls_of(message)
        if (signature := own_signature(call)) is not None
        and signature not in STAND_INS
        and tag_in(base_id(str(call.get("id") or ""))) is None
    ]
    await store.put(SPACE, dict.fromkeys(brought[-_MOST_DOUBTED:], pack_refused()), tenant=tenant)


def call_ids(call: UpstreamCall, plan: Plan, token: Callable[[], str]) -> CallIds:
    """Return what gives the calls in the answer to *call* their ids; nobody can guess those that *token* makes."""
    tag = partial(_tag_for, call) if call.rules.signs_calls else None
    return CallIds(token, tag=tag, taken=partial(ids_in, plan.request.messages))


def _tag_for(call: UpstreamCall) -> str:
    return tag_of(origin_of(call.deployment, call.rules))


def names_back(plan: Plan) -> NamesBack:
    """Return what gives the calls of the answer to *plan* the client's names."""
    return NamesBack(plan.names_back) if plan.names_back else UNCHANGED
