"""Takes the encrypted contents out of a Responses request that its provider cannot read.

Encrypted content belongs to an organization, a region and a model (litellm#18094, #22651). After a change of one of
them OpenAI refuses the request: ``The encrypted content gAAA…== could not be verified.`` The code of this refusal has
changed (codex-lb#1817), so that the words count too. Each later turn would be refused as well (codex#8119).
"""

from __future__ import annotations

from proxy.core.source import ResponsesRequest
from proxy.planning.plan import Plan
from proxy.planning.repairs.sent_items import with_sent_items
from proxy.resilience.read_error import ProviderError
from sanitizers.changes import Kind
from sanitizers.native.responses.changed_items import part_from_thought
from sanitizers.native.responses.mend import drop_items
from sanitizers.native.responses.violations import is_client_message
from sanitizers.work_limit import metered

_CODE = "invalid_encrypted_content"
_ENDS = ("could not be verified", "could not be decrypted")


def without_sealed_items(plan: Plan, said: ProviderError) -> Plan | None:
    """Return *plan* without encrypted thoughts, or None where *said* does not ask for it or nothing changes.

    All items of the model lose their ids, since a request is repaired once: an item whose thought went missing before
    would be refused next (continue#11994). The chat messages never held the thoughts, so that the history stays the
    same object.
    """
    source = plan.request.source
    if source is None or not isinstance(source.native, ResponsesRequest):
        return None
    if not (said.says(_CODE) or (said.says("encrypted content") and said.says(*_ENDS))):
        return None
    items = source.native.items
    dropped = [index for index, item in enumerate(metered(items)) if item.get("type") == "reasoning"]
    if not dropped:
        return None
    unsealed = drop_items(items, set(dropped))
    made: list[tuple[int, Kind, str]] = [(index, "dropped", "encrypted_content") for index in dropped]
    made += [(change.index, change.kind, change.reason) for change in unsealed.changes]
    sent = list(unsealed.items)
    for at, item in enumerate(metered(unsealed.items)):
        parted = None if is_client_message(item) else part_from_thought(item)
        if parted is not None and parted is not item:
            sent[at] = parted
            made.append((unsealed.origin_of(at), "replaced", "item_of_reasoning"))
    return with_sent_items(plan, source.native, sent, made)
