"""Writes the bodies of requests on OpenAI's wire. A chat's unchanged history is sent as the client's own bytes."""

from __future__ import annotations

from typing import Any

import orjson

from proxy.core.deployment import Deployment
from proxy.core.json_text import find_value
from proxy.core.source import ANTHROPIC_MESSAGES, GEMINI_NATIVE, OPENAI_CHAT
from proxy.core.upstream_call import TextCall, UpstreamCall
from proxy.upstream.signature_carriers import with_reasoning_details
from proxy.upstream.wires.openai.parameters import asks_for_usage, renamed_parameters
from proxy.upstream.wires.openai.provider_forms import message_form, model_name, with_separate_texts
from proxy.upstream.wires.raw_values import has_no_duplicate_keys


def build_request(call: UpstreamCall, *, stream: bool) -> bytes:
    """Return the body of one ``chat/completions`` request.

    ``messages`` are the client's own bytes when it speaks OpenAI's chat format and its history is unchanged. Numbers,
    key order and escapes then stay as they were. A history with duplicate keys is written anew
    (:func:`.raw_values.has_no_duplicate_keys`). The other fields come from the allow-list only.
    """
    history: list[Any] = list(call.messages)
    if call.deployment.provider == "openrouter" and call.is_gemini:
        history = [with_reasoning_details(message) for message in history]
    form = message_form(call.deployment)
    source = call.source
    if form is not None:
        if source is not None and source.format in (ANTHROPIC_MESSAGES, GEMINI_NATIVE):
            history = [with_separate_texts(message) for message in history]
        history = [form(message) for message in history]
    messages = orjson.dumps(history)
    if (
        source is not None
        and form is None
        and source.format == OPENAI_CHAT
        and source.messages is call.messages
        and not _holds_verbatim(source.body, messages)
    ):
        raw = find_value(source.body, "messages")
        if raw is not None and has_no_duplicate_keys(raw, messages):
            messages = raw
    fields: dict[str, Any] = {"model": model_name(call.deployment), "messages": orjson.Fragment(messages)}
    fields.update(renamed_parameters(call.deployment, call.parameters))
    fields.update(call.extra_body)
    if stream:
        fields["stream"] = True
        if call.ask_usage and asks_for_usage(call.deployment):
            fields["stream_options"] = {"include_usage": True}
    return orjson.dumps(fields)


def build_text_request(call: TextCall, *, stream: bool) -> bytes:
    """Return the body of one request to ``embeddings`` or ``completions``, built from the allow-list only."""
    # Fireworks' models for embeddings have no account in their names.
    model = call.deployment.model_id if "input" in call.parameters else model_name(call.deployment)
    fields: dict[str, Any] = {"model": model, **call.parameters}
    if not _takes_format(call.deployment):
        fields.pop(_FORMAT, None)
    fields.update(call.extra_body)
    if stream:
        fields["stream"] = True
        if call.ask_usage and asks_for_usage(call.deployment):
            fields["stream_options"] = {"include_usage": True}
    return orjson.dumps(fields)


_FORMAT = "encoding_format"
_TAKES_FORMAT = frozenset({"azure", "openai"})


def _takes_format(deployment: Deployment) -> bool:
    """Tell whether the provider gets the format of embeddings that the client wants.

    OpenAI's clients ask for base64 unasked. Mistral's base64 cannot be read (anything-llm#5794), OpenRouter's answer is
    empty for some models (honcho#932), and older vLLM refuses it (vllm#6174). :mod:`proxy.answers.embeddings` writes
    the format instead.
    """
    return deployment.provider in _TAKES_FORMAT or _FORMAT in deployment.allowed_openai_params


_MESSAGES = b'"messages":'


def _holds_verbatim(body: bytes, written: bytes) -> bool:
    """Tell whether *body* holds the history exactly as it was *written*, so that its end need not be found.

    Finding the end of the history takes 0.3 ms for 100k tokens. JavaScript and OpenAI's SDKs write JSON in this way.
    """
    start = body.find(_MESSAGES)
    return start >= 0 and body.startswith(written, start + len(_MESSAGES))
