"""Write one media part as its provider reads it, or say why that is impossible."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Any, NamedTuple

from sanitizers.media.payloads import is_base64, mended_base64, type_of_base64, unescaped
from sanitizers.media.reading import Address, Inline, contradicts, read_media, types_taken
from sanitizers.profiles import Profile

_FILE_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")
"""The form of OpenAI's file ids. litellm takes any other text for an address and fetches it."""

_FAMILIES = ("image", "application", "audio", "video", "text")


class Fault(NamedTuple):
    """The reason why a part cannot be sent: the *rule* that it breaks, and *what* is wrong in words for the client."""

    rule: str
    what: str


class Mended(NamedTuple):
    """A part as it is to be sent, and the reason of the change. The reason is empty for an unchanged part."""

    part: dict[str, Any]
    reason: str = ""


def mend_part(part: dict[str, Any], profile: Profile) -> Mended | Fault:
    """Return *part* as *profile* accepts it. Its type is in :data:`READ_PARTS` or in *profile*'s ``refused_media``.

    Wrong notation of base64 is repaired: the URL alphabet, line breaks, padding and percent signs. A payload that is
    not base64 is encoded. The type is spelled out (``png``, ``image/jpg``: crush#995, cherry-studio#3088). It is read
    from the bytes where they show another ("the image appears to be a image/jpeg image", Anthropic).
    """
    if part["type"] in profile.refused_media:
        return Fault("media_type", "is of a kind that this model cannot be given")
    if part["type"] == "file" and isinstance(file := part["file"], dict) and file.get("file_id") is not None:
        named = isinstance(file["file_id"], str) and _FILE_ID.fullmatch(file["file_id"]) is not None
        if not (profile.file_ids and named):
            if not file.get("file_data"):
                return Fault("remote_media", "names a file that this provider does not have")
            rest = {name: value for name, value in file.items() if name != "file_id"}
            bare = mend_part({**part, "file": rest}, profile)
            return bare if isinstance(bare, Fault) else Mended(bare.part, "file_id")
    media = read_media(part)
    if isinstance(media, Address):
        return _fault_of_address(part, media, profile) or Mended(part)
    if not isinstance(media, Inline):
        return Fault(
            "media_unreadable", "cannot be read: the data: URL, or a field of the recording, is incomplete"
        )
    payload = _payload(media)
    if payload is None:
        return Fault("media_unreadable", "holds bytes that are no base64, or none at all")
    text, start = (media.text, media.start) if payload is media.text else (payload, 0)
    kind = media.kind
    taken = types_taken(part, profile)
    if taken is not None:
        found = None if part["type"] == "input_audio" else type_of_base64(text, start)
        kind = _kind(media, found, taken)
        if kind not in taken:
            return Fault("media_type", f"is of type {_shown(kind)}, which this model does not take")
    options = media.options
    if taken is not None and kind.startswith("image/"):
        options = ()
    if kind == media.kind and options == media.options and media.is_canonical and payload is media.text:
        return Mended(part)
    reason = "media_type" if kind != media.kind else "media_encoding"
    if part["type"] == "input_audio":
        value = {**part["input_audio"], "data": text, "format": kind.removeprefix("audio/")}
        return Mended({**part, "input_audio": value}, reason)
    head = "data:" + ";".join((kind, *options, "base64"))
    # This makes one copy, and slicing would make two: a payload may have some megabytes.
    url = text.replace(text[:start], f"{head},", 1) if start else f"{head},{text}"
    return Mended(_with_url(part, url), reason)


def _fault_of_address(part: dict[str, Any], media: Address, profile: Profile) -> Fault | None:
    if not media.text and part["type"] != "file":
        return Fault("remote_media", "names no media")
    web = media.scheme in ("http", "https")
    if profile.remote_media and (media.scheme == "" if part["type"] == "file" else web):
        return None
    what = "names its media by address"
    if not profile.remote_media:
        what += ". This model takes inline media only"
    elif not web:
        what += ". This provider fetches nothing from there"
    return Fault("remote_media", what)


def _payload(media: Inline) -> str | None:
    """Return the payload as base64, which is the part's own text where possible, or None where it cannot be decoded."""
    if media.encoded:
        if is_base64(media.text, media.start):
            return media.text
        return mended_base64(media.text[media.start :])
    data = unescaped(media.text[media.start :])
    return b64encode(data).decode() if data else None


def _kind(media: Inline, found: str | None, taken: frozenset[str]) -> str:
    """Return the type of the bytes as it is to be written. *found* is the type that their beginning shows."""
    kind = media.kind.lower() or ("" if media.encoded else "text/plain")  # RFC 2397
    if kind.endswith("jpg"):
        kind = f"{kind[:-3]}jpeg"
    if kind and "/" not in kind:
        kind = next((f"{family}/{kind}" for family in _FAMILIES if f"{family}/{kind}" in taken), kind)
    return found if found is not None and contradicts(found, kind) else kind


def _shown(kind: str) -> str:
    """Return a type for an error's text, or a fixed text where it is no type."""
    return kind if re.fullmatch(r"[a-z]+/[a-z0-9.+-]{1,80}", kind) else "nobody knows what"


def _with_url(part: dict[str, Any], url: str) -> dict[str, Any]:
    """Return *part* with another URL. Its head names the type, so that a ``format`` field beside it is left out."""
    name = part["type"]
    value = part[name]
    if not isinstance(value, dict):
        return {**part, name: url}
    kept = {key: held for key, held in value.items() if key != "format"}
    return {**part, name: {**kept, "url" if name == "image_url" else "file_data": url}}
