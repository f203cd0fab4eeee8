"""Finds the name of the model in a path of Gemini's API."""

from __future__ import annotations

from aiohttp import web

_PREFIX = "models/"
_GOOGLE = "google"
_PUBLISHER = "publishers/"


def model_of(request: web.Request) -> str:
    """Return the model that the path of *request* names, decoded.

    Some clients write ``models/`` twice. A publisher of Vertex AI's paths is a part of the name, unless it is Google:
    google-genai makes such a path of ``anthropic/claude-opus-4-8``. The name is the client's text, so that only names
    of the configuration answer for it.
    """
    found = request.match_info
    name = found["model"]
    while name.startswith(_PREFIX):
        name = name[len(_PREFIX) :]
    _, named, publisher = found["before"].rstrip("/").rpartition(_PUBLISHER)
    if not named:
        return name
    return name if publisher == _GOOGLE else f"{publisher}/{name}"
