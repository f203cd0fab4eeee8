"""Read the items of calls and of their outputs as calls and results of chat messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from sanitizers.messages import Message
from sanitizers.native.protocol import Item, Items, Need
from sanitizers.native.responses.client_tools import action_arguments
from sanitizers.native.responses.parts import as_json, image_part, item_place, read_output
from sanitizers.native.responses.tool_table import ToolTable
from sanitizers.native.responses.tools import wrap_input
from sanitizers.native.responses.turn import signed
from sanitizers.synthetic import DerivedIds
from sanitizers.work_limit import metered

CLIENT_CALLS = frozenset(
    {
        "apply_patch_call",
        "computer_call",
        "custom_tool_call",
        "function_call",
        "local_shell_call",
        "shell_call",
    }
)
"""Types of the calls that the client answers."""

OUTPUTS = frozenset({f"{kind}_output" for kind in CLIENT_CALLS})
"""Types of the client's answers to calls."""

SERVER_CALLS = frozenset({"code_interpreter_call", "mcp_call"})
"""Types of the calls that the server ran, which hold their results."""


class ServerCall(NamedTuple):
    """A call that the server ran, with the message of its result."""

    call: Message
    result: Message


class CallReader:
    """Reads the calls and outputs of *items* one after the other, with the names of *table*.

    Files at the provider are added to *needs*.
    """

    def __init__(self, items: Items, table: ToolTable, needs: list[Need]) -> None:
        self._items = items
        self._needs = needs
        self._table = table
        self._local_shell_ids: dict[str, str] = {}
        self._derived: DerivedIds | None = None
        self._flat_names: dict[str, str] = {}

    def read_usual_call(self, item: Item) -> Message | None:
        """Return the call of *item*, a usual ``function_call``, or None for one that needs :meth:`read_call`.

        Nearly all items of an agent's history are usual calls and outputs.
        """
        call_id, name, arguments = item.get("call_id"), item.get("name"), item.get("arguments")
        if (
            call_id.__class__ is not str
            or name.__class__ is not str
            or arguments.__class__ is not str
            or not arguments
            or "namespace" in item
            or "extra_content" in item
        ):
            return None
        flat = self._flat_names.get(name)
        if flat is None:
            flat = self._flat_names[name] = self._table.flat_name(name)
        return {"id": call_id, "type": "function", "function": {"name": flat, "arguments": arguments}}

    def read_call(self, kind: str, item: Item, index: int) -> Message:
        """Return the call of *item*, whose type *kind* is one of :data:`CLIENT_CALLS`.

        A missing id or name becomes an empty one, which the sanitizing steps handle.
        """
        call_id = item.get("call_id") or ""
        if kind == "function_call":
            name = self._table.flat_name(item.get("name") or "", item.get("namespace"))
            arguments = item.get("arguments")
            return _call(call_id, name, "{}" if arguments in (None, "") else arguments, item)
        place = item_place(index)
        if kind == "custom_tool_call":
            name = self._table.flat_name(item.get("name") or "", item.get("namespace"))
            return _call(call_id, name, wrap_input(item.get("input"), f"{place}.input"), item)
        tool = kind.removesuffix("_call")
        name = self._table.client_name(tool)
        if kind == "computer_call":
            action = item.get("action")
            held = {"actions": item.get("actions")} if action is None else action
            return _call(call_id, name, as_json(held, f"{place}.action"), item)
        if kind == "local_shell_call":  # its output has the id of this item, and no call id
            item_id = item.get("id") or ""
            call_id = call_id or item_id
            self._local_shell_ids[call_id] = self._local_shell_ids[item_id or call_id] = call_id
        return _call(call_id, name, action_arguments(tool, item, place), item)

    def read_output(self, kind: str, item: Item, index: int) -> Message:
        """Return the tool message of *item*, whose type *kind* is one of :data:`OUTPUTS`.

        A result without a call id keeps its tool's name: no call is guessed here. Raises
        :class:`~sanitizers.errors.Unrepairable` for parts that cannot be read.
        """
        message: Message = {"role": "tool"}
        call_id = item.get("call_id")
        if kind == "local_shell_call_output" and not call_id:
            item_id = item.get("id") or ""
            call_id = self._local_shell_ids.get(item_id, item_id)
        if call_id:
            message["tool_call_id"] = call_id
        elif kind == "function_call_output" and (name := item.get("name")):
            message["name"] = self._table.flat_name(name, item.get("namespace"))
        output = item.get("output")
        is_text = output.__class__ is str and kind != "apply_patch_call_output"
        place = f"{item_place(index)}.output"
        message["content"] = output if is_text else _output(kind, item, place, self._needs)
        return message

    def read_server_call(self, kind: str, item: Item, index: int) -> ServerCall | None:
        """Return the call and the result of *item*, whose type *kind* is one of :data:`SERVER_CALLS`.

        Returns None for a call without a result.
        """
        place = item_place(index)
        if kind == "mcp_call":
            name = self._table.flat_name(item.get("name") or "", item.get("server_label"))
            arguments = item.get("arguments")
            arguments = "{}" if arguments in (None, "") else arguments
            content: Any = _mcp_result(item, place)
        else:
            name = self._table.client_name("code_interpreter")
            arguments = as_json({"code": item.get("code") or ""}, f"{place}.code")
            content = _logs(item.get("outputs"), place)
        if content is None:
            return None
        call_id = item.get("id") or self._derive(index, name)
        result = {"role": "tool", "tool_call_id": call_id, "content": content}
        return ServerCall(_call(call_id, name, arguments, item), result)

    def _derive(self, index: int, name: str) -> str:
        if self._derived is None:
            self._derived = DerivedIds({*_ids_in(self._items)})
        return self._derived.derive(index, 0, name)


def read_usual_output(item: Item) -> Message | None:
    """Return the tool message of *item*, a usual ``function_call_output``, or None for one with rare fields."""
    call_id, output = item.get("call_id"), item.get("output")
    if call_id.__class__ is not str or not call_id or output.__class__ is not str or "name" in item:
        return None
    return {"role": "tool", "tool_call_id": call_id, "content": output} if "namespace" not in item else None


def _call(call_id: str, name: str, arguments: Any, item: Item) -> Message:
    call: Message = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return signed(call, _signature_on(item)) if "extra_content" in item else call


def _signature_on(item: Item) -> str | None:
    """Return the signature that a client kept on the call itself, as it came from Google's OpenAI endpoint."""
    found: Any = item
    for name in ("extra_content", "google", "thought_signature"):
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, str) else None


def _output(kind: str, item: Item, place: str, needs: list[Need]) -> Any:
    output = item.get("output")
    if kind == "apply_patch_call_output":
        said = {name: item[name] for name in ("status", "output") if item.get(name) is not None}
        return as_json(said, place)
    if kind == "computer_call_output" and isinstance(output, dict):
        return [image_part(output, place, needs)]
    if kind == "shell_call_output" and isinstance(output, list):
        return as_json(output, place)
    return read_output(output, place, needs)


def _mcp_result(item: Item, place: str) -> str | None:
    output, error = item.get("output"), item.get("error")
    if error is not None:
        return as_json({"error": error}, f"{place}.error")
    if output is None or isinstance(output, str):
        return output
    return as_json(output, f"{place}.output")


def _logs(outputs: Any, place: str) -> str | list[Message] | None:
    """Return what the code interpreter printed and drew, or None where its outputs were not included."""
    if not isinstance(outputs, list):
        return None
    texts: list[str] = []
    images: list[Message] = []
    for output in metered(outputs):
        held = output if isinstance(output, dict) else {}
        if isinstance(held.get("logs"), str):
            texts.append(held["logs"])
        elif isinstance(held.get("url"), str):
            images.append({"type": "image_url", "image_url": {"url": held["url"]}})
        else:
            texts.append(as_json(output, f"{place}.outputs"))
    text = "\n".join(texts)
    return [{"type": "text", "text": text}, *images] if images else text


def _ids_in(items: Items) -> Iterator[str]:
    """Yield all ids of calls and items, which derived ids must not equal."""
    for item in metered(items):
        for name in ("call_id", "id"):
            if isinstance(held := item.get(name), str):
                yield held
