"""Finds calls that the provider has sent twice, which its client must not get as they came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def has_all_calls(native: Mapping[str, Any], choices: Iterable[Mapping[str, Any]]) -> bool:
    """Tell whether *choices*, which were read from *native*, have all its calls.

    *native* is an event or a whole answer. The reader leaves out a call that was sent before (hermes#111686), and a
    client would run it twice.
    """
    sent = sum(
        part.get("functionCall") is not None
        for candidate in native.get("candidates") or ()
        for part in (candidate.get("content") or {}).get("parts") or ()
    )
    if not sent:
        return True
    said = (choice.get("message") or choice.get("delta") or {} for choice in choices)
    return sent == sum("id" in call for one in said for call in one.get("tool_calls") or ())
