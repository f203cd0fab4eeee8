"""The checker's rules for one media part, independent of the step that repairs it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sanitizers.media.payloads import is_base64, type_of_base64
from sanitizers.media.reading import READ_PARTS, Address, Inline, contradicts, read_media, types_taken
from sanitizers.profiles import Profile

_FETCHED = frozenset({"http", "https"})


def media_violations(part: dict[str, Any], profile: Profile) -> Iterator[str]:
    """Yield the rules that a media part breaks by itself, whatever the role of its message is."""
    if part["type"] in profile.refused_media:
        yield "media_type"
        return
    if part["type"] not in READ_PARTS:
        return
    if part["type"] == "file" and _has_id(part) and not (profile.file_ids and _is_id(part)):
        yield "remote_media"
        return
    media = read_media(part)
    if isinstance(media, Address):
        is_fetched = profile.https_media and media.scheme == "https"
        if not is_fetched and not (profile.remote_media and _is_passed_on(part, media)):
            yield "remote_media"
    elif not isinstance(media, Inline) or not media.is_canonical or not is_base64(media.text, media.start):
        yield "media_unreadable"
    elif (taken := types_taken(part, profile)) is not None:
        if media.kind not in taken or (media.options and media.kind.startswith("image/")):
            yield "media_type"
        elif part["type"] != "input_audio" and contradicts(
            type_of_base64(media.text, media.start), media.kind
        ):
            yield "media_mistyped"


def _has_id(part: dict[str, Any]) -> bool:
    return isinstance(part["file"], dict) and part["file"].get("file_id") is not None


def _is_id(part: dict[str, Any]) -> bool:
    """Tell whether a file's id has the form of an id. litellm would fetch anything else as an address."""
    file_id = part["file"]["file_id"]
    return isinstance(file_id, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,200}", file_id) is not None


def _is_passed_on(part: dict[str, Any], media: Address) -> bool:
    """Tell whether a provider that fetches accepts this address: an image's URL, or a file's id or bare base64."""
    return media.scheme == "" if part["type"] == "file" else media.scheme in _FETCHED
