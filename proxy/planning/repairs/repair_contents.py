"""Repairs within single messages: required fields, empty texts, media."""

from __future__ import annotations

import re
from typing import Any

from proxy.planning.repairs.draft import Draft, note, with_entries, with_messages
from proxy.resilience.read_error import ProviderError
from sanitizers import Message, Messages
from sanitizers.budget.markers import is_from_user
from sanitizers.messages import (
    MEDIA_PARTS,
    SYSTEM_ROLES,
    Entry,
    first_of_newest_user_turn,
    is_blank,
    is_part_list,
    tool_calls_of,
)
from sanitizers.synthetic import SYSTEM_ONLY, left_out


def add_reasoning(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with an empty ``reasoning_content`` on the model's turns that lack one.

    Source: "The `reasoning_content` in the thinking mode must be passed back to the API." (kimi-cli#2141).
    hermes-agent#15353 also sends an empty text.
    """
    if "reasoning_content" in draft.profile.refused_fields:
        return draft

    def with_reasoning(message: Message) -> Message:
        lacks = message["role"] == "assistant" and message.get("reasoning_content") is None
        return {**message, "reasoning_content": ""} if lacks else message

    return with_messages(draft, with_reasoning, "inserted", "reasoning_content")


_EMPTY_TURN = "[This message is empty.]"
_EMPTY_RESULT = "[The tool returned nothing.]"
_MEDIA_ALONE = "[No text came with this.]"


def fill_empty_contents(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* without empty or blank texts.

    A user turn and a result keep their place, with a text that says they are empty. Other empty messages are dropped.
    A request of system messages alone has no content on some wires, so it gets a user turn. Sources:
    zuisong/gemini-openai-proxy#83, vercel/ai#3775, #4859, CLIProxyAPI#1292, ai-gateway#2686, Anthropic (litellm#2549).
    """
    kept: list[Entry] = []
    changes = []
    for entry in draft.entries:
        message = entry.message
        filled = _filled(message)
        if filled is message:
            kept.append(entry)
        elif filled is None:
            changes.append(note("dropped", entry.origin, "empty_message", message["role"]))
        else:
            changes.append(note("replaced", entry.origin, "empty_content"))
            kept.append(Entry(filled, entry.origin))
    if all(entry.message["role"] in SYSTEM_ROLES for entry in kept):
        last = draft.entries[-1].origin
        kept.append(Entry({"role": "user", "content": SYSTEM_ONLY if kept else _EMPTY_TURN}, last))
        changes.append(note("inserted", last, "system_only"))
    return with_entries(draft, kept, changes)


def _filled(message: Message) -> Message | None:
    """Return *message* without blank texts, or None for a message that has to be dropped.

    A message that needs no change is returned itself.
    """
    content = message.get("content")
    role = message["role"]
    if role in ("tool", "function") and not (isinstance(content, str | list) or content is None):
        return message
    remaining = without_blank_texts(content)
    if not is_blank(remaining):
        return message if remaining is content else {**message, "content": remaining}
    if role == "user":
        return {**message, "content": _EMPTY_TURN}
    if role in ("tool", "function"):
        return {**message, "content": _EMPTY_RESULT}
    if role in SYSTEM_ROLES:
        return None
    if tool_calls_of(message) or message.get("function_call") is not None:
        return message if content is None else {**message, "content": None}
    return message if any(message.get(name) for name in ("refusal", "audio")) else None


def without_blank_texts(content: Any) -> Any:
    """Return a message's *content* without blank texts, or *content* itself where it has none.

    A content that is a blank text becomes None.
    """
    if isinstance(content, str):
        return content if content.strip() else None
    if isinstance(content, list) and is_part_list(content):
        remaining = [part for part in content if part["type"] != "text" or (part.get("text") or "").strip()]
        return content if len(remaining) == len(content) else remaining
    return content


def add_text_to_media(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with a text added to each user message that holds only media.

    Source: "it must have a text parameter" (openai-gemini#31, and litellm#5515 has the remedy).
    """

    def with_text(message: Message) -> Message:
        parts = message.get("content")
        if message["role"] != "user" or not isinstance(parts, list) or not parts:
            return message
        if not all(part["type"] in MEDIA_PARTS for part in parts):
            return message
        return {**message, "content": [{"type": "text", "text": _MEDIA_ALONE}, *parts]}

    return with_messages(draft, with_text, "inserted", "text_beside_media")


_TYPE = re.compile(r"unsupported mime type:? ['\"]?([\w.+-]+(?:/[\w.+-]+)?)")


def leave_out_media(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with a note in place of each medium, except those of the user's current question.

    Where *error* names a media type, only media of that type are dropped. Media of the current question stay. Without
    this media, the model would answer about something that it did not see. Sources: crush#995, pollinations#4157,
    Open-Interface#64.
    """
    named = _TYPE.search(error.words)
    kind = named[1] if named else None
    newest = _first_of_newest_own_turn(draft.messages)
    entries = list(draft.entries)
    changes = []
    for at, (message, origin, *_) in enumerate(entries):
        asked_now = message["role"] == "user" and at >= newest
        bad = {
            number
            for number, part in enumerate(_parts(message))
            if part["type"] in MEDIA_PARTS
            and (kind is None or _is_of_type(part, kind))
            and not (asked_now and _is_own(message, number))
        }
        if not bad:
            continue
        content = [
            {"type": "text", "text": left_out(part["type"])} if number in bad else part
            for number, part in enumerate(message["content"])
        ]
        entries[at] = Entry({**message, "content": content}, origin)
        changes.append(note("replaced", origin, "media"))
    return with_entries(draft, entries, changes)


def _first_of_newest_own_turn(messages: Messages) -> int:
    """Return the index of the newest turn with the user's own words or media.

    User turns that steps inserted do not count.
    """
    kept = [at for at, message in enumerate(messages) if message["role"] != "user" or _says_own(message)]
    first = first_of_newest_user_turn([messages[at] for at in kept])
    return kept[first] if first < len(kept) else len(messages)


def _says_own(message: Message) -> bool:
    parts = _parts(message)
    if not parts:
        return is_from_user(message)
    return any(_is_own(message, number) for number in range(len(parts)))


def _is_own(message: Message, number: int) -> bool:
    """Return False for media of a tool's result, and for the line that introduces such media, else True.

    A merged message may hold such parts and the user's own.
    """
    around = message["content"][max(number - 1, 0) : number + 1]
    return all(is_from_user({"role": "user", "content": [part]}) for part in around)


def _parts(message: Message) -> list[Message]:
    content = message.get("content")
    return content if isinstance(content, list) and is_part_list(content) else []


def _is_of_type(part: Message, kind: str) -> bool:
    value = part.get(part["type"])
    if isinstance(value, dict):
        value = value.get("url") or value.get("file_data") or f"data:audio/{value.get('format')}"
    named = value[5:].partition(",")[0].partition(";")[0] if isinstance(value, str) else ""
    return _format(named) == _format(kind)


def _format(kind: str) -> str:
    """Return the subtype of a media type. Wires write ``image/jpg`` and ``jpg`` as ``image/jpeg``."""
    name = kind.lower().rpartition("/")[2]
    return "jpeg" if name == "jpg" else name
