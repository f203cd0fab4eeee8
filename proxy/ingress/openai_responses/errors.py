"""Errors in the words of the Responses API: names of fields, and codes of a response that fails.

An HTTP error has the envelope of chat completions, and ``param`` has the names of the Responses API. A stream fails
with an ``error`` event and ``response.failed``. The code in it decides what codex does: it stops, it waits, or it sends
everything again up to five times (codex 0.169.0, run in 2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

from proxy.core.errors import ProxyError
from proxy.core.json_text import write_json
from proxy.ingress.openai_responses.item_indexes import INPUT, ItemIndexes
from sanitizers.native import Span

STOPPING = frozenset({"context_length_exceeded", "insufficient_quota"})
"""Codes of the proxy's errors that codex knows by the same name. codex stops at once on each."""

INVALID_PROMPT = "invalid_prompt"
"""The code of every other permanent refusal. codex stops on it, and sends a request again on unknown codes."""

RATE_LIMITED = "rate_limit_exceeded"
"""The code for a busy provider or proxy. codex waits for the time in the message, and sends the request again."""

SERVER_ERROR = "server_error"
"""The code for a failure that another attempt may not have. codex sends the request again."""

_BUSY = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE, 529})
_REPEATABLE = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_EARLY})
_UNSET = frozenset({"credentials_missing", "model_unavailable"})
"""Codes of a 503 that lasts until the operator changes the configuration."""

_USUAL_WAIT_S = 5
_WAIT = re.compile(r"try again in [0-9]", re.IGNORECASE)

_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "functions": "tools",
        "max_completion_tokens": "max_output_tokens",
        "max_tokens": "max_output_tokens",
        "reasoning_effort": "reasoning.effort",
        "response_format": "text.format",
        "tools": "tools",
        "verbosity": "text.verbosity",
    }
)
"""The Responses API's name of a chat parameter, where it differs or where the place within it does.

Chat tools are numbered in another way than the client's, since namespaces are flattened.
"""

_MESSAGE = re.compile(r"messages\[([0-9]{1,9})\]")
_NAME = re.compile(r"[a-z_]+")


def rename_param(param: str | None, spans: Sequence[Span] = (), earlier: int = 0) -> str | None:
    """Return the Responses API's name for the chat field *param*, or *param* itself where both are the same.

    *spans* connects the client's items with their messages. The first *earlier* items are not in the request's
    ``input``, but come from the conversation before it.
    """
    if param is None:
        return None
    if param.startswith("messages"):
        found = _MESSAGE.match(param)
        return INPUT if found is None else ItemIndexes(spans, earlier).place_of(int(found[1]))
    name = _NAME.match(param)
    return param if name is None else _NAMES.get(name[0], param)


def write_error(error: ProxyError, spans: Sequence[Span] = (), earlier: int = 0) -> bytes:
    """Return *error* in OpenAI's envelope, as JSON. The other parameters are those of :func:`rename_param`."""
    param = error.param if error.of_deployment else rename_param(error.param, spans, earlier)
    fields = {"message": error.message, "type": error.type, "param": param, "code": error.code}
    return write_json({"error": {**fields, **error.details}})


def describe_failure(error: ProxyError) -> dict[str, Any]:
    """Return the ``error`` of a response that fails with *error*: a code that clients act on, and a message."""
    code = _code_of(error)
    message = error.message
    if code == RATE_LIMITED and not _WAIT.search(message):
        message = f"{message.rstrip()} Please try again in {wait_s(error)}s."
    return {"code": code, "message": message}


def _code_of(error: ProxyError) -> str:
    status = error.http_status
    if error.code in STOPPING:
        return error.code
    if _header(error, "x-should-retry") == "false" or error.code in _UNSET:
        return INVALID_PROMPT
    if status in _BUSY or error.code == RATE_LIMITED:
        return RATE_LIMITED
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _REPEATABLE or error.retryable:
        return SERVER_ERROR
    return SERVER_ERROR if _header(error, "x-should-retry") == "true" else INVALID_PROMPT


def wait_s(error: ProxyError) -> int:
    """Return the whole seconds that *error* asks the client to wait."""
    asked = _header(error, "retry-after")
    return int(asked) if asked is not None and re.fullmatch(r"[0-9]{1,6}", asked) else _USUAL_WAIT_S


def _header(error: ProxyError, name: str) -> str | None:
    return next((value for known, value in error.headers.items() if known.lower() == name), None)
