"""The origin of a signature: an endpoint and a family of models.

A signature is only valid at its origin. The Gemini API calls a signature of Vertex "Corrupted". Vertex calls a
signature of the Gemini API "Invalid" (agenthub notes, 2026-09). A conversation from another model, even Gemini 2.5, has
to be sent without signatures (ai.google.dev/gemini-api/docs/thought-signatures, FAQ).

Two keys of one endpoint count as one origin, since a pool would otherwise lose every signature. If a signature is
still refused, a stand-in replaces it and the request is retried.
"""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from urllib.parse import urlsplit

from proxy.config.addresses import base_of
from proxy.core.deployment import Deployment
from sanitizers import Profile

TAG_LENGTH = 5


def origin_of(deployment: Deployment, profile: Profile) -> str:
    """Return the name of the origin of signatures by *deployment* under *profile*.

    The name goes into the store and never to a client.
    """
    family = "-".join(profile.name.split("-")[:2])
    where = _host_of(deployment.provider, deployment.api_base)
    project = deployment.credentials.get("vertex_project")
    if not deployment.api_base and isinstance(project, str):
        where += f"/{project}"
    return f"{where} {family}"


@lru_cache(maxsize=256)
def _host_of(provider: str, api_base: str | None) -> str:
    base = base_of(provider, api_base)
    return urlsplit(base).netloc.lower() if base else provider


@lru_cache(maxsize=256)
def tag_of(origin: str) -> str:
    """Return the tag of *origin* in an id: :data:`TAG_LENGTH` characters of ``[a-z2-7]``."""
    digest = hashlib.sha256(origin.encode()).digest()
    return base64.b32encode(digest)[:TAG_LENGTH].decode().lower()
