"""JSON answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiohttp import web

from proxy.json_text import write_json


def json_response(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """Return *value* as a JSON answer."""
    return web.Response(
        body=write_json(value),
        status=status,
        headers=headers,
        content_type="application/json",
        charset="utf-8",
    )
