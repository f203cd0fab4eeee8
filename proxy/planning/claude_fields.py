"""Leaves out what only Claude reads of a Messages request that goes to another model.

Cache marks and signed thinking are fields that other servers refuse ("Unknown parameter"). The mark of a failed call
stays where the model has a form for it. A client of OpenAI's format that sends such fields means the server that it
names, so that its requests are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from proxy.core.chat_request import MAX_KNOWN, ChatRequest, KnownTools
from proxy.core.source import MessagesRequest
from sanitizers import Change, Message, Profile
from sanitizers.outline import outline_of
from sanitizers.work_limit import metered

STEP = "items"
"""The step's name, as for everything else that a chat cannot have of the client's own format."""

_MARK = "cache_control"
_OF_MESSAGES = frozenset({_MARK, "thinking_blocks"})


def without_claude_fields(request: ChatRequest, profile: Profile) -> ChatRequest:
    """Return *request* without the fields that only Claude reads, where *profile* is another model's.

    The changes are added to those of its reading, with the indexes of the client's messages. A request of another
    format, and one without such fields, is returned itself.
    """
    source = request.source
    if source is None or not isinstance(source.native, MessagesRequest) or profile.schemas == "anthropic":
        return request
    names = _OF_MESSAGES | ({"is_error"} & profile.refused_fields)
    projection = source.native.projection
    changes: list[Change] = []
    messages: list[Message] = []
    for at, message in enumerate(metered(request.messages)):
        bare, gone = _without(message, names)
        messages.append(bare)
        if gone:
            index = projection.item_of(at) if request.messages is projection.messages else 0
            changes.append(Change(STEP, "dropped", index, "claude_field", ",".join(sorted(gone))))
    if changes:
        request = replace(request, messages=messages, outline=outline_of(messages))
    return _without_tool_marks(request, changes)


def _without_tool_marks(request: ChatRequest, changes: list[Change]) -> ChatRequest:
    tools, known = request.parameters.get("tools"), request.known_tools
    if tools and any(_MARK in tool for tool in tools):
        changes.append(Change(STEP, "dropped", 0, "claude_field", "tools"))
        if known is not None and known.tools is tools:
            known = _known_without_marks(known)
            bare = known.tools
        else:
            bare = [_without_mark(tool) for tool in metered(tools)]
        parameters = MappingProxyType({**request.parameters, "tools": bare})
        request = replace(request, parameters=parameters, known_tools=known)
    return replace(request, mended=(*request.mended, *changes)) if changes else request


@lru_cache(maxsize=MAX_KNOWN)
def _known_without_marks(known: KnownTools) -> KnownTools:
    """Return *known* without cache marks: one object for all requests with these tools, since cleaning is cached."""
    return replace(known, tools=[_without_mark(tool) for tool in known.tools])


def _without(message: Message, names: frozenset[str]) -> tuple[Message, set[str]]:
    """Return *message* without the fields *names*, and without the marks of its parts and calls."""
    gone = {name for name in names if name in message}
    bare = {name: value for name, value in message.items() if name not in gone} if gone else message
    for field in ("content", "tool_calls"):
        held = message.get(field)
        if isinstance(held, list) and any(isinstance(one, dict) and _MARK in one for one in metered(held)):
            gone.add(_MARK)
            bare = {**bare, field: [_without_mark(one) for one in metered(held)]}
    return bare, gone


def _without_mark(holder: Any) -> Any:
    if not isinstance(holder, Mapping) or _MARK not in holder:
        return holder
    return {name: value for name, value in holder.items() if name != _MARK}
