"""Sends the corpus to a gateway whose provider is the emulator, and judges what arrives at the emulator."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import aiohttp

from proxy.conformance.ask_gateway import chat_request, marker_of
from proxy.conformance.case import Case
from proxy.conformance.judge import Arrival, Outcome, Reply, judge_case
from proxy.emulator.journal import Entry, parse_json

MAX_SILENT = 3
"""The measurement stops after this many consecutive requests without an answer."""

_UNASKED = (401, 403, 429)
"""Statuses of a refusal for the key or the rate. With such a status and no arrival, the measurement stops."""

_MAX_WORDS = 300
"""The most characters of the gateway's error message that an outcome keeps."""

_POLL_SECONDS = 0.2


class CannotAsk(Exception):
    """The measurement cannot go on. The exception's text says why."""


@dataclass(frozen=True, slots=True)
class Gateway:
    """The gateway to measure: its base URL with ``/v1``, the model's name, its key, and the time for one request."""

    base_url: str
    model: str
    key: str
    timeout: float
    """Seconds for one request, until the whole answer has come."""

    def session(self) -> aiohttp.ClientSession:
        """Return a session whose requests carry the gateway's key, if there is one, and have its timeout."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=self.timeout), headers=headers)


async def wait_for_gateway(gateway: Gateway, seconds: float) -> None:
    """Return once the gateway answers, with any status. Raises :class:`CannotAsk` if no answer comes for *seconds*."""
    loop = asyncio.get_running_loop()
    limit = loop.time() + seconds
    async with gateway.session() as session:
        while True:
            try:
                async with session.get(f"{gateway.base_url}/models", allow_redirects=False):
                    return
            except (aiohttp.ClientError, TimeoutError) as error:
                if loop.time() >= limit:
                    raise CannotAsk(f"{gateway.base_url} does not answer: {_words_of(error)}") from error
            await asyncio.sleep(_POLL_SECONDS)


async def measure(
    gateway: Gateway, cases: Sequence[Case], journal: Callable[[], Sequence[Entry]], run: str
) -> tuple[Outcome, ...]:
    """Send the cases to *gateway* one after the other, and return an outcome for each.

    *journal* returns the requests that have arrived at the emulator. *run* is part of each case's marker, and must
    differ from run to run. The first case must arrive at the emulator. Raises :class:`CannotAsk` if that case does not
    arrive, if the gateway refuses the key or the rate, or if it stops answering.
    """
    replies: list[Reply] = []
    silent = 0
    async with gateway.session() as session:
        for case in cases:
            reply = await _send(session, gateway, case, run)
            replies.append(reply)
            silent = silent + 1 if reply.status is None else 0
            arrived = any(_arrivals(journal(), marker_of(case, run)))
            if not arrived and (len(replies) == 1 or reply.status in _UNASKED):
                raise CannotAsk(_why(gateway, reply))
            if silent >= MAX_SILENT:
                raise CannotAsk(f"{silent} requests in a row were not answered: {reply.text}")
    entries = journal()
    return tuple(
        judge_case(case, reply, [*_arrivals(entries, marker_of(case, run))])
        for case, reply in zip(cases, replies, strict=True)
    )


async def _send(session: aiohttp.ClientSession, gateway: Gateway, case: Case, run: str) -> Reply:
    """Send one case, and return the gateway's reply. A connection error or a timeout is a reply without a status."""
    url, request = f"{gateway.base_url}/chat/completions", chat_request(case, gateway.model, run)
    try:
        async with session.post(url, json=request, allow_redirects=False) as response:
            text = await response.text(errors="replace")
    except (aiohttp.ClientError, TimeoutError) as error:
        return Reply(None, _words_of(error))
    return Reply(response.status, _error_words(text, gateway.key) if response.status >= 300 else "")


def _arrivals(entries: Sequence[Entry], marker: str) -> Iterator[Arrival]:
    """Yield the requests whose body has *marker*."""
    sought = marker.encode()
    for entry in entries:
        if sought in entry.body:
            yield Arrival(parse_json(entry.body), entry.status, entry.message)


def _why(gateway: Gateway, reply: Reply) -> str:
    if reply.status is None:
        return f"{gateway.base_url} does not answer: {reply.text}"
    words = f": {reply.text}" if reply.text else ""
    return f"nothing arrived at the emulator; {gateway.base_url} answered {reply.status}{words}"


def _error_words(text: str, key: str) -> str:
    """Return the message in the body of an error answer, with the gateway's key replaced by asterisks."""
    body = parse_json(text.encode())
    error = body.get("error") if isinstance(body, dict) else None
    words = error.get("message") if isinstance(error, dict) else error
    shown = " ".join(str(words or text).split())
    return (shown.replace(key, "***") if key else shown)[:_MAX_WORDS]


def _words_of(error: Exception) -> str:
    return str(error) or ("no answer in time" if isinstance(error, TimeoutError) else type(error).__name__)
