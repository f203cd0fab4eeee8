"""Tests of ``countTokens``."""

from __future__ import annotations

import pytest

from tests.proxy.ingress.routes.gemini.asking import error_of, fields_of, request, serving

PATH = "/v1beta/models/gem:countTokens"
TOOLS = [{"functionDeclarations": [{"name": "f", "description": "x " * 300}]}]


@pytest.mark.parametrize("name", ["generateContentRequest", "generate_content_request"])
async def test_tokens_are_estimated_without_a_call(name: str) -> None:
    """google-genai counts contents alone, and others a whole request."""
    body = request("word " * 400)
    whole = {name: {"model": "models/gem", **body, "tools": TOOLS, "systemInstruction": "Be brief."}}
    async with serving() as (proxy, upstream):
        alone = await proxy.post(body, PATH)
        more = await proxy.post(whole, PATH)
        null = await proxy.post({**body, name: None}, PATH)

    assert alone.json.keys() == {"totalTokens"}
    assert 200 < alone.json["totalTokens"] < 1200
    assert more.json["totalTokens"] > alone.json["totalTokens"] + 100
    assert null.json == alone.json
    assert upstream.calls == []


async def test_name_of_the_field_within_a_text_is_a_text() -> None:
    async with serving() as (proxy, _):
        reply = await proxy.post(request('"generateContentRequest": {}'), PATH)

    assert reply.status == 200


async def test_faulty_request_is_refused_with_its_path() -> None:
    async with serving() as (proxy, _):
        faulty = await proxy.post({"contents": [1]}, PATH)
        whole = await proxy.post({"generateContentRequest": []}, PATH)
        unknown = await proxy.post(request(), "/v1/models/nobody:countTokens")

    assert (error_of(faulty)[0], fields_of(faulty)) == (400, ["contents[0]"])
    assert (error_of(whole)[0], fields_of(whole)) == (400, ["generateContentRequest"])
    assert error_of(unknown)[:2] == (404, "NOT_FOUND")


async def test_content_that_only_gemini_can_read_is_refused() -> None:
    """An estimate without it would be wrong, and the request itself would be refused as well."""
    part = {"fileData": {"fileUri": "https://generativelanguage.googleapis.com/v1beta/files/x"}}
    async with serving() as (proxy, _):
        reply = await proxy.post(request([{"role": "user", "parts": [part]}]), PATH.replace("gem:", "gpt:"))

    assert error_of(reply)[0] == 400
    assert fields_of(reply)[0].startswith("contents[0].parts[0]")
