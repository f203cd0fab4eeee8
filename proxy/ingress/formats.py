"""The table of client formats by path. A chat format in this table gets routes, metrics and error bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.errors import ProxyError
from proxy.forwarding.answer_format import ClientFormat
from proxy.ingress.openai_answers import write_error
from proxy.ingress.openai_chat.format import OPENAI_CHAT
from proxy.ingress.openai_responses.format import OPENAI_RESPONSES
from proxy.ingress.openai_text.format import OPENAI_COMPLETIONS, OPENAI_EMBEDDINGS

CHAT_COMPLETIONS = "/v1/chat/completions"
COMPLETIONS = "/v1/completions"
EMBEDDINGS = "/v1/embeddings"
RESPONSES = "/v1/responses"

FORMATS: Mapping[str, ClientFormat[Any]] = {
    CHAT_COMPLETIONS: OPENAI_CHAT,
    RESPONSES: OPENAI_RESPONSES,
    EMBEDDINGS: OPENAI_EMBEDDINGS,
    COMPLETIONS: OPENAI_COMPLETIONS,
}
"""The formats by the path that clients post to. Metrics and logs name the path in the same way."""


def is_chat(path: str) -> bool:
    """Return True where the format at *path* is a chat format: any but embeddings and text completions."""
    return path not in (EMBEDDINGS, COMPLETIONS)


def write_refusal(error: ProxyError, route: str) -> bytes:
    """Return the JSON body of *error* in the format of *route*, or in OpenAI's envelope without such a format."""
    answer_format = FORMATS.get(route)
    return write_error(error) if answer_format is None else answer_format.write_error(error)
