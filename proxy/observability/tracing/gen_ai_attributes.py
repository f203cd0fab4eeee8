"""The attributes of the span of one call upstream, by OpenTelemetry's conventions for generative AI.

The names are those of open-telemetry/semantic-conventions-genai (Development, 2026-11). The opt-in attributes, which
hold messages, are never written. A provider's texts are written only where they have the expected form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from proxy.answers.usage import normalize_usage
from proxy.config.addresses import base_of
from proxy.core.deployment import Deployment
from proxy.observability.gen_ai_names import CHAT, EMBEDDINGS, OTHER, PROVIDERS, TEXT_COMPLETION

Attribute: TypeAlias = str | bool | int | float | Sequence[str]

_OPERATIONS = MappingProxyType(
    {
        "/v1/chat/completions": CHAT,
        "/v1/completions": TEXT_COMPLETION,
        "/v1/embeddings": EMBEDDINGS,
        "/v1/models/{model}:batchEmbedContents": EMBEDDINGS,
        "/v1/models/{model}:embedContent": EMBEDDINGS,
    }
)

_MODEL = re.compile(r"[A-Za-z0-9._:/@-]{1,200}")
_FINISH_REASONS = frozenset({"stop", "length", "tool_calls", "content_filter", "function_call"})

_TOKENS = (
    ("gen_ai.usage.input_tokens", "prompt_tokens", None),
    ("gen_ai.usage.output_tokens", "completion_tokens", None),
    ("gen_ai.usage.cache_read.input_tokens", "prompt_tokens_details", "cached_tokens"),
    ("gen_ai.usage.reasoning.output_tokens", "completion_tokens_details", "reasoning_tokens"),
)


def operation_of(route: str) -> str:
    """Return the convention's name for the operation of the path *route*."""
    return _OPERATIONS.get(route, CHAT)


def attributes_of_call(operation: str, deployment: Deployment, *, stream: bool) -> dict[str, Attribute]:
    """Return the attributes that are known before a call. Sampling may depend on them."""
    attributes: dict[str, Attribute] = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": PROVIDERS.get(deployment.provider, OTHER),
        "gen_ai.request.model": deployment.model_id,
        "turnright.model": deployment.label,
        "turnright.deployment": deployment.position,
    }
    if stream:
        attributes["gen_ai.request.stream"] = True
    server = _server_at(base_of(deployment.provider, deployment.api_base))
    if server is not None:
        attributes["server.address"], attributes["server.port"] = server
    return attributes


class AnswerFacts:
    """Collects the model, finish reasons and usage that an answer states, whole or in chunks."""

    __slots__ = ("_model", "_reasons", "_usage")

    def __init__(self) -> None:
        self._model: str | None = None
        self._reasons: dict[int, str] = {}
        self._usage: dict[str, Any] = {}

    def read_part(self, part: Mapping[str, Any]) -> None:
        """Read an answer or one chunk of it. Unexpected contents are ignored."""
        if self._model is None and isinstance(model := part.get("model"), str):
            self._model = model
        if isinstance(usage := part.get("usage"), dict):
            self._usage = usage
        if isinstance(choices := part.get("choices"), list):
            for at, choice in enumerate(choices):
                if isinstance(choice, Mapping) and isinstance(reason := choice.get("finish_reason"), str):
                    index = choice.get("index", at)
                    self._reasons[index if isinstance(index, int) else at] = reason

    def attributes(self) -> dict[str, Attribute]:
        """Return the collected facts that may be written to a span."""
        attributes: dict[str, Attribute] = {}
        if self._model is not None and _MODEL.fullmatch(self._model):
            attributes["gen_ai.response.model"] = self._model
        if self._reasons:
            attributes["gen_ai.response.finish_reasons"] = tuple(
                reason if reason in _FINISH_REASONS else OTHER for _, reason in sorted(self._reasons.items())
            )
        usage = normalize_usage(self._usage)
        for name, field, detail in _TOKENS:
            count = usage.get(field) if detail is None else usage.get(field, {}).get(detail)
            if count is not None:
                attributes[name] = count
        return attributes


@lru_cache(maxsize=1024)
def _server_at(base: str | None) -> tuple[str, int] | None:
    parts = urlsplit(base or "")
    if parts.hostname is None:
        return None
    return parts.hostname, parts.port or (80 if parts.scheme == "http" else 443)
