"""Tests that litellm asks a provider nothing but what a client's request needs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from typing_extensions import override

from proxy.upstream.select_transport import SelectingUpstream
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.proxied import chat, proxied, settings_of

pytestmark = LITELLM_NOISE

ANSWER = {
    "model": "m",
    "created_at": "2026-01-01T00:00:00Z",
    "message": {"role": "assistant", "content": "hello"},
    "done": True,
    "done_reason": "stop",
    "prompt_eval_count": 3,
    "eval_count": 1,
}


@contextmanager
def serving_ollama(status: int) -> Iterator[tuple[str, list[str]]]:
    """Run a server that answers in Ollama's format with *status*.

    Yield its URL and the list of the paths of its requests.

    The server runs in a thread of its own, so that it can also answer a call that blocks the event loop.
    """
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            paths.append(self.path)
            self.rfile.read(int(self.headers["Content-Length"]))
            body = json.dumps(ANSWER if status == 200 else {"error": "no"}).encode() + b"\n"
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        @override
        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", paths
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("stream", [False, True])
async def test_ollama_is_asked_for_nothing_but_the_chat(status: int, stream: bool) -> None:
    """Ollama gets only the chat request.

    litellm's own log would fetch the model's data after each call, and block the event loop.
    """
    with serving_ollama(status) as (url, paths):
        params = {"model": "ollama_chat/qwen3.5", "api_base": url}
        listed = [{"model_name": "gemini", "litellm_params": params, "transport": "litellm"}]
        settings = settings_of(model_list=listed)
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            reply = await proxy.post(chat(stream=stream))
            await asyncio.sleep(0.5)  # litellm logs a call after its end

        assert reply.status == status
        assert paths == ["/api/chat"]
