"""A provider that reads every request, checks nothing, and answers in a few words.

Tests with bodies that are slow to process use this provider, since an emulator would spend time on its own check of
each body.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

_LARGEST = 64 * 2**20


@contextmanager
def answering() -> Iterator[str]:
    """Serve the provider in a thread while the context lasts, and yield its address, ``http://host:port``."""
    ready, stop = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()
    ports: list[int] = []

    async def run() -> None:
        app = web.Application(client_max_size=_LARGEST)
        app.router.add_post("/{path:.*}", _answer)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        ports.append(runner.addresses[0][1])
        ready.set()
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), name="answering")
    thread.start()
    try:
        assert ready.wait(60)
        yield f"http://127.0.0.1:{ports[0]}"
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


async def _answer(request: web.Request) -> web.StreamResponse:
    asked = json.loads(await request.read())
    path = request.path
    streamed = bool(asked.get("stream")) or "streamGenerateContent" in path
    answer = _answer_to(path, asked)
    if not streamed:
        return web.json_response(answer)
    end = "" if "streamGenerateContent" in path else "data: [DONE]\n\n"
    return web.Response(text=f"data: {json.dumps(answer)}\n\n{end}", content_type="text/event-stream")


def _answer_to(path: str, asked: dict[str, Any]) -> dict[str, Any]:
    if "enerateContent" in path:
        parts = {"role": "model", "parts": [{"text": "Done."}]}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        candidate = {"index": 0, "content": parts, "finishReason": "STOP"}
        return {"candidates": [candidate], "usageMetadata": usage}
    if path.endswith("embedContent"):
        return {"embedding": {"values": [0.5]}}
    if path.endswith("batchEmbedContents"):
        return {"embeddings": [{"values": [0.5]} for _ in asked["requests"]]}
    if path.endswith("/embeddings"):
        given = asked["input"]
        count = len(given) if isinstance(given, list) and not isinstance(given[0], int) else 1
        vectors = [{"object": "embedding", "index": at, "embedding": [0.5]} for at in range(count)]
        return {"object": "list", "model": "m", "data": vectors}
    if path.endswith("/messages"):
        text = {"type": "text", "text": "Done."}
        head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [text]}
        usage = {"input_tokens": 1, "output_tokens": 1}
        return {**head, "stop_reason": "end_turn", "stop_sequence": None, "usage": usage}
    said = "delta" if asked.get("stream") else "message"
    choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
    if path.endswith("/chat/completions"):
        choice[said] = {"role": "assistant", "content": "Done."}
    else:
        choice["text"] = "Done."
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
