"""Read a media part: an address, or bytes with a type."""

from __future__ import annotations

from typing import Any, NamedTuple

from sanitizers.profiles import Profile

READ_PARTS = frozenset({"file", "image_url", "input_audio"})
"""Types of the media parts whose payload is checked.

``video_url`` and ``audio_url`` are vLLM's extensions, whose URLs may join several payloads by commas.
"""

_LONGEST_HEAD = 512
"""Characters within which the comma of a ``data:`` URL must stand, so that a broken URL is not searched whole."""


class Inline(NamedTuple):
    """Inline bytes of a part: *text* holds them from *start* on.

    *kind* is the MIME type as it is written, or empty. *options* are the parameters after the type in the head (the
    part before the comma), without ``base64``. *encoded* tells whether the head says base64. *is_canonical* tells
    whether the head is written as ``data:<type>[;option]*;base64,``.
    """

    text: str
    start: int
    kind: str
    options: tuple[str, ...]
    encoded: bool
    is_canonical: bool


class Address(NamedTuple):
    """An address to fetch from. The text is empty where the part has neither an address nor data."""

    text: str

    @property
    def scheme(self) -> str:
        """The scheme in small letters, or an empty text."""
        scheme, mark, _ = self.text[:16].partition(":")
        return scheme.lower() if mark else ""


class Broken(NamedTuple):
    """A ``data:`` URL without the comma before its bytes, or a recording without data or format."""


def read_media(part: dict[str, Any]) -> Inline | Address | Broken:
    """Return the content of a part of :data:`READ_PARTS`. Never raises.

    A ``format`` field next to a URL overrides the URL's own type, as in litellm and in Gemini's API.
    """
    kind = part["type"]
    value = part.get(kind)
    if kind == "input_audio":
        data, named = _text(value, "data"), _text(value, "format")
        if not data or not named:
            return Broken()
        # litellm would make audio/audio/mp3 of a whole type.
        bare = named[6:] if named[:6].lower() == "audio/" else named
        return Inline(data, 0, f"audio/{bare}", (), encoded=True, is_canonical=bare == named)
    given = value if isinstance(value, str) else _text(value, "url" if kind == "image_url" else "file_data")
    if given[:5].lower() != "data:":
        return Address(given)
    comma = given.find(",", 0, _LONGEST_HEAD)
    if comma < 0:
        return Broken()
    head = given[5:comma]
    own, *options = (piece.strip() for piece in head.split(";"))
    encoded = any(option.lower() == "base64" for option in options)
    kept = tuple(option for option in options if option.lower() != "base64")
    is_canonical = given.startswith("data:") and head == ";".join((own, *kept, "base64"))
    return Inline(
        given, comma + 1, _text(value, "format") or own, kept, encoded=encoded, is_canonical=is_canonical
    )


def _text(value: Any, name: str) -> str:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def types_taken(part: dict[str, Any], profile: Profile) -> frozenset[str] | None:
    """Return the MIME types that the provider accepts for *part*, or None where these are unknown."""
    return profile.image_types if part["type"] == "image_url" else profile.file_types


_ALIKE = frozenset({"image/heic", "image/heif"})


def contradicts(found: str | None, kind: str) -> bool:
    """Tell whether the type *found* in the bytes contradicts the written *kind*. HEIC is a kind of HEIF."""
    return found is not None and found != kind and not {found, kind} <= _ALIKE


def may_stand_in_result(part: dict[str, Any], profile: Profile) -> bool:
    """Tell whether a media part may stand in a tool result.

    Inline bytes may, of a type that the provider accepts there, and so may an address from which it fetches itself.
    """
    if not profile.result_types or part["type"] not in READ_PARTS:
        return False
    media = read_media(part)
    if isinstance(media, Address):
        return profile.https_media and media.scheme == "https"
    return isinstance(media, Inline) and media.kind in profile.result_types
