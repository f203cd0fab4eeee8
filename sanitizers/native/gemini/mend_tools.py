"""Leave out declarations of functions that Gemini refuses, in the tools of its own API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sanitizers.changes import Change
from sanitizers.native.gemini.changed_contents import STEP
from sanitizers.native.gemini.spellings import as_list, key_of
from sanitizers.work_limit import metered

DUPLICATE = "duplicate_declaration"

_DECLARATIONS = "functionDeclarations"


def without_duplicates(tools: Any) -> tuple[list[Any], tuple[Change, ...]]:
    """Return *tools*, which ``read_tools`` can read, with each name declared once, and the changes.

    The last declaration of a name stays, as in the chat form ("Duplicate function declaration found",
    Open-WebUI-Functions#135). A tool that has lost all its declarations is left out. The index of a change is 0, since
    it belongs to no content.
    """
    listed = [(tool, as_list(tool.get(key_of(tool, _DECLARATIONS)))) for tool in metered(as_list(tools))]
    last = {one["name"]: id(one) for _, declared in listed for one in metered(declared)}
    kept: list[Any] = []
    changes: list[Change] = []
    for number, (tool, declared) in enumerate(listed):
        left = [one for one in metered(declared) if last[one["name"]] == id(one)]
        if len(left) == len(declared):
            kept.append(tool)
            continue
        changes += [
            Change(STEP, "dropped", 0, DUPLICATE, f"tools[{number}].{_DECLARATIONS}[{at}]")
            for at, one in enumerate(metered(declared))
            if last[one["name"]] != id(one)
        ]
        if (mended := _with_declarations(tool, left)) is not None:
            kept.append(mended)
    return kept, tuple(changes)


def _with_declarations(tool: Mapping[str, Any], left: list[Any]) -> dict[str, Any] | None:
    """Return *tool* with the declarations *left*, or None where it then has nothing."""
    key = key_of(tool, _DECLARATIONS)
    if left:
        return {**tool, key: left}
    rest = {name: value for name, value in tool.items() if name != key}
    return rest or None
