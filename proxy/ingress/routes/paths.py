"""The paths of the server, and functions that classify a request's path.

Every API path is served with ``/v1`` and without it. Gemini's paths have further spellings
(:mod:`proxy.ingress.routes.gemini_paths`).
"""

from __future__ import annotations

from aiohttp import web

from proxy.ingress.formats import CHAT_COMPLETIONS as CHAT_COMPLETIONS
from proxy.ingress.formats import COMPLETIONS as COMPLETIONS
from proxy.ingress.formats import EMBEDDINGS as EMBEDDINGS
from proxy.ingress.formats import FORMATS
from proxy.ingress.formats import MESSAGES as MESSAGES
from proxy.ingress.formats import RESPONSES as RESPONSES
from proxy.ingress.routes import gemini_paths

EXPLAIN = "/v1/explain"
KEY = "/v1/key"
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
UI_KEYS = "/ui/api/keys"

OPEN_PATHS = frozenset({*LIVE, *READY, METRICS, ROOT, *UI, "/ui/{file}"})
"""Paths that need no key, by the names that aiohttp gives their resources.

The inspector's page is open, since it asks the user for the key. The page's data need the key.
"""

_PROBES = frozenset({*LIVE, *READY})

_UI_WORK = frozenset({UI_LOOK, UI_VERDICTS})

LISTINGS = frozenset(
    {
        KEY,
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
"""The API's paths that show a key, models, learned repairs or stored objects, by aiohttp's names of their resources.

Requests to these paths call no model.
"""

_FURTHER_ROUTES = (
    EXPLAIN,
    COMPACT,
    COUNT_TOKENS,
    gemini_paths.COUNT_CONTENT_TOKENS,
    INPUT_TOKENS,
    *sorted(LISTINGS),
)
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
    return once if once in FORMATS or once in _FURTHER_ROUTES else gemini_paths.ROUTES.get(path)


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
