"""Serves one recorded answer to both transports of the whole proxy, and reads what clients get of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from proxy.upstream.select_transport import SelectingUpstream
from tests.behaviours.transports_agree.targets import parameters_of
from tests.support.builders import user
from tests.support.proxied import Proxied, Reply, proxied, settings_of

Facts = dict[str, Any]
"""The facts of an answer: *text*, *thought*, *calls*, *finish* and *usage*, or an error's *status* and *message*.

A fact that is missing is not in the dict. An error after the beginning of a stream stands beside the text.
"""


@dataclass(frozen=True, slots=True)
class Recorded:
    """An answer of a provider: a status, a body, and its media type."""

    body: str
    status: int = 200
    kind: str = "application/json"


def whole(message: dict[str, Any], finish: Any = "stop", **fields: Any) -> Recorded:
    """Return a whole answer. *fields* stand at the top."""
    choices = [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}]
    return Recorded(
        json.dumps({**HEAD, "object": "chat.completion", "choices": choices, "usage": USAGE, **fields})
    )


def chunk(delta: dict[str, Any] | None = None, finish: Any = None, **fields: Any) -> dict[str, Any]:
    """Return a chunk of a stream. *fields* stand at the top."""
    choices = [{"index": 0, "delta": delta or {}, "finish_reason": finish}]
    return {**HEAD, "object": "chat.completion.chunk", "choices": choices, **fields}


def stream(*events: Any, done: bool = True) -> Recorded:
    """Return a stream of events: values that become ``data:`` lines, and texts that stay as they are."""
    lines = [one if isinstance(one, str) else f"data: {json.dumps(one)}\n\n" for one in events]
    return Recorded("".join(lines) + ("data: [DONE]\n\n" if done else ""), kind="text/event-stream")


USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
HEAD = {"id": "c-1", "created": 1, "model": "m"}


@asynccontextmanager
async def answered(model: str, answer: Recorded) -> AsyncIterator[Proxied]:
    """Serve *answer*, and the proxy before it with the models ``direct`` and ``litellm``."""

    async def give(_: web.Request) -> web.Response:
        return web.Response(text=answer.body, status=answer.status, content_type=answer.kind)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", give)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    entries = [
        {"model_name": transport, "litellm_params": parameters_of(model, url), "transport": transport}
        for transport in ("direct", "litellm")
    ]
    settings = settings_of(model_list=entries)
    try:
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            yield proxy
    finally:
        await runner.cleanup()


async def facts_of(proxy: Proxied, transport: str, *, streamed: bool) -> Facts:
    """Ask for an answer, and return what the client gets."""
    switches = {"stream": True, "stream_options": {"include_usage": True}} if streamed else {}
    tools = [
        {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
    ]
    reply = await proxy.post({"model": transport, "messages": [user("q")], "tools": tools, **switches})
    if reply.status != 200:
        return {"status": reply.status, "message": reply.error["message"]}
    return _facts_of_chunks(reply) if streamed else _facts_of_whole(reply.json)


def _facts_of_whole(answer: dict[str, Any]) -> Facts:
    [choice] = answer["choices"]
    message = choice["message"]
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    return _facts(
        [message.get("content")],
        [message.get("reasoning_content")],
        [(call["name"], call["arguments"]) for call in calls],
        choice["finish_reason"],
        answer.get("usage"),
    )


def _facts_of_chunks(reply: Reply) -> Facts:
    deltas, finish, usage, error = [], None, None, {}
    calls: dict[int, list[str]] = {}
    for event in reply.events:
        if event == "[DONE]":
            continue
        if "error" in event:
            error = {"message": event["error"]["message"]}
            continue
        usage = event.get("usage") or usage
        for choice in event["choices"]:
            deltas.append(choice["delta"])
            finish = choice["finish_reason"] or finish
            for piece in choice["delta"].get("tool_calls") or ():
                parts = calls.setdefault(piece["index"], ["", ""])
                parts[0] += piece["function"].get("name") or ""
                parts[1] += piece["function"].get("arguments") or ""
    facts = _facts(
        (delta.get("content") for delta in deltas),
        (delta.get("reasoning_content") for delta in deltas),
        [(name, arguments) for name, arguments in calls.values()],
        finish,
        usage,
    )
    return {**facts, **error}


def _facts(
    texts: Iterable[str | None],
    thoughts: Iterable[str | None],
    calls: list[tuple[str, str]],
    finish: str | None,
    usage: dict[str, Any] | None,
) -> Facts:
    counts = ("prompt_tokens", "completion_tokens", "total_tokens")
    facts = {
        "text": "".join(text or "" for text in texts),
        "thought": "".join(thought or "" for thought in thoughts),
        "calls": calls,
        "finish": finish,
        "usage": None if usage is None else tuple(usage.get(name) for name in counts),
    }
    return {name: fact for name, fact in facts.items() if fact}
