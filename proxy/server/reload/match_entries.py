"""Matches the entries of ``model_list`` in an old configuration with those in a new one.

The gateway's state (circuits, learned windows, refused bodies) is stored by an entry's position in the list. An entry
that is added at the top moves all others. A circuit depends on everything in its entry. So an edited entry starts with
a new circuit, since the edit may fix the fault. A learned window depends only on the model, its address and its limits.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TypeAlias

from proxy.config import Settings
from proxy.config.schema.model_list import ModelEntry

PositionMap: TypeAlias = Mapping[int, int]
"""A map from old to new positions, for the entries that are in both configurations."""


def match_unchanged(old: Settings, new: Settings) -> PositionMap:
    """Return the new positions of the unedited entries of *old*. Equal entries are matched in their order.

    An entry with another ``order`` or ``weight``, or other ``instructions``, counts as unedited, since none of these
    settings affects its failures.
    """
    return _match(old, new, {}, lambda entry: (entry.model_name, entry.litellm_params.model), exact=True)


def match_models(old: Settings, new: Settings, unchanged: PositionMap) -> PositionMap:
    """Return the new positions of *old*'s models: by *unchanged* entry, else by equal name, else under any name.

    Model, address and limits must be the same. An operator may have edited the limits after errors, so learned windows
    do not pass to entries with other limits.
    """
    named = _match(old, new, unchanged, lambda entry: (entry.model_name, _model_of(entry)), exact=False)
    return _match(old, new, named, _model_of, exact=False)


def _match(
    old: Settings, new: Settings, known: PositionMap, place: Callable[[ModelEntry], Hashable], *, exact: bool
) -> PositionMap:
    """Return *known*, extended by the entries with the same *place* key. Each entry is matched once.

    With *exact*, matched entries must be equal.
    """
    moved, taken, entries = dict(known), set(known.values()), new.entries
    free: dict[Hashable, list[int]] = {}
    for position, entry in entries.items():
        if position not in taken:
            free.setdefault(place(entry), []).append(position)
    for position, entry in old.entries.items():
        if position in moved:
            continue
        candidates = free.get(place(entry), [])
        found = next((at for at in candidates if not exact or _is_same(entries[at], entry)), None)
        if found is not None:
            candidates.remove(found)
            moved[position] = found
    return moved


def _is_same(one: ModelEntry, other: ModelEntry) -> bool:
    return one == other or _what_may_fail(one) == _what_may_fail(other)


def _what_may_fail(entry: ModelEntry) -> ModelEntry:
    params = entry.litellm_params.model_copy(update={"order": None, "weight": None})
    return entry.model_copy(update={"litellm_params": params, "instructions": None})


def _model_of(entry: ModelEntry) -> Hashable:
    params, info = entry.litellm_params, entry.model_info
    return params.model, params.api_base, info.max_input_tokens, info.max_output_tokens
