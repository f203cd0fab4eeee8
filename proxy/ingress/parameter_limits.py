"""Limits the number of entries in each list and map that a client may send as a parameter.

The limits are fixed, and no setting moves them. The limits are far above any provider's, so that the provider's limit
is met first. The fixed limits are low enough that a pass over all entries costs little.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any

from proxy.core.errors import InvalidRequest

MAX_ENTRIES: Mapping[str, int] = MappingProxyType(
    {
        "functions": 2_048,
        "logit_bias": 4_096,
        "metadata": 1_024,
        "modalities": 16,
        "stop": 1_024,
        "tools": 2_048,
    }
)
"""The largest number of entries in a list or map, by the parameter's name.

``tools`` and ``functions``: OpenAI takes 128, vLLM any number, and agents with 500 tools of MCP servers exist.
``stop``: OpenAI takes 4, Gemini 5, vLLM any number. ``metadata``: OpenAI takes 16 pairs. ``modalities``: OpenAI has
two. ``logit_bias``: no reference names a limit. (OpenAI's and Gemini's references, vLLM; from memory, 2026-11.)
"""

MAX_VALUES: Mapping[str, int] = MappingProxyType(
    {
        "audio": 256,
        "function_call": 256,
        "prediction": 4_096,
        "response_format": 65_536,
        "stream_options": 256,
        "tool_choice": 256,
    }
)
"""The largest number of values in all levels of an object, by the parameter's name.

All but two of these parameters have a handful of fields. ``prediction`` may hold its text in parts. ``response_format``
holds a schema: OpenAI takes 5,000 properties (from memory), each with a dozen values at most.
"""

MAX_UNKNOWN = 1_024
"""The largest number of fields in a request that are not known parameters.

vLLM and litellm have some hundreds of parameters of their own.
"""


def check_entries(name: str, value: Any) -> None:
    """Raise :class:`InvalidRequest`, with *name* in ``param``, for a list or map with too many entries.

    Called before any entry of *value* is read. *value* is a list or a dict, whose entries may have any type.
    """
    most = MAX_ENTRIES.get(name)
    if most is not None:
        if len(value) > most:
            raise _too_many(name, most, f"it has {len(value)}")
        return
    most = MAX_VALUES.get(name)
    if most is not None and _holds_more(value, most):
        raise _too_many(name, most, "it has more, in all its levels")


def check_unknown(unknown: Mapping[str, Any]) -> None:
    """Raise :class:`InvalidRequest` for more *unknown* fields than :data:`MAX_UNKNOWN`, or too long a ``metadata``.

    For too many fields, ``param`` is the first field beyond the limit, cut to 64 characters.
    """
    if len(unknown) > MAX_UNKNOWN:
        first = next(islice(unknown, MAX_UNKNOWN, None))
        raise InvalidRequest(
            f"The request has {len(unknown)} fields that are no known parameters. "
            f"At most {MAX_UNKNOWN} are taken, and no setting moves this limit.",
            param=first[:64],
        )
    metadata = unknown.get("metadata")
    if isinstance(metadata, dict | list):
        check_entries("metadata", metadata)


def _holds_more(value: Any, most: int) -> bool:
    """Return True where *value* holds more than *most* values. The count goes level by level and stops early."""
    level, left = [value], most
    while level:
        left -= sum(map(len, level))
        if left < 0:
            return True
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, dict | list)
        ]
    return False


def _too_many(name: str, most: int, found: str) -> InvalidRequest:
    return InvalidRequest(
        f"Invalid value for '{name}': at most {most} entries are taken, and {found}. No setting moves this limit.",
        param=name,
    )
