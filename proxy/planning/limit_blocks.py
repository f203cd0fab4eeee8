"""Keeps a history within the numbers of cache marks and of media that a provider takes in one request.

Anthropic counts over the whole request: "A maximum of 4 blocks with cache_control may be provided. Found 5."
(9router#3795), "Too much media: 0 document pages + 102 images > 100" (claude-code#19822).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sanitizers import Change, Message, Messages, Profile
from sanitizers.messages import MEDIA_PARTS, SYSTEM_ROLES, tool_calls_of
from sanitizers.synthetic import left_out
from sanitizers.work_limit import metered

STEP = "dialect"
"""The step's name in the changes: the rules of single providers."""

_MARK = "cache_control"


def limit_blocks(
    messages: Messages,
    tools: Any,
    profile: Profile,
    origins: Sequence[int] | None,
    odd: Sequence[int] | None = None,
) -> tuple[Messages, tuple[Change, ...]]:
    """Return *messages* within the numbers of *profile*, and the changes.

    *odd* are the indexes of the messages that are not plain (:class:`sanitizers.outline.Outline`), or None where they
    are unknown. Plain messages have neither marks nor media. The other parameters are those of :func:`limit_marks`.
    """
    if odd is not None and not odd and not tools:
        return messages, ()
    places = range(len(messages)) if odd is None else odd
    changes: tuple[Change, ...] = ()
    if profile.most_marks is not None:
        messages, changes = limit_marks(messages, tools, profile.most_marks, origins, places)
    if profile.most_media is not None:
        messages, more = limit_media(messages, profile.most_media, origins, places)
        changes = (*changes, *more)
    return messages, changes


def limit_marks(
    messages: Messages,
    tools: Any,
    most: int,
    origins: Sequence[int] | None = None,
    places: Sequence[int] | None = None,
) -> tuple[Messages, tuple[Change, ...]]:
    """Return *messages* without the oldest cache marks, where they and *tools* have more than *most* together.

    The marks of turns go before those of instructions, and those of tools stay: a long prefix begins with them.
    *origins* are the client's indexes of the messages. Only messages at *places* may have marks. Without changes,
    *messages* itself is returned.
    """
    indexes = range(len(messages)) if places is None else places
    marked = [(at, count) for at in metered(indexes) if (count := _marks_of(messages[at]))]
    in_tools = sum(isinstance(tool, Mapping) and _is_marked(tool) for tool in tools or ())
    surplus = in_tools + sum(count for _, count in marked) - most
    if surplus <= 0:
        return messages, ()
    limited = list(messages)
    changes: list[Change] = []
    for at, count in sorted(marked, key=lambda one: messages[one[0]]["role"] in SYSTEM_ROLES):
        if surplus <= 0:
            break
        gone = min(surplus, count)
        limited[at] = _without_marks(limited[at], gone)
        changes.append(Change(STEP, "dropped", at if origins is None else origins[at], "too_many", _MARK))
        surplus -= gone
    return limited, tuple(changes)


def limit_media(
    messages: Messages,
    most: int,
    origins: Sequence[int] | None = None,
    places: Sequence[int] | None = None,
) -> tuple[Messages, tuple[Change, ...]]:
    """Return *messages* with a note in the place of each of the oldest media, where there are more than *most*.

    *origins* are the client's indexes of the messages. Only messages at *places* may have media. Without changes,
    *messages* itself is returned.
    """
    indexes = range(len(messages)) if places is None else places
    media = [
        (at, place)
        for at in metered(indexes)
        if isinstance(content := messages[at].get("content"), list)
        for place, part in enumerate(content)
        if part["type"] in MEDIA_PARTS
    ]
    if len(media) <= most:
        return messages, ()
    limited = list(messages)
    changes: list[Change] = []
    for at, place in media[: len(media) - most]:
        if limited[at] is messages[at]:
            limited[at] = {**messages[at], "content": list(messages[at]["content"])}
        parts = limited[at]["content"]
        parts[place] = {"type": "text", "text": left_out(parts[place]["type"])}
        index = at if origins is None else origins[at]
        changes.append(Change(STEP, "replaced", index, "too_many", f"content[{place}]"))
    return limited, tuple(changes)


def _is_marked(holder: Mapping[str, Any]) -> bool:
    return holder.get(_MARK) is not None


def _marks_of(message: Message) -> int:
    """Return the number of marks that *message* has: its own, and those of its parts and calls."""
    count = int(_is_marked(message))
    content = message.get("content")
    if isinstance(content, list):
        count += sum(map(_is_marked, content))
    return count + sum(map(_is_marked, tool_calls_of(message)))


def _without_marks(message: Message, number: int) -> Message:
    """Return *message* without its first *number* marks."""
    left = number
    bare = dict(message)

    def strip(holders: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        nonlocal left
        out = []
        for holder in holders:
            if left and _is_marked(holder):
                left -= 1
                holder = {name: value for name, value in holder.items() if name != _MARK}
            out.append(holder)
        return out

    if isinstance(content := message.get("content"), list):
        bare["content"] = strip(content)
    if calls := tool_calls_of(message):
        bare["tool_calls"] = strip(calls)
    if left and _is_marked(bare):
        del bare[_MARK]
    return bare
