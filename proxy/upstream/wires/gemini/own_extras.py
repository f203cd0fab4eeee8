"""Merges the operator's own fields of Gemini into a request in its client's form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.upstream.wires.gemini.extras import camel_name, check_extra, merge_settings
from sanitizers.native.gemini.spellings import key_of

_CONFIG = "generationConfig"
_THINKING = "thinkingConfig"


def extra_fields(fields: Mapping[str, Any], extras: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of *extras*, the operator's fields, that change a request with *fields*, by the client's names.

    A setting of the client's is not overwritten, as in a request that is made from a chat. Raises
    :class:`proxy.core.errors.InvalidRequest` for the fields of the history, and for settings that are no object.
    """
    changed: dict[str, Any] = {}
    for name, value in extras.items():
        field = check_extra(name, value)
        key = key_of(fields, field)
        if field != _CONFIG:
            changed[key if key in fields else name] = value
            continue
        came = fields.get(key) or {}
        after = _merged(came, value)
        if after != came:
            changed[key] = after
    return changed


def _merged(came: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the client's settings *came* with those of *given* that they neither have nor exclude."""
    spelled = {camel_name(own): own for own in came}
    ours = {name: came[own] for name, own in spelled.items()}
    if isinstance(thinking := ours.get(_THINKING), Mapping):
        ours[_THINKING] = {camel_name(name): held for name, held in thinking.items()}
    merged = merge_settings(ours, given)
    return {
        spelled.get(name, name): came[spelled[name]] if name in ours and held == ours[name] else held
        for name, held in merged.items()
    }
