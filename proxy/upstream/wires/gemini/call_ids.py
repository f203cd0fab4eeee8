"""The ids of calls on Gemini's wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sanitizers.messages import base_id
from sanitizers.synthetic import DerivedIds


def wire_ids(calls: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the ids of one content's calls as Gemini sees them: without a signature's suffix, and no two alike.

    Shared ids are refused (9router#4273); two can become alike when only their suffixes told them apart.
    """
    ids: list[str] = []
    taken: set[str] = set()  # to search the list takes seconds where somebody sends ten thousand calls
    derived = DerivedIds(taken)
    for number, call in enumerate(calls):
        given = call.get("id") or ""
        bare = base_id(given)
        if not bare or bare in taken:
            bare = derived.derive(0, number, given)
        ids.append(bare)
        taken.add(bare)
    return ids
