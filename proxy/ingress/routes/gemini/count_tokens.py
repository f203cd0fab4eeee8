"""``POST models/{model}:countTokens``: estimates the tokens of a request's input, without sending it upstream.

The body has ``contents``, or a whole ``generateContentRequest`` in the place of them (ai.google.dev/api/tokens).
"""

from __future__ import annotations

from typing import Any

from aiohttp import web

from proxy.core.errors import InvalidRequest
from proxy.core.json_text import find_value
from proxy.core.offload import parse_weight, run_offloaded
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.json_response import json_response
from proxy.ingress.client_places import renamed_errors
from proxy.ingress.routes.count_input import count_input
from proxy.ingress.routes.gemini.model_name import model_of
from proxy.ingress.routes.gemini.open_request import read_opened
from proxy.ingress.routes.read_body import read_body

_WHOLE = ("generateContentRequest", "generate_content_request")


async def count_tokens(request: web.Request) -> web.StreamResponse:
    """Answer with the estimate of the tokens that the request's input takes."""
    gateway, facts = request[GATEWAY], request[RECORD]
    body = await read_body(request, gateway, facts)
    whole = await run_offloaded(parse_weight(body), lambda: _find_whole(body))
    opened = await read_opened(request, whole or body, model_of(request), wants_answer=False)
    with renamed_errors(opened):
        tokens = await count_input(opened.chat, gateway, facts)
    counted: dict[str, Any] = {"totalTokens": tokens}
    return json_response(counted)


def _find_whole(body: bytes) -> bytes | None:
    """Return the JSON of the whole request within *body*, or None where there is none.

    Raises :class:`InvalidRequest` where it is no object.
    """
    for name in _WHOLE:
        if name.encode() not in body:
            continue
        found = find_value(body, name)
        if found is None or found == b"null":
            continue
        if not found.startswith(b"{"):
            raise InvalidRequest(f"'{name}' must be an object.", param=name)
        return found
    return None
