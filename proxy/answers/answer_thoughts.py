"""Reads an answer's thoughts with their places: the part for the client, and the part that the store keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proxy.answers.assemble_calls import CallAssembler
from proxy.state.kept_thoughts import Thoughts

_THOUGHTS = frozenset({"redacted_thinking", "thinking"})


def read_thoughts(layout: Any, assembler: CallAssembler | None) -> Thoughts | None:
    """Return the thoughts in *layout*, with the client's ids of the calls that *assembler* has.

    *layout* is the value under ``THINKING_LAYOUT``. None where it is none, as in the answer of a server that has a
    field of this name.
    """
    entries = layout.get("entries") if isinstance(layout, Mapping) else None
    if not isinstance(entries, list):
        return None
    calls = [] if assembler is None else assembler.called()
    ids = {} if assembler is None else assembler.client_ids()
    return Thoughts([_with_client_id(entry, ids) for entry in entries], layout.get("text") or "", calls)


def shown_thoughts(thoughts: Thoughts, with_places: bool) -> Sequence[dict[str, Any]]:
    """Return the blocks of thinking, as clients know them from litellm, or no blocks where there is no thinking.

    *with_places* adds the places of texts and calls between them, for a client's format that seals them.
    """
    shown = [entry for entry in thoughts.entries if entry.get("type") in _THOUGHTS]
    return thoughts.entries if with_places and shown else shown


def _with_client_id(entry: dict[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    if entry.get("type") != "tool_use":
        return entry
    return {**entry, "id": ids.get(entry.get("id") or "", "")}
