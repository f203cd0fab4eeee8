"""Read the tools of a request: chat has functions alone, with one flat name each.

Tools stand in ``tools``, and in items of the input: ``additional_tools`` (codex, for new OpenAI names) and
``tool_search_output``. All join one table, by which an answer's calls get their own names and item types back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sanitizers.changes import Change
from sanitizers.messages import parse_arguments
from sanitizers.native.protocol import Items, Need, add_needs
from sanitizers.native.responses.client_tools import CLIENT_TOOLS
from sanitizers.native.responses.flat_names import ToolKey, choose_flat_names, client_key, key_of
from sanitizers.native.responses.held_objects import tool_needs
from sanitizers.native.responses.item_types import ITEM_TYPES, TOOL_CARRIERS
from sanitizers.native.responses.parts import as_json, item_place, refuse, refuse_missing, text_at
from sanitizers.native.responses.tool_choice import read_tool_choice
from sanitizers.native.responses.tool_table import STEP, DeclaredTool, ToolTable, server_tool
from sanitizers.work_limit import metered

__all__ = ["DeclaredTool", "ToolTable", "read_tool_choice", "read_tools", "unwrap_input", "wrap_input"]

_INPUT = {
    "type": "object",
    "properties": {"input": {"type": "string", "description": "The raw text for this tool."}},
    "required": ["input"],
}


class _Listed(NamedTuple):
    """A tool of a request: its *place* in ``param``, and the *number* that a change of it has as its index."""

    tool: dict[str, Any]
    place: str
    number: int


class _Given(NamedTuple):
    """A tool that is kept, in its own form and as a function without a name."""

    declared: DeclaredTool
    function: dict[str, Any]


def read_tools(tools: Sequence[Any] | None, items: Items) -> ToolTable:
    """Return the table of the tools in *tools* and in *items*.

    A tool that is declared again replaces the earlier one in its place. Tools that the server runs are left out and
    reported (llama.cpp#20156: a refusal locks codex out). Raises :class:`~sanitizers.errors.Unrepairable` for what is
    no list of tools, and for a tool without a name.
    """
    reader = _Reader()
    for listed in _listed(tools, items):
        reader.read(listed)
    names = choose_flat_names(reader.given)
    by_flat_name = {names[key]: given.declared for key, given in reader.given.items()}
    chat_tools = [
        {"type": "function", "function": {"name": names[key], **given.function}}
        for key, given in reader.given.items()
    ]
    alone: dict[str, str | None] = {}
    for (namespace, name), flat in names.items():
        if namespace is not None:
            alone[name] = None if name in alone else flat
    single = {name: flat for name, flat in alone.items() if flat is not None}
    return ToolTable(chat_tools, by_flat_name, tuple(reader.changes), names, single, tuple(reader.needs))


def wrap_input(text: Any, place: str) -> str:
    """Return the raw input of a custom tool as the arguments of its function."""
    return as_json({"input": "" if text is None else text}, place)


def unwrap_input(arguments: str) -> str:
    """Return the raw input that *arguments* hold: the text under ``input``, or else *arguments* themselves."""
    held = parse_arguments(arguments)
    text = None if held is None else held.get("input")
    return text if isinstance(text, str) else arguments


def _listed(tools: Sequence[Any] | None, items: Items) -> Iterator[_Listed]:
    """Yield the tools of a request, those of its items last."""
    if tools is not None:
        yield from _listed_at(tools, "tools", None)
    item: Any
    for index, item in enumerate(metered(items)):
        kind = item.get("type") if isinstance(item, dict) else None
        if not isinstance(kind, str) or kind not in TOOL_CARRIERS:
            continue
        place = f"{item_place(index)}.tools"
        given = item.get("tools")
        if given is not None:
            yield from _listed_at(given, place, index)
        elif "tools" in ITEM_TYPES[kind].required:
            refuse_missing(place)


def _listed_at(tools: Any, place: str, item: int | None) -> Iterator[_Listed]:
    if not isinstance(tools, list | tuple):
        refuse(place, "must be an array")
    for number, tool in enumerate(metered(tools)):
        here = f"{place}[{number}]"
        if not isinstance(tool, dict):
            refuse(here, "must be an object")
        yield _Listed(tool, here, number if item is None else item)


class _Reader:
    """Reads one tool after the other."""

    def __init__(self) -> None:
        self.given: dict[ToolKey, _Given] = {}
        self.changes: list[Change] = []
        self.needs: list[Need] = []

    def read(self, listed: _Listed, namespace: str | None = None, about: str = "") -> None:
        """Read one tool, which stands in *namespace*. *about* is said of the namespace, before its first tool."""
        tool, place, _ = listed
        kind = tool.get("type")
        if not isinstance(kind, str):
            refuse(f"{place}.type", "must be a string")
        if kind in ("custom", "function"):
            name = text_at(tool, "name", place) or refuse_missing(f"{place}.name")
            function = (_function if kind == "function" else _custom)(tool, place)
            if about:
                function["description"] = f"{about}\n\n{function.get('description', '')}".rstrip()
            self.given[key_of(name, namespace)] = _Given(DeclaredTool(kind, name, namespace), function)
        elif kind == "namespace" and namespace is None:
            self._read_namespace(listed)
        elif kind in CLIENT_TOOLS and namespace is None and _runs_at_client(tool):
            own = CLIENT_TOOLS[kind]
            function = {"description": own.description, "parameters": own.parameters}
            self.given[client_key(kind)] = _Given(DeclaredTool(kind, kind), function)
            add_needs(self.needs, tool_needs(tool, place))
        else:
            self._drop(listed, kind)

    def _read_namespace(self, listed: _Listed) -> None:
        tool, place, number = listed
        namespace = text_at(tool, "name", place) or refuse_missing(f"{place}.name")
        said = text_at(tool, "description", place)
        about = f"[{namespace}: {said}]" if said else ""
        for inner in _listed_at(tool.get("tools") or [], f"{place}.tools", None):
            self.read(inner._replace(number=number), namespace, about)
            about = ""

    def _drop(self, listed: _Listed, kind: str) -> None:
        known = server_tool(kind) or (kind if kind in CLIENT_TOOLS else None)
        reason = "server_tool" if known else "unknown_tool"
        detail = f"{listed.place}:{known}" if known else listed.place
        self.changes.append(Change(STEP, "dropped", listed.number, reason, detail))
        add_needs(self.needs, tool_needs(listed.tool, listed.place))


def _runs_at_client(tool: dict[str, Any]) -> bool:
    """Tell whether the client runs a shell: its environment is none of OpenAI's containers."""
    environment = tool.get("environment")
    return not isinstance(environment, dict) or environment.get("type") in (None, "local")


def _function(tool: dict[str, Any], place: str) -> dict[str, Any]:
    """Return a function in chat's form. ``strict`` stays away where the client did not set it: chat's default is no."""
    function: dict[str, Any] = {}
    if description := text_at(tool, "description", place):
        function["description"] = description
    parameters = tool.get("parameters")
    if parameters is not None:
        if not isinstance(parameters, dict):
            refuse(f"{place}.parameters", "must be an object")
        function["parameters"] = parameters
    if isinstance(tool.get("strict"), bool):
        function["strict"] = tool["strict"]
    return function


def _custom(tool: dict[str, Any], place: str) -> dict[str, Any]:
    """Return a custom tool as a function with one text.

    With an empty schema, models call such a tool without its text (9router#1007).
    """
    said = [text_at(tool, "description", place)]
    form = tool.get("format")
    if isinstance(form, dict) and isinstance(definition := form.get("definition"), str):
        syntax = form.get("syntax")
        named = f"{syntax} grammar" if syntax in ("lark", "regex") else "grammar"
        said.append(f"The text in `input` must match this {named}:\n\n{definition}")
    return {"description": "\n\n".join(filter(None, said)), "parameters": _INPUT}
