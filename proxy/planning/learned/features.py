"""The part of a request that a repair is learned for. Nothing that is learned for one feature counts for another."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from proxy.planning.repairs.draft import Draft
from sanitizers.budget.json_text import json_text
from sanitizers.messages import SYSTEM_ROLES, tool_calls_of

NAMED_FAULTS = frozenset({"call_field", "parameter"})
"""Faults of one parameter or field, which the provider's error names."""

LEARNED_FIELDS = frozenset(
    {"cache_control", "extra_content", "index", "provider_specific_fields", "thought_signature"}
)
"""The fields of calls whose refusal is learned: those that clients are known to send back.

A client may give a field any name, and the names of learned repairs get into the log.
"""

_SIZE = 8
_BETWEEN = "="
"""Stands between a parameter's name and the digest of its value."""


def feature_of(fault: str, draft: Draft) -> str:
    """Return the feature of *draft* for *fault*, empty where a deployment has the fault with every request.

    A fault of :data:`NAMED_FAULTS` has no such feature: its error names the parameter.
    """
    find = _FEATURES.get(fault)
    return "" if find is None else find(draft)


def named_value(name: str, value: Any) -> str:
    """Return the feature of a parameter whose *value* was refused. Other values of the parameter may be accepted."""
    return name + _BETWEEN + _digest(value)


def has_parameter(feature: str, parameters: Mapping[str, Any]) -> bool:
    """Return True where *parameters* hold the parameter of *feature*, with the refused value if it has one."""
    name, between, digest = feature.partition(_BETWEEN)
    return name in parameters and (not between or _digest(parameters[name]) == digest)


def has_field(name: str, draft: Draft) -> bool:
    """Return True where a call of *draft*, or the function in it, has the field *name*, in any case of its letters."""
    for entry in draft.entries:
        for call in tool_calls_of(entry.message):
            function = call.get("function")
            fields = (*call, *(function if isinstance(function, dict) else ()))
            if any(field.lower() == name for field in fields):
                return True
    return False


def _tool_schemas(draft: Draft) -> str:
    tools, functions = draft.parameters.get("tools"), draft.parameters.get("functions")
    schemas = [
        *(_schema_of(tool.get("function")) for tool in _mappings(tools)),
        *(_schema_of(function) for function in _mappings(functions)),
    ]
    return _digest(schemas)


def _schema_of(function: Any) -> Any:
    return function.get("parameters") if isinstance(function, Mapping) else None


def _mappings(value: Any) -> Iterable[Mapping[str, Any]]:
    return (each for each in value if isinstance(each, Mapping)) if isinstance(value, list) else ()


def _answer_schema(draft: Draft) -> str:
    return _digest(draft.parameters.get("response_format"))


def _last_role(draft: Draft) -> str:
    roles = (entry.message["role"] for entry in reversed(draft.entries))
    return next((role for role in roles if role not in SYSTEM_ROLES), "")


_FEATURES: Mapping[str, Callable[[Draft], str]] = MappingProxyType(
    {
        "answer_schema": _answer_schema,
        "schema": _tool_schemas,
        "states": _tool_schemas,
        "tail": _last_role,  # the repair of a trailing model turn is not that of a trailing result
    }
)


def _digest(value: Any) -> str:
    text = json_text(value).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=_SIZE).hexdigest()
