"""Which entries of ``model_list`` an old and a new configuration have in common. Pure.

What is remembered is kept under positions, and an entry that is added at the top moves all others. Whether a deployment
is up depends on all that its entry says: if any of it is edited, the entry is another one, since the edit may be the
very cure. What the tokens of a model come to holds for the model at its address.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TypeAlias

from proxy.config import Settings
from proxy.config.schema.model_list import ModelEntry

Moved: TypeAlias = Mapping[int, int]
"""Positions of entries that are in both, old to new."""


def match_unchanged(old: Settings, new: Settings) -> Moved:
    """Return where the entries of *old* are in *new* that nobody has edited; doubles are matched in their order."""
    return _match(old, new, {}, lambda entry: (entry.model_name, entry.litellm_params.model), exact=True)


def match_models(old: Settings, new: Settings, unchanged: Moved) -> Moved:
    """Return where the models of *old* are in *new*: in *unchanged* entries, then under their name, then under any.

    Model and address have to be the same, and the limits: what errors taught of a window may be why one was edited.
    """
    named = _match(old, new, unchanged, lambda entry: (entry.model_name, _model_of(entry)), exact=False)
    return _match(old, new, named, _model_of, exact=False)


def _match(
    old: Settings, new: Settings, known: Moved, place: Callable[[ModelEntry], Hashable], *, exact: bool
) -> Moved:
    """Add to *known* the entries that have one *place*, and with *exact* are the same throughout, each once."""
    moved, taken = dict(known), set(known.values())
    free: dict[Hashable, list[int]] = {}
    for position, entry in enumerate(new.model_list):
        if position not in taken:
            free.setdefault(place(entry), []).append(position)
    for position, entry in enumerate(old.model_list):
        if position in moved:
            continue
        candidates = free.get(place(entry), [])
        found = next((at for at in candidates if not exact or new.model_list[at] == entry), None)
        if found is not None:
            candidates.remove(found)
            moved[position] = found
    return moved


def _model_of(entry: ModelEntry) -> Hashable:
    params, info = entry.litellm_params, entry.model_info
    return params.model, params.api_base, info.max_input_tokens, info.max_output_tokens
