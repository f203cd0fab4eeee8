"""The table of client formats by path. A chat format in this table gets routes, metrics and error bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.forwarding.answer_format import ClientFormat
from proxy.ingress.anthropic_messages.format import ANTHROPIC_MESSAGES
from proxy.ingress.gemini_native.embeddings import GEMINI_EMBEDDING, GEMINI_EMBEDDINGS
from proxy.ingress.gemini_native.format import GEMINI_NATIVE
from proxy.ingress.openai_chat.format import OPENAI_CHAT
from proxy.ingress.openai_responses.format import OPENAI_RESPONSES
from proxy.ingress.openai_text.format import OPENAI_COMPLETIONS, OPENAI_EMBEDDINGS

CHAT_COMPLETIONS = "/v1/chat/completions"
COMPLETIONS = "/v1/completions"
EMBEDDINGS = "/v1/embeddings"
MESSAGES = "/v1/messages"
RESPONSES = "/v1/responses"
GENERATE_CONTENT = "/v1/models/{model}:generateContent"
STREAM_GENERATE_CONTENT = "/v1/models/{model}:streamGenerateContent"
EMBED_CONTENT = "/v1/models/{model}:embedContent"
BATCH_EMBED_CONTENTS = "/v1/models/{model}:batchEmbedContents"

FORMATS: Mapping[str, ClientFormat[Any]] = {
    CHAT_COMPLETIONS: OPENAI_CHAT,
    RESPONSES: OPENAI_RESPONSES,
    MESSAGES: ANTHROPIC_MESSAGES,
    GENERATE_CONTENT: GEMINI_NATIVE,
    STREAM_GENERATE_CONTENT: GEMINI_NATIVE,
    EMBEDDINGS: OPENAI_EMBEDDINGS,
    EMBED_CONTENT: GEMINI_EMBEDDING,
    BATCH_EMBED_CONTENTS: GEMINI_EMBEDDINGS,
    COMPLETIONS: OPENAI_COMPLETIONS,
}
"""The formats by the path that clients post to. Metrics and logs name the path in the same way."""


_TEXTS = frozenset({BATCH_EMBED_CONTENTS, COMPLETIONS, EMBEDDINGS, EMBED_CONTENT})


def is_chat(path: str) -> bool:
    """Return True where the format at *path* is a chat format: any but embeddings and text completions."""
    return path not in _TEXTS
