"""Histories for the rules about media: images in messages and in tool results."""

from __future__ import annotations

from proxy.planning.probe.history_values import (
    BMP,
    PNG,
    ProbeHistory,
    assistant,
    calling,
    histories,
    image,
    result,
    text,
    user,
)

_REMOTE = "https://upload.wikimedia.org/wikipedia/commons/4/47/PNG_transparency_demonstration_1.png"

MEDIA_HISTORIES: tuple[ProbeHistory, ...] = (
    *histories("media_in_result", "tools", (user(), calling(), result(content=[text("sunny"), image()]))),
    *histories("media_mistyped", "media", (user([text(), image(PNG.replace("/png", "/jpeg"))]),)),
    *histories("media_type", "media", (user([text(), image(BMP)]),)),
    *histories("media_unreadable", "media", (user([text(), image("data:image/png;base64,%%%%")]),)),
    *histories(
        "refused_part",
        "media",
        (user(), assistant([text("Red."), image()]), user("Are you sure?")),
        spare=True,
    ),
    *histories("remote_media", "media", (user([text(), image(_REMOTE)]),)),
)
"""Histories for the rules about media."""
