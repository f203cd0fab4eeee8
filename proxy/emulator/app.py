"""The emulator's aiohttp application: routes, the key check, and Google's shape for every error."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable

from aiohttp import web

from proxy.emulator import control
from proxy.emulator.answers import count_tokens
from proxy.emulator.embeddings import embed, embed_batch
from proxy.emulator.errors import Refusal, invalid_fields, invalid_key, status_error, unknown_model
from proxy.emulator.generate import generate, parse_body, stream_generate, version_of
from proxy.emulator.journal import Journal
from proxy.emulator.judge import read_request
from proxy.emulator.models import LISTED_MODELS, describe_model, generation_of, model_id
from proxy.emulator.state import STATE, State, json_response, refusal_response

MAX_BODY_BYTES = 64 * 1024 * 1024
JOURNAL_SIZE = 1000
PREFIXES = ("/v1beta", "/v1", "")
"""Path prefixes of the API. The empty prefix is for clients that are given an address without a version."""

VERTEX = "/{version:v1|v1beta1}/projects/{project}/locations/{location}/publishers/google"
"""Path prefix of the same models at Vertex AI, which has rules of its own for schemas."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def create_emulator(
    *, seed: int = 0, required_key: str | None = None, journal_size: int = JOURNAL_SIZE
) -> web.Application:
    """Return an application that judges and answers as the Gemini API does, without a network or a clock.

    *seed* varies the ids in answers. *required_key*, if given, is the only accepted key. A client sends it in the
    header ``x-goog-api-key`` or the query parameter ``key``. *journal_size* is the number of requests that the journal
    keeps. Raises ``ValueError`` for a journal of less than one entry.
    """
    if journal_size < 1:
        raise ValueError("journal_size must be at least 1")
    app = web.Application(middlewares=[google_errors, key_check], client_max_size=MAX_BODY_BYTES)
    app[STATE] = State(Journal(journal_size), seed=seed, required_key=required_key)
    model = "{model:(?:models/)?[^/:]+}"
    for prefix in (*PREFIXES, VERTEX):
        app.router.add_post(f"{prefix}/models/{model}:generateContent", generate)
        app.router.add_post(f"{prefix}/models/{model}:streamGenerateContent", stream_generate)
    for prefix in PREFIXES:
        app.router.add_post(f"{prefix}/models/{model}:countTokens", count)
        app.router.add_post(f"{prefix}/models/{model}:embedContent", embed)
        app.router.add_post(f"{prefix}/models/{model}:batchEmbedContents", embed_batch)
        app.router.add_get(f"{prefix}/models", list_models)
        app.router.add_get(f"{prefix}/models/{model}", get_model)
    app.router.add_routes(control.ROUTES)
    return app


@web.middleware
async def google_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Give aiohttp's own errors Google's shape."""
    try:
        return await handler(request)
    except web.HTTPRequestEntityTooLarge:
        return refusal_response(Refusal(f"Request payload size exceeds the limit: {MAX_BODY_BYTES} bytes."))
    except (web.HTTPNotFound, web.HTTPMethodNotAllowed):
        return refusal_response(status_error(404))


@web.middleware
async def key_check(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse a wrong or missing key if a key is required. The control endpoints need no key."""
    required = request.app[STATE].required_key
    if required is None or request.path.startswith("/_emulator/"):
        return await handler(request)
    given = request.headers.get("x-goog-api-key") or request.query.get("key") or ""
    if not hmac.compare_digest(given.encode("utf-8", "replace"), required.encode("utf-8", "replace")):
        return refusal_response(invalid_key())
    return await handler(request)


async def count(request: web.Request) -> web.StreamResponse:
    """Handle ``POST models/{model}:countTokens``: check the shape of the body, and answer with an estimate."""
    model = model_id(request.match_info["model"])
    if generation_of(model) is None:
        return refusal_response(unknown_model(model, version=version_of(request), method="countTokens"))
    body = parse_body(await request.read())
    if isinstance(body, Refusal):
        return refusal_response(body)
    message, refusal = read_request(body, "CountTokensRequest")
    counted = message.get("generateContentRequest") or message
    if refusal is None and not counted.get("contents"):
        refusal = invalid_fields(["contents: contents is not specified"])
    if refusal is not None:
        return refusal_response(refusal)
    total = count_tokens([counted.get(key) for key in ("systemInstruction", "contents", "tools")])
    details = [{"modality": "TEXT", "tokenCount": total}]
    return json_response({"totalTokens": total, "promptTokensDetails": details})


async def list_models(request: web.Request) -> web.StreamResponse:
    """Handle ``GET models``."""
    return json_response({"models": [describe_model(model) for model in LISTED_MODELS]})


async def get_model(request: web.Request) -> web.StreamResponse:
    """Handle ``GET models/{model}``, for every name with the prefix ``gemini-`` except embedding models."""
    model = model_id(request.match_info["model"])
    if generation_of(model) is None:
        return refusal_response(unknown_model(model, version=version_of(request), method="getModel"))
    return json_response(describe_model(model))
