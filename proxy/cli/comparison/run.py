"""Starts the emulator and the proxy on loopback, sends each history to both, and compares the answers."""

from __future__ import annotations

import importlib.resources
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import orjson

from proxy.cli.comparison.naive_wire import naive_body
from proxy.cli.explain import plan_without_sending
from proxy.config import Settings, load_settings
from proxy.emulator import serving as serving_emulator
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.planning.plan import format_changes
from proxy.server.serve import serving
from proxy.upstream.select_transport import SelectingUpstream
from sanitizers import Change

_TIMEOUT = aiohttp.ClientTimeout(total=60)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answers to one history, sent directly and through turnright."""

    name: str
    model: str
    description: str
    source: str
    straight_status: int
    straight_text: str
    proxied_status: int
    proxied_text: str
    changes: str
    """The changes that the header of the proxied answer reports."""

    change_list: tuple[Change, ...]
    """The changes to the same request, one by one, as a dry run finds them."""

    @property
    def is_as_expected(self) -> bool:
        """True if the direct request was refused, and the proxied answer's header has the dry run's changes."""
        answered = self.straight_status == 400 and self.proxied_status == 200
        return answered and bool(self.changes) and self.changes == format_changes(self.change_list)


@dataclass(frozen=True, slots=True)
class Compared:
    """The comparisons, and the base URL of the proxy, which runs until the context of :func:`comparing` ends."""

    comparisons: tuple[Comparison, ...]
    base_url: str


def load_histories() -> list[dict[str, Any]]:
    """Return the demo's histories. They are broken histories from public reports, each with its source."""
    histories: list[dict[str, Any]] = orjson.loads(
        importlib.resources.files("proxy.cli.comparison").joinpath("histories.json").read_bytes()
    )
    return histories


@asynccontextmanager
async def comparing(transport: str = "auto", *, port: int = 0) -> AsyncIterator[Compared]:
    """Send every history both ways, over real sockets on loopback, and yield the answers.

    The emulator and the proxy are served while the context lasts. The inspector's page, which the proxy serves, shows
    the requests with their bodies. *transport* is the value of ``transport`` in the proxy's configuration. *port* is
    the proxy's port, 0 for any. Raises :class:`OSError` if the port is taken.
    """
    async with serving_emulator() as emulator, aiohttp.ClientSession(timeout=_TIMEOUT) as session:
        settings = _settings_for(emulator, transport)
        async with serving(
            settings, SelectingUpstream.for_settings(settings), host="127.0.0.1", port=port
        ) as proxy:
            addresses = emulator, proxy.base_url
            found = [await _compare(history, session, addresses, settings) for history in load_histories()]
            yield Compared(tuple(found), proxy.base_url)


async def run_comparison(transport: str = "auto") -> tuple[Comparison, ...]:
    """Return the comparisons of :func:`comparing`, and stop both servers."""
    async with comparing(transport) as compared:
        return compared.comparisons


def _settings_for(emulator: str, transport: str) -> Settings:
    parameters = {"model": "gemini/*", "api_base": f"{emulator}/v1beta", "api_key": "emulated"}
    entry = {"model_name": "gemini/*", "litellm_params": parameters, "transport": transport}
    general = {"inspector": {"bodies": True}}
    return load_settings(orjson.dumps({"model_list": [entry], "general_settings": general}), {}).settings


async def _compare(
    history: dict[str, Any], session: aiohttp.ClientSession, addresses: tuple[str, str], settings: Settings
) -> Comparison:
    """Send *history* to both *addresses*: the emulator's and the proxy's."""
    emulator, proxy = addresses
    model, messages = history["model"], history["messages"]
    tools = [
        {"type": "function", "function": {"name": name, "description": f"The tool {name}."}}
        for name in history.get("tools", ())
    ]
    url = f"{emulator}/v1beta/models/{model}:generateContent"
    async with session.post(url, json=naive_body(messages, tools)) as straight:
        refused = await straight.json()
    request: dict[str, Any] = {"model": f"gemini/{model}", "messages": messages}
    if tools:
        request["tools"] = tools
    parsed = parse_chat_request(orjson.dumps(request), max_nesting=100, mends=True)
    async with session.post(f"{proxy}/chat/completions", json=request) as proxied:
        answer = await proxied.json()
    return Comparison(
        name=history["id"],
        model=model,
        description=history["description"],
        source=history["source"],
        straight_status=straight.status,
        straight_text=refused.get("error", {}).get("message", "answered").strip(),
        proxied_status=proxied.status,
        proxied_text=_text(answer),
        changes=proxied.headers.get("x-turnright-changes", ""),
        change_list=plan_without_sending(parsed, settings).changes,
    )


def _text(answer: dict[str, Any]) -> str:
    """Return the text of *answer*, its error message, or its calls as a sentence."""
    if "error" in answer:
        return str(answer["error"]["message"])
    message = answer["choices"][0]["message"]
    names = [call["function"]["name"] for call in message.get("tool_calls") or ()]
    return str(message.get("content") or f"A call of {' and '.join(names) or 'nothing'}.")
