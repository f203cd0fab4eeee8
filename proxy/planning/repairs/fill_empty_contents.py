"""Repairs that leave no content empty."""

from __future__ import annotations

from typing import Any

from proxy.planning.repairs.draft import Draft, note, with_entries
from proxy.resilience.read_error import ProviderError
from sanitizers import Message
from sanitizers.messages import MEDIA_PARTS, SYSTEM_ROLES, Entry, is_blank, is_part_list, tool_calls_of
from sanitizers.synthetic import SYSTEM_ONLY

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
    """Return *message* with content that is not empty, or None for one that says nothing.

    A message that needs no change is returned itself.
    """
    content = message.get("content")
    role = message["role"]
    if role in ("tool", "function") and not (isinstance(content, str | list) or content is None):
        return message
    remaining = _without_blank_texts(content)
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


def _without_blank_texts(content: Any) -> Any:
    """Return *content* without blank texts, or *content* itself where it has none."""
    if isinstance(content, str):
        return content if content.strip() else None
    if isinstance(content, list) and is_part_list(content):
        remaining = [part for part in content if part["type"] != "text" or (part.get("text") or "").strip()]
        return content if len(remaining) == len(content) else remaining
    return content


def add_text_to_media(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with a text beside user media that have none.

    Source: "it must have a text parameter" (openai-gemini#31, and litellm#5515 has the remedy).
    """
    entries = list(draft.entries)
    changes = []
    for at, (message, origin, *_) in enumerate(entries):
        parts = message.get("content")
        if message["role"] != "user" or not isinstance(parts, list) or not parts:
            continue
        if all(part["type"] in MEDIA_PARTS for part in parts):
            content = [{"type": "text", "text": _MEDIA_ALONE}, *parts]
            entries[at] = Entry({**message, "content": content}, origin)
            changes.append(note("inserted", origin, "text_beside_media"))
    return with_entries(draft, entries, changes)
