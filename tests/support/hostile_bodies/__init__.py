"""Builders of readable request bodies that make the proxy work hard, one builder for each kind of work.

Each builder takes an approximate size in bytes and returns the request's fields, without ``model``. Some fields hold
halves of surrogate pairs, which orjson cannot write. :func:`body_of` therefore uses :mod:`json`. A family goes to
``/v1/chat/completions`` unless :data:`PATHS` names another path.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import quote

from tests.support.hostile_bodies.blocks import BLOCKS, MESSAGES_API
from tests.support.hostile_bodies.calls import CALLS, LOOPS, RESULTS
from tests.support.hostile_bodies.contents import CONTENTS, GEMINI_API
from tests.support.hostile_bodies.items import ITEMS, RESPONSES
from tests.support.hostile_bodies.lists import LISTS, TOOLS
from tests.support.hostile_bodies.making import Body, Builder
from tests.support.hostile_bodies.messages import MEDIA, MESSAGES, RESULT_TEXTS, TEXTS
from tests.support.hostile_bodies.plain import PLAIN
from tests.support.hostile_bodies.schemas import SCHEMAS

__all__ = [
    "CHAT",
    "FAMILIES",
    "GEMINI_API",
    "MESSAGES_API",
    "PATHS",
    "RESPONSES",
    "Body",
    "Builder",
    "address_of",
    "body_of",
    "path_of",
]

CHAT = "/v1/chat/completions"

FAMILIES: Mapping[str, Builder] = MappingProxyType(
    {
        **LISTS,
        **TOOLS,
        **SCHEMAS,
        **CALLS,
        **RESULTS,
        **MESSAGES,
        **MEDIA,
        **TEXTS,
        **RESULT_TEXTS,
        **LOOPS,
        **PLAIN,
        **ITEMS,
        **BLOCKS,
        **CONTENTS,
    }
)
"""Builders of hostile bodies, by the name of the family."""

PATHS: Mapping[str, str] = MappingProxyType(
    {
        **{name: f"/v1/{name.partition('_')[0]}" for name in PLAIN},
        **dict.fromkeys(ITEMS, RESPONSES),
        **dict.fromkeys(BLOCKS, MESSAGES_API),
        **dict.fromkeys(CONTENTS, GEMINI_API),
    }
)
"""The request paths of the families that are not sent to :data:`CHAT`."""


def body_of(family: str, size: int, model: str) -> bytes:
    """Return the body of one request of *family* for *model*, of about *size* bytes."""
    named = {} if path_of(family) == GEMINI_API else {"model": model}
    return json.dumps({**named, **FAMILIES[family](size)}).encode()


def path_of(family: str) -> str:
    """Return the path that *family* is sent to, without the model that is in :data:`GEMINI_API`."""
    return PATHS.get(family, CHAT)


def address_of(family: str, model: str) -> str:
    """Return the path of a request of *family* for *model*."""
    return path_of(family).replace("{model}", quote(model, safe=""))
