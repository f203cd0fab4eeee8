"""Wire dicts, read through accessors.

Messages stay the dicts that came over the wire: parsing them into classes and dumping them again would lose
unknown provider fields (signatures, cache marks) and with them the provider's prompt cache. Nothing in this
package writes into a message; a changed message is a new dict.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import compress, count
from operator import attrgetter, not_
from typing import Any, NamedTuple, TypeAlias

import orjson

Message: TypeAlias = dict[str, Any]
"""One chat message in OpenAI's wire format."""

Messages: TypeAlias = Sequence[Message]
"""A history, oldest message first."""

SYSTEM_ROLES = frozenset({"system", "developer"})
"""Roles that instruct rather than take a turn."""

RESULT_ROLES = frozenset({"tool", "function"})
"""Roles that answer a call."""

MEDIA_FREE_ROLES = SYSTEM_ROLES | {"assistant"}
"""Roles whose content may hold no media, at any provider.

"Image URLs are only allowed for messages with role 'user'" (OpenAI API, 2026-08). The converters to Gemini's wire read
only text from them; anything else would vanish unseen.
"""

MEDIA_PARTS = frozenset({"audio_url", "file", "image_url", "input_audio", "video_url"})
"""Content parts that hold anything but text."""


class Entry(NamedTuple):
    """A message on its way through the steps, with its place in what the client sent (*origin*).

    It is *clean* where the check before the steps has shown that the steps that look at one message, or pair calls with
    results, would leave it alone (:mod:`sanitizers.marking`). A changed message is a new entry, not known to be clean.
    """

    message: Message
    origin: int
    clean: bool = False


_CLEAN = attrgetter("clean")

Entries: TypeAlias = tuple[Entry, ...]
"""A history on its way through the steps."""


class MarkedEntries(tuple[Entry, ...]):
    """Entries whose *open* places are looked for once: several steps ask for them before one changes any."""

    @cached_property
    def open(self) -> list[int]:
        """What :func:`open_places` returns; nobody writes into it."""
        return _find_open(self)


def open_places(entries: Entries) -> list[int]:
    """Return the places of *entries* that are not known to be clean: all calls and results outside of whole rounds."""
    return entries.open if isinstance(entries, MarkedEntries) else _find_open(entries)


def _find_open(entries: Entries) -> list[int]:
    return [*compress(count(), map(not_, map(_CLEAN, entries)))]


def tool_calls_of(message: Message) -> list[dict[str, Any]]:
    """Return the message's tool calls; empty when the field is absent, null or empty."""
    return message.get("tool_calls") or []


def function_of(call: dict[str, Any]) -> dict[str, Any]:
    """Return a tool call's ``function`` object, empty when there is none."""
    return call.get("function") or {}


SIGNATURE_MARKS = ("__thought__", "_TSIG_")
"""What stands between a call's id and its signature in the ids of litellm (PR#16895) and 9router (#450)."""


def base_id(call_id: str) -> str:
    """Return the part of a tool-call id before a signature's suffix.

    Clients and middle-men strip the suffix on one side only, so calls and results are matched on this part
    (litellm ``_get_thought_signature_from_tool``, PR#16895).
    """
    for mark in SIGNATURE_MARKS:
        if mark in call_id:
            return call_id.partition(mark)[0]
    return call_id


def is_blank(value: Any) -> bool:
    """Tell whether a content value holds nothing: absent, null, ``""`` or an empty list."""
    return value is None or value == "" or value == []


def is_plain(message: Message, refused_fields: frozenset[str]) -> bool:
    """Tell whether a message is a text and nothing that any rule about one message could concern: most are."""
    content = message.get("content")
    return (
        content.__class__ is str
        and not (content.isspace() or content == "")
        and "tool_calls" not in message
        and "function_call" not in message
        and message["role"] != "function"
        and refused_fields.isdisjoint(message)
    )


def is_part_list(content: Any) -> bool:
    """Tell whether a content is a list of content parts.

    Some clients give a tool's bare JSON array as its result; nothing in it says that it is a part.
    """
    return isinstance(content, list) and all(
        isinstance(part, dict) and isinstance(part.get("type"), str) for part in content
    )


def first_of_newest_user_turn(messages: Messages) -> int:
    """Return where the newest user turn begins: the last user message, or the first of those that it directly follows.

    System messages between them do not part them. The length of *messages* where there is no user message.
    """
    first = len(messages)
    for at in range(len(messages) - 1, -1, -1):
        role = messages[at]["role"]
        if role == "user":
            first = at
        elif first < len(messages) and role not in SYSTEM_ROLES:
            break
    return first


_SHORT = 2**20
"""Characters of a text in which no containers are counted: decoded it takes 40 MiB at most."""

_MOST_CONTAINERS = 2**18
"""Objects and arrays of a text that is decoded: each takes some 60 bytes, however few it has in the text."""


def is_too_dense(text: str) -> bool:
    """Tell whether to decode *text*, JSON within a message, would take many times its own memory."""
    if len(text) <= _SHORT or _containers(text) <= _MOST_CONTAINERS:
        return False
    # Without its escapes, every second piece between quotes is outside of strings.
    pieces = text.replace("\\\\", "").replace('\\"', "").split('"')
    return _containers("".join(pieces[::2])) > _MOST_CONTAINERS


def _containers(text: str) -> int:
    return text.count("{") + text.count("[")


def parse_arguments(text: str) -> dict[str, Any] | None:
    """Return tool-call arguments as the JSON object that they are, or None when they are not one.

    Those that are too dense to be decoded count as none (:func:`is_too_dense`).

    Gemini's ``functionCall.args`` is a protobuf Struct: arrays, scalars, NaN, infinities and lone surrogates
    cannot be carried (providers' "Invalid value … google.protobuf.Struct"). orjson refuses exactly those.
    """
    if text == "{}":
        return {}
    if text[-1:] != "}" and not text.rstrip().endswith("}"):
        return None  # cut off, or no object: told apart without raising
    if text[_SHORT:] and is_too_dense(text):  # the slice of a short text is cheaper than a call
        return None
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def arguments_key(value: dict[str, Any] | None, text: str) -> bytes:
    """Return what is the same for equal arguments: *value*, which was parsed from *text*, with its keys in order.

    What is no object, or is nested deeper than orjson writes (254 levels), is the same only where it is written so.
    """
    if value is not None:
        with suppress(orjson.JSONEncodeError):
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    return text.encode("utf-8", "surrogatepass")


def are_objects(texts: Collection[str]) -> bool:
    """Tell whether :func:`parse_arguments` would make an object of each of *texts*, in half the time."""
    if max(map(len, texts), default=0) > _SHORT and any(map(is_too_dense, texts)):
        return False
    try:
        return {dict}.issuperset(map(type, map(orjson.loads, texts)))
    except orjson.JSONDecodeError:
        return False
