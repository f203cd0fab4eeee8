"""Finds OpenAI's error for an `image_url` whose address is no image.

Sources: no `data:` prefix, OmniSearch#3; no bytes, opencode#23983. The words for a foreign MIME type, for bad base64
and for bytes of another kind are from memory.
"""

import binascii
from base64 import b64decode
from collections.abc import Iterator
from typing import Any, NamedTuple

EXPECTED = (
    "Invalid image URL: '{path}'. Expected a base64-encoded data URL with an image MIME type "
    "(e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got {found}."
)
UNSUPPORTED = (
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: "
    "['png', 'jpeg', 'gif', 'webp']."
)
MIME_TYPES = ("image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp")


class ImageFault(NamedTuple):
    """OpenAI's error for an image address that cannot be used."""

    message: str
    param: str
    code: str


def image_faults(messages: list[dict[str, Any]]) -> Iterator[ImageFault]:
    """Yield every fault of an image's address in the order of the messages, whose shapes must be valid."""
    for index, message in enumerate(messages):
        content = message.get("content")
        for place, part in enumerate(content if isinstance(content, list) else ()):
            if part["type"] == "image_url":
                yield from _part_faults(f"messages[{index}].content[{place}].image_url", part)


def kind_of_bytes(data: bytes) -> str | None:
    """Return the MIME type of an image by its first bytes, or None if models do not accept it."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def decoded(text: str) -> bytes | None:
    """Return the bytes that strict base64 encodes, or None if *text* is invalid."""
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _part_faults(path: str, part: dict[str, Any]) -> Iterator[ImageFault]:
    image = part.get("image_url")
    if not isinstance(image, dict):
        found = "a string" if isinstance(image, str) else "null"
        words = f"Invalid type for '{path}': expected an object, but got {found} instead."
        yield ImageFault(words, path, "invalid_type")
        return
    path, url = f"{path}.url", image.get("url")
    if not isinstance(url, str):
        yield ImageFault(f"Missing required parameter: '{path}'.", path, "missing_required_parameter")
        return
    if url.startswith(("http://", "https://")):
        return
    if not url.startswith("data:"):
        yield _expected(path, "a value without the 'data:' prefix")
        return
    head, _, text = url.removeprefix("data:").partition(",")
    mime, _, encoding = head.partition(";")
    if mime not in MIME_TYPES or encoding != "base64":
        yield _expected(path, f"unsupported MIME type '{head.removesuffix(';base64')}'")
        return
    data = decoded(text)
    if data is None:
        yield _expected(path, "an invalid base64-encoded value")
    elif not data:
        yield _expected(path, "empty base64-encoded bytes")
    elif kind_of_bytes(data) is None:
        yield ImageFault(UNSUPPORTED, path, "invalid_image_format")


def _expected(path: str, found: str) -> ImageFault:
    return ImageFault(EXPECTED.format(path=path, found=found), path, "invalid_value")
