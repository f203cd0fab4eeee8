"""Tests that nothing changes between a client of Anthropic's API and Claude, where nothing is wrong.

The request arrives byte for byte but for the model's name, and the answer but for the model's name and our id. All
shapes of blocks that clients were seen to send and to get are tried, whole and streamed, with both versions of the API.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proxy.config import load_settings
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.upstream.provider import BOTH, KEY, Exchange, head, piece, providing, whole
from tests.support.messages_grammar import find_message_faults, find_stream_faults
from tests.support.native_messages import ANSWERS, answer_of, write_stream
from tests.support.proxied import Proxied, Reply, proxied

ASKED = "ours"
"""The name of the model that the client sends."""

MODEL = "claude-opus-4-8"
ADDRESSES = {
    "its own": ("", "/v1/messages"),
    "with the version": ("/v1", "/v1/messages"),
    "below a path": ("/api/anthropic", "/api/anthropic/v1/messages"),
}
"""The path of the address in the configuration, and the path of a request."""

VERSIONS = ("2023-06-01", "2026-10-21")
BETAS = "claude-code-20250219,interleaved-thinking-2025-05-14, a-beta-of-tomorrow-2027-01-01"
CREDENTIAL = "sk-ant-of-the-client"
HEADERS = {
    "anthropic-version": VERSIONS[0],
    "anthropic-beta": BETAS,
    "user-agent": "claude-cli/2.1.197 (external, cli)",
    "x-stainless-lang": "js",
    "x-stainless-retry-count": "0",
    "x-app": "cli",
}
PASSED = tuple(HEADERS)

SMALL = (
    b'{"model":"MODEL","max_tokens":1024,STREAM'
    b'"messages":[ {"role":"user","content":"caf\\u00e9 \\ud83d\\ude00"} ]}'
)

LARGE = (
    b'{"client_data":{ "a":1.50,"b":1E5 },"model":"MODEL","max_tokens":4096,STREAM'
    # The billing line varies with each request. It stays, as the marks of the cache do.
    b'"system":[ {"type":"text","text":"x-anthropic-billing-header: cc_version=2.1.197; cch=00a1b;"},'
    b'{"type":"text","text":"You are caf\\u00e9.","cache_control":{"type":"ephemeral","ttl":"1h","scope":"global"}},'
    b'{"cache_control":{"type":"ephemeral"},"type":"text","text":"Be brief."}],'
    b'"messages":[{"role":"user","content":[ {"type":"text","text":"<system-reminder>\\nHi.\\u2028"},'
    b'{"type":"document","title":"D","citations":{"enabled":true},"source":{"type":"text","media_type":"text/plain",'
    b'"data":"The grass is green."}},{"type":"search_result","source":"https:\\/\\/a","title":"A","content":['
    b'{"type":"text","text":"a"}]},{"type":"text","text":"Go.","cache_control":{"type":"ephemeral"}} ]},'
    b'{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"EqQB+/=="},'
    b'{"type":"text","text":"First.","citations":[{"type":"char_location","cited_text":"g","weight":1.0}]},'
    b'{"signature":"EqQBsecond","type":"thinking","thinking":"Then."},'
    b'{"type":"tool_use","id":"toolu_01A","name":"f","input":{"x": 1.0,"y":1E2}},'
    b'{"type":"redacted_thinking","data":"EmwKAhgB"},'
    b'{"type":"tool_use","id":"toolu_01B","name":"f","input":{},"caller":{"type":"direct"}}]},'
    b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01B","content":[{"type":"text",'
    b'"text":"b"}]},{"type":"tool_result","tool_use_id":"toolu_01A","is_error":true,"content":"a"}]},'
    b'{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":'
    b'"q"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result",'
    b'"url":"https://a","title":"A","encrypted_content":"EqgfCioI","page_age":null}]},{"type":"hologram",'
    b'"pixels":[0.10,-0.0]},{"type":"text","text":"Found."}]},'
    b'{"role":"user","content":[{"type":"text","text":"And?","cache_control":{"type":"ephemeral"}}]},'
    b'{"role":"system","content":"Be kind.\\ud83d\\ude00"}],'
    b'"tools":[ {"name":"f","description":"d","input_schema":{"$schema":"http://json-schema.org/draft-07/schema#",'
    b'"type":"object","properties":{"x":{"type":"number","minimum":1.0}},"additionalProperties":false},"strict":true,'
    b'"input_examples":[{"x":1.0}],"defer_loading":false,"eager_input_streaming":true},'
    b'{"type":"web_search_20250305","name":"web_search","max_uses":8},{"type":"bash_20250124","name":"bash"} ],'
    b'"tool_choice":{"type":"auto","disable_parallel_tool_use":false},'
    b'"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"},'
    b'"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]},'
    b'"metadata":{"user_id":"{\\"device_id\\":\\"d\\",\\"session_id\\":\\"s\\"}"},"service_tier":"auto",'
    b'"stop_sequences":["END"],"new_field":-0.0}'
)
"""A request of Claude Code with further blocks. Few JSON writers write its numbers and escapes so."""

REQUESTS = {"small": SMALL, "large": LARGE}


def request(name: str, model: str, *, stream: bool) -> bytes:
    """Return the bytes of a request to *model*."""
    streams = b'"stream":true,' if stream else b""
    return REQUESTS[name].replace(b"MODEL", model.encode()).replace(b"STREAM", streams)


class Asked:
    """The last request at the provider."""

    head = b""
    body = b""

    @property
    def path(self) -> str:
        """The path with its query."""
        return self.head.split()[1].decode()

    @property
    def headers(self) -> dict[str, str]:
        """The headers, by their names in lower case."""
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        pairs = (line.partition(": ") for line in lines if line)
        return {name.lower(): value for name, _, value in pairs}


@asynccontextmanager
async def answering(answer: bytes, path: str = "") -> AsyncIterator[tuple[Proxied, Asked]]:
    """Serve the proxy in front of a provider that gives *answer*, at an address that ends with *path*."""
    asked = Asked()

    async def script(exchange: Exchange) -> None:
        asked.head, asked.body = exchange.head, exchange.body
        is_stream = answer.startswith(b"event:")
        await exchange.send(*((head(), piece(answer), piece(b"")) if is_stream else (whole(answer),)))

    async with providing(script) as server:
        base = f"http://127.0.0.1:{server.port}{path}"
        entry = {
            "model_name": ASKED,
            "litellm_params": {"model": f"anthropic/{MODEL}", "api_base": base, "api_key": KEY},
            "transport": "direct",
        }
        routers = {"num_retries": 0}
        settings = load_settings(
            json.dumps({"model_list": [entry], "router_settings": routers}).encode(), {}
        ).settings
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            yield proxy, asked


async def ask(proxy: Proxied, body: bytes, query: str = "", **headers: str) -> Reply:
    """Send a request as Claude Code sends it, with its credential."""
    sent = HEADERS | {"authorization": f"Bearer {CREDENTIAL}", "x-api-key": CREDENTIAL} | headers
    return await proxy.post(body, f"/v1/messages{query}", headers=sent)


def written(name: str, *, stream: bool) -> bytes:
    """Return the bytes of the provider's answer in the case *name*."""
    return write_stream(answer_of(name)) if stream else json.dumps(answer_of(name)).encode()


def read_exactly(raw: str) -> Any:
    """Return JSON with its keys in order, and a number that is no integer apart from an equal integer.

    The id and the model of a message are left out.
    """

    def pairs(found: list[tuple[str, Any]]) -> Any:
        is_message = ("type", "message") in found
        return [pair for pair in found if not (is_message and pair[0] in ("id", "model"))]

    return json.loads(raw, object_pairs_hook=pairs, parse_float=lambda text: repr(float(text)))


def events_in(raw: bytes) -> Iterator[tuple[str, Any]]:
    """Yield the name and the exact data of each event but for pings, which the proxy may add."""
    for block in raw.decode().split("\n\n")[:-1]:
        name, data = block.split("\n")
        if name != "event: ping":
            yield name, read_exactly(data.removeprefix("data: "))


@BOTH
@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("address", ADDRESSES)
async def test_request_arrives_byte_for_byte(address: str, name: str, stream: bool) -> None:
    base, path = ADDRESSES[address]
    async with answering(written("text", stream=stream), base) as (proxy, asked):
        reply = await ask(proxy, request(name, ASKED, stream=stream))

    assert (reply.status, asked.path) == (200, path), reply.raw
    assert asked.body == request(name, MODEL, stream=stream)
    assert reply.headers.get("x-turnright-changes", "") == ""


@BOTH
@pytest.mark.parametrize("version", VERSIONS)
async def test_headers_of_the_client_arrive_but_for_its_credentials(version: str, stream: bool) -> None:
    async with answering(written("text", stream=stream)) as (proxy, asked):
        body = request("large", ASKED, stream=stream)
        reply = await ask(proxy, body, "?beta=true", **{"anthropic-version": version, "x-other": "o"})

    assert (reply.status, asked.path) == (200, "/v1/messages?beta=true"), reply.raw
    sent = HEADERS | {"anthropic-version": version}
    assert {name: asked.headers.get(name) for name in PASSED} == sent
    assert asked.headers["x-api-key"] == KEY
    assert "x-other" not in asked.headers
    assert CREDENTIAL.encode() not in asked.head


@BOTH
@pytest.mark.parametrize("name", ANSWERS)
async def test_answer_arrives_as_it_was_written(name: str, stream: bool) -> None:
    """The order of keys, the values, unknown fields and pieces of text are the provider's."""
    answer = written(name, stream=stream)
    async with answering(answer) as (proxy, _):
        reply = await ask(proxy, request("small", ASKED, stream=stream))

    assert reply.status == 200, reply.raw
    if stream:
        assert list(events_in(reply.raw)) == list(events_in(answer))
        assert find_stream_faults(reply.raw, relayed=True) == []
    else:
        assert read_exactly(reply.raw.decode()) == read_exactly(answer.decode())
        assert find_message_faults(reply.json, relayed=True) == []
    assert re.findall(rb'"model": ?"([^"]+)"', reply.raw) == [ASKED.encode()]
    assert len(set(re.findall(rb'"id": ?"(msg_[^"]+)"', reply.raw))) == 1
