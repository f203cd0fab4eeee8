"""Read the blocks of a user message, a system message or a tool's result as parts of a chat message.

Each part keeps its block's cache mark. Documents become files or texts, whichever chat has a form for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from sanitizers.messages import Message
from sanitizers.native.messages.places import kind_of, object_need, refuse, text_at, unknown_needs
from sanitizers.native.protocol import HELD_PLACEHOLDER, Need, add_needs
from sanitizers.work_limit import metered

MARK = "cache_control"

_MEDIA_TYPE = re.compile(r"[\w.+-]{1,64}/[\w.+-]{1,64}", re.ASCII)


class ReadParts(NamedTuple):
    """Collects the needs, and the places of what no chat message carries, while blocks are read."""

    needs: list[Need]
    left_out: list[str]


def read_blocks(blocks: Any, place: str, read: ReadParts) -> Any:
    """Return *blocks*, a content that stands at *place*, as the content of a chat message.

    A text stays a text, and so does a list with one text without a mark. Null is an empty text. Raises
    :class:`~sanitizers.errors.Unrepairable` for what is no content.
    """
    if blocks is None:
        return ""
    if blocks.__class__ is str:
        return blocks
    if not isinstance(blocks, list):
        refuse(place, "Input should be a valid string or a valid list")
    if len(blocks) == 1 and (alone := text_alone(blocks[0])) is not None:
        return alone
    parts: list[Message] = []
    for number, block in enumerate(metered(blocks)):
        parts += read_block(block, f"{place}.{number}", read)
    return content_of(parts)


def text_alone(block: Any) -> str | None:
    """Return the text of a text block that has nothing else, as nearly all have not."""
    if block.__class__ is dict and len(block) == 2 and block.get("type") == "text":
        text = block.get("text")
        return text if text.__class__ is str else None
    return None


def content_of(parts: list[Message]) -> Any:
    """Return *parts* as the content of a chat message: one text as a text, and no parts as an empty text."""
    if len(parts) == 1 and parts[0]["type"] == "text" and MARK not in parts[0]:
        return parts[0]["text"]
    return parts or ""


def read_block(block: Any, place: str, read: ReadParts) -> list[Message]:
    """Return the parts of one *block* of the client's. An unknown block is a need, and a text stands for it."""
    kind = kind_of(block, place)
    reader = _READERS.get(kind)
    if reader is None:
        is_upload = kind == "container_upload"
        needs = (object_need(f"{place}.file_id"),) if is_upload else unknown_needs(block, place, kind)
        add_needs(read.needs, needs)
        parts = [_text(HELD_PLACEHOLDER)]
    else:
        parts = reader(block, place, read)
    if MARK in block and block[MARK] is not None and parts:
        parts[-1] = {**parts[-1], MARK: block[MARK]}
    return parts


def _read_text(block: Mapping[str, Any], place: str, read: ReadParts) -> list[Message]:
    if block.get("citations"):
        read.left_out.append(f"{place}.citations")
    return [_text(text_at(block, "text", place))]


def _read_image(block: Mapping[str, Any], place: str, read: ReadParts) -> list[Message]:
    return _image(_source_of(block, place), f"{place}.source", read)


def _read_document(block: Mapping[str, Any], place: str, read: ReadParts) -> list[Message]:
    """Return the parts of a document. Its context is a text before it."""
    title, context = text_at(block, "title", place), text_at(block, "context", place)
    cited = block.get("citations")
    if isinstance(cited, dict) and cited.get("enabled"):
        read.left_out.append(f"{place}.citations")
    parts = [_text(context)] if context else []
    source, here = _source_of(block, place), f"{place}.source"
    kind = source.get("type")
    if kind == "text":
        text = text_at(source, "data", here)
        parts.append(_text(f"{title}\n\n{text}" if title else text))
    elif kind == "content":
        parts += [_text(title)] if title else []
        parts += _read_inner(source.get("content"), f"{here}.content", read)
    elif kind == "file":
        add_needs(read.needs, [object_need(f"{here}.file_id")])
        parts.append(_text(HELD_PLACEHOLDER))
    else:
        file = {"file_data": _address(source, here, "application/pdf")}
        if title or kind == "base64":  # OpenAI refuses bytes without a name (openai-agents-python#1513)
            file["filename"] = title or "document.pdf"
        parts.append({"type": "file", "file": file})
    return parts


def _read_search_result(block: Mapping[str, Any], place: str, read: ReadParts) -> list[Message]:
    title, source = text_at(block, "title", place), text_at(block, "source", place)
    head = f"{title} ({source})" if title and source else title or source
    parts = [_text(f"{head}\n")] if head else []  # results are joined for some models
    return parts + _read_inner(block.get("content"), f"{place}.content", read)


def _read_reference(block: Mapping[str, Any], place: str, read: ReadParts) -> list[Message]:
    return [_text(f"Found the tool {text_at(block, 'tool_name', place)}.")]


_READERS: Mapping[str, Callable[[Mapping[str, Any], str, ReadParts], list[Message]]] = MappingProxyType(
    {
        "document": _read_document,
        "image": _read_image,
        "search_result": _read_search_result,
        "text": _read_text,
        "tool_reference": _read_reference,
    }
)
"""The blocks that chat has a form for, by their types."""


def _read_inner(content: Any, place: str, read: ReadParts) -> list[Message]:
    """Return the texts and images of a document or a search result. They hold no documents themselves."""
    if isinstance(content, str):
        return [_text(content)]
    if not isinstance(content, list):
        refuse(place, "Input should be a valid list")
    parts: list[Message] = []
    for number, block in enumerate(metered(content)):
        here = f"{place}.{number}"
        kind = kind_of(block, here)
        if kind == "text":
            parts += _read_text(block, here, read)
        elif kind == "image":
            parts += _read_image(block, here, read)
        else:
            add_needs(read.needs, unknown_needs(block, here, kind))
            parts.append(_text(HELD_PLACEHOLDER))
    return parts


def _image(source: Mapping[str, Any], place: str, read: ReadParts) -> list[Message]:
    if source.get("type") == "file":
        add_needs(read.needs, [object_need(f"{place}.file_id")])
        return [_text(HELD_PLACEHOLDER)]
    return [{"type": "image_url", "image_url": {"url": _address(source, place, "image/png")}}]


def _source_of(block: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    source = block.get("source")
    if not isinstance(source, dict):
        refuse(
            f"{place}.source", "Field required" if source is None else "Input should be a valid dictionary"
        )
    return source


def _address(source: Mapping[str, Any], place: str, usual: str) -> str:
    """Return the address of a *source*: its own, or a ``data:`` URL of its bytes."""
    kind = source.get("type")
    if kind == "url":
        url = text_at(source, "url", place)
        return url or refuse(f"{place}.url", "Field required")
    if kind != "base64":
        refuse(f"{place}.type", "Input should be 'base64', 'url' or 'file'")
    data = text_at(source, "data", place)
    if not data:
        refuse(f"{place}.data", "Field required")
    media_type = text_at(source, "media_type", place) or usual
    if not _MEDIA_TYPE.fullmatch(media_type):
        refuse(f"{place}.media_type", "Input should be a media type")
    return f"data:{media_type};base64,{data}"


def _text(text: str) -> Message:
    return {"type": "text", "text": text}
