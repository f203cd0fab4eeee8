"""Write chat messages as items of the Responses API: the inverse of ``project``.

Items of calls get the type of the tool that the client declared. No item gets an id, since ids are optional and the
provider checks them. Thoughts and signatures are left out, since they belong to the model that made them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from sanitizers.messages import Message, Messages, is_too_dense, parse_arguments
from sanitizers.native.protocol import Item
from sanitizers.native.responses.client_tools import CLIENT_TOOLS
from sanitizers.native.responses.parts import as_json
from sanitizers.native.responses.tool_table import DeclaredTool, ToolTable
from sanitizers.native.responses.tools import unwrap_input
from sanitizers.native.responses.write_parts import write_content, write_said
from sanitizers.work_limit import metered

_FUNCTION = "function_call"
_CUSTOM = "custom_tool_call"
_LEGACY_ID = "call_legacy"
_PATCH_STATUSES = ("completed", "failed")


def write_items(messages: Messages, table: ToolTable | None) -> list[Item]:
    """Return *messages*, a history that :func:`sanitizers.validation.read_history` accepts, as items.

    *table* has the tools that the client declared with items of their own. Without a table each call of a function is a
    ``function_call``. Reading the items of a legal history again gives the same messages, but for thoughts, signatures
    and a participant's ``name``.
    """
    writer = ItemWriter(table)
    return [item for message in metered(messages) for item in writer.write(message)]


class ItemWriter:
    """Writes one message after the other. Results find the types of their calls, which must come before them."""

    def __init__(self, table: ToolTable | None) -> None:
        self._table = table
        self._kinds: dict[str, str] = {}
        self._legacy = 0

    def write(self, message: Message) -> list[Item]:
        """Return the items of *message*. An assistant's words stand before the calls."""
        role = message["role"]
        if role == "tool":
            return [self._write_result(message.get("tool_call_id") or "", message.get("content"))]
        if role == "function":
            return [self._write_result(f"{_LEGACY_ID}_{self._legacy}", message.get("content"))]
        if role == "assistant":
            return self._write_turn(message)
        return [{"type": "message", "role": role, "content": write_content(message.get("content"))}]

    def _write_turn(self, message: Message) -> list[Item]:
        calls = message.get("tool_calls") or ()
        items = [self._write_call(call) for call in metered(calls)]
        if legacy := message.get("function_call"):
            self._legacy += 1
            items.append(self._write_call({"id": f"{_LEGACY_ID}_{self._legacy}", "function": legacy}))
        said = write_said(message.get("content"), message.get("refusal"))
        if said or (said is not None and not items):
            items.insert(0, {"type": "message", "role": "assistant", "content": said})
        return items

    def _write_call(self, call: Message) -> Item:
        call_id = call.get("id") or ""
        function, custom = call.get("function"), call.get("custom")
        if function is None and custom is not None:  # chat's own custom calls
            self._kinds[call_id] = _CUSTOM
            said = {"name": custom.get("name") or "", "input": custom.get("input") or ""}
            return {"type": _CUSTOM, "call_id": call_id, **said}
        function = function or {}
        arguments = function.get("arguments")
        if not isinstance(arguments, str):
            arguments = "{}" if arguments is None else as_json(arguments, "arguments")
        name = function.get("name") or ""
        declared = None if self._table is None else self._table.declared(name)
        item = _call_of_client(declared, call_id, arguments)
        if item is None:
            item = {"type": _FUNCTION, "call_id": call_id, "name": name, "arguments": arguments}
            if declared is not None and declared.kind not in CLIENT_TOOLS:
                item.update(_names(declared))
        self._kinds[call_id] = item["type"]  # an earlier call may have had the same id
        return item

    def _write_result(self, call_id: str, content: Any) -> Item:
        return write_output(self._kinds.get(call_id, _FUNCTION), call_id, content)


def write_output(kind: str, call_id: str, content: Any) -> Item:
    """Return *content*, that of a tool message, as the output of a call of the type *kind*.

    *call_id* is the id of the item for a call of a local shell.
    """
    item: Item = {"type": f"{kind}_output", "call_id": call_id}
    if kind == "apply_patch_call":
        item.update(_patch_result(content))
    elif kind == "shell_call":
        item["output"] = _shell_results(content)
    elif kind == "local_shell_call":  # it names its call by the id of the item
        return {"type": item["type"], "id": call_id, "output": text_of(content)}
    else:
        item["output"] = write_content(content)
    return item


def _names(declared: DeclaredTool) -> Item:
    if declared.namespace is None:
        return {"name": declared.name}
    return {"name": declared.name, "namespace": declared.namespace}


def _call_of_client(declared: DeclaredTool | None, call_id: str, arguments: str) -> Item | None:
    """Return the item of a call with a form of its own, or None for a call that is a ``function_call``.

    Arguments that are no JSON object are no action, so that such a call is a ``function_call`` too.
    """
    if declared is None or declared.kind == "function":
        return None
    if declared.kind == "custom":
        return {
            "type": _CUSTOM,
            "call_id": call_id,
            **_names(declared),
            "input": unwrap_input(arguments),
        }
    tool = CLIENT_TOOLS[declared.kind]
    action = parse_arguments(arguments)
    if action is None:
        return None
    item: Item = {"type": f"{declared.kind}_call", "call_id": call_id, tool.field: {**tool.fixed, **action}}
    if declared.kind == "local_shell":
        item["id"] = call_id
    item["status"] = "completed"
    return item


def _patch_result(content: Any) -> Item:
    """Return the status and the output of a patch, which the content holds as JSON where this package wrote it."""
    held = parse_arguments(content) if isinstance(content, str) else None
    if (
        held is not None
        and held.keys() <= {"output", "status"}
        and held.get("status") in _PATCH_STATUSES
        and isinstance(held.get("output"), str | None)
    ):
        return held
    return {"status": "completed", "output": text_of(content)}


def _shell_results(content: Any) -> list[Any]:
    """Return the outputs of a shell's commands, which the content holds as JSON where this package wrote it."""
    if isinstance(content, str) and content[:1] == "[" and not is_too_dense(content):
        try:
            held = orjson.loads(content)
        except orjson.JSONDecodeError:
            held = None
        if isinstance(held, list) and held and all(map(_is_shell_result, metered(held))):
            return held
    outcome = {"type": "exit", "exit_code": 0}
    return [{"stdout": text_of(content), "stderr": "", "outcome": outcome}]


def _is_shell_result(held: Any) -> bool:
    return isinstance(held, dict) and isinstance(held.get("outcome"), dict) and "stdout" in held


def text_of(content: Any) -> str:
    """Return *content* as a text, for results that can hold nothing else. Other parts than texts are left out."""
    if content is None or isinstance(content, str):
        return content or ""
    written = write_content(content)
    if isinstance(written, str):
        return written
    return "\n".join(_texts(written))


def _texts(parts: Iterable[Any]) -> Iterable[str]:
    for part in metered(parts):
        if part["type"] == "input_text":
            yield part["text"]
