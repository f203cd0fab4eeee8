"""The ids of tool calls on Gemini's wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sanitizers.messages import base_id
from sanitizers.synthetic import DerivedIds


def wire_ids(calls: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the ids of one content's calls for Gemini, without a signature's suffix and all different.

    Gemini refuses ids that are used twice (9router#4273). Two ids may differ only in their suffixes.
    """
    ids: list[str] = []
    taken: set[str] = set()  # a search of the list takes seconds for ten thousand calls
    derived = DerivedIds(taken)
    for number, call in enumerate(calls):
        given = call.get("id") or ""
        bare = base_id(given)
        if not bare or bare in taken:
            bare = derived.derive(0, number, given)
        ids.append(bare)
        taken.add(bare)
    return ids
