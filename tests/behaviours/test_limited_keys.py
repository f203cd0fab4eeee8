"""Tests that each client format tells a limited key what is left, and why a request is refused."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from proxy.ingress.formats import FORMATS
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.conftest import settings_on
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import Proxied, Reply, proxied
from tests.support.responses_grammar import events_of, find_stream_faults

KEY, FREE = "sk-limited-2f90b1", "sk-free-2f90b1"
MODELS = {"chat": "gpt-4.1", "writer": "gpt-3.5-turbo-instruct", "embedder": "text-embedding-3-small"}
MESSAGES = [{"role": "user", "content": "Hello."}]
CONTENTS = [{"role": "user", "parts": [{"text": "Hello."}]}]
DURATION = re.compile(r"(?:\d+m)?\d+(?:\.\d{1,3})?m?s")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass(frozen=True)
class Format:
    """The requests of one client format: a whole one, a streamed one if it has streams, and a faulty one."""

    path: str
    body: Mapping[str, Any]
    stream: tuple[str, Mapping[str, Any]] | None
    faulty: Mapping[str, Any]

    def code_of(self, reply: Reply) -> Any:
        """Return turnright's code in an error of this format."""
        error = reply.json["error"]
        if "messages" in self.path:
            return error["details"]["error_code"]
        if "models/" in self.path:
            return next(each["metadata"]["code"] for each in error["details"] if "metadata" in each)
        return error["code"]


def openai(path: str, model: str = "chat", *, streams: bool = True, **fields: Any) -> Format:
    """Return a format whose stream is asked for by a field."""
    body = {"model": model, **fields}
    return Format(path, body, (path, {**body, "stream": True}) if streams else None, {"model": 7})


CASES = {
    "/v1/chat/completions": openai("/v1/chat/completions", messages=MESSAGES),
    "/v1/completions": openai("/v1/completions", "writer", prompt="Hello."),
    "/v1/embeddings": openai("/v1/embeddings", "embedder", streams=False, input="Hello."),
    "/v1/responses": openai("/v1/responses", input="Hello.", store=False),
    "/v1/messages": openai("/v1/messages", messages=MESSAGES, max_tokens=16),
    "/v1/models/{model}:generateContent": Format(
        "/v1beta/models/chat:generateContent",
        {"contents": CONTENTS},
        ("/v1beta/models/chat:streamGenerateContent?alt=sse", {"contents": CONTENTS}),
        {"contents": 7},
    ),
    "/v1/models/{model}:embedContent": Format(
        "/v1beta/models/embedder:embedContent", {"content": CONTENTS[0]}, None, {"content": 7}
    ),
    "/v1/models/{model}:batchEmbedContents": Format(
        "/v1beta/models/embedder:batchEmbedContents",
        {"requests": [{"model": "models/embedder", "content": CONTENTS[0]}]},
        None,
        {"requests": 7},
    ),
}
"""The formats by their paths. The stream of Gemini's API has a path of its own."""

IDS = pytest.mark.parametrize("path", CASES)


def headers_of(reply: Reply, start: str) -> dict[str, str]:
    """Return the headers of *reply* that begin with *start*, without it."""
    named = {name.lower(): value for name, value in reply.headers.items()}
    return {name.removeprefix(start): value for name, value in named.items() if name.startswith(start)}


def remaining(reply: Reply) -> tuple[str, str]:
    """Return the requests that are left, and the limit of tokens. All headers of every format must be there."""
    found = headers_of(reply, "x-ratelimit-")
    assert len(found) == 6
    for kind in ("requests", "tokens"):
        assert int(found[f"remaining-{kind}"]) <= int(found[f"limit-{kind}"])
        assert DURATION.fullmatch(found[f"reset-{kind}"])
    return found["remaining-requests"], found["limit-tokens"]


@asynccontextmanager
async def serving(emulator: OpenAIEmulator, **limits: Any) -> AsyncIterator[Proxied]:
    """Serve a proxy with a key of *limits* and one without any."""
    ours = {"api_base": emulator.base_url, "api_key": "sk-ours"}
    models = {name: {"model": f"openai/{model}", **ours} for name, model in MODELS.items()}
    keys = [{"name": "limited", "key": KEY, **limits}, {"name": "free", "key": FREE}]
    settings = settings_on("direct", models, general_settings={"keys": keys})
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as served:
        yield served


async def ask(proxy: Proxied, path: str, body: Mapping[str, Any], key: str = KEY, **headers: str) -> Reply:
    """Post *body* with *key*."""
    return await proxy.post(dict(body), path, {"Authorization": f"Bearer {key}", **headers})


def test_every_format_is_here() -> None:
    """A new format gets a row."""
    assert set(CASES) == FORMATS.keys() - {"/v1/models/{model}:streamGenerateContent"}


@IDS
async def test_each_answer_tells_what_is_left(openai: OpenAIEmulator, path: str) -> None:
    """Whole answers, streams, faulty requests and refusals do, and a refusal that is remembered."""
    case = CASES[path]
    async with serving(openai, rpm_limit=2, tpm_limit=100_000) as proxy:
        whole = await ask(proxy, case.path, case.body)
        streamed = await ask(proxy, *(case.stream or (case.path, case.body)))
        faulty = await ask(proxy, case.path, case.faulty)
        refused = [await ask(proxy, case.path, case.body) for _ in range(2)]
        counted = await proxy.count("requests_total", outcome="key_over_limit")

    assert [reply.status for reply in (whole, streamed, faulty, *refused)] == [200, 200, 400, 429, 429]
    assert remaining(whole) == ("1", "100000")
    assert [remaining(reply) for reply in (streamed, faulty, *refused)] == [("0", "100000")] * 4
    assert len(openai.requests) == 2
    assert counted == 2
    for reply in refused:
        assert case.code_of(reply) == "rate_limit_exceeded"
        assert 0 < int(reply.headers["retry-after-ms"]) <= int(reply.headers["retry-after"]) * 1000
        assert reply.headers["x-should-retry"] == "true"


@IDS
async def test_key_without_limits_learns_nothing_of_the_providers(openai: OpenAIEmulator, path: str) -> None:
    """The provider's numbers speak of the operator's account, on answers and on errors."""
    theirs = {"x-ratelimit-remaining-requests": "1", "anthropic-ratelimit-requests-remaining": "1"}
    case = CASES[path]
    openai.faults.append({"headers": theirs})
    openai.faults.append({"status": 429, "headers": theirs})
    async with serving(openai, rpm_limit=2) as proxy:
        replies = [await ask(proxy, case.path, case.body, FREE) for _ in range(2)]

    assert [reply.status for reply in replies] == [200, 429]
    assert not any("ratelimit" in name.lower() for reply in replies for name in reply.headers)


@pytest.mark.each_value
@IDS
@pytest.mark.parametrize(
    ("limits", "status", "code"),
    [
        ({"max_budget": 1}, 429, "insufficient_quota"),
        ({"max_budget": "0.000000001"}, 400, "request_exceeds_limit"),
        ({"expires": "2020-01-01T00:00:00Z"}, 401, "invalid_api_key"),
        ({"tpm_limit": 1}, 400, "request_exceeds_limit"),
    ],
    ids=["budget", "too dear", "expired", "never"],
)
async def test_each_refusal_has_one_status_and_code(
    openai: OpenAIEmulator, path: str, limits: dict[str, Any], status: int, code: str
) -> None:
    """No such request reaches the provider, and none is to be sent again."""
    case = CASES[path]
    async with serving(openai, **limits) as proxy:
        if status == 429:
            proxy.server.gateway.limiter.count("limited", nano_usd=10**9, estimated_nano=0, tokens=1)
        reply = await ask(proxy, case.path, case.body)

    assert (reply.status, case.code_of(reply)) == (status, code)
    assert reply.headers["x-should-retry"] == "false"
    assert openai.requests == type(openai.requests)()


async def test_messages_have_anthropics_headers_too(openai: OpenAIEmulator) -> None:
    """Each has the number of the header that every format has."""
    case = CASES["/v1/messages"]
    async with serving(openai, rpm_limit=1) as proxy:
        replies = [await ask(proxy, case.path, case.body) for _ in range(2)]
        other = await ask(proxy, "/v1/chat/completions", CASES["/v1/chat/completions"].body)

    for reply in replies:
        found = headers_of(reply, "anthropic-ratelimit-requests-")
        assert MOMENT.fullmatch(found.pop("reset"))
        assert found == {"limit": "1", "remaining": "0"}
    assert headers_of(other, "anthropic-ratelimit-") == {}


async def test_codex_is_told_to_wait_before_its_body_is_read(openai: OpenAIEmulator) -> None:
    """The second refusal is remembered, so that no body is read. Both are streams."""
    body = {**CASES["/v1/responses"].body, "stream": True}
    codex = {"originator": "codex_exec", "Accept": "text/event-stream"}
    async with serving(openai, rpm_limit=1) as proxy:
        replies = [await ask(proxy, "/v1/responses", body, **codex) for _ in range(3)]

    assert [reply.status for reply in replies] == [200] * 3
    for reply in replies[1:]:
        assert find_stream_faults(reply.raw) == []
        error = events_of(reply.raw)[-1]["response"]["error"]
        assert error["code"] == "rate_limit_exceeded"
        assert re.search(r"Please try again in [0-9.]+s\.$", error["message"])


async def test_request_that_is_priced_tells_its_cost(openai: OpenAIEmulator) -> None:
    """A stream does not: its headers go first."""
    case = CASES["/v1/chat/completions"]
    assert case.stream is not None
    async with serving(openai, max_budget=1) as proxy:
        whole = await ask(proxy, case.path, case.body)
        streamed = await ask(proxy, *case.stream)
        key = await proxy.get("/v1/key", {"Authorization": f"Bearer {KEY}"})

    usage = whole.json["usage"]
    cost = (usage["prompt_tokens"] * 2_000 + usage["completion_tokens"] * 8_000) / 10**9
    assert float(whole.headers["x-turnright-cost"]) == pytest.approx(cost, rel=1e-12)
    assert "x-turnright-cost" not in streamed.headers
    assert key.json["requests"] == 2
    assert key.json["remaining_budget"] < 1
