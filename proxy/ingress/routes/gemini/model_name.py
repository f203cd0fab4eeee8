"""The name of the model in a path of Gemini's API."""

from __future__ import annotations

from aiohttp import web

PREFIX = "models/"
"""The beginning of a model's name in Gemini's API."""

_GOOGLE = "google"
_PUBLISHER = "publishers/"


def model_of(request: web.Request) -> str:
    """Return the model that the path of *request* names, decoded.

    A publisher of Vertex AI's paths is a part of the name, unless it is Google: google-genai makes such a path of
    ``anthropic/claude-opus-4-8``. The name is the client's text, so that only names of the configuration answer for it.
    """
    found = request.match_info
    name = plain_name(found["model"])
    _, named, publisher = found["before"].rstrip("/").rpartition(_PUBLISHER)
    if not named:
        return name
    return name if publisher == _GOOGLE else f"{publisher}/{name}"


def plain_name(name: str) -> str:
    """Return *name* without ``models/`` before it, which some clients write twice."""
    while name.startswith(PREFIX):
        name = name[len(PREFIX) :]
    return name
