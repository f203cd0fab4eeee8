"""Finds the usage in a whole answer that is of no use otherwise. A provider bills for such an answer too."""

from __future__ import annotations

from typing import Any

import orjson

from proxy.upstream.wires.anthropic.usage import read_usage as read_anthropic
from proxy.upstream.wires.gemini.usage import read_usage as read_gemini
from proxy.upstream.wires.openai_responses.usage import read_usage as read_responses

LARGEST = 64 * 2**10
"""Bytes of a body that is searched. A larger body is not kept with its error."""


def usage_in_body(body: bytes) -> dict[str, Any]:
    """Return the usage in *body*, the JSON of an answer, in the fields of chat completions. Empty without any.

    The API is known by its own fields: ``usageMetadata`` is Gemini's, the type ``message`` is Anthropic's, and the
    object ``response`` is of OpenAI's Responses API.
    """
    try:
        answer = orjson.loads(body[:LARGEST])
    except orjson.JSONDecodeError:
        return {}
    if not isinstance(answer, dict):
        return {}
    metadata, usage = answer.get("usageMetadata"), answer.get("usage")
    if isinstance(metadata, dict):
        return read_gemini(metadata)
    if not isinstance(usage, dict):
        return {}
    if answer.get("type") == "message":
        return read_anthropic(usage) or {}
    if answer.get("object") == "response":
        return read_responses(usage) or {}
    return usage
