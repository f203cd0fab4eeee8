"""Responses with a JSON body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiohttp import web

from proxy.core.json_text import write_json

CONTENT_TYPE, CHARSET = "application/json", "utf-8"


def json_response(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """Return a response with *value* as its JSON body."""
    return written_response(write_json(value), status=status, headers=headers)


def written_response(
    body: bytes, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    """Return a response with *body*, which is encoded JSON."""
    return web.Response(body=body, status=status, headers=headers, content_type=CONTENT_TYPE, charset=CHARSET)
