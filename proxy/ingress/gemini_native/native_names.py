"""Puts the client's names of its tools into an answer that Gemini sent.

The plan may have renamed a tool whose name Gemini refuses. Everything else stays as the provider wrote it, ids and
signatures included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def with_client_names(native: dict[str, Any], choices: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return *native*, an answer or an event, with the names of the calls in *choices*, its canonical form.

    It is the same object where no name differs. Returns None where the calls of both are not the same ones, as where
    the provider has sent a call twice.
    """
    named = {choice["index"]: _names_in(choice) for choice in choices}
    candidates = native.get("candidates") or []
    written, is_changed = [], False
    for place, candidate in enumerate(candidates):
        index = candidate.get("index")
        found = _with_names(candidate, named.get(place if index is None else index) or [])
        if found is None:
            return None
        is_changed = is_changed or found is not candidate
        written.append(found)
    return {**native, "candidates": written} if is_changed else native


def _names_in(choice: Mapping[str, Any]) -> list[str]:
    """Return the names of the calls that begin in *choice*. A later piece of a call has no name."""
    said = choice.get("message") or choice.get("delta") or {}
    calls = said.get("tool_calls") or ()
    return [name for call in calls if (name := call["function"].get("name"))]


def _with_names(candidate: dict[str, Any], names: list[str]) -> dict[str, Any] | None:
    content = candidate.get("content") or {}
    parts = content.get("parts") or []
    calls = [at for at, part in enumerate(parts) if part.get("functionCall") is not None]
    given = [parts[at]["functionCall"].get("name") for at in calls]
    if given == names:
        return candidate
    if len(given) != len(names):
        return None if set(names) - set(given) else candidate
    renamed = list(parts)
    for at, name, given_name in zip(calls, names, given, strict=True):
        renamed[at] = {**parts[at], "functionCall": {**parts[at]["functionCall"], "name": name or given_name}}
    return {**candidate, "content": {**content, "parts": renamed}}
