"""Leaves out what only Claude reads of a request that goes to another model.

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
from proxy.core.source import GeminiRequest, MessagesRequest
from sanitizers import Change, Message, Profile
from sanitizers.native.gemini.project import GeminiProjection
from sanitizers.native.messages.project import MessagesProjection
from sanitizers.outline import outline_of
from sanitizers.work_limit import metered

STEP = "items"
"""The step's name, as for everything else that a chat cannot have of the client's own format."""

_MARK = "cache_control"
_THOUGHTS = "thinking_blocks"
_PLACES = frozenset({"text", "tool_use"})
_OF_MESSAGES = frozenset({_MARK, _THOUGHTS})


def without_claude_fields(request: ChatRequest, profile: Profile) -> ChatRequest:
    """Return *request* without the fields that only Claude reads, where *profile* is another model's.

    The changes are added to those of its reading, with the indexes of the client's messages. A request of another
    format, and one without such fields, is returned itself.
    """
    source = request.source
    if source is None or not isinstance(source.native, MessagesRequest | GeminiRequest):
        return request
    if profile.schemas == "anthropic":
        return request if profile.keeps_thoughts else _without_places(request, source.native.projection)
    names = _OF_MESSAGES | ({"is_error"} & profile.refused_fields)
    projection = source.native.projection
    changes: list[Change] = []
    messages = list(request.messages)
    outline = request.known_outline
    places = (
        range(len(messages)) if outline is None else outline.odd
    )  # plain messages have no field of Claude's
    for at in metered(places):
        messages[at], gone = _without(messages[at], names)
        if gone:
            index = projection.item_of(at) if request.messages is projection.messages else 0
            changes.append(Change(STEP, "dropped", index, "claude_field", ",".join(sorted(gone))))
    if changes:
        request = replace(request, messages=messages, outline=outline_of(messages))
    return _without_tool_marks(request, changes)


def _without_places(request: ChatRequest, projection: MessagesProjection | GeminiProjection) -> ChatRequest:
    """Return *request* without thoughts that stood between texts and calls, for a Claude behind litellm.

    litellm has no places for them, and Claude refuses moved thoughts ("cannot be modified", claude-code#19539). Where
    one of the open turn cannot stay, none of that turn does.
    """
    messages = list(request.messages)
    bare = {at for at, message in enumerate(metered(messages)) if _has_places(message)}
    if not bare:
        return request
    users = (at for at in range(len(messages) - 1, -1, -1) if messages[at]["role"] == "user")
    start = next(users, -1) + 1
    if max(bare) >= start:
        bare |= {at for at in range(start, len(messages)) if _THOUGHTS in messages[at]}
    changes = []
    for at in sorted(bare):
        messages[at] = {name: value for name, value in messages[at].items() if name != _THOUGHTS}
        index = projection.item_of(at) if request.messages is projection.messages else 0
        changes.append(Change(STEP, "dropped", index, "thinking_places", _THOUGHTS))
    return replace(
        request, messages=messages, outline=outline_of(messages), mended=(*request.mended, *changes)
    )


def _has_places(message: Message) -> bool:
    """Tell whether *message* has thoughts behind a text or a call."""
    blocks = message.get(_THOUGHTS)
    return isinstance(blocks, list) and any(block.get("type") in _PLACES for block in metered(blocks))


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
