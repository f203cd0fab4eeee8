"""A server that records requests, and a client that sends the same request to it through both transports."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from proxy.config import Settings, resolve
from proxy.core.errors import InvalidRequest, ProxyError
from proxy.core.upstream_call import Timeouts
from proxy.forwarding.chat.plan_attempts import ChatAttemptPlanner
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.planning.plan import plan_request
from proxy.planning.plan_target import plan_target
from proxy.upstream.select_transport import SelectingUpstream
from tests.behaviours.transports_agree.targets import parameters_of
from tests.proxy.conftest import settings_on

TRANSPORTS = ("direct", "litellm")

_USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
_HEAD = {"id": "c-1", "created": 1, "model": "m", "service_tier": "default"}
_NO_FACTS = frozenset({"accept", "accept-encoding", "connection", "content-length", "host", "user-agent"})
"""Headers that tell the HTTP client apart and that no provider reads."""


Arrival = dict[str, Any]
"""A request as the provider received it: *url*, *headers* and *body*.

A request that did not arrive has one field: *refused* with a parameter's name, or *failed* with an error's class.
"""


class Recorder:
    """A server that records each request and gives a good answer in OpenAI's format."""

    def __init__(self) -> None:
        self.url = ""
        self.arrivals: list[Arrival] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Record one request and answer it."""
        body = json.loads(await request.read())
        headers = {name.lower(): value for name, value in request.headers.items()}
        kept = {
            name: value
            for name, value in headers.items()
            if name not in _NO_FACTS and not name.startswith("x-stainless")
        }
        self.arrivals.append({"url": str(request.rel_url), "headers": kept, "body": body})
        if request.path.endswith("/api/chat"):
            return web.Response(text=json.dumps(_OLLAMA) + "\n", content_type="application/x-ndjson")
        if request.path.endswith("/v1/messages"):
            if body.get("stream"):
                return web.Response(text=_EVENTS, content_type="text/event-stream")
            return web.json_response(_MESSAGE)
        if body.get("stream"):
            return web.Response(text=_STREAM, content_type="text/event-stream")
        return web.json_response(_WHOLE)


_WHOLE = {
    **_HEAD,
    "object": "chat.completion",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}],
    "usage": _USAGE,
}
_CHUNK = {
    **_HEAD,
    "object": "chat.completion.chunk",
    "choices": [{"index": 0, "delta": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}],
    "usage": _USAGE,
}
_STREAM = f"data: {json.dumps(_CHUNK)}\n\ndata: [DONE]\n\n"
_MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "hi"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 2},
}
_EVENTS = "".join(
    f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
    for event in (
        {"type": "message_start", "message": {**_MESSAGE, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hi"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    )
)
_OLLAMA = {
    "model": "m",
    "created_at": "2026-01-01T00:00:00Z",
    "message": {"role": "assistant", "content": "hi"},
    "done": True,
    "done_reason": "stop",
    "prompt_eval_count": 3,
    "eval_count": 2,
}


class Sender:
    """Plans requests as the proxy does, and sends them to the recorder."""

    def __init__(self, recorder: Recorder, upstreams: Mapping[str, SelectingUpstream]) -> None:
        self.recorder = recorder
        self._upstreams = upstreams

    def settings_of(self, model: str, transport: str) -> Settings:
        """Return settings with *model* at the recorder."""
        return settings_on(transport, {"m": parameters_of(model, self.recorder.url)})

    async def send(
        self, settings: Settings, transport: str, request: Mapping[str, Any], *, stream: bool
    ) -> Arrival:
        """Send *request* to the one deployment of *settings*, and return what arrived."""
        [deployment] = resolve(settings, "m")
        upstream = self._upstreams[transport]
        body = {"model": "m", **request, **({"stream": True} if stream else {})}
        parsed = parse_chat_request(json.dumps(body).encode(), max_nesting=50)
        self.recorder.arrivals.clear()
        try:
            plan = plan_request(parsed, plan_target(deployment, settings.sanitize, upstream.unsupported))
            call = ChatAttemptPlanner.call_of(plan, Timeouts(60, 60, 60, 60))
            if stream:
                async for _ in upstream.stream(call):
                    pass
            else:
                await upstream.complete(call)
        except InvalidRequest as error:
            return {"refused": error.param}
        except ProxyError as error:
            assert not self.recorder.arrivals
            return {"failed": type(error).__name__}
        [arrival] = self.recorder.arrivals
        return arrival


@asynccontextmanager
async def sending(model: str) -> AsyncIterator[Sender]:
    """Serve a recorder, and yield a sender with both transports. *model* is any model of the provider."""
    recorder = Recorder()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", recorder.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    recorder.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    upstreams = {
        transport: SelectingUpstream.for_settings(
            settings_on(transport, {"m": parameters_of(model, recorder.url)})
        )
        for transport in TRANSPORTS
    }
    try:
        for upstream in upstreams.values():
            await upstream.start()
        yield Sender(recorder, upstreams)
    finally:
        for upstream in upstreams.values():
            await upstream.close()
        await runner.cleanup()
