"""Measures the peak memory of one large request in the real process, in multiples of its body.

``python -m benchmarks.request_memory [MIB [WIRE ...]]`` starts the proxy in front of a provider that answers at once.
Each model in ``_WIRES`` gets one body of each shape in :data:`SHAPES`. The figure is the peak of the proxy's resident
memory (``VmHWM`` of /proc, only on Linux), less the resident memory before the request. The answer's status shows
whether the body was refused.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

_WIRES = {
    "openai": ("openai/gpt-4.1", "direct"),
    "gemini": ("gemini/gemini-3.6-flash", "direct"),
    "openai-litellm": ("openai/gpt-4.1", "litellm"),
    "gemini-litellm": ("gemini/gemini-3.6-flash", "litellm"),
}
_WORDS = 'The quick brown fox, who said \\"no\\" and ran (twice).\\n'


def _messages(text: str, size: int, each: int) -> str:
    """Return a history of *size* bytes whose messages have about *each* bytes of *text*, which is escaped already."""
    content = text * max(1, each // len(text.encode()))
    pair = f'{{"role":"user","content":"{content}"}},{{"role":"assistant","content":"{content}"}}'
    count = max(1, size // (len(pair.encode()) + 1))
    return f'"messages":[{",".join([pair] * count)},{{"role":"user","content":"Go on."}}]'


def _filled(piece: str, size: int) -> str:
    return ",".join([piece] * (size // (len(piece.encode()) + 1)))


def _image(size: int) -> str:
    data = "iVBORw0KGgo" + "A" * (size - 200)
    url = f'{{"type":"image_url","image_url":{{"url":"data:image/png;base64,{data}"}}}}'
    return f'"messages":[{{"role":"user","content":[{{"type":"text","text":"Look."}},{url}]}}]'


_USER = '"messages":[{"role":"user","content":"Hello."}]'

SHAPES: Mapping[str, Callable[[int], str]] = {
    "text, messages of 1 KiB": lambda size: _messages(_WORDS, size, 2**10),
    "text, messages of 64 KiB": lambda size: _messages(_WORDS, size, 2**16),
    "text, one message": lambda size: _messages(_WORDS, size, size // 2),
    "Chinese": lambda size: _messages("漢字かな交じり文。", size, 2**12),
    "text with one emoji each": lambda size: _messages(_WORDS * 20 + "😀", size, 2**10),
    "an image": _image,
    "empty objects": lambda size: f'{_USER},"metadata":{{"a":[{_filled("{}", size)}]}}',
    "empty messages": lambda size: f'"messages":[{_filled("{}", size)}]',
    "short messages": lambda size: f'"messages":[{_filled(_USER[12:-1], size)}]',
    "numbers": lambda size: f'{_USER},"metadata":{{"a":[{_filled("999", size)}]}}',
    "nested lists": lambda size: f'{_USER},"metadata":{{"a":[{_filled("[" * 50 + "]" * 50, size)}]}}',
}


async def _answer(request: web.Request) -> web.Response:
    while await request.content.readany():
        pass
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if "generateContent" in request.path:
        content = {"role": "model", "parts": [{"text": "Yes."}]}
        return web.json_response({"candidates": [{"content": content, "finishReason": "STOP"}]})
    message = {"role": "assistant", "content": "Yes."}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return web.json_response(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
            "usage": usage,
        }
    )


def _configuration(port: int, mib: int) -> dict[str, Any]:
    models = []
    for name, (model, transport) in _WIRES.items():
        version = "v1beta" if name.startswith("gemini") else "v1"
        params = {"model": model, "api_key": "none", "api_base": f"http://127.0.0.1:{port}/{version}"}
        models.append(
            {
                "model_name": name,
                "litellm_params": params,
                "transport": transport,
                "model_info": {"max_input_tokens": 10**9},
            }
        )
    general: dict[str, Any] = {"max_body_mib": mib, "admin": None}
    return {"model_list": models, "general_settings": general, "router_settings": {"num_retries": 0}}


def _status(pid: int, field: str) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition(f"{field}:")[2].split()[0]) * 2**10


def _begin_peak(pid: int) -> None:
    Path(f"/proc/{pid}/clear_refs").write_text("5")  # proc(5): resets VmHWM


async def _measure(session: aiohttp.ClientSession, url: str, pid: int, body: bytes) -> tuple[int, int]:
    """Return the status of the answer, and the bytes that the request took at most."""
    await asyncio.sleep(0.3)
    _begin_peak(pid)
    before = _status(pid, "VmRSS")
    async with session.post(url, data=body) as response:
        await response.read()
        status = response.status
    return status, _status(pid, "VmHWM") - before


async def _run(mib: int, wires: Sequence[str]) -> None:
    app = web.Application(client_max_size=2**40)
    app.router.add_post("/{path:.*}", _answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "turnright.yaml"
        file.write_text(json.dumps(_configuration(runner.addresses[0][1], mib)))
        size = mib * 2**20 - 8_192
        print(f"{'MiB ' + str(mib):26}" + "".join(f"{name:>18}" for name in wires))
        for shape, make in SHAPES.items():
            cells = [await _fresh(file, f'{{"model":"{name}",{make(size)}}}'.encode()) for name in wires]
            print(f"{shape:26}" + "".join(f"{cell:>18}" for cell in cells), flush=True)
    await runner.cleanup()


async def _fresh(file: Path, body: bytes) -> str:
    """Return the memory that *body* takes in a fresh process, as a multiple of its size, with the answer's status."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "proxy", "serve", "--config", str(file), "--port", "0",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, env=dict(os.environ),
    )  # fmt: skip
    assert process.stdout is not None
    try:
        base = ""
        while not base:
            base = json.loads(await process.stdout.readline()).get("base_url", "")
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=600)) as session:
            small = json.loads(body[: body.index(b",")] + b"}") | {
                "messages": [{"role": "user", "content": "Hi."}]
            }
            for _ in range(2):
                await _measure(session, f"{base}/chat/completions", process.pid, json.dumps(small).encode())
            status, taken = await _measure(session, f"{base}/chat/completions", process.pid, body)
    finally:
        process.kill()
        await process.wait()
    return f"{taken / len(body):.1f} ({status})"


if __name__ == "__main__":
    asyncio.run(_run(int(sys.argv[1]) if len(sys.argv) > 1 else 32, sys.argv[2:] or list(_WIRES)))
