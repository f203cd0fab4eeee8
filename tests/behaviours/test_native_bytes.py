"""Tests that nothing changes between a client and a provider of the Responses API, where nothing is wrong.

The request arrives byte for byte but for the model's name, and the answer but for our names. Each form of address of
OpenAI's API and of Azure's is asked, whole and streamed.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proxy.config import load_settings
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.upstream.provider import BOTH, KEY, Exchange, head, piece, providing, whole
from tests.support.native_responses import ITEMS, response, stream_of, write_stream
from tests.support.proxied import Proxied, proxied

ASKED = "ours"
"""The name of the model that the client sends."""

DATED = "2025-04-01-preview"

TARGETS: dict[str, tuple[dict[str, Any], str, str]] = {
    "xAI": ({"model": "xai/grok-3", "api_base": "/v1"}, "/v1/responses", "grok-3"),
    "OpenAI's form elsewhere": (
        {"model": "openai/gpt-5.3-codex", "api_base": "/v1"},
        *("/v1/responses", "gpt-5.3-codex"),
    ),
    "below a path": (
        {"model": "openai/gpt-5.3-codex", "api_base": "/team/openai/v1/"},
        *("/team/openai/v1/responses", "gpt-5.3-codex"),
    ),
    "Azure by date": (
        {"model": "azure/ours-5", "api_base": "", "api_version": DATED},
        *(f"/openai/responses?api-version={DATED}", "ours-5"),
    ),
    "Azure by date with the deployment": (
        {"model": "azure/x", "api_base": "/openai/deployments/ours-5", "api_version": DATED},
        *(f"/openai/responses?api-version={DATED}", "x"),
    ),
    "Azure's v1": (
        {"model": "azure/ours-5", "api_base": "", "api_version": "v1"},
        *("/openai/v1/responses", "ours-5"),
    ),
    "Azure's v1 in the address": (
        {"model": "azure/ours-5", "api_base": "/openai/v1"},
        *("/openai/v1/responses", "ours-5"),
    ),
}
"""The deployment with the path of its address, the path of the request, and the model's name there."""

REQUEST = (
    b'{"client_metadata":{ "a":1.50,"b":1E5 },"model":"MODEL","instructions":"caf\\u00e9 \\ud83d\\ude00",'
    b'"input":[{"type":"additional_tools","id":"at_1","role":"developer","tools":[]}, {"role":"user",'
    b'"content":[ {"type":"input_text","text":"Hi.\\u2028"} ]},{"id":"rs_1","type":"reasoning","summary":[],'
    b'"content":null,"encrypted_content":"gAAAAx"},{"id":"fc_1","type":"function_call","call_id":"call_1","name":"f",'
    b'"arguments":"{\\"x\\": 1.0}","status":"completed","unknown":[0.10]},{"type":"function_call_output",'
    b'"call_id":"call_1","output":"42"},{"type":"message","role":"user","content":"And?"}],'
    b'"tools":[ {"type":"function","name":"f","parameters":{"type":"object","properties":{}},"strict":false},'
    b'{"type":"web_search"},{"type":"custom","name":"ex","format":{"type":"grammar","syntax":"lark",'
    b'"definition":"start: /a+/"}} ],"tool_choice":"auto","parallel_tool_calls":false,'
    b'"reasoning":{"summary":"auto","context":"all_turns"},"store":false,STREAM'
    b'"include":["reasoning.encrypted_content"],"prompt_cache_key":"k","text":{"verbosity":"low"},"new_field":-0.0}'
)
"""A request as clients write it, with numbers and escapes that a JSON writer would write in another form."""

OURS = ("id", "store", "previous_response_id", "conversation", "model", "instructions")
"""Fields of a response that are the proxy's. The instructions are those of the client's request."""


def request(model: str, *, stream: bool) -> bytes:
    """Return the bytes of the request to *model*."""
    streams = b'"stream":true,' if stream else b""
    return REQUEST.replace(b"MODEL", model.encode()).replace(b"STREAM", streams)


class Asked:
    """The last request at the provider."""

    path = ""
    body = b""


@asynccontextmanager
async def answering(target: str, answer: bytes) -> AsyncIterator[tuple[Proxied, Asked]]:
    """Serve the proxy in front of a provider that gives *answer*, at an address of the form *target*."""
    params, asked = TARGETS[target][0], Asked()

    async def script(exchange: Exchange) -> None:
        asked.path, asked.body = exchange.head.split()[1].decode(), exchange.body
        is_stream = answer.startswith(b"event:")
        await exchange.send(*((head(), piece(answer), piece(b"")) if is_stream else (whole(answer),)))

    async with providing(script) as server:
        base = f"http://127.0.0.1:{server.port}{params['api_base']}"
        entry: dict[str, Any] = {
            "model_name": ASKED,
            "litellm_params": {**params, "api_base": base, "api_key": KEY},
            "model_info": {"mode": "responses"},
            "transport": "direct",
        }
        routers = {"num_retries": 0}
        settings = load_settings(
            json.dumps({"model_list": [entry], "router_settings": routers}).encode(), {}
        ).settings
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            yield proxy, asked


def read_exactly(raw: str) -> Any:
    """Return JSON with its keys in order, and a number that is no integer apart from an equal integer.

    Our fields are left out.
    """

    def pairs(found: list[tuple[str, Any]]) -> Any:
        is_response = ("object", "response") in found
        return [pair for pair in found if not (is_response and pair[0] in OURS)]

    return json.loads(raw, object_pairs_hook=pairs, parse_float=lambda text: repr(float(text)))


def events_in(raw: bytes) -> list[tuple[str, Any]]:
    """Return the name and the exact data of each event."""
    blocks = [block.split("\n") for block in raw.decode().split("\n\n") if block and block[0] != ":"]
    return [(name, read_exactly(data.removeprefix("data: "))) for name, data in blocks]


@BOTH
@pytest.mark.parametrize("target", TARGETS)
async def test_request_arrives_byte_for_byte(target: str, stream: bool) -> None:
    _, path, model = TARGETS[target]
    answer = write_stream(stream_of(ITEMS)) if stream else json.dumps(response(ITEMS)).encode()
    async with answering(target, answer) as (proxy, asked):
        reply = await proxy.post(request(ASKED, stream=stream), "/v1/responses")

    assert (reply.status, asked.path) == (200, path), reply.raw
    assert asked.body == request(model, stream=stream)
    assert "x-turnright-changes" not in reply.headers or reply.headers["x-turnright-changes"] == ""


@BOTH
@pytest.mark.parametrize("target", TARGETS)
async def test_answer_arrives_as_it_was_written(target: str, stream: bool) -> None:
    """The order of keys, the values, unknown fields and pieces of text are the provider's."""
    written = json.dumps(response(ITEMS, cost=[1.10, 1e-7, 10**17], new={"z": None, "a": -0.0}))
    if stream:
        answer = write_stream(stream_of(ITEMS)).replace(
            b'"obfuscation": "xy"', b'"weight": 1.10, "obfuscation": "x"'
        )
    else:
        answer = written.encode()
    async with answering(target, answer) as (proxy, _):
        reply = await proxy.post(request(ASKED, stream=stream), "/v1/responses")

    assert reply.status == 200, reply.raw
    if stream:
        assert events_in(reply.raw) == events_in(answer)
    else:
        assert read_exactly(reply.raw.decode()) == read_exactly(written)
    ids = set(re.findall(r'"id":"(resp_[^"]+)"', reply.raw.decode()))
    assert len(ids) == 1
    assert "resp_theirs" not in ids
