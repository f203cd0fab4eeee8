"""Takes the encrypted contents out of a Responses request that its provider cannot read.

Encrypted content belongs to an organization, a region and a model (litellm#18094, #22651). After a change of one of
them OpenAI refuses the request: ``The encrypted content gAAA…== could not be verified.`` The code of this refusal has
changed (codex-lb#1817), so that the words count too. Each later turn would be refused as well (codex#8119).
"""

from __future__ import annotations

from dataclasses import replace

from proxy.core.source import NativeRequest
from proxy.planning.plan import REPAIR, Plan
from proxy.resilience.read_error import ProviderError
from sanitizers import Change
from sanitizers.native import Item
from sanitizers.work_limit import metered

_CODE = "invalid_encrypted_content"
_ENDS = ("could not be verified", "could not be decrypted")
_MODEL_ITEMS = frozenset({"custom_tool_call", "function_call", "message"})
"""Types of the items whose ids may require the thought before them (continue#11994)."""


def without_sealed_items(plan: Plan, said: ProviderError) -> Plan | None:
    """Return *plan* without encrypted thoughts, or None where *said* does not ask for it or nothing changes.

    The chat messages never held them, so that the history stays the same object.
    """
    source = plan.request.source
    if source is None or source.native is None:
        return None
    if not (said.says(_CODE) or (said.says("encrypted content") and said.says(*_ENDS))):
        return None
    native = source.native
    kept, dropped = _unseal(native)
    if not dropped:
        return None
    unsealed = replace(source, native=replace(native, items=kept, are_own=False))
    places = _messages_of(native, dropped)
    changes = tuple(Change(REPAIR, "dropped", message, "encrypted_content") for message in places)
    return replace(
        plan,
        request=replace(plan.request, source=unsealed),
        later_changes=(*plan.later_changes, *changes),
    )


def _unseal(native: NativeRequest) -> tuple[list[Item], list[int]]:
    """Return the items without thoughts, and the places of the thoughts. What follows one loses its id."""
    kept: list[Item] = []
    dropped: list[int] = []
    follows = False
    for at, item in enumerate(metered(native.items)):
        if item.get("type") == "reasoning":
            dropped.append(at)
            follows = True
            continue
        follows = follows and item.get("type") in _MODEL_ITEMS
        kept.append({name: value for name, value in item.items() if name != "id"} if follows else item)
    return kept, dropped


def _messages_of(native: NativeRequest, items: list[int]) -> list[int]:
    """Return the indexes of the messages that the *items*, places in ascending order, belong to."""
    spans = native.projection.spans
    found: list[int] = []
    at = 0
    for item in items:
        while at < len(spans) - 1 and spans[at].items.stop <= item:
            at += 1
        found.append(spans[at].messages.start)
    return found
