"""Make inline media readable for the provider, or replace it with a note."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from sanitizers.changes import Change
from sanitizers.errors import Unrepairable
from sanitizers.media.payloads import is_base64, mended_base64, type_of_base64, unescaped
from sanitizers.media.reading import READ_PARTS, Address, Inline, contradicts, read_media, types_taken
from sanitizers.messages import (
    MEDIA_FREE_ROLES,
    Entries,
    Entry,
    first_of_newest_user_turn,
    is_part_list,
    open_places,
)
from sanitizers.profiles import Profile
from sanitizers.synthetic import left_out

NAME = "media"

_FILE_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")
"""The form of OpenAI's file ids. litellm takes any other text for an address and fetches it."""

_FAMILIES = ("image", "application", "audio", "video", "text")


def check_media(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Repair the type and notation of media parts, and replace parts that cannot be sent with a note.

    Invariant: a ``data:`` URL reads ``data:<type>;base64,<payload>``, and the payload is base64. The profile accepts
    the media type, and the payload's first bytes do not contradict it. Media is named by address only where the
    provider fetches.

    An unrepairable part of the newest user turn makes the step refuse the request. Without the part, the model would
    answer about something that it did not see. Elsewhere a note replaces the part, and a change names it. An old image
    must not end a conversation that fell back to a model without images. An image from a tool must not end the
    conversation either, since the client cannot choose that image.

    Sources: "Provided image is not valid" (pollinations#4157), "Unsupported MIME type: image/jpg" (crush#995).

    The step runs first, so that errors and changes name the indexes of the client's messages. This step skips roles
    that may hold no media. The later step ``shape`` drops the media of these roles. Raises :class:`Unrepairable` with
    the place in ``param``. Returns *entries* itself when nothing was changed.
    """
    checked = list(entries)
    changes: list[Change] = []
    newest = cache(lambda: first_of_newest_user_turn([entry.message for entry in entries]))
    for at in open_places(entries):
        entry = entries[at]
        content = entry.message.get("content")
        if content.__class__ is not list or not is_part_list(content):
            continue
        role = entry.message["role"]
        if role in MEDIA_FREE_ROLES:
            continue

        def asked_now(at: int = at, role: str = role) -> bool:
            return role == "user" and at >= newest()

        parts = [_checked(entry, number, profile, changes, asked_now) for number in range(len(content))]
        if any(new is not old for new, old in zip(parts, content, strict=True)):
            checked[at] = Entry({**entry.message, "content": parts}, entry.origin)
    return (tuple(checked), tuple(changes)) if changes else (entries, ())


def _checked(
    entry: Entry, number: int, profile: Profile, changes: list[Change], asked_now: Callable[[], bool]
) -> dict[str, Any]:
    origin = entry.origin
    part: dict[str, Any] = entry.message["content"][number]
    kind = part["type"]
    if (kind not in READ_PARTS and kind not in profile.refused_media) or kind in profile.refused_parts:
        return part
    found = _mend_part(part, profile)
    place = f"content[{number}]"
    if not isinstance(found, _Fault):
        if found.reason:
            changes.append(Change(NAME, "replaced", origin, found.reason, place))
        return found.part
    if asked_now():
        raise Unrepairable(
            f"'messages[{origin}].{place}' {found.what}. {_advice(found)}",
            rule=found.rule,
            param=f"messages[{origin}].{place}.{kind}",
            index=origin,
        )
    changes.append(Change(NAME, "replaced", origin, "left_out", f"{place}:{found.rule}"))
    return {"type": "text", "text": left_out(kind)}


def _advice(fault: _Fault) -> str:
    if fault.rule == "remote_media":
        return (
            "Send the bytes as a data: URL; what http and https addresses name can be fetched here, if the operator "
            "sets general_settings.media.fetch."
        )
    return "Send data:<type>;base64,<bytes>, with a type that the model takes."


class _Fault(NamedTuple):
    """The reason why a part cannot be sent: the *rule* that it breaks, and *what* is wrong in words for the client."""

    rule: str
    what: str


class _Mended(NamedTuple):
    """A part as it is to be sent, and the reason of the change. The reason is empty for an unchanged part."""

    part: dict[str, Any]
    reason: str = ""


def _mend_part(part: dict[str, Any], profile: Profile) -> _Mended | _Fault:
    """Return *part* as *profile* accepts it. Its type is in :data:`READ_PARTS` or in *profile*'s ``refused_media``.

    Wrong notation of base64 is repaired: the URL alphabet, line breaks, padding and percent signs. A payload of a URL
    without ``;base64`` is percent-decoded and encoded as base64. The type is spelled out (``png``, ``image/jpg``:
    crush#995, cherry-studio#3088). The type that the bytes show replaces a written type that contradicts them ("the
    image appears to be a image/jpeg image", Anthropic).
    """
    if part["type"] in profile.refused_media:
        return _Fault("media_type", "is of a kind that this model cannot be given")
    if part["type"] == "file" and isinstance(file := part["file"], dict) and file.get("file_id") is not None:
        named = isinstance(file["file_id"], str) and _FILE_ID.fullmatch(file["file_id"]) is not None
        if not (profile.file_ids and named):
            if not file.get("file_data"):
                return _Fault("remote_media", "names a file that this provider does not have")
            rest = {name: value for name, value in file.items() if name != "file_id"}
            bare = _mend_part({**part, "file": rest}, profile)
            return bare if isinstance(bare, _Fault) else _Mended(bare.part, "file_id")
    media = read_media(part)
    if isinstance(media, Address):
        return _fault_of_address(part, media, profile) or _Mended(part)
    if not isinstance(media, Inline):
        return _Fault(
            "media_unreadable", "cannot be read: the data: URL, or a field of the recording, is incomplete"
        )
    payload = _payload(media)
    if payload is None:
        return _Fault("media_unreadable", "holds bytes that are no base64, or none at all")
    text, start = (media.text, media.start) if payload is media.text else (payload, 0)
    kind = media.kind
    taken = types_taken(part, profile)
    if taken is not None:
        found = None if part["type"] == "input_audio" else type_of_base64(text, start)
        kind = _kind(media, found, taken)
        if kind not in taken:
            return _Fault("media_type", f"is of type {_shown(kind)}, which this model does not take")
    options = media.options
    if taken is not None and kind.startswith("image/"):
        options = ()
    if kind == media.kind and options == media.options and media.is_canonical and payload is media.text:
        return _Mended(part)
    reason = "media_type" if kind != media.kind else "media_encoding"
    if part["type"] == "input_audio":
        value = {**part["input_audio"], "data": text, "format": kind.removeprefix("audio/")}
        return _Mended({**part, "input_audio": value}, reason)
    head = "data:" + ";".join((kind, *options, "base64"))
    # This makes one copy, and slicing would make two: a payload may have some megabytes.
    url = text.replace(text[:start], f"{head},", 1) if start else f"{head},{text}"
    return _Mended(_with_url(part, url), reason)


def _fault_of_address(part: dict[str, Any], media: Address, profile: Profile) -> _Fault | None:
    if not media.text and part["type"] != "file":
        return _Fault("remote_media", "names no media")
    web = media.scheme in ("http", "https")
    if profile.remote_media and (media.scheme == "" if part["type"] == "file" else web):
        return None
    if profile.https_media and media.scheme == "https":
        return None
    what = "names its media by address"
    if profile.https_media:
        what += ". This model takes inline media and https addresses only"
    elif not profile.remote_media:
        what += ". This model takes inline media only"
    elif not web:
        what += ". This provider fetches nothing from there"
    return _Fault("remote_media", what)


def _payload(media: Inline) -> str | None:
    """Return the payload as base64, or None where it cannot be decoded.

    A valid payload is returned as the whole text of *media*, head included.
    """
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
    """Return *part* with another URL. The URL's head names the type, so that a ``format`` field is left out."""
    name = part["type"]
    value = part[name]
    if not isinstance(value, dict):
        return {**part, name: url}
    kept = {key: held for key, held in value.items() if key != "format"}
    return {**part, name: {**kept, "url" if name == "image_url" else "file_data": url}}
