"""Starts the emulator and the proxy on free ports, sends each history to both, and compares the answers."""

from __future__ import annotations

import importlib.resources
from dataclasses import dataclass
from typing import Any

import aiohttp
import orjson

from proxy.cli.comparison.naive_wire import naive_body
from proxy.config import load_settings
from proxy.emulator import serving as serving_emulator
from proxy.server.serve import serving
from proxy.upstream.select_transport import SelectingUpstream

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

    @property
    def is_as_expected(self) -> bool:
        """True if the direct request was refused, the proxied one was answered, and its changes were reported."""
        return self.straight_status == 400 and self.proxied_status == 200 and bool(self.changes)


def load_histories() -> list[dict[str, Any]]:
    """Return the demo's histories: broken ones from public reports, each with its source."""
    histories: list[dict[str, Any]] = orjson.loads(
        importlib.resources.files("proxy.cli.comparison").joinpath("histories.json").read_bytes()
    )
    return histories


async def run_comparison(transport: str = "auto") -> list[Comparison]:
    """Send every history both ways, over real sockets on loopback, and return the answers.

    *transport* is the proxy's, in the spelling of a configuration.
    """
    async with serving_emulator() as emulator, aiohttp.ClientSession(timeout=_TIMEOUT) as session:
        parameters = {"model": "gemini/*", "api_base": f"{emulator}/v1beta", "api_key": "emulated"}
        entry = {"model_name": "gemini/*", "litellm_params": parameters, "transport": transport}
        configuration = {"model_list": [entry]}
        settings = load_settings(orjson.dumps(configuration), {}).settings
        async with serving(
            settings, SelectingUpstream.for_settings(settings), host="127.0.0.1", port=0
        ) as proxy:
            return [
                await _compare(history, session, emulator, proxy.base_url) for history in load_histories()
            ]


async def _compare(
    history: dict[str, Any], session: aiohttp.ClientSession, emulator: str, proxy: str
) -> Comparison:
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
    )


def _text(answer: dict[str, Any]) -> str:
    if "error" in answer:
        return str(answer["error"]["message"])
    message = answer["choices"][0]["message"]
    return str(
        message.get("content") or f"calls {[c['function']['name'] for c in message.get('tool_calls', ())]}"
    )
