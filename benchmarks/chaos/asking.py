"""Send one question as a client does, and raise if its answer breaks the protocol or is wrong."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import aiohttp

from benchmarks.chaos.providers import SECRETS
from benchmarks.chaos.questions import Heard, Question, Violation, check_beginning, check_whole

HANG_S = 60.0
"""Seconds after which a request counts as hanging. The proxy's own deadline is far shorter."""

ANSWERED = "answered"


@dataclass(frozen=True)
class Outcome:
    """Outcome of a question: ``answered``, or the error's status and code."""

    verdict: str
    attempts: int
    seconds: float
    number: int | None = None
    """The number in the answer's text, where the provider numbers its answers."""


async def ask(session: aiohttp.ClientSession, origin: str, question: Question) -> Outcome:
    """Ask *question* and return its outcome. Raises :class:`Violation` for what no client should see."""
    loop = asyncio.get_running_loop()
    started = loop.time()
    url = f"{origin}/v1/chat/completions"
    try:
        async with asyncio.timeout(HANG_S), session.post(url, json=question.body()) as response:
            raw = await response.read()
    except TimeoutError:
        raise Violation(f"{question}: hangs") from None
    except aiohttp.ClientError as error:
        raise Violation(f"{question}: the connection broke: {error!r}") from None
    attempts = int(response.headers.get("x-turnright-attempts", 0))
    try:
        if response.content_type == "text/event-stream":
            verdict, number = read_stream(question, raw)
        else:
            verdict, number = read_whole(question, response.status, raw)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise Violation(f"{question}: unreadable ({error!r}): {raw[:2000]!r}") from error
    return Outcome(verdict, attempts, loop.time() - started, number)


def read_whole(question: Question, status: int, raw: bytes) -> tuple[str, int | None]:
    """Return the verdict and the answer's number, for an answer that is one JSON value."""
    body = json.loads(raw)
    if status != 200:
        if status < 400:
            raise Violation(f"{question}: status {status}: {raw[:500]!r}")
        return f"{status} {code_of(question, body)}", None
    if question.stream:
        raise Violation(f"{question}: no stream: {raw[:500]!r}")
    (choice,) = body["choices"]
    message = choice["message"]
    heard = Heard(finish=choice["finish_reason"])
    heard.add_text(message["content"])
    for place, call in enumerate(message.get("tool_calls") or ()):
        heard.add_call(place, call)
    return ANSWERED, check_whole(question, heard)


def read_stream(question: Question, raw: bytes) -> tuple[str, int | None]:
    """Return the verdict and the answer's number, for a stream. Its last event must be ``[DONE]`` or an error."""
    if not raw.endswith(b"\n\n"):
        raise Violation(f"{question}: a stream that ends in the middle of an event: {raw[-500:]!r}")
    events = [event for event in raw.decode().split("\n\n") if event and not event.startswith(":")]
    if not all(event.startswith("data: ") and "\n" not in event for event in events):
        raise Violation(f"{question}: framing: {raw[:2000]!r}")
    *chunks, last = [event.removeprefix("data: ") for event in events]
    heard, ids = Heard(), set()
    for chunk in map(json.loads, chunks):
        if "error" in chunk or heard.finish:
            raise Violation(f"{question}: events behind the end: {raw[-2000:]!r}")
        ids.add(chunk["id"])
        for choice in chunk["choices"]:
            hear(heard, choice)
    if len(ids) > 1:
        raise Violation(f"{question}: two answers in one: {ids}")
    if last == "[DONE]":
        return ANSWERED, check_whole(question, heard)
    check_beginning(question, heard)
    return f"stream {code_of(question, json.loads(last))}", None


def hear(heard: Heard, choice: dict[str, Any]) -> None:
    """Add one choice of a chunk to *heard*."""
    delta = choice["delta"]
    heard.add_text(delta.get("content"))
    for call in delta.get("tool_calls") or ():
        heard.add_call(call["index"], call)
    heard.finish = choice["finish_reason"]


def code_of(question: Question, body: dict[str, Any]) -> str:
    """Return the code of an error, whose envelope must be OpenAI's."""
    error = body["error"]
    if not error.keys() >= {"message", "type", "param", "code"} or not error["message"]:
        raise Violation(f"{question}: no envelope: {body}")
    if any(words in error["message"] for words in ("Traceback", *SECRETS)):
        raise Violation(f"{question}: an error that says too much: {body}")
    return str(error["code"])
