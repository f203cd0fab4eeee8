"""Writes tools and tool choice: one tool object that declares every function, and the function calling mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import orjson

from proxy.core.errors import InvalidRequest
from proxy.upstream.wires.gemini.function_parameters import parameter_fields

MODES = MappingProxyType({"auto": "AUTO", "none": "NONE", "required": "ANY"})
"""Gemini's word for each of a chat's choices of tools."""

_MAX_KEPT = 256
"""The number of schemas whose translation is cached. Eight tools take 5 us from the cache, and 120 us without."""

_LARGEST_KEPT = 16 * 2**10
"""The most bytes of a cached schema. The cache takes 2 MB as a rule, and 53 MB if all schemas are large."""


def tool_fields(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``tools`` and ``toolConfig`` for the request, or an empty dict if it declares no function.

    Some Gemini endpoints refuse several tool objects (Google_GenerativeAI#56), so the request has one. If declarations
    share a name, only the first is sent ("Duplicate function declaration found", Open-WebUI-Functions#135). Without a
    declaration there is no tool choice ("Function calling config is set without function_declarations.",
    claude-code-router#1207).

    Raises :class:`InvalidRequest` for an unknown mode, and for a choice of a function that is not declared.
    """
    declarations: dict[str, dict[str, Any]] = {}
    functions = [tool["function"] for tool in parameters.get("tools") or ()]
    for function in (*functions, *(parameters.get("functions") or ())):
        declarations.setdefault(function["name"], _declaration(function))
    if not declarations:
        return {}
    fields: dict[str, Any] = {"tools": [{"functionDeclarations": list(declarations.values())}]}
    name = "tool_choice" if parameters.get("tool_choice") is not None else "function_call"
    choice = parameters.get(name)
    if choice is not None:
        fields["toolConfig"] = {"functionCallingConfig": _calling(choice, name, list(declarations))}
    return fields


def _declaration(function: Mapping[str, Any]) -> dict[str, Any]:
    declaration: dict[str, Any] = {"name": function["name"]}
    description = function.get("description")
    if isinstance(description, str) and description:
        declaration["description"] = description
    return declaration | _parameter_fields(function.get("parameters"))


def _parameter_fields(schema: Any) -> dict[str, Any]:
    """Return :func:`parameter_fields` of *schema*, cached, since each request of a conversation has the same tools."""
    try:
        written = orjson.dumps(schema)
    except orjson.JSONEncodeError:  # an integer too large for orjson
        return parameter_fields(schema)
    return _kept_fields(written) if len(written) <= _LARGEST_KEPT else parameter_fields(schema)


@lru_cache(maxsize=_MAX_KEPT)
def _kept_fields(written: bytes) -> dict[str, Any]:
    return parameter_fields(orjson.loads(written))  # parsed anew, so the cache holds no request


def _calling(choice: Any, param: str, declared: Sequence[str]) -> dict[str, Any]:
    if isinstance(choice, str):
        if choice in MODES:
            return {"mode": MODES[choice]}
        raise InvalidRequest(f"'{param}' must be one of {', '.join(MODES)}, or name a function.", param=param)
    function = choice.get("function", choice) if isinstance(choice, Mapping) else None
    name = function.get("name") if isinstance(function, Mapping) else None
    if name not in declared:
        raise InvalidRequest(f"'{param}' must name one of the functions of this request.", param=param)
    return {"mode": "ANY", "allowedFunctionNames": [name]}
