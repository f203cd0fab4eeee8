"""The client formats, each at its path. A chat format that is added here is served, measured and answered in itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.errors import ProxyError
from proxy.forwarding.answer_format import ClientFormat
from proxy.ingress.openai_answers import write_error
from proxy.ingress.openai_chat.format import OPENAI_CHAT
from proxy.ingress.openai_text.format import OPENAI_COMPLETIONS, OPENAI_EMBEDDINGS

CHAT_COMPLETIONS = "/v1/chat/completions"
COMPLETIONS = "/v1/completions"
EMBEDDINGS = "/v1/embeddings"

FORMATS: Mapping[str, ClientFormat[Any]] = {
    CHAT_COMPLETIONS: OPENAI_CHAT,
    EMBEDDINGS: OPENAI_EMBEDDINGS,
    COMPLETIONS: OPENAI_COMPLETIONS,
}
"""By the path that clients of the format post to, as metrics and logs name it."""


def is_chat(path: str) -> bool:
    """Tell whether the format at *path* is one of chats, as all are but OpenAI's two without a history."""
    return path not in (EMBEDDINGS, COMPLETIONS)


def write_refusal(error: ProxyError, route: str) -> bytes:
    """Return the JSON body of *error* in the format of *route*; on other paths in OpenAI's envelope."""
    answer_format = FORMATS.get(route)
    return write_error(error) if answer_format is None else answer_format.write_error(error)
