"""Accessors for chat messages, which stay the dicts that the client sent.

Parsing messages into classes and dumping them again would lose unknown provider fields, such as signatures and cache
marks. A history without these fields would miss the provider's prompt cache. Nothing in this package writes into a
message: a changed message is a new dict.
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
"""Roles of instructions. A message with such a role is not a turn."""

RESULT_ROLES = frozenset({"tool", "function"})
"""Roles that answer a call."""

MEDIA_FREE_ROLES = SYSTEM_ROLES | {"assistant"}
"""Roles whose content may hold no media, at any provider.

"Image URLs are only allowed for messages with role 'user'" (OpenAI API, 2026-08). The converters to Gemini's format
read only text from these roles, so that media would vanish without an error.
"""

CALL_FIELDS = frozenset({"function", "id", "type"})
"""The fields of a call of a function in OpenAI's format."""

FUNCTION_FIELDS = frozenset({"arguments", "name"})
"""The fields of a called function in OpenAI's format."""

MEDIA_PARTS = frozenset({"audio_url", "file", "image_url", "input_audio", "video_url"})
"""Types of content parts that hold media."""


class Entry(NamedTuple):
    """A message on its way through the steps, with its index in the client's list (*origin*).

    An entry is *clean* where the checker has shown that the steps for single messages and for pairing would not change
    the entry (:mod:`sanitizers.marking`). A changed message is a new entry, which is not known to be clean.
    """

    message: Message
    origin: int
    clean: bool = False


_CLEAN = attrgetter("clean")

Entries: TypeAlias = tuple[Entry, ...]
"""A history on its way through the steps."""


class MarkedEntries(tuple[Entry, ...]):
    """Entries that store which of them are not known to be clean, since several steps read this."""

    @cached_property
    def open(self) -> list[int]:
        """The result of :func:`open_places`, which no caller may change."""
        return _find_open(self)


def open_places(entries: Entries) -> list[int]:
    """Return the indexes of the entries that are not known to be clean.

    For each round that is not whole (:mod:`sanitizers.marking`), the message with the calls is among these entries.
    """
    return entries.open if isinstance(entries, MarkedEntries) else _find_open(entries)


def _find_open(entries: Entries) -> list[int]:
    return [*compress(count(), map(not_, map(_CLEAN, entries)))]


def tool_calls_of(message: Message) -> list[dict[str, Any]]:
    """Return the message's tool calls, or an empty list when the field is absent, null or empty."""
    return message.get("tool_calls") or []


def function_of(call: dict[str, Any]) -> dict[str, Any]:
    """Return a tool call's ``function`` object, empty when there is none."""
    return call.get("function") or {}


SIGNATURE_MARKS = ("__thought__", "_TSIG_")
"""The separators between a call's id and its signature in the ids of litellm (PR#16895) and 9router (#450)."""


def base_id(call_id: str) -> str:
    """Return the part of a tool-call id before a signature's suffix.

    Some clients and proxies strip the suffix from the call alone, or from the result alone. So calls and results are
    matched on this part (litellm ``_get_thought_signature_from_tool``, PR#16895).
    """
    for mark in SIGNATURE_MARKS:
        if mark in call_id:
            return call_id.partition(mark)[0]
    return call_id


def is_custom(call: dict[str, Any]) -> bool:
    """Tell whether *call* calls a custom tool. The type of the call may be missing."""
    return bool(call.get("custom")) and (call.get("type") == "custom" or not call.get("function"))


def is_blank(value: Any) -> bool:
    """Tell whether a content value is empty: absent, null, ``""`` or an empty list."""
    return value is None or value == "" or value == []


def is_plain(message: Message, refused_fields: frozenset[str]) -> bool:
    """Tell whether a message is a text alone: not blank, and without calls or refused fields.

    Taken alone, such a message can break only the rules about unknown fields and tool names.
    """
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

    Some clients send a tool's bare JSON array as its result. The elements of such an array are no content parts.
    """
    return isinstance(content, list) and all(
        isinstance(part, dict) and isinstance(part.get("type"), str) for part in content
    )


def first_of_newest_user_turn(messages: Messages) -> int:
    """Return the index of the newest user turn: the first message of the last run of user messages.

    System messages between the user messages do not end the run. Returns the length of *messages* where there is no
    user message.
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
"""The most characters of a text that is decoded without counting its objects and arrays.

Decoding a text of this length takes at most 40 MiB.
"""

_MAX_CONTAINERS = 2**18
"""The most objects and arrays of a long text that is decoded: each takes about 60 bytes of memory."""


def is_too_dense(text: str) -> bool:
    """Tell whether decoding the JSON *text* would take many times the memory of the text."""
    if len(text) <= _SHORT or _containers(text) <= _MAX_CONTAINERS:
        return False
    # Without its escapes, every second piece between quotes is outside of strings.
    pieces = text.replace("\\\\", "").replace('\\"', "").split('"')
    return _containers("".join(pieces[::2])) > _MAX_CONTAINERS


def _containers(text: str) -> int:
    return text.count("{") + text.count("[")


def parse_arguments(text: str) -> dict[str, Any] | None:
    """Return tool-call arguments as a JSON object, or None when they are no JSON object.

    Arguments that are too dense to be decoded give None too (:func:`is_too_dense`).

    Gemini's ``functionCall.args`` is a protobuf Struct: an object without NaN, infinities or lone surrogates ("Invalid
    value … google.protobuf.Struct"). orjson refuses NaN, infinities and lone surrogates. The function itself checks
    that the value is an object.
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
    """Return a key that is the same for equal arguments. *value* was parsed from *text*.

    Keys of objects are sorted. Arguments that are no object, or are nested deeper than orjson writes (254 levels),
    count as equal only if their texts are equal.
    """
    if value is not None:
        with suppress(orjson.JSONEncodeError):
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    return text.encode("utf-8", "surrogatepass")


def are_objects(texts: Collection[str]) -> bool:
    """Tell whether :func:`parse_arguments` would return an object for each of *texts*, in half the time."""
    if max(map(len, texts), default=0) > _SHORT and any(map(is_too_dense, texts)):
        return False
    try:
        return {dict}.issuperset(map(type, map(orjson.loads, texts)))
    except orjson.JSONDecodeError:
        return False
