"""The headers by which a client's API is known on a path that several APIs share."""

from __future__ import annotations

from aiohttp import web

VERSION = "anthropic-version"
"""The header of every request to the Messages API."""

GOOGLE_KEY = "x-goog-api-key"
"""The header in which clients of Gemini's API send a key."""

_GOOGLE_HEADERS = (GOOGLE_KEY, "x-goog-api-client")


def has_google_headers(request: web.Request) -> bool:
    """Tell whether *request* has a header that only clients of Gemini's API send."""
    return any(name in request.headers for name in _GOOGLE_HEADERS)
