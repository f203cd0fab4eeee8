"""What a media part says about itself: an address, or bytes with a type."""

from __future__ import annotations

from typing import Any, NamedTuple

from sanitizers.profiles import Profile

READ_PARTS = frozenset({"file", "image_url", "input_audio"})
"""Media parts whose payload is looked at. ``video_url`` and ``audio_url`` are vLLM's own, which joins several payloads
with commas there."""

_LONGEST_HEAD = 512
"""Characters within which the comma of a ``data:`` URL stands: a broken one must not be searched through."""


class Inline(NamedTuple):
    """Bytes within a part: *text* holds them from *start* on.

    *kind* is the MIME type as it is written, empty where there is none, *options* what stands behind it in the head.
    *encoded* tells whether the head says base64, *is_canonical* whether it is written as everybody reads it:
    ``data:<type>[;option]*;base64,``.
    """

    text: str
    start: int
    kind: str
    options: tuple[str, ...]
    encoded: bool
    is_canonical: bool


class Address(NamedTuple):
    """A place from which somebody would have to fetch; empty where the part says nothing that can be read."""

    text: str

    @property
    def scheme(self) -> str:
        """The scheme in small letters, or nothing."""
        scheme, mark, _ = self.text[:16].partition(":")
        return scheme.lower() if mark else ""


class Broken(NamedTuple):
    """A ``data:`` URL without the comma that its bytes stand behind, or a recording without its fields."""


def read_media(part: dict[str, Any]) -> Inline | Address | Broken:
    """Return what a part of :data:`READ_PARTS` carries. Never raises.

    A ``format`` beside a URL goes before the URL's own type, as in litellm and on Gemini's wire.
    """
    kind = part["type"]
    value = part.get(kind)
    if kind == "input_audio":
        data, named = _text(value, "data"), _text(value, "format")
        if not data or not named:
            return Broken()
        bare = (
            named[6:] if named[:6].lower() == "audio/" else named
        )  # litellm would make audio/audio/mp3 of it
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
    """Return the MIME types that *part* may have; None where nothing is known of them."""
    return profile.image_types if part["type"] == "image_url" else profile.file_types


_ALIKE = frozenset({"image/heic", "image/heif"})


def contradicts(found: str | None, kind: str) -> bool:
    """Tell whether the type *found* in the bytes contradicts the *kind* that is written; HEIC is a kind of HEIF."""
    return found is not None and found != kind and not {found, kind} <= _ALIKE


def may_stand_in_result(part: dict[str, Any], profile: Profile) -> bool:
    """Tell whether a media part may stand within a tool result, by its type; what has none may not."""
    if not profile.result_types or part["type"] not in READ_PARTS:
        return False
    media = read_media(part)
    return isinstance(media, Inline) and media.kind in profile.result_types
