"""Asks a model that has no chats through the Responses API instead."""

from __future__ import annotations

from proxy.planning.repairs.draft import Draft, note, sanitize_draft, with_parameters
from proxy.resilience.read_error import ProviderError
from proxy.upstream.dialects.responses_models import LEAST_OUTPUT, NO_FIELD

_LIMITS = ("max_tokens", "max_completion_tokens")


def ask_by_items(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with a history that goes out as items, without the parameters that have no field there.

    Returns *draft* itself for several answers and for the old form of tools, which the API does not have.
    """
    parameters = draft.parameters
    if (parameters.get("n") or 1) > 1 or "functions" in parameters:
        return draft
    as_items = sanitize_draft(draft, draft.profile.as_items())
    if not as_items.profile.items:
        return draft
    changes = [note("replaced", 0, "no_chats")]
    kept = {**parameters}
    for name in sorted(NO_FIELD & parameters.keys()):
        del kept[name]
        changes.append(note("dropped", 0, "refused_parameter", name))
    for name in _LIMITS:
        if kept.get(name, LEAST_OUTPUT) < LEAST_OUTPUT:
            kept[name] = LEAST_OUTPUT
            changes.append(note("replaced", 0, "refused_parameter", name))
    return with_parameters(as_items, kept, changes)
