"""One request of a client, in one of the client formats, and its outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import aiohttp
import orjson

from benchmarks.limits.configuration import key_of
from benchmarks.limits.provider import EMBEDDING
from benchmarks.limits.texts import tagged, words

CHAT, RESPONSES, MESSAGES, CONTENTS, COMPLETIONS, EMBEDDINGS = (
    "chat", "responses", "messages", "contents", "completions", "embeddings",
)  # fmt: skip
STREAMED = (CHAT, RESPONSES, MESSAGES, CONTENTS)
"""The formats whose answers can be streamed here."""

_HANG_S = 60.0
_LINGER_S = 0.15
"""Seconds for which a client that leaves waits, so that the gateway has all that the provider has written."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A request. *leave_after* is the number of events after which the client of a stream leaves."""

    number: int
    key: str
    """The name of the client's key."""

    model: str
    format: str = CHAT
    stream: bool = False
    prompt_words: int = 20
    most_output: int | None = None
    leave_after: int | None = None

    def path(self) -> str:
        """Return the path of the request."""
        method = "streamGenerateContent?alt=sse" if self.stream else "generateContent"
        return {
            CHAT: "/v1/chat/completions",
            RESPONSES: "/v1/responses",
            MESSAGES: "/v1/messages",
            CONTENTS: f"/v1beta/models/{self.model}:{method}",
            COMPLETIONS: "/v1/completions",
            EMBEDDINGS: "/v1/embeddings",
        }[self.format]

    def body(self) -> dict[str, Any]:
        """Return the body of the request."""
        text = tagged(self.number, words(Random(self.number), self.prompt_words))
        message = {"role": "user", "content": text}
        most = self.most_output
        match self.format:
            case "contents":
                settings = {} if most is None else {"generationConfig": {"maxOutputTokens": most}}
                return {"contents": [{"role": "user", "parts": [{"text": text}]}], **settings}
            case "messages":
                return {**self._head(), "messages": [message], "max_tokens": most or 1024}
            case "responses":
                room = {} if most is None else {"max_output_tokens": most}
                return {**self._head(), "input": text, "store": False, **room}
            case "completions":
                return {"model": self.model, "prompt": text, "max_tokens": most or 1024}
            case "embeddings":
                return {"model": EMBEDDING, "input": text}
            case _:
                limit = {} if most is None else {"max_tokens": most}
                return {**self._head(), "messages": [message], **limit}

    def _head(self) -> dict[str, Any]:
        return {"model": self.model, "stream": self.stream}


@dataclass(slots=True)
class Outcome:
    """The outcome of a request. *at* is the moment of its start on the event loop's clock, in seconds."""

    ask: Ask
    replica: int
    at: float
    seconds: float = 0.0
    status: int = 0
    """0 where the connection broke before the head of an answer."""

    headers: Mapping[str, str] = field(default_factory=dict)
    error: Mapping[str, Any] = field(default_factory=dict)
    left: bool = False
    broken: bool = False
    """True where the connection broke within the answer."""

    @property
    def served(self) -> bool:
        """True where the request was let in and answered."""
        return self.status == 200

    @property
    def wait_s(self) -> float:
        """The seconds that the answer asks to wait."""
        if "retry-after-ms" in self.headers:
            return float(self.headers["retry-after-ms"]) / 1000
        return float(self.headers.get("retry-after", 0))


def headers_of(key: str) -> dict[str, str]:
    """Return the headers of a request with the key named *key*."""
    return {
        "authorization": f"Bearer {key_of(key)}",
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
    }


async def send(http: aiohttp.ClientSession, origin: str, ask: Ask, replica: int = 0) -> Outcome:
    """Send *ask* and read its answer, or leave in the midst of it. Broken connections are told in the outcome."""
    loop = asyncio.get_running_loop()
    outcome = Outcome(ask, replica, loop.time())
    data, headers = orjson.dumps(ask.body()), headers_of(ask.key) | {"x-request-id": f"n{ask.number}"}
    try:
        async with asyncio.timeout(_HANG_S):
            response = await http.post(f"{origin}{ask.path()}", data=data, headers=headers)
            outcome.status, outcome.headers = response.status, response.headers
            try:
                await _read(response, outcome)
            finally:
                response.release() if response.content.at_eof() else response.close()
    except (aiohttp.ClientError, TimeoutError):
        outcome.broken = True
    outcome.seconds = loop.time() - outcome.at
    return outcome


async def _read(response: aiohttp.ClientResponse, outcome: Outcome) -> None:
    leave_after = outcome.ask.leave_after
    if response.status != 200:
        found = orjson.loads(await response.read())
        outcome.error = found.get("error", found)
        return
    if leave_after is None:
        await response.read()
        return
    events = 0
    async for line in response.content:
        events += line.startswith(b"data:")
        if events >= leave_after:
            await asyncio.sleep(_LINGER_S)
            outcome.left = True
            return
