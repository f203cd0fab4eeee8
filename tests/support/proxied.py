"""Serves the proxy on a real socket, with a client that keeps the answers as received."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from multidict import CIMultiDict
from prometheus_client.parser import text_string_to_metric_families

from proxy.config import Settings, load_settings
from proxy.observability.tracing import Tracing
from proxy.server.serve import Serving, serving
from proxy.upstream import Upstream
from tests.support.builders import user

CHAT = "/v1/chat/completions"
MODEL = "gemini"
"""The default model of `settings_of`, which is a Gemini model with strict rules."""

GEMINI = "gemini/gemini-3.6-flash"


def settings_of(models: Mapping[str, Any] | None = None, **sections: Any) -> Settings:
    """Return settings with *models*, which map names to `litellm_params` or to a model, and with *sections*.

    The real loader reads the settings as JSON, which is valid YAML. Failed calls are not retried unless *sections* set
    `num_retries`.
    """
    sections = {**sections, "router_settings": {"num_retries": 0, **sections.get("router_settings", {})}}
    entries = [
        {"model_name": name, "litellm_params": {"model": given} if isinstance(given, str) else given}
        for name, given in (models or {MODEL: GEMINI}).items()
    ]
    return load_settings(json.dumps({"model_list": entries, **sections}).encode(), {}).settings


def chat(content: Any = "Hello.", **fields: Any) -> dict[str, Any]:
    """Return the body of a chat request for `MODEL`."""
    return {"model": MODEL, "messages": [user(content)], **fields}


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as the client received it."""

    status: int
    headers: Mapping[str, str]
    raw: bytes

    @property
    def json(self) -> Any:
        """The body, which must be JSON."""
        return json.loads(self.raw)

    @property
    def error(self) -> dict[str, Any]:
        """The error of OpenAI's envelope, which must have its four fields."""
        error: dict[str, Any] = self.json["error"]
        assert {"message", "type", "param", "code"} <= error.keys()
        assert isinstance(error["message"], str)
        return error

    @property
    def events(self) -> list[Any]:
        """The events of a stream: JSON values, and the text `[DONE]`."""
        return events_of(self.raw)


def events_of(raw: bytes) -> list[Any]:
    """Return the values of server-sent events. Each event must be one `data:` line and an empty line."""
    assert raw.endswith(b"\n\n")
    found = raw.decode().removesuffix("\n\n").split("\n\n")
    assert all(event.startswith("data: ") and "\n" not in event for event in found)
    texts = [event.removeprefix("data: ") for event in found]
    return [text if text == "[DONE]" else json.loads(text) for text in texts]


@dataclass(frozen=True, slots=True)
class Proxied:
    """A running proxy, and a client session that sends requests to the proxy."""

    server: Serving
    session: aiohttp.ClientSession

    @property
    def origin(self) -> str:
        """The proxy's URL without a path."""
        return f"http://127.0.0.1:{self.server.port}"

    async def post(self, body: Any, path: str = CHAT, headers: Mapping[str, str] | None = None) -> Reply:
        """Post a body: a dict or a list as JSON, bytes unchanged, an iterator in chunks."""
        data = json.dumps(body).encode() if isinstance(body, dict | list) else body
        if isinstance(data, bytes):
            data = io.BytesIO(data)
        return await self.request("POST", path, data=data, headers=headers)

    async def get(self, path: str, headers: Mapping[str, str] | None = None) -> Reply:
        """Get a path."""
        return await self.request("GET", path, headers=headers)

    async def request(self, method: str, path: str, **arguments: Any) -> Reply:
        """Send a request and read the whole answer. A request with *data* gets the content type of JSON by default."""
        if "data" in arguments:
            named = CIMultiDict({"Content-Type": "application/json"})
            named.update(arguments.get("headers") or {})
            arguments["headers"] = named
        async with self.session.request(method, self.origin + path, **arguments) as response:
            return Reply(response.status, response.headers.copy(), await response.read())

    async def raw(self, data: bytes) -> Reply:
        """Send bytes on a new connection and read one answer, which must have a Content-Length."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.server.port)
        writer.write(data)
        try:
            async with asyncio.timeout(30):
                head = await reader.readuntil(b"\r\n\r\n")
                status, *lines = head.decode("latin-1").rstrip().split("\r\n")
                headers = dict(line.split(": ", 1) for line in lines)
                body = await reader.readexactly(int(headers["Content-Length"]))
        finally:
            writer.close()
        return Reply(int(status.split()[1]), headers, body)

    async def idle(self) -> None:
        """Wait until the proxy has no request in flight."""
        async with asyncio.timeout(30):
            while self.server.gateway.lifecycle.in_flight:  # noqa: ASYNC110 - there is no event for it
                await asyncio.sleep(0.01)

    async def metrics(self) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
        """Return every sample of `/metrics` by its name and its sorted labels."""
        text = (await self.get("/metrics")).raw.decode()
        return {
            (sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    async def count(self, name: str, **labels: str) -> float:
        """Return the sum of the samples of a metric that have these labels."""
        return sum(
            value
            for (found, pairs), value in (await self.metrics()).items()
            if found == f"turnright_{name}" and labels.items() <= dict(pairs).items()
        )


@asynccontextmanager
async def proxied(
    settings: Settings, upstream: Upstream, tracing: Tracing | None = None
) -> AsyncIterator[Proxied]:
    """Serve the proxy on a free port, and yield the proxy with a client session."""
    timeout = aiohttp.ClientTimeout(total=60)
    async with (
        serving(settings, upstream, tracing, host="127.0.0.1", port=0) as server,
        aiohttp.ClientSession(timeout=timeout) as session,
    ):
        yield Proxied(server, session)
