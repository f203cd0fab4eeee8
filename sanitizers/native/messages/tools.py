"""Read the tools of a Messages request as functions of a chat.

Some tools have a dated type in place of a schema, since Claude knows them. Those that the client runs become functions.
Those that Anthropic runs are left out and reported (copilot-api#241: translators fail on the missing schema).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

from sanitizers.changes import Change
from sanitizers.errors import Unrepairable
from sanitizers.native.messages.client_tools import find_client_tool
from sanitizers.native.protocol import Need, add_needs
from sanitizers.record import record
from sanitizers.work_limit import metered

STEP = "items"
"""The step's name of all changes that are made while a request is converted."""

SERVER_TOOLS = ("code_execution", "tool_search_tool", "web_fetch", "web_search")
"""The beginnings of the types of tools that Anthropic runs."""

_CLAUDE_ALONE = ("browser", "computer", "mcp_toolset")
"""The beginnings of the types of tools that only Claude can use. The model could do less without them."""

_CLAUDE_FIELDS = ("allowed_callers", "defer_loading", "eager_input_streaming", "input_examples")
"""Fields of a tool that have no place in a chat."""


class ListedTool(NamedTuple):
    """A *name* that ``tool_choice`` may have. *is_left_out* where a chat does not have the tool."""

    name: str
    is_left_out: bool


@record
class MessagesTools:
    """The tools of one request.

    *chat_tools* are the functions that other models are given. *changes* name the tools and fields that were left out.
    *needs* are the tools without which another model must not be asked. *names* has each declared name, and tells
    whether its tool was left out.
    """

    chat_tools: list[dict[str, Any]]
    changes: tuple[Change, ...] = ()
    needs: tuple[Need, ...] = ()
    names: tuple[ListedTool, ...] = ()

    def find(self, name: str) -> ListedTool | None:
        """Return the tool with *name*, or None for a name that is not declared."""
        return next((tool for tool in self.names if tool.name == name), None)


def read_tools(tools: Any) -> MessagesTools:
    """Return *tools*, the field of a request, as the functions of a chat.

    A later tool replaces an earlier one of the same name. Raises :class:`~sanitizers.errors.Unrepairable`, with
    ``tools.N`` in ``param``, for what is no list of tools, and for a tool without a name.
    """
    if not tools:
        if tools is not None and not isinstance(tools, list | tuple):
            refuse("tools", "Input should be a valid list")
        return MessagesTools([])
    reader = _Reader()
    for number, tool in _listed(tools):
        reader.read(number, tool)
    return reader.finish()


def refuse(param: str, what: str, rule: str = "tools_unreadable") -> NoReturn:
    """Raise :class:`~sanitizers.errors.Unrepairable` in Anthropic's words for what cannot be read at *param*."""
    raise Unrepairable(f"{param}: {what}", rule=rule, param=param)


def server_tool(kind: str) -> str | None:
    """Return the undated type of a tool that Anthropic runs, or None for another type."""
    return next((known for known in SERVER_TOOLS if kind.startswith(known)), None)


def _listed(tools: Sequence[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    if not isinstance(tools, list | tuple):
        refuse("tools", "Input should be a valid list")
    for number, tool in enumerate(metered(tools)):
        if not isinstance(tool, dict):
            refuse(f"tools.{number}", "Input should be a valid dictionary")
        yield number, tool


class _Reader:
    """Reads one tool after the other."""

    def __init__(self) -> None:
        self._functions: dict[str, dict[str, Any]] = {}
        self._numbers: dict[str, int] = {}  # by the names of the functions
        self._left_out: dict[str, None] = {}
        self._changes: list[Change] = []
        self._needs: list[Need] = []

    def read(self, number: int, tool: dict[str, Any]) -> None:
        """Read the tool at *number*."""
        place, kind = f"tools.{number}", tool.get("type")
        if kind is None or kind == "custom":
            self._add(number, tool, _custom(tool, place))
            return
        if not isinstance(kind, str):
            refuse(f"{place}.type", "Input should be a valid string")
        known = find_client_tool(kind)
        if known is not None:
            name = _text_at(tool, "name", place) or known.name
            function = {"name": name, "description": known.description, "parameters": known.parameters}
            self._add(number, tool, function)
            return
        self._leave_out(number, tool, kind)

    def finish(self) -> MessagesTools:
        """Return what was read."""
        names = [ListedTool(name, False) for name in self._functions]
        names += [ListedTool(name, True) for name in self._left_out if name not in self._functions]
        return MessagesTools(
            [*self._functions.values()], tuple(self._changes), tuple(self._needs), tuple(names)
        )

    def _add(self, number: int, tool: dict[str, Any], function: dict[str, Any]) -> None:
        chat_tool: dict[str, Any] = {"type": "function", "function": function}
        if tool.get("cache_control") is not None:
            chat_tool["cache_control"] = tool["cache_control"]
        if (earlier := self._numbers.get(function["name"])) is not None:
            self._changes.append(
                Change(STEP, "dropped", earlier, "duplicate_declaration", f"tools.{earlier}")
            )
        self._numbers[function["name"]] = number
        self._functions[function["name"]] = chat_tool
        for name in _CLAUDE_FIELDS:
            if tool.get(name):
                self._changes.append(Change(STEP, "dropped", number, "tool_field", f"tools.{number}.{name}"))

    def _leave_out(self, number: int, tool: dict[str, Any], kind: str) -> None:
        place = f"tools.{number}"
        name = tool.get("name")
        if isinstance(name, str) and name:
            self._left_out[name] = None
        alone = next((start for start in _CLAUDE_ALONE if kind.startswith(start)), None)
        if alone is not None:
            message = f"{place}: tools of the type '{alone}' are supported by Claude alone"
            add_needs(self._needs, [Need(message, "claude_tool", place)])
            return
        known = server_tool(kind)
        reason, detail = ("server_tool", f"{place}:{known}") if known else ("unknown_tool", place)
        self._changes.append(Change(STEP, "dropped", number, reason, detail))


def _custom(tool: dict[str, Any], place: str) -> dict[str, Any]:
    function: dict[str, Any] = {"name": _text_at(tool, "name", place)}
    if not function["name"]:
        refuse(f"{place}.name", "Field required")
    if description := _text_at(tool, "description", place):
        function["description"] = description
    schema = tool.get("input_schema")
    if schema is not None:
        if not isinstance(schema, dict):
            refuse(f"{place}.input_schema", "Input should be a valid dictionary")
        function["parameters"] = schema
    if isinstance(tool.get("strict"), bool):
        function["strict"] = tool["strict"]
    return function


def _text_at(tool: dict[str, Any], name: str, place: str) -> str:
    value = tool.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        refuse(f"{place}.{name}", "Input should be a valid string")
    return value
