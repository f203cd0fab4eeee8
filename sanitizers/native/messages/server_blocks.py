"""Write the calls that Anthropic ran, and their results, as texts for other models.

Such a call and its result stand in one assistant message, which chat has no form for. The text has the query, titles,
addresses and printed texts. Encrypted contents are left out, since nobody but Anthropic can read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sanitizers.native.messages.places import as_json
from sanitizers.work_limit import metered

SERVER_CALLS = frozenset({"mcp_tool_use", "server_tool_use"})
"""Types of the calls that Anthropic runs."""

SERVER_RESULTS = frozenset(
    {
        "advisor_tool_result",
        "bash_code_execution_tool_result",
        "code_execution_tool_result",
        "mcp_tool_result",
        "text_editor_code_execution_tool_result",
        "tool_search_tool_result",
        "web_fetch_tool_result",
        "web_search_tool_result",
    }
)
"""Types of the results of these calls."""

_ASKED = ("query", "url", "command", "code", "path")
"""Fields of a call's input that say alone what was asked."""

_TEXTS = ("text", "stdout", "stderr", "tool_name", "error_code", "return_code", "data")
"""Fields of a result that a model can read. ``data`` is one where its source is a text."""

_LISTED = ("content", "source", "tool_references", "lines")
"""Fields of a result that hold further objects or texts."""

_MAX_PIECES = 10_000


def call_text(block: Mapping[str, Any], place: str) -> str:
    """Return one line for a call that Anthropic ran, with what was asked."""
    name, given = block.get("name"), block.get("input")
    asked = ""
    if isinstance(given, dict) and given:
        known = [given[field] for field in _ASKED if isinstance(given.get(field), str)]
        asked = known[0] if len(known) == 1 and len(given) == 1 else as_json(given, f"{place}.input")
    return f"[{name if isinstance(name, str) else 'tool'}: {asked}]"


def result_text(block: Mapping[str, Any]) -> str:
    """Return the readable texts of the result of such a call, one a line."""
    return "\n".join(_texts_in(block))


def held_files(block: Mapping[str, Any]) -> Iterator[str]:
    """Yield the place in a result *block* of each file that it names at the provider."""
    content = block.get("content")
    holders = [("content", content)]
    if isinstance(content, dict):
        inner = content.get("content")
        holders += [
            (f"content.content.{at}", held)
            for at, held in enumerate(metered(inner if isinstance(inner, list) else ()))
        ]
    elif isinstance(content, list):
        holders += [(f"content.{at}", held) for at, held in enumerate(metered(content))]
    for place, held in holders:
        if isinstance(held, dict) and isinstance(held.get("file_id"), str):
            yield f"{place}.file_id"


def _texts_in(block: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of *block* in their order, without recursion: a client may nest objects deeply."""
    open_values: list[Any] = [block.get("content")]
    for _ in range(_MAX_PIECES):
        if not open_values:
            return
        value = open_values.pop()
        if isinstance(value, str):
            if value:
                yield value
        elif isinstance(value, list):
            open_values += reversed(value)
        elif isinstance(value, dict):
            if (line := _link_of(value)) is not None:
                yield line
            is_text_source = value.get("type") not in ("base64", "file")
            open_values += [value[name] for name in reversed(_LISTED) if name in value]
            for name in _TEXTS:
                held = value.get(name)
                if name == "data" and not is_text_source:
                    continue
                if isinstance(held, str) and held:
                    yield held
                elif name == "return_code" and held.__class__ is int and held:
                    yield f"exit code {held}"


def _link_of(value: Mapping[str, Any]) -> str | None:
    title, url = value.get("title"), value.get("url")
    named = title if isinstance(title, str) and title else None
    if isinstance(url, str) and url:
        return f"- {named} ({url})" if named else f"- {url}"
    return f"- {named}" if named else None
