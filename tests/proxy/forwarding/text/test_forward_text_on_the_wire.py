"""Tests of embeddings and text completions on both transports: formats, faults and silent providers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from proxy.config import Settings
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.conftest import TRANSPORTS, settings_on
from tests.proxy.emulator.conftest import Client as GeminiEmulator
from tests.proxy.forwarding.text.asking import COMPLETIONS, EMBEDDINGS
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.openai_emulator.embeddings import embeddings
from tests.support.proxied import Proxied, proxied

pytestmark = LITELLM_NOISE


def settings_before(
    openai: OpenAIEmulator, gemini: GeminiEmulator, transport: str, **router: Any
) -> Settings:
    """Return settings with a model for each path and provider. The embedding models fall back to each other."""
    ours = {"api_base": openai.base_url, "api_key": "sk-x"}
    google = {"api_base": f"{gemini.base}/v1beta", "api_key": "sk-x", "allowed_openai_params": ["task_type"]}
    models: dict[str, dict[str, Any]] = {
        "openai": {"model": "openai/text-embedding-3-small", **ours},
        "gemini": {"model": "gemini/gemini-embedding-001", **google},
        "instruct": {"model": "openai/gpt-3.5-turbo-instruct", **ours},
        "chats": {"model": "openai/gpt-4.1", **ours},
    }
    fallbacks = [{"openai": ["gemini"]}, {"gemini": ["openai"]}]
    return settings_on(transport, models, router_settings={"fallbacks": fallbacks, **router})


@pytest.fixture
async def plain(openai: OpenAIEmulator, gemini: GeminiEmulator, transport: str) -> AsyncIterator[Proxied]:
    """Serve the proxy before both emulators, without retries but with fallbacks."""
    settings = settings_before(openai, gemini, transport, num_retries=0)
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as served:
        yield served


@TRANSPORTS
async def test_base64_embeddings_are_passed_on_unchanged(plain: Proxied, openai: OpenAIEmulator) -> None:
    """OpenAI gets the parameter ``encoding_format``, and answers with base64 text."""
    reply = await plain.post({"model": "openai", "input": "a", "encoding_format": "base64"}, EMBEDDINGS)

    assert openai.requests[0].body["encoding_format"] == "base64"
    assert isinstance(reply.json["data"][0]["embedding"], str)
    assert reply.json["usage"] == {"prompt_tokens": 1, "total_tokens": 1}


@TRANSPORTS
async def test_embeddings_are_ordered_by_index_and_counted(plain: Proxied, openai: OpenAIEmulator) -> None:
    """Embeddings are ordered by their index. A wrong number of embeddings leads to the fallback model."""
    asked = {"model": "text-embedding-3-small", "input": ["a", "b"]}
    openai.faults.append({"payload": embeddings(asked, shuffled=True)})
    shuffled = await plain.post({"model": "openai", "input": ["a", "b"]}, EMBEDDINGS)
    in_order = await plain.post({"model": "openai", "input": ["a", "b"]}, EMBEDDINGS)
    openai.faults.append({"payload": embeddings(asked, 1)})
    other = await plain.post({"model": "openai", "input": ["a", "b"]}, EMBEDDINGS)

    assert shuffled.json["data"] == in_order.json["data"]
    assert [one["index"] for one in shuffled.json["data"]] == [0, 1]
    assert other.headers["x-turnright-model"] == "gemini/gemini-embedding-001"
    assert len(other.json["data"]) == 2


@TRANSPORTS
@pytest.mark.parametrize("fault", [{"status": 503}, {"garbage": True}, {"cut_after_chunks": 0}])
async def test_fallback_uses_the_other_providers_wire(
    plain: Proxied, openai: OpenAIEmulator, gemini: GeminiEmulator, fault: Any
) -> None:
    """OpenAI's model falls back to Gemini's, and Gemini's to OpenAI's."""
    openai.faults.append(fault)
    there = await plain.post({"model": "openai", "input": "a", "dimensions": 4, "user": "u"}, EMBEDDINGS)
    await gemini.fault(status=503)
    back = await plain.post({"model": "gemini", "input": "a", "dimensions": 4}, EMBEDDINGS)

    assert there.headers["x-turnright-model"] == "gemini/gemini-embedding-001"
    assert back.headers["x-turnright-model"] == "openai/text-embedding-3-small"
    assert [len(reply.json["data"][0]["embedding"]) for reply in (there, back)] == [4, 4]
    assert await plain.count("dropped_parameters_total", model="openai") == 1, "Gemini knows no user"


@TRANSPORTS
async def test_refusal_has_the_providers_message(plain: Proxied) -> None:
    """The client gets the provider's message where the provider refuses the input or the path.

    An embedding request for a chat model gets the provider's status 403.
    """
    empty = await plain.post({"model": "openai", "input": ""}, EMBEDDINGS)
    chats = await plain.post({"model": "chats", "prompt": "a"}, COMPLETIONS)
    embeds = await plain.post({"model": "chats", "input": "a"}, EMBEDDINGS)

    assert "'$.input' is invalid" in empty.error["message"]
    assert (chats.status, embeds.status) == (404, 403)
    assert chats.error["message"].startswith("This is a chat model")


@pytest.mark.parametrize("transport", ["direct"])
async def test_allowed_gemini_field_goes_to_each_text(plain: Proxied, gemini: GeminiEmulator) -> None:
    """The field ``taskType`` is written into each request of the batch."""
    body = {"model": "gemini", "input": ["a", "b"], "task_type": "RETRIEVAL_QUERY", "dimensions": 4}
    assert (await plain.post(body, EMBEDDINGS)).status == 200
    [entry] = await gemini.journal()

    assert entry["path"].endswith("/models/gemini-embedding-001:batchEmbedContents")
    assert entry["body"]["requests"][1] == {
        "model": "models/gemini-embedding-001",
        "content": {"parts": [{"text": "b"}]},
        "taskType": "RETRIEVAL_QUERY",
        "outputDimensionality": 4,
    }


@pytest.mark.parametrize("transport", ["direct"])
async def test_stream_that_falls_silent_ends_with_an_error_at_its_timeout(
    openai: OpenAIEmulator, gemini: GeminiEmulator, transport: str
) -> None:
    """A pause longer than ``idle_timeout`` ends the stream with an error."""
    settings = settings_before(openai, gemini, transport, num_retries=0, idle_timeout=0.3)
    openai.faults.append({"chunk_delay_seconds": 0.25, "text": "x" * 8})
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        body = {"model": "instruct", "prompt": "a", "stream": True}
        assert (await proxy.post(body, COMPLETIONS)).events[-1] == "[DONE]"
        openai.faults.append({"chunk_delay_seconds": 0.6, "text": "x" * 16})
        events = (await proxy.post({**body, "n": 1}, COMPLETIONS)).events

    assert events[-1]["error"]["code"] == "upstream_timeout"


@pytest.mark.parametrize("transport", ["direct"])
async def test_stream_cut_in_the_middle_ends_with_an_error_event(
    plain: Proxied, openai: OpenAIEmulator
) -> None:
    """A stream that was cut in the middle ends with an error event, without the end marker ``[DONE]``."""
    openai.faults.append({"cut_after_chunks": 2})
    reply = await plain.post({"model": "instruct", "prompt": "a", "stream": True}, COMPLETIONS)

    assert reply.status == 200
    assert reply.events[-1]["error"]["code"] in ("upstream_error", "upstream_unreachable")
    assert b"[DONE]" not in reply.raw
    assert await openai.requests[0].ended() == "cut"


@pytest.mark.parametrize("transport", ["direct"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_stream_of_several_choices_is_read_until_the_last_one_ends(
    plain: Proxied, stream: bool
) -> None:
    """One ended choice does not end the stream."""
    body = {"model": "instruct", "prompt": ["a", "b"], "n": 2, "stream": stream}
    reply = await plain.post(body, COMPLETIONS)
    events = reply.events[:-1] if stream else [reply.json]
    ends = [c["index"] for event in events for c in event["choices"] if c["finish_reason"]]

    assert ends == [0, 1, 2, 3]


async def _answer_once(payload: bytes, kind: str) -> tuple[asyncio.Server, str]:
    """Serve *payload* as the answer to every request, and return the server and its base URL."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
        await reader.readexactly(int(length.split(b":")[1]))
        lines = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(payload)}\r\n\r\n"
        writer.write(lines.encode() + payload)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    return server, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


def _written(**choice: Any) -> dict[str, Any]:
    return {"object": "text_completion", "choices": [{"index": 0, "finish_reason": "stop", **choice}]}


BAD_TEXTS: dict[str, Any] = {
    "no choices": {"object": "text_completion"},
    "a chat": {"choices": [{"index": 0, "message": {"content": "a"}, "finish_reason": "stop", "text": 5}]},
    "no object": {"choices": ["a"]},
    "no list": {"choices": {"a": 1}},
    "no end": _written(text="a", finish_reason=None),
    "an odd end": _written(text="a", finish_reason="network_error"),
    "no reason": _written(text="a", finish_reason=5),
    "no place": _written(text="a", index="x"),
    "an error": {"error": {"message": "Broken.", "code": 500}},
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("payload", BAD_TEXTS.values(), ids=BAD_TEXTS)
async def test_status_200_without_a_text_is_the_providers_fault(payload: Any, stream: bool) -> None:
    """Whole answers and stream events without a text are both upstream errors."""
    data = json.dumps(payload).encode()
    kind = "text/event-stream" if stream else "application/json"
    server, base = await _answer_once(b"data: " + data + b"\n\n" if stream else data, kind)
    settings = settings_on("direct", {"m": {"model": "openai/x", "api_base": base}})
    async with server, proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        reply = await proxy.post({"model": "m", "prompt": "a", "stream": stream}, COMPLETIONS)

    error = reply.json["error"] if reply.status != 200 else reply.events[-1]["error"]
    assert error["type"] == "upstream_error"


async def test_whole_text_in_place_of_a_stream_becomes_one_chunk() -> None:
    """A whole text in place of a stream becomes one chunk, followed by the end marker ``[DONE]``."""
    answer = {
        **_written(text="whole"),
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
    server, base = await _answer_once(json.dumps(answer).encode(), "application/json")
    settings = settings_on("direct", {"m": {"model": "openai/x", "api_base": base}})
    async with server, proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        reply = await proxy.post({"model": "m", "prompt": "a", "stream": True}, COMPLETIONS)

    [chunk, done] = reply.events
    assert (chunk["choices"][0]["text"], done) == ("whole", "[DONE]")


@pytest.mark.parametrize(
    "payload",
    [
        b"<html>",
        b"[]",
        b"{}",
        b'{"data": 5}',
        b'{"error": {"message": "No.", "code": 500}}',
        b'{"data": [{}]}',
    ],
)
@pytest.mark.parametrize("model", ["openai/x", "gemini/gemini-embedding-001"])
async def test_status_200_without_an_embedding_is_the_providers_fault(payload: bytes, model: str) -> None:
    """Answers of OpenAI and of Gemini without an embedding are both upstream errors."""
    server, base = await _answer_once(payload, "application/json")
    settings = settings_on("direct", {"m": {"model": model, "api_base": base}})
    async with server, proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        reply = await proxy.post({"model": "m", "input": "a"}, EMBEDDINGS)

    assert reply.status >= 500
    assert reply.error["type"] == "upstream_error"
