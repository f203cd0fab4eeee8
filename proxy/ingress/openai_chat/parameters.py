"""The allow-list of request parameters that a client may set, with their types. The list is a trust boundary.

Only the parameters listed here go upstream, and those that the operator allows with ``allowed_openai_params``. A client
must never decide to which address a request, or a key, is sent. ``api_base``, ``extra_headers``, ``extra_body``,
``custom_llm_provider``, ``fallbacks`` and ``mock_response`` are arguments of ``litellm.acompletion``. CVE-2024-6587
came from passing on the whole body: ``acompletion(**body)``. All other parameters are dropped, and the metrics count
them.

Sources: OpenAI's reference of chat completions (2026-11), and the fields that real clients were seen to send.
``top_k`` is known to most other providers. ``metadata`` is left out on purpose, since litellm reads it for itself.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from proxy.core.errors import InvalidRequest
from proxy.ingress.parameter_types import Count as _Count
from proxy.ingress.parameter_types import Flag as _Flag
from proxy.ingress.parameter_types import Number as _Number
from proxy.ingress.parameter_types import Text as _Text
from proxy.ingress.parameter_types import check_type, kinds_of

_Choice = _Text | dict[str, Any]


class _Name(TypedDict):
    name: _Text


class _NamedTool(TypedDict):
    type: Literal["function"]
    function: _Name


class _TextFormat(TypedDict):
    type: Literal["text", "json_object"]


class _SchemaFormat(TypedDict):
    type: Literal["json_schema"]
    json_schema: dict[str, Any]


_ResponseFormat = Annotated[_TextFormat | _SchemaFormat, Field(discriminator="type")]

_TYPES: dict[str, Any] = {
    "audio": dict[str, Any],
    "frequency_penalty": _Number,
    "function_call": _Choice,
    "functions": list[dict[str, Any]],
    "logit_bias": dict[_Text, _Number],
    "logprobs": _Flag,
    "max_completion_tokens": _Count,
    "max_tokens": _Count,
    "modalities": list[_Text],
    "n": Annotated[int, Field(strict=True, ge=1, le=8)],
    "parallel_tool_calls": _Flag,
    "prediction": dict[str, Any],
    "presence_penalty": _Number,
    "prompt_cache_key": _Text,
    "reasoning_effort": Literal["none", "minimal", "low", "medium", "high", "xhigh", "max", "default"],
    "response_format": _ResponseFormat,
    "safety_identifier": _Text,
    "seed": Annotated[int, Field(strict=True)],
    "service_tier": _Text,
    "stop": _Text | list[_Text],
    "store": _Flag,
    "stream": _Flag,
    "stream_options": dict[str, Any],
    "temperature": _Number,
    "tool_choice": Literal["none", "auto", "required"] | _NamedTool,
    "tools": list[dict[str, Any]],
    "top_k": _Count,
    "top_logprobs": Annotated[int, Field(strict=True, ge=0)],
    "top_p": _Number,
    "user": _Text,
    "verbosity": _Text,
}

PARAMETERS = kinds_of(_TYPES)
"""Every parameter that a client may set, except ``model`` and ``messages``, with its type."""


def check_parameter(name: str, value: Any) -> None:
    """Raise :class:`InvalidRequest`, with the parameter in ``param``, unless *value* has *name*'s type.

    *name* must be a key of :data:`PARAMETERS`. The provider checks most ranges, since they differ by model.
    """
    check_type(name, value, PARAMETERS[name])
    if name == "tools":
        for index, tool in enumerate(value):
            _check_tool(tool, index)
    elif name == "functions":
        for index, function in enumerate(value):
            _check_legacy_function(function, f"functions[{index}]")


def _check_tool(tool: dict[str, Any], index: int) -> None:
    """Refuse a tool whose type is not ``function``.

    ``mcp``, ``web_search``, ``code_interpreter`` and ``file_search`` make litellm or the provider run something with
    the operator's credentials. A client must not be able to cause that.
    """
    kind = tool.get("type")
    if kind != "function":
        shown = f"'{kind[:40]}'" if isinstance(kind, str) else "missing or no string"
        raise InvalidRequest(
            f"Invalid value for 'tools[{index}].type': only 'function' is supported; it is {shown}.",
            param=f"tools[{index}].type",
        )
    function = tool.get("function")
    if not isinstance(function, dict):
        raise InvalidRequest(
            f"Invalid value for 'tools[{index}].function': expected an object.",
            param=f"tools[{index}].function",
        )
    _check_function(function, f"tools[{index}].function")


def _check_legacy_function(function: dict[str, Any], place: str) -> None:
    """Refuse an entry of ``functions`` with a type: litellm would read it as a tool."""
    if "type" in function:
        raise InvalidRequest(
            f"Invalid value for '{place}.type': a function has no type.", param=f"{place}.type"
        )
    _check_function(function, place)


def _check_function(function: dict[str, Any], place: str) -> None:
    name = function.get("name")
    if not isinstance(name, str) or not name:
        raise InvalidRequest(
            f"Invalid value for '{place}.name': expected a string that is not empty.", param=f"{place}.name"
        )
    schema = function.get("parameters")
    if schema is not None and not isinstance(schema, dict):
        raise InvalidRequest(
            f"Invalid value for '{place}.parameters': expected an object.", param=f"{place}.parameters"
        )
