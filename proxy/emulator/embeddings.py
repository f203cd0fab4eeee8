"""``embedContent`` and ``batchEmbedContents``: their refusals, and vectors that depend only on the text.

Sources:

- ai.google.dev/api/embeddings in general
- langchainjs#4491 for the limit of 100 requests in a batch
- agent-zero#372 for the form of a model's name
- webnovel-writer#51 for an empty part
- docs-mcp-server#363 and openclaw#128925 for the models

A request may not name another model than the path. This rule is documented, but its error text is not reported.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Mapping
from typing import Any

from aiohttp import web

from proxy.emulator.answers import count_tokens
from proxy.emulator.errors import Refusal, invalid_fields, unknown_model
from proxy.emulator.faults import Fault
from proxy.emulator.generate import Call, handle, parse_body, scripted_refusal
from proxy.emulator.judge import read_request
from proxy.emulator.models import is_embedding_model, reports_embedding_usage
from proxy.emulator.state import State

MAX_REQUESTS = 100
MAX_DIMENSIONS = 3072
EMPTY_PART = "EmbedContentRequest.content contains an empty Part."

Message = Mapping[str, Any]


async def embed(request: web.Request) -> web.StreamResponse:
    """Handle ``POST models/{model}:embedContent``."""
    return await handle(request, decide_one)


async def embed_batch(request: web.Request) -> web.StreamResponse:
    """Handle ``POST models/{model}:batchEmbedContents``."""
    return await handle(request, decide_batch)


def decide_one(call: Call, fault: Fault, state: State) -> Refusal | dict[str, Any]:
    """Return the refusal or the answer's body for *call*, which embeds one content."""
    message = _read(call, fault, "embedContent", "EmbedContentRequest")
    if isinstance(message, Refusal):
        return message
    refusal = _judge(message, call.model, "EmbedContentRequest", named=False)
    return refusal or {"embedding": _embedding(message), **_usage(call.model, [message])}


def decide_batch(call: Call, fault: Fault, state: State) -> Refusal | dict[str, Any]:
    """Return the refusal or the answer's body for *call*, which embeds several contents."""
    message = _read(call, fault, "batchEmbedContents", "BatchEmbedContentsRequest")
    if isinstance(message, Refusal):
        return message
    requests: list[Message] = message.get("requests") or []
    if not 0 < len(requests) <= MAX_REQUESTS:
        words = "at most 100 requests can be in one batch" if requests else "requests is not specified"
        return _field(f"requests: {words}", "BatchEmbedContentsRequest")
    for at, one in enumerate(requests):
        refusal = _judge(one, call.model, f"BatchEmbedContentsRequest.requests[{at}]", named=True)
        if refusal is not None:
            return refusal
    return {"embeddings": [_embedding(one) for one in requests], **_usage(call.model, requests)}


def _read(call: Call, fault: Fault, method: str, kind: str) -> Message | Refusal:
    scripted = scripted_refusal(fault, call.model)
    if scripted is not None:
        return scripted
    if not is_embedding_model(call.model):
        return unknown_model(call.model, version=call.version, method=method)
    body = parse_body(call.body)
    if isinstance(body, Refusal):
        return body
    message, refusal = read_request(body, kind)
    return refusal or message


def _judge(request: Message, model: str, place: str, *, named: bool) -> Refusal | None:
    name = request.get("model")
    if (named or name) and not str(name).startswith("models/"):
        return _field("model: unexpected model name format", place)
    if name and name != f"models/{model}":
        return _field("model: must be the model of the path", place)
    parts = (request.get("content") or {}).get("parts")
    if not parts:
        return _field("content: content is not specified", place)
    if not all(part.get("text") or "inlineData" in part or "fileData" in part for part in parts):
        return Refusal(EMPTY_PART)
    wanted = request.get("outputDimensionality")
    if wanted is not None and not 0 < int(float(wanted)) <= MAX_DIMENSIONS:
        return _field(f"output_dimensionality: must be from 1 to {MAX_DIMENSIONS}", place)
    return None


def _field(line: str, place: str) -> Refusal:
    refusal = invalid_fields([line], place)
    assert refusal is not None
    return refusal


def _embedding(request: Message) -> dict[str, Any]:
    text = "\n".join(_texts(request))
    size = int(float(request.get("outputDimensionality") or MAX_DIMENSIONS))
    numbers = array("h", hashlib.shake_128(text.encode("utf-8", "replace")).digest(2 * size))
    return {"values": [number / 32768 for number in numbers]}


def _texts(request: Message) -> Iterator[str]:
    for part in request["content"]["parts"]:
        yield part.get("text") or ""


def _usage(model: str, requests: list[Message]) -> dict[str, Any]:
    """Return the usage for newer models. ``gemini-embedding-001`` reports no usage."""
    if not reports_embedding_usage(model):
        return {}
    return {"usageMetadata": {"promptTokenCount": count_tokens([list(_texts(one)) for one in requests])}}
