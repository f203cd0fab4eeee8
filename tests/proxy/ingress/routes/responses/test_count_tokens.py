"""Tests of ``POST /v1/responses/input_tokens``."""

from __future__ import annotations

from tests.proxy.ingress.routes.responses.asking import MODEL, PATH, ask, serving

COUNT = f"{PATH}/input_tokens"


async def test_tokens_of_the_stored_conversation_are_counted_too() -> None:
    async with serving() as (proxy, upstream):
        first = await ask(proxy, "word " * 200)
        alone = await proxy.post({"model": MODEL, "input": "Hi."}, COUNT)
        behind = await proxy.post(
            {"model": MODEL, "input": "Hi.", "previous_response_id": first.json["id"]}, COUNT
        )
    assert alone.json["object"] == "response.input_tokens"
    assert 1 <= alone.json["input_tokens"] < 50
    assert behind.json["input_tokens"] > 150
    assert len(upstream.exchanges) == 1


async def test_request_that_no_model_can_get_is_refused() -> None:
    async with serving() as (proxy, _):
        refused = await proxy.post({"model": MODEL, "input": []}, COUNT)
    assert (refused.status, refused.error["param"]) == (400, "input")
