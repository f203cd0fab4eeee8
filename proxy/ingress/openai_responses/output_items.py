"""Writes the parts of a chat answer as output items of the Responses API.

The type of a call's item follows from the declared tool. A ``function_call`` for a custom tool ends codex's turn
("incompatible payload"), and a joined name is an unsupported call there (codex 0.169.0, run in 2026-11).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sanitizers.messages import parse_arguments
from sanitizers.native.responses.tools import DeclaredTool, ToolTable, unwrap_input
from sanitizers.record import record

CALL_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "apply_patch": "apply_patch_call",
        "custom": "custom_tool_call",
        "function": "function_call",
        "local_shell": "local_shell_call",
        "shell": "shell_call",
    }
)
"""The type of a call's item, by the kind of the declared tool."""

_PATCH_TYPES = frozenset({"create_file", "delete_file", "update_file"})


@record
class CallNames:
    """The names of one call: its id, and the tool as the client declared it."""

    call_id: str
    declared: DeclaredTool

    @property
    def item_type(self) -> str:
        """The type of the call's item."""
        return CALL_TYPES[self.declared.kind]

    @property
    def is_function(self) -> bool:
        """True for a call of a function. Only these may be delivered with cut arguments, as ``incomplete``."""
        return self.declared.kind == "function"


def name_call(call_id: str, flat_name: str, table: ToolTable) -> CallNames:
    """Return the client's names for a call of *flat_name*. A tool that is not declared counts as a function."""
    declared = table.declared(flat_name)
    return CallNames(call_id, declared or DeclaredTool(kind="function", name=flat_name, namespace=None))


def function_call_item(item_id: str, names: CallNames, arguments: str, status: str) -> dict[str, Any]:
    """Return the item of a function's call."""
    item = {
        "id": item_id,
        "type": "function_call",
        "status": status,
        "arguments": arguments,
        "call_id": names.call_id,
        "name": names.declared.name,
    }
    return _with_namespace(item, names)


def custom_call_item(item_id: str, names: CallNames, text: str, status: str) -> dict[str, Any]:
    """Return the item of a custom tool's call. *text* is its input."""
    item = {
        "id": item_id,
        "type": "custom_tool_call",
        "status": status,
        "call_id": names.call_id,
        "input": text,
        "name": names.declared.name,
    }
    return _with_namespace(item, names)


def _with_namespace(item: dict[str, Any], names: CallNames) -> dict[str, Any]:
    namespace = names.declared.namespace
    return item if namespace is None else {**item, "namespace": namespace}


def call_item(item_id: str, names: CallNames, arguments: str, status: str) -> dict[str, Any]:
    """Return the item of a call. *arguments* is the JSON that the model wrote."""
    kind = names.declared.kind
    if kind == "function":
        return function_call_item(item_id, names, arguments, status)
    if kind == "custom":
        return custom_call_item(item_id, names, unwrap_input(arguments), status)
    field, read = _ACTIONS[kind]
    return {
        "id": item_id,
        "type": names.item_type,
        "status": status,
        "call_id": names.call_id,
        field: read(parse_arguments(arguments) or {}),
    }


def _exec_action(held: dict[str, Any]) -> dict[str, Any]:
    """Return the action of a ``local_shell_call``. A command that is one text is run by a shell."""
    command = held.get("command")
    shell = ["bash", "-lc", command] if isinstance(command, str) else None
    env = held.get("env")
    return {
        "type": "exec",
        "command": shell or _texts(command),
        "env": {k: v for k, v in env.items() if isinstance(v, str)} if isinstance(env, dict) else {},
        **_typed(held, str, "working_directory", "user"),
        **_typed(held, int, "timeout_ms"),
    }


def _shell_action(held: dict[str, Any]) -> dict[str, Any]:
    commands = held.get("commands")
    return {
        "commands": [commands] if isinstance(commands, str) else _texts(commands),
        **dict.fromkeys(("timeout_ms", "max_output_length")),
        **_typed(held, int, "timeout_ms", "max_output_length"),
    }


def _patch_operation(held: dict[str, Any]) -> dict[str, Any]:
    kind = held.get("type")
    kind = kind if isinstance(kind, str) and kind in _PATCH_TYPES else "update_file"
    path, diff = ("" if not isinstance(text := held.get(name), str) else text for name in ("path", "diff"))
    operation = {"type": kind, "path": path}
    return operation if kind == "delete_file" else {**operation, "diff": diff}


_ACTIONS: Mapping[str, tuple[str, Callable[[dict[str, Any]], dict[str, Any]]]] = MappingProxyType(
    {
        "apply_patch": ("operation", _patch_operation),
        "local_shell": ("action", _exec_action),
        "shell": ("action", _shell_action),
    }
)
"""The field of a client-run tool's item, and the function that reads it from the arguments.

A value of the wrong type is left out, since typed clients fail on one. An empty command runs nothing, and the model
hears of it.
"""


def _texts(value: Any) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _typed(held: dict[str, Any], kind: type, *names: str) -> dict[str, Any]:
    return {name: held[name] for name in names if type(held.get(name)) is kind}


def message_item(item_id: str, parts: Sequence[Mapping[str, Any]], status: str) -> dict[str, Any]:
    """Return the item of a message."""
    return {
        "id": item_id,
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": list(parts),
    }


def text_part(
    text: str, annotations: Sequence[Mapping[str, Any]] = (), logprobs: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """Return a part of a message that holds text."""
    return {"type": "output_text", "annotations": list(annotations), "logprobs": list(logprobs), "text": text}


def refusal_part(text: str) -> dict[str, Any]:
    """Return a part of a message that refuses."""
    return {"type": "refusal", "refusal": text}


def reasoning_item(item_id: str, summary: str, envelope: str | None) -> dict[str, Any]:
    """Return a reasoning item. *summary* is the shown thoughts, and *envelope* the text that clients send back."""
    parts = [{"type": "summary_text", "text": summary}] if summary else []
    item = {"id": item_id, "type": "reasoning", "summary": parts}
    return item if envelope is None else {**item, "encrypted_content": envelope}


def read_citations(annotations: Iterable[Any] | None) -> list[dict[str, Any]]:
    """Return chat's annotations as ``url_citation`` annotations, which are flat. Others are left out."""
    found = []
    for annotation in annotations or ():
        cited = annotation.get("url_citation") if isinstance(annotation, dict) else None
        if isinstance(cited, dict) and _is_citation(cited):
            title = cited.get("title")
            found.append(
                {
                    "type": "url_citation",
                    "start_index": cited["start_index"],
                    "end_index": cited["end_index"],
                    "url": cited["url"],
                    "title": title if isinstance(title, str) else "",
                }
            )
    return found


def _is_citation(cited: dict[str, Any]) -> bool:
    return isinstance(cited.get("url"), str) and all(
        type(cited.get(name)) is int for name in ("start_index", "end_index")
    )


def read_logprobs(logprobs: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Return the log probabilities of a text. *logprobs* are those of a choice, in chat's form."""
    return [
        {**_token(token), "top_logprobs": list(map(_token, token.get("top_logprobs") or ()))}
        for token in (logprobs or {}).get("content") or ()
    ]


def _token(token: Mapping[str, Any]) -> dict[str, Any]:
    return {"token": token["token"], "logprob": token["logprob"], "bytes": token.get("bytes") or []}
