"""Faults of targets: the words in which a provider refuses a request, and a request that is refused for them.

Each fault stands for one row of the repair table that may be learned. A refusal reads the request as the provider got
it, so it knows nothing of the repair. The words are those of the providers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import orjson

from benchmarks.learned.provider import Body
from benchmarks.sanitize import History
from tests.support.builders import assistant, user

ROUTES: Mapping[str, Mapping[str, str]] = {
    "openai": {"model": "openai/strict-9", "transport": "direct"},
    "gemini": {"model": "gemini/gemini-3.6-flash", "transport": "direct"},
    "litellm": {"model": "hosted_vllm/strict-9", "transport": "litellm"},
}
"""The deployment of each route. The provider that litellm calls has OpenAI's wire."""

LOSSLESS, LOOSENING = 4, 15
"""The confirmations after which a repair is made in advance."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a target on *route*: its row in the repair table, and the refusal of a request.

    *fields* are added to each request. *ending* follows the history. *call_id* is a pattern for the ids of calls.
    *confirmations* is the number that the row needs before its repair is made in advance.
    """

    name: str
    row: str
    route: str
    refuse: Callable[[Body], str]
    fields: Mapping[str, Any] = field(default_factory=dict)
    ending: History = field(default_factory=list)
    call_id: str = "call_of_{0}_{1}"
    confirmations: int = LOSSLESS


def _roles(body: Body) -> Iterator[str]:
    return (message["role"] for message in body["messages"])


def _calls(body: Body) -> Iterator[Any]:
    return (call for message in body["messages"] for call in message.get("tool_calls") or ())


def _has_keyword(body: Body, keyword: str) -> bool:
    """Return True where a tool's schema uses *keyword*. A description may hold the word."""
    return f'"{keyword}":'.encode() in orjson.dumps(body.get("tools"))


def _refused_parameter(body: Body) -> str:
    return "Unsupported parameter: 'seed' is not supported with this model." if "seed" in body else ""


def _refused_value(body: Body) -> str:
    if body.get("temperature", 1) == 1:
        return ""
    return (
        "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is "
        "supported."
    )


def _tail(body: Body) -> str:
    *_, last = _roles(body)
    return "" if last != "assistant" else "Expected last role to be one of: [tool, user] but got assistant"


def _alternation(body: Body) -> str:
    turns = [
        message["role"]
        for message in body["messages"]
        if message["role"] in ("user", "assistant") and not message.get("tool_calls")
    ]
    if all(one != other for one, other in pairwise(turns)):
        return ""
    return "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."


def _result_then_user(body: Body) -> str:
    is_met = ("tool", "user") in pairwise(_roles(body))
    return "Unexpected role 'user' after role 'tool'" if is_met else ""


def _system_role(body: Body) -> str:
    if "system" not in _roles(body):
        return ""
    return "Unsupported value: 'messages[0].role' does not support 'system' with this model."


def _no_system(body: Body) -> str:
    return "System role not supported" if "system" in _roles(body) else ""


def _schema(body: Body) -> str:
    if not _has_keyword(body, "minimum"):
        return ""
    return "Invalid schema for function 'read': invalid_function_parameters"


def _call_ids(body: Body) -> str:
    if all(len(call["id"]) == 9 for call in _calls(body)):
        return ""
    return "Tool call id was call_of_1_1 but must be a-z, A-Z, 0-9, with a length of 9."


def _call_fields(body: Body) -> str:
    if not any("index" in call for call in _calls(body)):
        return ""
    return "unknown field: parameter 'index' is not a valid field."


def _reasoning(body: Body) -> str:
    turns = (message for message in body["messages"] if message["role"] == "assistant")
    if all("reasoning_content" in message for message in turns):
        return ""
    return "The `reasoning_content` in the thinking mode must be passed back to the API."


def _json_with_tools(body: Body) -> str:
    if "tools" not in body or "responseMimeType" not in body.get("generationConfig", {}):
        return ""
    return "Function calling with a response mime type: 'application/json' is unsupported"


def _gemini_schema(body: Body) -> str:
    if not _has_keyword(body, "pattern"):
        return ""
    return (
        "Invalid JSON payload received. Unknown name \"pattern\" at 'tools[0].function_declarations[0].parameters': "
        "Cannot find field."
    )


def _gemini_answer_schema(body: Body) -> str:
    if "maxItems" not in str(body.get("generationConfig")):
        return ""
    return "A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth."


def _gemini_states(body: Body) -> str:
    if not _has_keyword(body, "minimum"):
        return ""
    return (
        "The specified schema produces a constraint that has too many states for serving. Typical causes of this error "
        "are schemas with lots of text (for example, very long property or enum names)."
    )


def _gemini_ids(body: Body) -> str:
    if not any("id" in part.get("functionCall", ()) for turn in body["contents"] for part in turn["parts"]):
        return ""
    return (
        "Invalid JSON payload received. Unknown name \"id\" at 'contents[2].parts[0].function_call': "
        "Cannot find field."
    )


def _tool(schema: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"path": {"type": "string"}, **schema}}
    return {"type": "function", "function": {"name": "read", "parameters": parameters}}


_LINES = {"lines": {"type": "integer", "minimum": 1}}
_LIST = {
    "type": "json_schema",
    "json_schema": {
        "name": "n",
        "schema": {"type": "array", "items": {"type": "string"}, "maxItems": 9},
    },
}

_ON_OPENAI = (
    Fault("parameter", "parameter", "openai", _refused_parameter, {"seed": 7}),
    Fault("value of a parameter", "parameter", "openai", _refused_value, {"temperature": 0.2}),
    Fault("tail", "tail", "openai", _tail, ending=[assistant("The answer is")]),
    Fault("alternation", "alternation", "openai", _alternation, ending=[user("And soon.")]),
    Fault("result, then user", "result_then_user", "openai", _result_then_user),
    Fault("system role", "system_role", "openai", _system_role),
    Fault("system role, folded", "system_role", "openai", _no_system),
    Fault("schema of a tool", "schema", "openai", _schema, {"tools": [_tool(_LINES)]}),
    Fault("ids of calls", "call_ids", "openai", _call_ids),
    Fault("field of calls", "call_field", "openai", _call_fields),
    Fault("reasoning", "reasoning", "openai", _reasoning),
)

_ON_GEMINI = (
    Fault(
        "JSON with tools",
        "json_with_tools",
        "gemini",
        _json_with_tools,
        {"tools": [_tool({})], "response_format": {"type": "json_object"}},
        confirmations=LOOSENING,
    ),
    Fault(
        "schema of an answer",
        "answer_schema",
        "gemini",
        _gemini_answer_schema,
        {"response_format": _LIST},
        confirmations=LOOSENING,
    ),
    Fault(
        "states of a tool",
        "states",
        "gemini",
        _gemini_states,
        {"tools": [_tool(_LINES)]},
        confirmations=LOOSENING,
    ),
    Fault(
        "schema of a tool",
        "schema",
        "gemini",
        _gemini_schema,
        {"tools": [_tool({"name": {"type": "string", "pattern": "^a"}})]},
    ),
    Fault("ids of calls", "call_ids", "gemini", _gemini_ids),
)

_THROUGH_LITELLM = (
    "parameter",
    "value of a parameter",
    "tail",
    "system role, folded",
    "ids of calls",
    "reasoning",
)

FAULTS = (
    *_ON_OPENAI,
    *_ON_GEMINI,
    *(replace(fault, route="litellm") for fault in _ON_OPENAI if fault.name in _THROUGH_LITELLM),
)
"""All faults."""
