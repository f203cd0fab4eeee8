"""Merges Gemini's own fields, which a client sends by name, into a request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from proxy.core.errors import InvalidRequest

_CONFIG = "generationConfig"
_THINKING = "thinkingConfig"

_WRITTEN_HERE = frozenset({"contents", "systemInstruction", "toolConfig", "tools"})
"""Fields that a client cannot set. They hold the history and its tools, which must stay as sanitized."""

_EXCLUSIVE_SETTINGS = (
    frozenset({"thinkingBudget", "thinkingLevel"}),
    frozenset({"responseFormat", "responseJsonSchema", "responseSchema"}),
)
"""Groups of settings that exclude each other."""


def with_extras(body: Mapping[str, Any], extras: Mapping[str, Any]) -> dict[str, Any]:
    """Return *body* with *extras*, fields that the deployment allows by name (``safetySettings``, ``labels`` …).

    The settings in ``generationConfig`` are merged. A setting made from an OpenAI parameter is not overwritten. Gemini
    takes a name in two spellings (``generation_config``), and both count as one field here. Raises
    :class:`InvalidRequest` for the fields of the history, which a client sends as messages and tools, and for settings
    that are no object.
    """
    merged = dict(body)
    for name, value in extras.items():
        if check_extra(name, value) == _CONFIG:
            merged[_CONFIG] = merge_settings(merged.get(_CONFIG, {}), value)
        else:
            merged[name] = value
    return merged


def check_extra(name: str, value: Any) -> str:
    """Return the camel case of *name*, a field with *value* that the operator allows. Raises as :func:`with_extras`."""
    field = camel_name(name)
    if field in _WRITTEN_HERE:
        raise InvalidRequest(f"'{name}' cannot be set: it is made of the messages and tools.", param=name)
    if field == _CONFIG and not isinstance(value, Mapping):
        raise InvalidRequest(f"'{name}' must be an object.", param=name)
    return field


def merge_settings(ours: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings *ours*, with the settings of *given* that neither repeat nor exclude one in *ours*."""
    given_settings = {camel_name(name): value for name, value in given.items()}
    taken = set(ours).union(*(names for names in _EXCLUSIVE_SETTINGS if names & ours.keys()))
    merged = {**{name: value for name, value in given_settings.items() if name not in taken}, **ours}
    thinking = given_settings.get(_THINKING)
    if _THINKING in ours and isinstance(thinking, Mapping):
        merged[_THINKING] = merge_settings(ours[_THINKING], thinking)
    return merged


def camel_name(name: str) -> str:
    """Return proto JSON's spelling of a field's *name*, which may be in snake case."""
    return re.sub("_([a-z0-9])", lambda match: match[1].upper(), name)
