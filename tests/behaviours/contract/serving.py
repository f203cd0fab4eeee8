"""Serves the app on sockets, in front of a provider that answers with the row that the request names."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from proxy.upstream.select_transport import SelectingUpstream
from tests.behaviours.contract.judging import complaints_of
from tests.proxy.conftest import settings_on
from tests.proxy.upstream.provider import Exchange, providing
from tests.support.builders import assistant, call, tool, user
from tests.support.contract.events import ERROR_FIELDS
from tests.support.proxied import Proxied, Reply, proxied
from tests.support.quirks.meaning import GOOGLE, NATIVE, OTHER, Row

_NAMES = {GOOGLE: "google", OTHER: "other", NATIVE: "native"}
_NUMBER = re.compile(rb"row (\d+), (stream|whole)")
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nConnection: close\r\n\r\n"

TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
    for name in ("f", "g", "get_weather")
]

Cut = Callable[[bytes], Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A running proxy, and the list of rows that its provider sends by index."""

    proxy: Proxied
    rows: list[Row] = field(default_factory=list)

    async def ask(self, row: Row, *, stream: bool, **fields: Any) -> Reply:
        """Ask the proxy for a chat that the provider answers with *row*.

        The history holds calls with the ids in ``row.taken``.
        """
        self.rows.append(row)
        history = [user("Go."), assistant(None, [call(one, "f") for one in row.taken])]
        history += [tool(one) for one in row.taken]
        body: dict[str, Any] = {
            "model": _NAMES[row.model],
            "messages": [
                *(history if row.taken else ()),
                user(f"row {len(self.rows) - 1}, {'stream' if stream else 'whole'}"),
            ],
            **fields,
        }
        if (
            row.meaning.others and row.model != NATIVE
        ):  # Gemini 3 gives one answer, and says so where more are asked for
            body["n"] = 1 + len(row.meaning.others)
        if stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return await self.proxy.post(body)


@asynccontextmanager
async def asking(transport: str, cut: Cut, **router: Any) -> AsyncIterator[Asked]:
    """Serve the proxy with one transport before a provider that cuts its streams by *cut*."""
    rows: list[Row] = []

    async def script(exchange: Exchange) -> None:
        found = _NUMBER.findall(exchange.body)[-1]
        row = rows[int(found[0])]
        if found[1] == b"stream":
            kind = b"application/json" if row.body.lstrip()[:1] in (b"{", b"[") else b"text/event-stream"
            await exchange.send(_HEAD % kind, *cut(row.body))
        else:
            assert row.whole is not None
            await exchange.send(_HEAD % b"application/json", row.whole)
        exchange.close()

    async with providing(script) as provider:
        base = f"http://127.0.0.1:{provider.port}"
        models = {
            name: {
                "model": model,
                "api_base": f"{base}/{'v1beta' if model == NATIVE else 'v1'}",
                "api_key": "k",
            }
            for model, name in _NAMES.items()
        }
        settings = settings_on(transport, models, router_settings={"self_correction": "off", **router})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy, asyncio.timeout(120):
            yield Asked(proxy, rows)


async def all_complaints(
    asked: Asked, rows: Sequence[Row], *, stream: bool, estimated: bool = False, **fields: Any
) -> dict[str, list[str]]:
    """Return the violations in the answers to *rows*, by the row's name. Rows without violations are absent."""
    found: dict[str, list[str]] = {}
    for row in rows:
        reply = await asked.ask(row, stream=stream, **fields)
        wrong = answered_wrongly(row, reply, stream=stream, estimated=estimated)
        if wrong:
            found[row.name] = wrong
    return found


def answered_wrongly(row: Row, reply: Reply, *, stream: bool, estimated: bool = False) -> list[str]:
    """Return the violations in the answer to *row*."""
    if reply.status == 200:
        return complaints_of(row, reply.raw, usage_asked=stream, whole=not stream, estimated=estimated)
    error = json.loads(reply.raw).get("error")
    if not isinstance(error, dict) or not error.keys() >= ERROR_FIELDS:
        return [f"status {reply.status} without OpenAI's envelope: {reply.raw!r}"]
    return [] if row.meaning.fault else [f"refused: {error['message']}"]
