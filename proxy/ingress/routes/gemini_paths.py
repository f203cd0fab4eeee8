"""The paths that only clients of Gemini's API use, as aiohttp's patterns, and their names in metrics and logs.

gemini-cli asks with ``/v1beta``, and google-genai with ``/v1`` (0.61.0 and 3.4.0, run in 2026-11). Some clients name no
version. A base URL may end with a version already. Clients of Vertex AI name a publisher before the model.

Patterns of one beginning are tried in their order. Those that begin with a variable part come last (aiohttp 3.14.5).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from aiohttp import web

from proxy.ingress.formats import BATCH_EMBED_CONTENTS as BATCH_EMBED_CONTENTS
from proxy.ingress.formats import EMBED_CONTENT as EMBED_CONTENT
from proxy.ingress.formats import GENERATE_CONTENT as GENERATE_CONTENT
from proxy.ingress.formats import STREAM_GENERATE_CONTENT as STREAM_GENERATE_CONTENT

COUNT_CONTENT_TOKENS = "/v1/models/{model}:countTokens"

GEMINI_METHODS = (
    GENERATE_CONTENT,
    STREAM_GENERATE_CONTENT,
    COUNT_CONTENT_TOKENS,
    EMBED_CONTENT,
    BATCH_EMBED_CONTENTS,
)
"""The names of the methods of models that are served."""

_AGAIN = "(?:v1(?:beta)?/)?"
"""The version that a base URL may end with."""

_OWN_VERSION = f"{_AGAIN}v1(?:alpha|beta1?)"
"""The versions that other APIs do not have."""

_ACCOUNT = "(?:(?:projects/[^/]+/locations/[^/]+/)?publishers/[^/]+/)?"
_BEFORE = f"(?:{_AGAIN}v1(?:alpha|beta1?)?/{_ACCOUNT})?"

MODELS = f"/{{version:{_OWN_VERSION}}}/models"
MODEL = f"/{{version:{_OWN_VERSION}}}/models/{{id:.+}}"

UNKNOWN = (
    f"/{{version:{_OWN_VERSION}}}{{below:(?:/.*)?}}",
    "/{version:v1}/{below:(?:projects|publishers)/.*}",
    "/upload/{below:v1.*}",
    r"/ws/{below:google\..*}",
)
"""All other paths of Gemini's API. They fit the served ones too, and are added last."""

UNKNOWN_METHODS = "/{version:(?:v1/)?}models/{model:.+}:{method:[^/:]+}"
"""Further methods of models, for POST alone: clients of OpenAI delete models such as ``ft:gpt-4.1:team::id``."""


_METHOD = "|".join(method.rpartition(":")[2] for method in GEMINI_METHODS)

PLAIN = re.compile(rf"/(?P<before>{_BEFORE})models/(?P<model>[\w.:/@-]+):(?P<method>{_METHOD})", re.ASCII)
"""Matches a path to a method whose model's name needs no decoding, as nearly all do.

The groups have the names of :func:`pattern_of`, and ``method`` is the name of the method.
"""


def pattern_of(method: str) -> str:
    """Return the pattern of all paths of *method*, one of :data:`GEMINI_METHODS`."""
    return f"/{{before:{_BEFORE}}}models{{slash:/|%2F}}{{model:.+}}:{method.rpartition(':')[2]}"


def _resource_name(pattern: str) -> str:
    """Return the name that aiohttp gives the resource of *pattern*."""
    return re.sub(r"\{(\w+):[^{}]*\}", r"{\1}", pattern)


ROUTES: Mapping[str, str] = MappingProxyType(
    {
        **{_resource_name(pattern_of(method)): method for method in GEMINI_METHODS},
        _resource_name(MODELS): "/v1/models",
        _resource_name(MODEL): "/v1/models/{id}",
    }
)
"""The names of these paths in metrics and logs, by aiohttp's names of their resources."""

_RESOURCES = frozenset({*ROUTES, *map(_resource_name, (*UNKNOWN, UNKNOWN_METHODS))})


def plain_resources() -> Mapping[str, str]:
    """Return aiohttp's names of the resources of all methods, by the names in :data:`PLAIN`."""
    return {method.rpartition(":")[2]: _resource_name(pattern_of(method)) for method in GEMINI_METHODS}


def is_gemini(request: web.Request) -> bool:
    """Return True for a path that only clients of Gemini's API use."""
    resource = request.match_info.route.resource
    return resource is not None and resource.canonical in _RESOURCES
