"""Writes media parts as ``inlineData``: the bytes of ``data:`` URLs, with the type in Gemini's spelling."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NoReturn

from proxy.core.errors import InvalidRequest
from sanitizers.media.payloads import mended_base64, unescaped

_TYPES = MappingProxyType(
    {  # "Unsupported MIME type: image/jpg" and "png": crush#995, smart-connections#1238, cherry-studio#3088
        "image/jpg": "image/jpeg",
        "jpeg": "image/jpeg",
        "jpg": "image/jpeg",
        "pdf": "application/pdf",
        "png": "image/png",
        "webp": "image/webp",
    }
)
_UNNAMED = "text/plain"
"""The type of a data URL that names no type (RFC 2397)."""


def inline_data(part: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return the ``inlineData`` part for an ``image_url``, ``file`` or ``input_audio`` part at *place*.

    Raises :class:`InvalidRequest`, with the part's path in ``param``, for bytes that cannot be read. It is also raised
    for media at an address, since nothing is fetched here.
    """
    kind = part["type"]
    value = part.get(kind)
    place = f"{place}.{kind}"
    if kind == "input_audio":
        return _audio(value, place)
    named = None
    if isinstance(value, Mapping):
        named = value.get("format")
        value = value.get("url" if kind == "image_url" else "file_data")
    if not isinstance(value, str) or value[:5].lower() != "data:":
        _refuse(place, "must carry its bytes as a data: URL")
    head, comma, data = value[5:].partition(",")
    if not comma:
        _refuse(place, "is no data: URL: the comma before the bytes is missing")
    mime_type, *options = (piece.strip() for piece in head.split(";"))
    if any(option.lower() == "base64" for option in options):
        data = _base64(data, place)
    else:
        plain = unescaped(data)
        if plain is None:
            _refuse(place, "holds bytes that cannot be read")
        data = b64encode(plain).decode()
    return _blob(named if isinstance(named, str) and named else mime_type or _UNNAMED, data, place)


def _audio(value: Any, place: str) -> dict[str, Any]:
    data = value.get("data") if isinstance(value, Mapping) else None
    style = value.get("format") if isinstance(value, Mapping) else None
    if not isinstance(data, str) or not data or not isinstance(style, str) or not style:
        _refuse(place, "must hold 'data' and 'format'")
    return _blob(style if "/" in style else f"audio/{style}", _base64(data, place), place)


def _blob(mime_type: str, data: str, place: str) -> dict[str, Any]:
    if not data:
        _refuse(place, "is empty")
    mime_type = mime_type.lower()
    return {"inlineData": {"mimeType": _TYPES.get(mime_type, mime_type), "data": data}}


def _base64(text: str, place: str) -> str:
    """Return *text* if it is padded base64 in one line, else the same bytes encoded in that way."""
    mended = mended_base64(text)
    if mended is None:
        _refuse(place, "is no base64")
    return mended


def _refuse(place: str, what: str) -> NoReturn:
    raise InvalidRequest(f"'{place}' {what}.", param=place)
