"""Estimate the tokens of an image, a recording or a document without decoding it.

Providers count media by pixels, seconds or pages, not by the base64 that carries it. Only the pixels of a PNG are cheap
to read. All other images have a fixed cost. Recordings and documents count by their bytes, or at a fixed cost where the
part only names an address.
"""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Media:
    """Token costs of media. ``_per_kb`` is per 1,000 bytes. Base64 is never counted as text."""

    image: int
    """An image of unknown size."""

    image_low: int
    """An image for which the client requests low detail."""

    pixels_per_token: int | None
    """Pixels per token, where an image's size decides. *image* is then the most that an image costs."""

    audio_per_kb: float
    """Compressed audio. Uncompressed audio costs a third of it."""

    video_per_kb: float

    document_per_kb: float
    """PDF, and any other document that is no plain text."""

    remote: int
    """Audio, video or a document that is named by its address or id, so that its size is unknown."""

    tile: int | None = None
    """Tokens for each tile of 512 pixels a side, in addition to *image_low*.

    None where the provider counts no tiles.
    """


OPENAI_MEDIA = Media(
    # 85 in low detail; else 85 and 170 a tile: 765 for 1024 x 1024, 1105 for 2048 x 4096 (OpenAI's vision guide).
    image=1_105,
    image_low=85,
    pixels_per_token=None,
    tile=170,
    # 10 tokens a second (OpenAI's audio guide), of 16 kB: 128 kbit/s.
    audio_per_kb=0.7,
    video_per_kb=2.5,  # chosen
    # A PDF goes in as text and as an image of each page: some 1,500 a page of 50 kB. Chosen.
    document_per_kb=30.0,
    remote=5_000,  # chosen
)
GEMINI_MEDIA = Media(
    # 258 a tile of 768 x 768, and for an image of 384 x 384 or less (Gemini's token guide, 2.x): 1,548 for a screen
    # of 1920 x 1080. 1,120 an image of any size on Gemini 3 (its media-resolution guide).
    image=1_120,
    image_low=258,
    pixels_per_token=None,
    # 32 tokens a second of audio, 16 kB; about 300 a second of video, 125 kB; 258 a page of PDF (the token guide).
    audio_per_kb=2.0,
    video_per_kb=2.4,
    document_per_kb=6.0,
    remote=5_000,  # chosen
)
CLAUDE_MEDIA = Media(
    # width * height / 750, at most about 1,600 after scaling down (Anthropic's vision guide).
    image=1_600,
    image_low=1_600,
    pixels_per_token=750,
    audio_per_kb=2.0,  # not accepted
    video_per_kb=2.5,  # not accepted
    # 1,500 to 3,000 of text a page, and the page as an image (Anthropic's PDF guide); a page of 50 kB is chosen.
    document_per_kb=60.0,
    remote=5_000,  # chosen
)

# 2,833 and 5,667 a tile for gpt-4o-mini (OpenAI's vision guide). Four tiles: an image of 1024 x 1024.
GPT_4O_MINI_MEDIA = replace(OPENAI_MEDIA, image=25_501, image_low=2_833, tile=5_667)


def patches(tokens_per_patch: float) -> Media:
    """Return the costs for patches of 32 pixels a side, of which 1,536 count at most (OpenAI's vision guide)."""
    most = ceil(1_536 * tokens_per_patch)
    pixels = int(32 * 32 / tokens_per_patch)
    return replace(OPENAI_MEDIA, image=most, image_low=most, pixels_per_token=pixels, tile=None)


Kind: TypeAlias = Literal["image", "audio", "video", "document", "text"]

KINDS: dict[str, Kind] = {
    "audio_url": "audio",
    "document": "document",
    "file": "document",
    "image": "image",
    "image_url": "image",
    "input_audio": "audio",
    "input_file": "document",
    "input_image": "image",
    "video_url": "video",
}
"""Maps the type of a media part, in any provider's spelling, to its kind.

A ``data:`` URL's own MIME type overrides the kind.
"""

TEXT_PER_KB = 300.0
"""Tokens per 1,000 bytes of a text file: 3.3 bytes a token."""

_PLAIN = ("text/", "application/json", "application/xml", "application/yaml")
_UNCOMPRESSED = ("audio/wav", "audio/x-wav", "audio/pcm", "wav", "pcm16")
_PNG = b"\x89PNG\r\n\x1a\n"
_HEADER = 48
"""Base64 letters that hold a PNG's signature and size: 36 bytes."""


def media_tokens(part: dict[str, Any], costs: Media) -> int:
    """Return the tokens of a content part whose ``type`` is one of :data:`KINDS`. Never raises."""
    kind = KINDS[part["type"]]
    value = part.get(part["type"])
    holder = value if isinstance(value, dict) else part.get("source")
    if not isinstance(holder, dict):
        holder = {"url": value} if isinstance(value, str) else part
    address, data, format_ = _carried(holder)
    if data is None and address.startswith("data:"):
        head, _, data = address.partition(",")
        format_ = head[5:].partition(";")[0].lower()
        kind = _kind_of(format_, kind)
    if kind == "image":
        return _image_tokens(data, holder.get("detail") or part.get("detail"), costs)
    if data is None:
        return costs.remote
    rate = {
        "audio": costs.audio_per_kb / (3 if format_ in _UNCOMPRESSED else 1),
        "video": costs.video_per_kb,
        "document": costs.document_per_kb,
        "text": TEXT_PER_KB,
    }[kind]
    return 1 + int(len(data) * 3 / 4 / 1_000 * rate)


def _carried(holder: dict[str, Any]) -> tuple[str, str | None, str]:
    """Return a part's address, its base64 where that is a field of its own, and its stated format."""
    address, data = holder.get("url"), holder.get("data")
    if not isinstance(address, str):
        address = holder.get("file_data")
    format_ = holder.get("format") or holder.get("media_type")
    return (
        address if isinstance(address, str) else "",
        data if isinstance(data, str) else None,
        format_.lower() if isinstance(format_, str) else "",
    )


def _kind_of(mime: str, otherwise: Kind) -> Kind:
    if mime.startswith(_PLAIN):
        return "text"
    for kind in ("image", "audio", "video"):
        if mime.startswith(f"{kind}/"):
            return kind
    return otherwise


def _image_tokens(data: str | None, detail: Any, costs: Media) -> int:
    if detail == "low":
        return costs.image_low
    size = None if data is None else _png_size(data)
    if size is None:
        return costs.image
    if costs.tile is not None:
        return costs.image_low + costs.tile * _tiles(*size)
    if costs.pixels_per_token is None:
        return costs.image
    return min(costs.image, 1 + size[0] * size[1] // costs.pixels_per_token)


def _tiles(width: int, height: int) -> int:
    """Return the tiles of an image that is scaled to fit 2,048 pixels a side, and then 768 on its short side.

    A tile has 512 pixels a side (OpenAI's vision guide).
    """
    short, long = sorted((max(1, width), max(1, height)))
    scale = min(1.0, 2_048 / long, 768 / short)
    return ceil(short * scale / 512) * ceil(long * scale / 512)


def _png_size(data: str) -> tuple[int, int] | None:
    """Return the width and the height of a PNG, from the header at its beginning, or None for other data."""
    try:
        header = b64decode(data[:_HEADER])
    except ValueError:
        return None
    if not header.startswith(_PNG) or len(header) < 24:
        return None
    return int.from_bytes(header[16:20], "big"), int.from_bytes(header[20:24], "big")
