"""The client's error when the provider fails: the provider's status and words, and no secret of the proxy.

The failures are real: emulators of OpenAI and Gemini answer over HTTP. The transport in between is litellm or our own.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from proxy.core.errors import UpstreamFault
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.conftest import OUR_KEY, TRANSPORTS, settings_on
from tests.proxy.emulator.conftest import Client as GeminiEmulator
from tests.support.builders import tool, user
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import GEMINI, MODEL, Proxied, Reply, chat, proxied, settings_of
from tests.support.scripted_upstream import STOP, ScriptedUpstream, answer, chunk, say

pytestmark = LITELLM_NOISE

WORDS = "Words of the provider."
INTERNALS = re.compile(r"Traceback|\.py\b|site-packages|litellm|api_base|127\.0\.0\.1|http://|Exception")
BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


def assert_tells_nothing(reply: Reply) -> None:
    """Check that an error holds no key, no address, no traceback and no path of a file."""
    shown = f"{reply.raw.decode()} {dict(reply.headers)}"
    assert OUR_KEY not in shown
    assert not INTERNALS.search(reply.raw.decode()), shown
    assert reply.headers["x-request-id"]


@dataclass(frozen=True, slots=True)
class Case:
    """A provider's error status, and what the client is to see of it."""

    upstream: int
    should_retry: str | None = None
    """The ``x-should-retry`` header. It is absent where the client's SDK decides by the status."""


STATUSES = (
    Case(400, should_retry="false"),
    Case(404, should_retry="false"),
    Case(408, should_retry="true"),
    Case(409, should_retry="true"),
    Case(413, should_retry="false"),
    Case(422, should_retry="false"),
    Case(429, should_retry="true"),
    Case(500),
    Case(502),
    Case(503),
    Case(504),
    Case(529),
)


@TRANSPORTS
@BOTH
@pytest.mark.parametrize("case", STATUSES, ids=lambda case: str(case.upstream))
@pytest.mark.parametrize("model", ["openai", "gemini"])
async def test_provider_keeps_its_status_and_words(
    real: Proxied, openai: OpenAIEmulator, gemini: GeminiEmulator, model: str, case: Case, stream: bool
) -> None:
    """A provider's error reaches the client with its status and its words, streamed or not."""
    if model == "openai":
        openai.faults.append({"status": case.upstream, "message": WORDS, "headers": {"Retry-After": "7"}})
    else:
        await gemini.fault(status=case.upstream, message=WORDS)
    reply = await real.post(chat(model=model, stream=stream))

    assert reply.status == case.upstream
    assert reply.error == {
        "message": WORDS,
        "type": "upstream_error",
        "param": None,
        "code": "rate_limit_exceeded" if case.upstream == 429 else "upstream_error",
    }
    assert reply.headers.get("x-should-retry") == case.should_retry
    assert reply.headers.get("Retry-After") == ("7" if model == "openai" else None)
    assert reply.headers["Content-Type"].startswith("application/json")
    assert reply.headers["x-turnright-attempts"] == "1"
    assert_tells_nothing(reply)


@TRANSPORTS
@BOTH
@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("model", ["openai", "gemini"])
async def test_refused_key_is_the_proxys(
    real: Proxied, openai: OpenAIEmulator, gemini: GeminiEmulator, model: str, status: int, stream: bool
) -> None:
    """A provider's 401 or 403 keeps its status, and the error says that the proxy's key was refused.

    The provider's words are left out, since they might quote the key.
    """
    words = f"Incorrect API key provided: {OUR_KEY}."
    openai.faults.append({"status": status, "message": words})
    await gemini.fault(status=status, message=words)
    reply = await real.post(chat(model=model, stream=stream))

    assert reply.status == status
    assert "the proxy's key" in reply.error["message"]
    assert "not your key" in reply.error["message"]
    assert reply.headers["x-should-retry"] == "false"
    assert_tells_nothing(reply)


@TRANSPORTS
@BOTH
async def test_words_that_quote_what_is_ours(openai: OpenAIEmulator, transport: str, stream: bool) -> None:
    """The key, the address and the headers' values are masked in the provider's words."""
    entry = {
        "model": "openai/gpt-4.1",
        "api_base": openai.base_url,
        "api_key": OUR_KEY,
        "extra_headers": {"x-team-token": "token-of-ours"},
    }
    words = f"Key {OUR_KEY} with token-of-ours is not welcome at {openai.base_url}."
    openai.faults.append({"status": 400, "message": words})
    settings = settings_on(transport, {"openai": entry})
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        reply = await proxy.post(chat(model="openai", stream=stream))

    assert openai.requests[0].headers["x-team-token"] == "token-of-ours"
    assert reply.status == 400
    assert reply.error["message"] == "Key ******** with ******** is not welcome at ********."
    assert_tells_nothing(reply)


@TRANSPORTS
@BOTH
async def test_redirect_is_no_answer(real: Proxied, openai: OpenAIEmulator, stream: bool) -> None:
    """A provider's redirect is a 502. A client could not follow a redirect status without a location."""
    openai.faults.append({"status": 302, "message": WORDS})
    reply = await real.post(chat(model="openai", stream=stream))

    assert (reply.status, reply.error["code"]) == (502, "upstream_error")
    assert_tells_nothing(reply)


@TRANSPORTS
@BOTH
@pytest.mark.parametrize(
    ("model", "fault"),
    [
        ("openai", {"cut_after_chunks": 0}),
        ("gemini", {"reset": True}),
        ("gemini", {"cut_after_chunks": 0}),
        ("refused-openai", {}),
        ("refused-gemini", {}),
    ],
)
async def test_wire_that_breaks(
    openai: OpenAIEmulator,
    gemini: GeminiEmulator,
    transport: str,
    model: str,
    fault: dict[str, Any],
    stream: bool,
) -> None:
    """A connection that is refused, or breaks before the first chunk, is a 502 that may be retried."""
    dead = "http://127.0.0.1:1"
    models = {
        "openai": {"model": "openai/gpt-4.1", "api_base": openai.base_url, "api_key": OUR_KEY},
        "gemini": {"model": GEMINI, "api_base": f"{gemini.base}/v1beta", "api_key": OUR_KEY},
        "refused-openai": {"model": "openai/gpt-4.1", "api_base": f"{dead}/v1", "api_key": OUR_KEY},
        "refused-gemini": {"model": GEMINI, "api_base": f"{dead}/v1beta", "api_key": OUR_KEY},
    }
    if model == "openai":
        openai.faults.append(fault)  # type: ignore[arg-type]  # a Fault, spelled in the table
    elif model == "gemini":
        await gemini.fault(**fault)
    settings = settings_on(transport, models)
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        reply = await proxy.post(chat(model=model, stream=stream))

    assert (reply.status, reply.error["code"]) == (502, "upstream_unreachable")
    assert "x-should-retry" not in reply.headers
    assert_tells_nothing(reply)


@pytest.mark.parametrize(
    ("transport", "model", "stream"),
    [
        *((transport, "openai", stream) for transport in ("litellm", "direct") for stream in (False, True)),
        ("litellm", "gemini", False),
        ("direct", "gemini", False),
        ("direct", "gemini", True),
    ],
)
async def test_garbage_is_the_providers_fault(
    real: Proxied, openai: OpenAIEmulator, gemini: GeminiEmulator, model: str, stream: bool
) -> None:
    """A provider's 200 that holds no answer reaches the client as a 502.

    The Gemini stream is not tested on litellm, which hides the garbage.
    """
    openai.faults.append({"garbage": True})
    await gemini.fault(garbage=True)
    reply = await real.post(chat(model=model, stream=stream))

    assert (reply.status, reply.error["code"]) == (502, "upstream_error")
    assert_tells_nothing(reply)


@dataclass(slots=True)
class Odd:
    """A provider that answers with the JSON that a test sets."""

    url: str = ""
    body: Any = None
    paths: list[str] = field(default_factory=list)


@pytest.fixture
async def odd() -> AsyncIterator[Odd]:
    """Serve a provider whose answers the test decides."""
    found = Odd()

    async def reply(request: web.Request) -> web.Response:
        found.paths.append(request.path)
        return web.json_response(found.body)

    app = web.Application()
    app.router.add_post("/{path:.*}", reply)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    yield found
    await runner.cleanup()


OPENAI_LIKE = ("openai/x", "gemini/gemini-2.5-pro", "mistral/x", "deepseek/x", "groq/x")


@pytest.mark.parametrize(
    "body", [{}, [], {"choices": []}, {"choices": None}, {"candidates": [{"content": 5}]}], ids=repr
)
@pytest.mark.parametrize(
    ("transport", "model"),
    [*product(("direct", "litellm"), OPENAI_LIKE), ("litellm", "anthropic/x")],
)
async def test_answer_of_another_shape(odd: Odd, transport: str, model: str, body: Any) -> None:
    """A 200 in an unknown shape is a 502: the provider's fault, not the client's."""
    odd.body = body
    entry = {"model": model, "api_base": odd.url, "api_key": OUR_KEY}
    settings = settings_on(transport, {"odd": entry})
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        reply = await proxy.post(chat(model="odd"))

    assert len(odd.paths) == 1
    assert (reply.status, reply.error["code"]) == (502, "upstream_error")
    assert_tells_nothing(reply)


@BOTH
async def test_history_that_cannot_be_converted(gemini: GeminiEmulator, stream: bool) -> None:
    """With the sanitizer off, a history that litellm cannot convert is a 400, and nothing is sent.

    litellm itself would answer with a retryable 500.
    """
    entry = {"model": GEMINI, "api_base": f"{gemini.base}/v1beta", "api_key": OUR_KEY}
    settings = settings_on("litellm", {"gemini": entry}, sanitize={"mode": "off"})
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        body = {"model": "gemini", "messages": [user(), tool("c1", "secret result")], "stream": stream}
        reply = await proxy.post(body, headers={"x-request-id": "mine-1"})

    assert (reply.status, reply.error["code"]) == (400, "conversion_failed")
    assert "nothing was sent" in reply.error["message"]
    assert reply.headers["x-request-id"] == "mine-1"
    assert reply.headers["x-should-retry"] == "false"
    assert b"secret result" not in reply.raw
    assert await gemini.journal() == []
    assert_tells_nothing(reply)


@TRANSPORTS
@BOTH
async def test_provider_without_a_key(
    openai: OpenAIEmulator, monkeypatch: pytest.MonkeyPatch, transport: str, stream: bool
) -> None:
    """A deployment without a key sends the stand-in ``no-key`` on litellm, and no key on the direct transport.

    The key in the process's environment is never sent.
    """
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    entry = {"model": "openai/gpt-4.1", "api_base": openai.base_url}
    settings = settings_on(transport, {"openai": entry})
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        reply = await proxy.post(chat(model="openai", stream=stream))

    assert reply.status == 200
    sent = openai.requests[0].headers.get("Authorization")
    assert sent == ("Bearer no-key" if transport == "litellm" else None)


@TRANSPORTS
@BOTH
async def test_long_words_are_cut(real: Proxied, openai: OpenAIEmulator, stream: bool) -> None:
    """The client gets the first 2,000 characters of a provider's long error."""
    openai.faults.append({"status": 400, "message": "x" * 10_000})
    reply = await real.post(chat(model="openai", stream=stream))

    assert reply.error["message"] == "x" * 2_000


@BOTH
@pytest.mark.parametrize("error", [RuntimeError("geheim"), KeyError("geheim"), TypeError("geheim")], ids=repr)
async def test_unforeseen_exception_is_a_500_without_its_cause(
    proxy: Proxied, upstream: ScriptedUpstream, error: Exception, stream: bool
) -> None:
    """An unforeseen exception is a 500 in OpenAI's envelope, with the request's id and nothing of the cause."""
    upstream.then(error)
    reply = await proxy.post(chat(stream=stream))

    assert (reply.status, reply.error["type"], reply.error["code"]) == (500, "server_error", "internal_error")
    assert reply.headers["x-request-id"] in reply.error["message"]
    assert b"geheim" not in reply.raw
    assert await proxy.count("requests_total", outcome="internal_error", model=MODEL) == 1


async def test_defect_of_ours_in_a_stream(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """An unforeseen exception in mid-stream is an error in the stream's last event."""
    upstream.then(say("Good "), RuntimeError("geheim"))
    reply = await proxy.post(chat(stream=True))

    assert reply.status == 200
    assert reply.events[-1]["error"]["code"] == "internal_error"
    assert reply.headers["x-request-id"] in reply.events[-1]["error"]["message"]
    assert b"geheim" not in reply.raw
    assert await proxy.count("requests_total", outcome="internal_error") == 1


@BOTH
async def test_half_a_surrogate_pair_in_an_answer_is_replaced(
    proxy: Proxied, upstream: ScriptedUpstream, stream: bool
) -> None:
    """A lone surrogate in an answer becomes U+FFFD, since a client that sent it back would be refused.

    In a stream, the second surrogate of a pair may follow in the next chunk.
    """
    upstream.then(
        *(
            [chunk({"content": "a\ud83d"}), chunk({"content": "\ude00b"}), chunk({"content": "\ud83d"}), STOP]
            if stream
            else [answer("a\ud83d\ude00b\ud83d")]
        )
    )
    reply = await proxy.post(chat(stream=stream))

    assert reply.status == 200
    if stream:
        assert reply.events[-1] == "[DONE]"
        texts = [event["choices"][0]["delta"].get("content", "") for event in reply.events[:-1]]
    else:
        texts = [reply.json["choices"][0]["message"]["content"]]
    assert "".join(texts) == "a\U0001f600b\ufffd"
    assert await proxy.count("requests_total", outcome="ok") == 1


@pytest.mark.parametrize(
    "usage", [{"prompt_tokens": -5}, {"prompt_tokens": "many"}, {"prompt_tokens": 1.5}], ids=repr
)
async def test_usage_that_cannot_be_counted(
    proxy: Proxied, upstream: ScriptedUpstream, usage: dict[str, Any]
) -> None:
    """An answer whose usage numbers cannot be counted still reaches the client."""
    upstream.then({**answer("Good day."), "usage": usage})
    reply = await proxy.post(chat())

    assert reply.status == 200
    assert reply.json["choices"][0]["message"]["content"] == "Good day."
    assert await proxy.count("requests_total", outcome="ok") == 1
    assert await proxy.count("tokens_total") == 0


@pytest.mark.parametrize("status", [None, 200, 302, 399])
def test_status_that_is_no_error(status: int | None) -> None:
    """A provider's fault without an error status is a 502."""
    assert UpstreamFault("x", upstream_status=status).http_status == 502


@pytest.mark.parametrize(
    "model",
    ["bedrock/amazon.nova-pro-v1:0", "bedrock/amazon.titan-text-lite-v1", "anthropic/claude-sonnet-4-5"],
)
async def test_answer_that_litellm_cannot_read_is_the_provider_s_fault(model: str) -> None:
    """A JSON answer that litellm cannot read is a 502, not a failed conversion of the request."""

    async def answer(_: web.Request) -> web.Response:
        return web.json_response({"foo": 1})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with TestServer(app) as server:
        base = str(server.make_url("")).rstrip("/")
        aws = {"aws_access_key_id": "a", "aws_secret_access_key": "b", "aws_region_name": "us-east-1"}
        params = (
            {**aws, "aws_bedrock_runtime_endpoint": base}
            if model.startswith("bedrock/")
            else {"api_base": base, "api_key": "k"}
        )
        settings = settings_of({"gemini": {"model": model, **params}})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            reply = await proxy.post(chat())

    assert (reply.status, reply.json["error"]["code"]) == (502, "upstream_error")
