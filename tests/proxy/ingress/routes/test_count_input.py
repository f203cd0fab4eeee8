"""Tests of the count of a request's input: native formats share it."""

from __future__ import annotations

import pytest

from tests.proxy.ingress.routes.gemini.asking import request, serving

MESSAGES = {"messages": [{"role": "user", "content": "word " * 400}]}


@pytest.mark.parametrize("model", ["gpt", "gem"])
async def test_formats_count_the_same_input_alike(model: str) -> None:
    async with serving() as (proxy, upstream):
        contents = await proxy.post(request("word " * 400), f"/v1beta/models/{model}:countTokens")
        messages = await proxy.post({"model": model, **MESSAGES}, "/v1/messages/count_tokens")

    assert contents.json["totalTokens"] == messages.json["input_tokens"] > 200
    assert upstream.calls == []
