"""Asks litellm for the address and the key of a provider, without sending anything."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

ANSWER = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
NATIVE = {"message": {"role": "assistant", "content": "Hi."}, "done": True}


def address_and_key(litellm: Any, prefix: str) -> tuple[str | None, str | None]:
    """Return the address and the key that litellm looks up for a model of the provider, or None for each."""
    _, _, key, base = litellm.get_llm_provider(model=f"{prefix}/some-model")
    return (base.rstrip("/") if base else None), key


def request_of(litellm: Any, monkeypatch: pytest.MonkeyPatch, model: str, **arguments: Any) -> httpx.Request:
    """Return the request that litellm sends for a chat with *model*."""
    sent: list[httpx.Request] = []

    def note(_: httpx.Client, request: httpx.Request, **__: Any) -> httpx.Response:
        if b'"messages"' in request.content:  # litellm looks facts of models up, too
            sent.append(request)
        return httpx.Response(200, json={**ANSWER, **NATIVE}, request=request)

    monkeypatch.setattr(httpx.Client, "send", note)
    litellm.completion(model=model, **{"messages": [{"role": "user", "content": "Hello."}], **arguments})
    [request] = sent
    return request


def key_in(request: httpx.Request) -> str | None:
    """Return the key in Azure's header, or in the header that all others have."""
    key: str | None = request.headers.get("api-key") or request.headers.get("authorization")
    return key and key.removeprefix("Bearer ")
