"""Helpers for the builders of hostile bodies."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

from tests.support.builders import assistant, tool, user

Body: TypeAlias = dict[str, Any]
"""The fields of a request."""

Builder: TypeAlias = Callable[[int], Body]
"""Returns a body of about the given number of bytes."""

DEEP = 120
"""The depth of nested JSON in hostile bodies, below ``general_settings.max_nesting`` of 128."""


def many(size: int, item: Callable[[int], Any]) -> list[Any]:
    """Return as many items as fit into *size* bytes, by the length of item number 100,000 as JSON."""
    return [item(at) for at in range(max(1, size // (len(json.dumps(item(100_000))) + 2)))]


def flat(size: int, item: Callable[[int], list[Any]]) -> list[Any]:
    """Return the items of as many groups as fit into *size* bytes."""
    return [one for group in many(size, item) for one in group]


def chat(messages: list[Any], **parameters: Any) -> Body:
    """Return the fields of a chat request with *messages*."""
    return {"messages": messages, **parameters}


def asked(**parameters: Any) -> Body:
    """Return the fields of a chat request with one short question and *parameters*."""
    return chat([user("Go on.")], **parameters)


def function(name: str, schema: Any = None, **extra: Any) -> Body:
    """Return the declaration of a tool."""
    declared = {"name": name, **({} if schema is None else {"parameters": schema}), **extra}
    return {"type": "function", "function": declared}


def with_schema(schema: Body) -> Body:
    """Return a chat with one tool, whose parameters are an object of *schema*."""
    return asked(tools=[function("f", {"type": "object", **schema})])


def nested(inner: Any, levels: int, wrap: Callable[[Any], Any]) -> Any:
    """Return *inner* wrapped *levels* times."""
    for _ in range(levels):
        inner = wrap(inner)
    return inner


def one_turn(size: int, item: Callable[[int], Any], *, answered: bool = False) -> Body:
    """Return a chat with one turn of many calls. If *answered*, each call has its result."""
    if not answered:
        return chat([user("go"), assistant(None, many(size, item))])
    calls = many(size * 3 // 5, item)
    return chat([user("go"), assistant(None, calls), *(tool(one["id"]) for one in calls)])


def turns(size: int, item: Callable[[int], list[Any]], **parameters: Any) -> Body:
    """Return a chat with as many groups of messages as fit into *size* bytes."""
    return chat([user("go"), *flat(size, item)], **parameters)
