"""Writes the body of a request for embeddings or a text completion on OpenAI's wire."""

from __future__ import annotations

from typing import Any

import orjson

from proxy.core.upstream_call import TextCall


def build_text_request(call: TextCall, *, stream: bool) -> bytes:
    """Return the body of one request to ``embeddings`` or ``completions``, built from the allow-list only."""
    fields: dict[str, Any] = {"model": call.deployment.model_id, **call.parameters, **call.extra_body}
    if stream:
        fields["stream"] = True
        if call.ask_usage:
            fields["stream_options"] = {"include_usage": True}
    return orjson.dumps(fields)
