"""A server that records requests, and a client that sends plans to it through either transport."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from aiohttp import web

from proxy.config import Settings, resolve
from proxy.core.errors import InvalidRequest, ProxyError
from proxy.core.upstream_call import Timeouts, UpstreamCall
from proxy.forwarding.chat.plan_attempts import ChatAttemptPlanner
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.planning.plan import plan_request
from proxy.planning.plan_target import plan_target
from proxy.upstream.select_transport import SelectingUpstream
from proxy.upstream.wires.table import wire_of
from tests.proxy.conftest import settings_on
from tests.support.builders import user

ROUTES: dict[str, tuple[str, str]] = {
    "openai": ("openai/gpt-4o", "both"),
    "o3": ("openai/o3", "both"),
    "gpt-5": ("openai/gpt-5", "both"),
    "server": ("openai/my-model", "both"),
    "vllm": ("hosted_vllm/qwen", "both"),
    "custom": ("custom_openai/qwen", "both"),
    "mistral": ("mistral/mistral-large-latest", "both"),
    "deepseek": ("deepseek/deepseek-chat", "both"),
    "reasoner": ("deepseek/deepseek-reasoner", "both"),
    "groq": ("groq/llama-3.3-70b-versatile", "both"),
    "xai": ("xai/grok-4", "both"),
    "openrouter": ("openrouter/x/y", "both"),
    "gemini-2.5": ("gemini/gemini-2.5-flash", "both"),
    "gemini-2.5-pro": ("gemini/gemini-2.5-pro", "both"),
    "gemini-3.7": ("gemini/gemini-3.7-flash", "both"),
    "claude-3.5": ("anthropic/claude-3-5-haiku-20241022", "litellm"),
    "claude-4.5": ("anthropic/claude-sonnet-4-5", "litellm"),
    "claude-4.6": ("anthropic/claude-opus-4-6", "litellm"),
    "claude-4.7": ("anthropic/claude-opus-4-7", "litellm"),
    "cohere": ("cohere_chat/command-a-03-2025", "litellm"),
    "ollama": ("ollama_chat/qwen3", "litellm"),
    "gpt-oss": ("ollama_chat/gpt-oss", "litellm"),
    "bedrock-claude": ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "litellm"),
    "bedrock-nova": ("bedrock/amazon.nova-pro-v1:0", "litellm"),
    "cerebras": ("cerebras/llama", "litellm"),
    "fireworks": ("fireworks_ai/accounts/fireworks/models/x", "litellm"),
    "perplexity": ("perplexity/sonar", "litellm"),
}
"""A model for each row of the table of dialects, and the transports that reach the model."""

WAYS = [
    (name, transport)
    for name, (_, transports) in ROUTES.items()
    for transport in ("direct", "litellm")
    if transports in ("both", transport)
]

_AWS = {"aws_access_key_id": "a", "aws_secret_access_key": "b", "aws_region_name": "us-east-1"}
_OWN = frozenset({"openai", "o3", "gpt-5"})


@dataclass(frozen=True, slots=True)
class Arrival:
    """The outcome of a request: the body that arrived, or the parameter for which the request was *refused*."""

    body: Mapping[str, Any] | None
    dropped: frozenset[str] = frozenset()
    changed: tuple[tuple[str, str], ...] = ()
    """The reason and the detail of each change."""

    refused: str | None = None

    @property
    def text(self) -> str:
        """The body as JSON."""
        return json.dumps(self.body)


class Provider:
    """A server that records each request and refuses it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._bodies: list[Mapping[str, Any]] = []
        self._upstreams: dict[str, SelectingUpstream] = {}

    def note(self, body: Mapping[str, Any]) -> None:
        """Record a body."""
        self._bodies.append(body)

    async def receive(
        self,
        name: str,
        transport: str,
        parameters: Mapping[str, Any],
        *,
        messages: list[Any] | None = None,
        mode: str = "repair",
        allowed: tuple[str, ...] = (),
    ) -> Arrival:
        """Send *parameters* to the model *name* of :data:`ROUTES` and return what arrived."""
        settings = self._settings_of(name, transport, mode, allowed)
        [deployment] = resolve(settings, "m")
        body = {"model": "m", "messages": messages or [user("Say hello.")], **parameters}
        request = parse_chat_request(json.dumps(body).encode(), max_nesting=50)
        upstream = self._upstreams.setdefault(transport, SelectingUpstream([deployment]))
        await upstream.start()
        try:
            plan = plan_request(request, plan_target(deployment, settings.sanitize, upstream.unsupported))
            arrived = await self._sent(
                ChatAttemptPlanner.call_of(plan, Timeouts(60, 60, 60, 60)), transport, upstream
            )
        except InvalidRequest as error:
            return Arrival(None, refused=error.param)
        changed = tuple((change.reason, change.detail) for change in plan.parameter_changes)
        return Arrival(arrived, frozenset(plan.dropped), changed)

    async def close(self) -> None:
        """Close the transports."""
        for upstream in self._upstreams.values():
            await upstream.close()

    async def _sent(
        self, call: UpstreamCall, transport: str, upstream: SelectingUpstream
    ) -> Mapping[str, Any]:
        """Send a call to this server, and return the body that arrived.

        OpenAI's rules hold only for its own address, so a body for that address is read before it is sent.
        """
        own = call.deployment.api_base is None
        if own and transport == "direct":
            written: Mapping[str, Any] = json.loads(
                wire_of(call.deployment).write_request(call, stream=False)
            )
            return written
        if own:
            call = replace(call, deployment=replace(call.deployment, api_base=self.url))
        self._bodies.clear()
        with pytest.raises(ProxyError) as refusal:
            await upstream.complete(call)
        if isinstance(refusal.value, InvalidRequest):
            raise refusal.value
        assert self._bodies, f"nothing was sent: {refusal.value.message}"
        return self._bodies[-1]

    def _settings_of(self, name: str, transport: str, mode: str, allowed: tuple[str, ...]) -> Settings:
        model = ROUTES[name][0]
        base = f"{self.url}/v1beta" if model.startswith("gemini") else self.url
        entry: dict[str, Any] = {"model": model, "api_base": base}
        entry |= _AWS if model.startswith("bedrock") else {"api_key": "k"}
        if name in _OWN:
            del entry["api_base"]
        if allowed:
            entry["allowed_openai_params"] = list(allowed)
        return settings_on(transport, {"m": entry}, sanitize={"mode": mode})


@asynccontextmanager
async def receiving() -> AsyncIterator[Provider]:
    """Serve a provider that records each request and refuses it."""
    provider = Provider("")

    async def receive(request: web.Request) -> web.Response:
        provider.note(await request.json())
        return web.json_response({"error": {"message": "No.", "type": "x", "code": 418}}, status=418)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", receive)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    provider.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield provider
    finally:
        await provider.close()
        await runner.cleanup()
