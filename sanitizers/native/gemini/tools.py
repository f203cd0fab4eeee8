"""Read the tools of a request to Gemini as functions of a chat.

A tool object has declarations of functions, or the name of a tool that Gemini runs itself. Those that Claude has too
are carried to Claude (:func:`common_tools`). All others are left out and reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from sanitizers.changes import Change
from sanitizers.native.gemini.schemas import from_gemini_schema, lower_types
from sanitizers.native.gemini.spellings import (
    as_list,
    both_spellings,
    path_of,
    read_object,
    refuse,
    snake_name,
)
from sanitizers.native.protocol import Need, add_needs
from sanitizers.record import record
from sanitizers.work_limit import metered

STEP = "items"
"""The step's name of all changes that are made while a request is converted."""

MOST_DECLARATIONS = 2_048
"""The most functions of one request, as for chats. Gemini takes 512 (from memory, 2026-11)."""

RULE = "built_in_tool"
"""The rule of the need for a tool that Gemini runs, where the request has no other."""

COMMON_TOOLS: Mapping[str, str] = MappingProxyType(
    {
        "googleSearch": "web_search",
        "googleSearchRetrieval": "web_search",
        "enterpriseWebSearch": "web_search",
        "urlContext": "web_fetch",
        "codeExecution": "code_execution",
    }
)
"""The tools that Gemini runs, and the names of those that other providers run for the same purpose."""

_OTHERS = ("exaAiSearch", "googleMaps", "parallelAiSearch", "retrieval")
"""Further tools that Gemini runs, without which a model answers from what it knows."""

_GEMINI_ALONE = ("computerUse", "fileSearch", "mcpServers")
"""Tools that only Gemini can be given. The model could do less without them."""

_IN_ACCOUNT = frozenset({"fileSearch", "retrieval"})
"""The tools that name objects in the provider's account: stores of files, and corpora of Vertex AI."""

_DECLARATIONS = "functionDeclarations"
_KINDS = both_spellings(_DECLARATIONS, *COMMON_TOOLS, *_OTHERS, *_GEMINI_ALONE)
_FIELDS = both_spellings(
    "behavior",
    "description",
    "name",
    "parameters",
    "parametersJsonSchema",
    "response",
    "responseJsonSchema",
)
_WITHOUT_PLACE = ("behavior", "response", "responseJsonSchema")
"""Fields of a declaration that have no place in a chat."""


class BuiltInTool(NamedTuple):
    """A tool that Gemini runs: its *kind* in camel case, and the *number* of its tool object."""

    kind: str
    number: int

    @property
    def place(self) -> str:
        """The tool's path in the request."""
        return path_of(f"tools[{self.number}]", self.kind)

    @property
    def common_name(self) -> str:
        """The name of the tool that other providers run for the same purpose, or nothing."""
        return COMMON_TOOLS.get(self.kind, "")

    @property
    def left_out(self) -> Change:
        """The change where a chat does not have the tool."""
        return Change(
            STEP, "dropped", self.number, "server_tool", f"tools[{self.number}]:{snake_name(self.kind)}"
        )


@record
class GeminiTools:
    """The tools of one request.

    *chat_tools* are the functions that other models are given. *built_in* are the tools that Gemini runs. *changes*
    name what a chat leaves out. *needs* are the tools without which another model must not be asked.
    """

    chat_tools: list[dict[str, Any]]
    built_in: tuple[BuiltInTool, ...] = ()
    changes: tuple[Change, ...] = ()
    needs: tuple[Need, ...] = ()

    @property
    def is_only_built_in(self) -> bool:
        """Tell whether Gemini runs all tools of the request, so that a chat would have none."""
        return bool(self.built_in) and not self.chat_tools

    @property
    def names(self) -> list[str]:
        """The declared names, in the client's order."""
        return [tool["function"]["name"] for tool in self.chat_tools]


def read_tools(tools: Any) -> GeminiTools:
    """Return *tools*, the field of a request, as the functions of a chat.

    A later declaration replaces an earlier one of the same name. Raises :class:`~sanitizers.errors.Unrepairable`, with
    the place in ``param``, for what is no list of tools, and for a function without a name.
    """
    reader = _Reader()
    for number, tool in _listed(tools):
        reader.read(number, tool)
    return reader.finish()


def common_tools(tools: Any) -> tuple[BuiltInTool, ...]:
    """Return those of *tools*, which :func:`read_tools` can read, that another provider can run in Gemini's place.

    Each common name is returned once, and none that a function of the request has.
    """
    found: dict[str, BuiltInTool] = {}
    declared: list[Any] = []
    for number, tool in _listed(tools):
        for key, value in tool.items():
            kind = _KINDS.get(key, "")
            if kind == _DECLARATIONS:
                declared += as_list(value)
            elif kind in COMMON_TOOLS and value is not None:
                found.setdefault(COMMON_TOOLS[kind], BuiltInTool(kind, number))
    if found:
        for declaration in metered(declared):
            found.pop(declaration.get("name"), None)
    return tuple(found.values())


def _listed(tools: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, tool in enumerate(metered(as_list(tools))):
        if not isinstance(tool, dict):
            refuse(f"tools[{number}]", "must be an object")
        yield number, tool


class _Reader:
    """Reads one tool object after the other."""

    def __init__(self) -> None:
        self._functions: dict[str, dict[str, Any]] = {}
        self._places: dict[str, tuple[int, str]] = {}  # by the names of the functions
        self._count = 0
        self._built_in: list[BuiltInTool] = []
        self._changes: list[Change] = []
        self._needs: list[Need] = []

    def read(self, number: int, tool: dict[str, Any]) -> None:
        """Read the tool object at *number*, which may have several tools."""
        place = f"tools[{number}]"
        for kind, value in read_object(tool, _KINDS, place).items():
            if kind == _DECLARATIONS:
                self._read_declarations(number, value)
            else:
                self._leave_out(number, kind, value)
        if any(key not in _KINDS for key in tool):
            self._drop(number, "unknown_tool", place)

    def finish(self) -> GeminiTools:
        """Return what was read. Where Gemini runs all tools, the first one is needed."""
        done = GeminiTools(
            [*self._functions.values()], tuple(self._built_in), tuple(self._changes), tuple(self._needs)
        )
        if done.is_only_built_in:
            tool = next((tool for tool in done.built_in if tool.common_name), done.built_in[0])
            message = f"'{tool.place}' is a tool that Gemini runs, and this model has no such tool."
            need = Need(message, RULE, tool.place, served_elsewhere=tool.common_name)
            return GeminiTools([], done.built_in, done.changes, (*done.needs, need))
        return done

    def _read_declarations(self, number: int, declarations: Any) -> None:
        for at, given in enumerate(metered(as_list(declarations))):
            place = f"tools[{number}].{_DECLARATIONS}[{at}]"
            if not isinstance(given, dict):
                refuse(place, "must be an object")
            self._count += 1
            if self._count > MOST_DECLARATIONS:
                refuse(place, f"is too many: at most {MOST_DECLARATIONS} functions are taken")
            declaration = read_object(given, _FIELDS, place)
            function = _function(declaration, place)
            name = function["name"]
            if (earlier := self._places.get(name)) is not None:
                self._drop(earlier[0], "duplicate_declaration", earlier[1])
            self._places[name] = number, place
            self._functions[name] = {"type": "function", "function": function}
            for field in _WITHOUT_PLACE:
                if declaration.get(field):
                    self._drop(number, "gemini_field", path_of(place, field))

    def _leave_out(self, number: int, kind: str, value: Any) -> None:
        place = path_of(f"tools[{number}]", kind)
        if not isinstance(value, list if kind == "mcpServers" else dict):
            refuse(place, "must be a list" if kind == "mcpServers" else "must be an object")
        if kind in _GEMINI_ALONE:
            message = f"'{place}' is a tool that Gemini alone can be given."
            add_needs(self._needs, [Need(message, "gemini_tool", place, names_object=kind in _IN_ACCOUNT)])
            return
        if kind in _IN_ACCOUNT:
            message = (
                f"'{place}' names objects that are stored at a provider, which this model cannot be given."
            )
            need = Need(message, "provider_object", place, names_object=True, can_be_left_out=True)
            add_needs(self._needs, [need])
        tool = BuiltInTool(kind, number)
        self._built_in.append(tool)
        self._changes.append(tool.left_out)

    def _drop(self, number: int, reason: str, detail: str) -> None:
        self._changes.append(Change(STEP, "dropped", number, reason, detail))


def _function(declaration: Mapping[str, Any], place: str) -> dict[str, Any]:
    name = declaration.get("name")
    if not isinstance(name, str) or not name:
        refuse(f"{place}.name", "must be a string that is not empty")
    function: dict[str, Any] = {"name": name}
    description = declaration.get("description")
    if description is not None and not isinstance(description, str):
        refuse(f"{place}.description", "must be a string")
    if description:
        function["description"] = description
    for field, translate in (("parametersJsonSchema", lower_types), ("parameters", from_gemini_schema)):
        schema = declaration.get(field)
        if schema is None:
            continue
        if not isinstance(schema, dict):
            refuse(f"{place}.{field}", "must be an object")
        function["parameters"] = translate(schema)
        break
    return function
