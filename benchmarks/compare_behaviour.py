"""``python -m benchmarks.compare_behaviour > FILE``: what clients, providers and Prometheus see, as lines of JSON.

If the files of two versions are equal (``diff``), the versions behave alike for these requests. For a version without
this file, copy it into a checkout of that version. Every known history is sent to the real process with five models.
Recorded are the answer of ``/v1/explain``, the request to the provider, and the client's answer, whole and as a stream.
Names of metrics and the output of the demo follow. Ports, times and random ids of answers are left out of each line.
"""

from __future__ import annotations

import argparse
import http.client
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typing_extensions import override

from benchmarks.gateway.processes import free_port

HISTORIES = Path(__file__).parents[1] / "proxy" / "conformance" / "known.json"

MODELS = {
    "gemini-flash": "gemini/gemini-2.5-flash",
    "gemini-pro": "gemini/gemini-3-pro-preview",
    "gpt": "openai/gpt-4.1",
    "claude": "anthropic/claude-sonnet-4-5",
    "deepseek": "deepseek/deepseek-chat",
}
"""Models of Gemini and OpenAI, and of two providers that are called through litellm."""

_TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": "Does what it says.",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}},
                "required": ["path"],
            },
        },
    }
    for name in ("read_file", "run shell")
]
_REQUESTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "tools": {"tools": _TOOLS, "temperature": 0.5, "max_completion_tokens": 64, "stop": ["END"]},
    "stream": {"stream": True, "stream_options": {"include_usage": True}},
}

_PLACE = re.compile(r"127\.0\.0\.1:\d+|\b\d+(?:\.\d+)? ?ms\b")
_RANDOM = re.compile(r'req_[0-9a-f]+|chatcmpl-[\w-]+|"created": ?\d+|(?<=-)[0-9a-f]{16,32}\b')
_VARIES = frozenset(
    {"date", "server-timing", "x-request-id", "x-turnright-overhead-ms", "content-length", "traceparent"}
)

_OPENAI = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Fine."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
}
_CLAUDE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "Fine."}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 5, "output_tokens": 2},
}
_GEMINI = {
    "candidates": [
        {"index": 0, "content": {"role": "model", "parts": [{"text": "Fine."}]}, "finishReason": "STOP"}
    ],
    "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 2, "totalTokenCount": 7},
    "modelVersion": "m",
}


def _events(*events: dict[str, Any], named: bool = False, done: bool = False) -> bytes:
    lines = [
        (f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in events
    ]
    return "".join([*lines, *(["data: [DONE]\n\n"] if done else [])]).encode()


def _openai_chunk(delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }


_STREAMS = {
    "openai": _events(
        _openai_chunk({"role": "assistant", "content": "Fine."}, None), _openai_chunk({}, "stop"), done=True
    ),
    "claude": _events(
        {"type": "message_start", "message": {**_CLAUDE, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Fine."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
        named=True,
    ),
    "gemini": _events(_GEMINI),
}


class _Provider(http.server.BaseHTTPRequestHandler):
    """A fake provider that answers in each provider's format, and keeps the requests."""

    protocol_version = "HTTP/1.1"
    seen: list[dict[str, Any]] = []

    def do_POST(self) -> None:
        """Answer in the format that belongs to the path."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        given = {name.lower(): _said(value) for name, value in self.headers.items()}
        self.seen.append(
            {"path": self.path, "body": _said(body.decode("utf-8", "replace")), "headers": given}
        )
        wire = (
            "gemini" if "enerateContent" in self.path else "claude" if "/messages" in self.path else "openai"
        )
        streams = "stream" in self.path or b'"stream":true' in body.replace(b" ", b"")
        whole = {"gemini": _GEMINI, "claude": _CLAUDE, "openai": _OPENAI}[wire]
        answer = _STREAMS[wire] if streams else json.dumps(whole).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if streams else "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def _said(text: str, *, answered: bool = False) -> str:
    text = _PLACE.sub("~", text)
    return _RANDOM.sub("~", text) if answered else text


def _ask(port: int, path: str, body: dict[str, Any]) -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read().decode("utf-8", "replace")
    headers = {name.lower(): value for name, value in answer.getheaders()}
    kept = {
        name: "~" if name in _VARIES else _said(value, answered=True)
        for name, value in sorted(headers.items())
    }
    connection.close()
    return {"status": answer.status, "headers": kept, "text": _said(text, answered=True)}


def _lines(port: int) -> Iterator[dict[str, Any]]:
    for history in json.loads(HISTORIES.read_text(encoding="utf-8")):
        for model in MODELS:
            for kind, fields in _REQUESTS.items():
                body = {"model": model, "messages": history["messages"], **fields}
                case = {"history": history["id"], "model": model, "request": kind}
                if kind != "stream":
                    yield {**case, "explain": _ask(port, "/v1/explain", body)}
                _Provider.seen.clear()
                answer = _ask(port, "/v1/chat/completions", body)
                yield {**case, "answer": answer, "sent": list(_Provider.seen)}
    for path, body in (
        ("/v1/embeddings", {"model": "gpt", "input": ["a", "b"]}),
        ("/v1/completions", {"model": "gpt", "prompt": "Say"}),
        ("/v1/chat/completions", {"model": "none", "messages": []}),
        ("/v1/nothing", {}),
    ):
        _Provider.seen.clear()
        yield {"path": path, "answer": _ask(port, path, body), "sent": list(_Provider.seen)}


def _metric_names(port: int) -> list[str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    return sorted(line for line in text.splitlines() if line.startswith(("# TYPE", "# HELP")))


def main() -> None:
    """Start the process, send all requests, and print the lines."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Provider)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{provider.server_port}"
    entries = [
        {
            "model_name": name,
            "litellm_params": {
                "model": model,
                "api_key": "sk-of-nobody-0123456789",
                "api_base": base + ("/v1" if model.startswith("openai/") else ""),
            },
        }
        for name, model in MODELS.items()
    ]
    with tempfile.TemporaryDirectory() as scratch:
        config, port = Path(scratch) / "config.json", free_port()
        config.write_text(json.dumps({"model_list": entries}))
        environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
        with subprocess.Popen(
            [sys.executable, "-m", "proxy", "serve", "--config", str(config), "--port", str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        ) as process:
            try:
                _wait(port)
                for line in _lines(port):
                    print(json.dumps(line, sort_keys=True))
                print(json.dumps({"metrics": _metric_names(port)}))
            finally:
                process.terminate()
        demo = subprocess.run(
            [sys.executable, "-m", "proxy", "demo"],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
        print(json.dumps({"demo": _said(demo.stdout), "status": demo.returncode}))
    provider.shutdown()


def _wait(port: int) -> None:
    for _ in range(600):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        threading.Event().wait(0.1)
    raise SystemExit("the process did not become ready")


if __name__ == "__main__":
    main()
