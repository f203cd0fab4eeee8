"""The paths of Gemini's own API.

generate      POST models/{model}:generateContent and models/{model}:streamGenerateContent
open_request  the fields of a request, and its chat
embed         POST models/{model}:embedContent and models/{model}:batchEmbedContents
model_name    the model in a path
count_tokens  POST models/{model}:countTokens
list_models   models in Gemini's form
not_here      the paths of Gemini's API that are not served
"""

from __future__ import annotations

from aiohttp import web

from proxy.ingress.routes.gemini.count_tokens import count_tokens
from proxy.ingress.routes.gemini.embed import embed_contents
from proxy.ingress.routes.gemini.generate import generate_content
from proxy.ingress.routes.gemini.list_models import list_content_models, show_content_model
from proxy.ingress.routes.gemini.not_here import add_not_here
from proxy.ingress.routes.gemini_paths import (
    BATCH_EMBED_CONTENTS,
    COUNT_CONTENT_TOKENS,
    EMBED_CONTENT,
    GENERATE_CONTENT,
    MODEL,
    MODELS,
    STREAM_GENERATE_CONTENT,
    pattern_of,
)

__all__ = ["add_gemini_routes"]

_METHODS = (
    (GENERATE_CONTENT, generate_content),
    (STREAM_GENERATE_CONTENT, generate_content),
    (COUNT_CONTENT_TOKENS, count_tokens),
    (EMBED_CONTENT, embed_contents),
    (BATCH_EMBED_CONTENTS, embed_contents),
)


def add_gemini_routes(app: web.Application) -> None:
    """Add the paths to *app*, in all their spellings."""
    for method, handler in _METHODS:
        app.router.add_post(pattern_of(method), handler)
    app.router.add_get(MODELS, list_content_models)
    app.router.add_get(MODEL, show_content_model)
    add_not_here(app)
