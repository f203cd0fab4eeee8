"""Checks images: four media types, strict base64, and bytes that match the declared type.

Sources: the media types, docs.anthropic.com/en/docs/build-with-claude/vision; bytes of another kind, claude-code#6300
("Image does not match the provided media type image/png"). The other texts are from memory.
"""

import binascii
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

MEDIA_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
BAD_TYPE = "{path}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"
BAD_BASE64 = "{path}: invalid base64 data"
EMPTY = "{path}.data: image cannot be empty"
MISMATCH = "{path}.data: Image does not match the provided media type {media_type}"
NOT_HTTPS = "{path}: Only HTTPS URLs are supported."
TOO_MANY = "Too much media: 0 document pages + {count} images > 100"
TOO_LARGE = "{path}: image exceeds 5 MB maximum: {count} bytes > 5242880 bytes"
MAX_IMAGES = 100
MAX_BYTES = 5 * 1024 * 1024
_BEGINNINGS = {
    "image/jpeg": b"\xff\xd8\xff",
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/gif": b"GIF8",
    "image/webp": b"RIFF",
}


def image_faults(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Yield every fault of an image, also of images inside tool results."""
    count = sum(_counts(message["content"]) for message in messages)
    if count > MAX_IMAGES:
        yield TOO_MANY.format(count=count)
    for index, message in enumerate(messages):
        if isinstance(message["content"], list):
            yield from _listed(f"messages.{index}.content", message["content"])


def _counts(blocks: Any) -> int:
    if not isinstance(blocks, list):
        return 0
    return sum((block["type"] == "image") + _counts(block.get("content")) for block in blocks)


def _listed(path: str, blocks: list[dict[str, Any]]) -> Iterator[str]:
    for index, block in enumerate(blocks):
        if block["type"] == "image":
            yield from _source_faults(f"{path}.{index}.image.source", block["source"])
        elif block["type"] == "tool_result" and isinstance(block.get("content"), list):
            yield from _listed(f"{path}.{index}.tool_result.content", block["content"])


def _source_faults(path: str, source: dict[str, Any]) -> Iterator[str]:
    kind = source.get("type")
    if kind == "url":
        if not str(source.get("url", "")).startswith("https://"):
            yield NOT_HTTPS.format(path=f"{path}.url.url")
        return
    if kind == "file":
        yield from () if source.get("file_id") else (f"{path}.file.file_id: Field required",)
        return
    if kind != "base64":
        yield (
            f"{path}: Input tag '{kind}' found using 'type' does not match any of the expected tags: "
            "'base64', 'file', 'url'"
        )
        return
    path, media_type = f"{path}.base64", source.get("media_type")
    if media_type not in MEDIA_TYPES:
        yield BAD_TYPE.format(path=path)
        return
    try:
        data = b64decode(source.get("data", ""), validate=True)
    except (binascii.Error, ValueError):
        yield BAD_BASE64.format(path=path)
        return
    if len(data) > MAX_BYTES:
        yield TOO_LARGE.format(path=path, count=len(data))
    if not data:
        yield EMPTY.format(path=path)
    elif not data.startswith(_BEGINNINGS[media_type]):
        yield MISMATCH.format(path=path, media_type=media_type)
