"""Write the contents of chat messages as blocks of Anthropic's Messages API: the inverse of reading blocks.

A cache mark of a part, a call or a message stays with its block. Texts that are blank get no block, since Anthropic
refuses them ("text content blocks must contain non-whitespace text", litellm#2549).
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sanitizers.errors import Unrepairable
from sanitizers.media.payloads import unescaped
from sanitizers.media.reading import READ_PARTS, Address, Inline, read_media
from sanitizers.messages import Message, is_part_list
from sanitizers.native.protocol import Item
from sanitizers.work_limit import metered

Originals = Mapping[int, Item]
"""The native blocks of unchanged parts, calls and thoughts, by the ``id`` of the part or call."""

NO_ORIGINALS: Originals = MappingProxyType({})

MARK = "cache_control"

_REMOTE = frozenset({"http", "https"})


def content_blocks(content: Any, originals: Originals = NO_ORIGINALS) -> list[Item]:
    """Return the blocks of the *content* of a system or user message, or of a tool result.

    A part of *originals* is written as its native block. Raises :class:`Unrepairable` for media that cannot be written,
    such as a recording.
    """
    if content.__class__ is str:
        return [{"type": "text", "text": content}] if is_said(content) else []
    blocks: list[Item] = []
    for part in metered(content or ()):
        original = originals.get(id(part))
        if original is not None:
            blocks.append(original)
            continue
        block = _write_part(part)
        if block is None:
            continue
        if part.get(MARK) is not None:
            block[MARK] = part[MARK]
        blocks.append(block)
    return blocks


def message_blocks(message: Message, originals: Originals = NO_ORIGINALS) -> list[Item]:
    """Return the blocks of a system or user message. The message's own cache mark goes to its last block."""
    blocks = content_blocks(message.get("content"), originals)
    if MARK in message:
        mark_last(blocks, message[MARK])
    return blocks


def result_block(message: Message, originals: Originals = NO_ORIGINALS) -> Item:
    """Return the ``tool_result`` of a tool message. A result that holds nothing has no content.

    A list that holds no content parts becomes JSON by the ``shape`` step, so none comes here.
    """
    block: Item = {"type": "tool_result", "tool_use_id": message.get("tool_call_id") or ""}
    content = message.get("content")
    if content.__class__ is str:
        if content:
            block["content"] = content
    elif is_part_list(content) and (blocks := content_blocks(content, originals)):
        block["content"] = blocks
    if message.get("is_error") is True:
        block["is_error"] = True
    if message.get(MARK) is not None:
        block[MARK] = message[MARK]
    return block


def is_said(text: str) -> bool:
    """Tell whether *text* holds more than white space."""
    return not (text == "" or text.isspace())


def mark_last(blocks: list[Item], mark: Any) -> None:
    """Give the last of *blocks* that may have one the cache mark *mark*. Thoughts have none, and an own mark stays."""
    if mark is None:
        return
    for at in range(len(blocks) - 1, -1, -1):
        if blocks[at].get("type") in ("redacted_thinking", "thinking"):
            continue
        if MARK not in blocks[at]:
            blocks[at] = {**blocks[at], MARK: mark}
        return


def _write_part(part: Mapping[str, Any]) -> Item | None:
    """Return the block of *part*, or None for a text that says nothing."""
    kind = part["type"]
    if kind in ("text", "refusal"):
        text = part.get(kind)
        return {"type": "text", "text": text} if isinstance(text, str) and is_said(text) else None
    if kind in READ_PARTS and kind != "input_audio":
        return _write_media(kind, dict(part))
    raise _refusal(kind, "cannot be sent to Claude")


def _write_media(kind: str, part: dict[str, Any]) -> Item:
    given = part.get(kind)
    file = given if kind == "file" and isinstance(given, dict) else {}
    media = read_media(part)
    if isinstance(media, Inline):
        source = _inline_source(media, kind)
    elif isinstance(media, Address) and media.scheme in _REMOTE:
        source = {"type": "url", "url": media.text}
    elif isinstance(file.get("file_id"), str):
        source = {"type": "file", "file_id": file["file_id"]}
    else:
        raise _refusal(kind, "carries neither its bytes nor an address that can be read")
    is_image = kind == "image_url" or str(source.get("media_type") or "").startswith("image/")
    block: Item = {"type": "image" if is_image else "document", "source": source}
    if not is_image and isinstance(name := file.get("filename"), str) and name:
        block["title"] = name
    return block


def _inline_source(media: Inline, kind: str) -> dict[str, Any]:
    """Return the source of inline bytes. A document of plain text is written as its text."""
    data = media.text[media.start :]
    if kind == "file" and media.kind.startswith("text/"):
        plain = b64decode(data) if media.encoded else unescaped(data)
        return {"type": "text", "media_type": "text/plain", "data": (plain or b"").decode(errors="replace")}
    if not media.encoded:
        plain = unescaped(data)
        if plain is None:
            raise _refusal(kind, "holds bytes that cannot be read")
        data = b64encode(plain).decode()
    return {"type": "base64", "media_type": media.kind, "data": data}


def _refusal(kind: str, what: str) -> Unrepairable:
    return Unrepairable(f"A part of type '{kind}' {what}.", rule="media_unreadable", param="messages")
