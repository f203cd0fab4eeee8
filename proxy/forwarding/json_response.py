"""JSON answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiohttp import web

from proxy.core.json_text import write_json

CONTENT_TYPE, CHARSET = "application/json", "utf-8"


def json_response(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """Return *value* as a JSON answer."""
    return written_response(write_json(value), status=status, headers=headers)


def written_response(
    body: bytes, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    """Return *body*, which is JSON, as an answer."""
    return web.Response(body=body, status=status, headers=headers, content_type=CONTENT_TYPE, charset=CHARSET)
