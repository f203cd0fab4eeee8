"""The paths of the server, and functions that classify a request's path.

Every API path is served with ``/v1`` and without it. Gemini's paths have further spellings, and one name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from aiohttp import web

from proxy.ingress.formats import BATCH_EMBED_CONTENTS as BATCH_EMBED_CONTENTS
from proxy.ingress.formats import CHAT_COMPLETIONS as CHAT_COMPLETIONS
from proxy.ingress.formats import COMPLETIONS as COMPLETIONS
from proxy.ingress.formats import EMBED_CONTENT as EMBED_CONTENT
from proxy.ingress.formats import EMBEDDINGS as EMBEDDINGS
from proxy.ingress.formats import FORMATS
from proxy.ingress.formats import GENERATE_CONTENT as GENERATE_CONTENT
from proxy.ingress.formats import MESSAGES as MESSAGES
from proxy.ingress.formats import RESPONSES as RESPONSES
from proxy.ingress.formats import STREAM_GENERATE_CONTENT as STREAM_GENERATE_CONTENT

EXPLAIN = "/v1/explain"
LEARNED = "/v1/learned"
MODELS = "/v1/models"
MODEL = "/v1/models/{id:.+}"

RESPONSE = "/v1/responses/{id}"
RESPONSE_CANCEL = "/v1/responses/{id}/cancel"
RESPONSE_INPUT = "/v1/responses/{id}/input_items"
INPUT_TOKENS = "/v1/responses/input_tokens"
COMPACT = "/v1/responses/compact"
SESSIONS = "/v1/sessions"
COUNT_TOKENS = "/v1/messages/count_tokens"
CONVERSATIONS = "/v1/conversations"
CONVERSATION = "/v1/conversations/{id}"
CONVERSATION_ITEMS = "/v1/conversations/{id}/items"
CONVERSATION_ITEM = "/v1/conversations/{id}/items/{item}"

COUNT_CONTENT_TOKENS = "/v1/models/{model}:countTokens"

GEMINI_METHODS = (
    GENERATE_CONTENT,
    STREAM_GENERATE_CONTENT,
    COUNT_CONTENT_TOKENS,
    EMBED_CONTENT,
    BATCH_EMBED_CONTENTS,
)
"""The methods of models in Gemini's API that are served."""

_GEMINI_VERSIONS = ("/v1beta", "/v1alpha", "/v1beta1")
"""The versions that only Gemini's API has. Clients of other APIs use ``/v1`` as well."""

_OF_ACCOUNTS = (
    "/publishers/{publisher}",
    "/projects/{project}/locations/{location}/publishers/{publisher}",
)
"""The beginnings of Vertex AI's paths to models, behind the version."""

LIVE = ("/livez", "/health/liveliness", "/health/liveness")
READY = ("/readyz", "/health", "/healthz", "/health/readiness")
METRICS = "/metrics"
ROOT = "/"

UI = ("/ui", "/ui/")
UI_FILE = "/ui/{file:(?!api(?:/|$)).+}"
UI_MODELS = "/ui/api/models"
UI_LOOK = "/ui/api/look"
UI_VERDICTS = "/ui/api/verdicts"
UI_RECENT = "/ui/api/recent"
UI_RECENT_ONE = "/ui/api/recent/{id}"
UI_LIVE = "/ui/api/live"

OPEN_PATHS = frozenset({*LIVE, *READY, METRICS, ROOT, *UI, "/ui/{file}"})
"""Paths that need no key, by the names that aiohttp gives their resources.

The inspector's page is open, since it asks the user for the key. The page's data need the key.
"""

_PROBES = frozenset({*LIVE, *READY})

_UI_WORK = frozenset({UI_LOOK, UI_VERDICTS})

LISTINGS = frozenset(
    {
        LEARNED,
        MODELS,
        MODEL.replace("{id:.+}", "{id}"),
        RESPONSE,
        RESPONSE_CANCEL,
        RESPONSE_INPUT,
        SESSIONS,
        CONVERSATIONS,
        CONVERSATION,
        CONVERSATION_ITEMS,
        CONVERSATION_ITEM,
    }
)
"""The API's paths that list models, learned repairs or stored objects, by aiohttp's names of their resources.

Requests to these paths call no model.
"""

_FURTHER_ROUTES = (EXPLAIN, COMPACT, COUNT_TOKENS, COUNT_CONTENT_TOKENS, INPUT_TOKENS, *sorted(LISTINGS))
"""The API's paths without a client format, by aiohttp's names of their resources."""

OTHER = "other"
"""The name of all other paths in metrics and logs."""


def spellings(path: str) -> tuple[str, str]:
    """Return an API path with and without ``/v1``, since LiteLLM's own client leaves the prefix out."""
    return path, path.removeprefix("/v1")


def all_spellings(path: str) -> tuple[str, str, str]:
    """Return the spellings of a path of the Messages API: those of :func:`spellings`, and one with ``/v1`` twice.

    Claude Code adds ``/v1`` to a base URL that may end with it already.
    """
    return *spellings(path), f"/v1{path}"


def gemini_spellings(route: str) -> tuple[str, ...]:
    """Return the paths of a method of Gemini's API, such as :data:`GENERATE_CONTENT`, as aiohttp's patterns.

    gemini-cli asks with ``/v1beta``, and google-genai with ``/v1`` (0.61.0 and 3.4.0, run in 2026-11). A base URL may
    end with a version already. Clients of Vertex AI name an account before the model.
    """
    tail = route.removeprefix("/v1").replace("{model}", "{model:.+}")
    versions = ("/v1", *_GEMINI_VERSIONS)
    return (
        *(f"{version}{tail}" for version in ("", *versions)),
        *(f"{before}/v1beta{tail}" for before in ("/v1", "/v1beta")),
        *(f"{version}{account}{tail}" for version in versions for account in _OF_ACCOUNTS),
    )


def gemini_listings(route: str) -> tuple[str, ...]:
    """Return the paths of :data:`MODELS` or :data:`MODEL` that only clients of Gemini's API use."""
    tail = route.removeprefix("/v1")
    return (
        *(f"{version}{tail}" for version in _GEMINI_VERSIONS),
        f"/v1/v1beta{tail}",
        f"/v1beta/v1beta{tail}",
    )


def gemini_unknown() -> tuple[str, ...]:
    """Return patterns of all other paths that only clients of Gemini's API use, and of methods that no model has."""
    return (
        *(f"{version}/{{below:.*}}" for version in _GEMINI_VERSIONS),
        *(f"/{start}{{below:.*}}" for start in ("upload/v1", "ws/google.", "v1/projects/", "v1/publishers/")),
        *(f"{version}/models/{{model:.+}}:{{method:[^/:]+}}" for version in ("", "/v1")),
    )


def _resource_name(pattern: str) -> str:
    """Return the name that aiohttp gives the resource of *pattern*."""
    return re.sub(r"\{(\w+):[^{}]*\}", r"{\1}", pattern)


_GEMINI_ROUTES: Mapping[str, str] = MappingProxyType(
    {
        _resource_name(path): route
        for route, paths in (
            *((route, gemini_spellings(route)) for route in GEMINI_METHODS),
            (MODELS, gemini_listings(MODELS)),
            (_resource_name(MODEL), gemini_listings(MODEL)),
        )
        for path in paths
    }
)
"""The names of routes by the names of the resources that only clients of Gemini's API use."""

_GEMINI_RESOURCES = frozenset({*_GEMINI_ROUTES, *map(_resource_name, gemini_unknown())})


def is_gemini(request: web.Request) -> bool:
    """Return True for a path that only clients of Gemini's API use."""
    resource = request.match_info.route.resource
    return resource is not None and resource.canonical in _GEMINI_RESOURCES


def api_routes() -> tuple[str, ...]:
    """Return the names of the API's paths in metrics and logs, of paths with and without a client format."""
    return *FORMATS, *_FURTHER_ROUTES


def api_route(request: web.Request) -> str | None:
    """Return the template of the API path that *request* matched, as metrics and logs name it, or None."""
    resource = request.match_info.route.resource
    if resource is None:
        return None
    path = resource.canonical
    route = path if path.startswith("/v1/") else "/v1" + path
    if route in FORMATS or route in _FURTHER_ROUTES:
        return route
    once = path.removeprefix("/v1")
    return once if once in FORMATS or once in _FURTHER_ROUTES else _GEMINI_ROUTES.get(path)


def is_ui_work(request: web.Request) -> bool:
    """Return True for the inspector's paths that take a body. Such requests have limits like those of the API."""
    resource = request.match_info.route.resource
    return resource is not None and resource.canonical in _UI_WORK


def is_probe(request: web.Request) -> bool:
    """Return True for the paths of liveness and readiness probes."""
    resource = request.match_info.route.resource
    return resource is not None and resource.canonical in _PROBES


def is_open(request: web.Request) -> bool:
    """Return True for the paths that answer without a key."""
    resource = request.match_info.route.resource
    return resource is not None and resource.canonical in OPEN_PATHS
