"""Measure the seconds from SIGTERM to the exit of the proxy, while it is idle or busy in different ways."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.attack import bodies
from benchmarks.attack.child import Provider, Proxy, deployment, proxy
from benchmarks.attack.exchange import connect, exchange, request
from benchmarks.attack.goals import DRAIN_DELAY_S, DRAIN_GRACE_S, STOP
from benchmarks.attack.verdicts import Figure, better_of_two

_LONGEST_S = 8.0
_BEFORE_S = 0.6
_CHAT = "/v1/chat/completions"
_BUSY = 925_000
_LARGE = 31 * 2**20
_GEMINI, _OPENAI = "gemini/gemini-2.5-flash", "openai/gpt-4.1"

Sockets = contextlib.ExitStack
Attack = Callable[[Proxy, Sockets], None]


def _config(provider: Provider) -> dict[str, object]:
    models = [
        deployment("gemini", _GEMINI, provider.base("ok", "/v1beta")),
        *(
            deployment(manner, _OPENAI, provider.base(manner))
            for manner in ("ok", "never", "endless", "busy")
        ),
    ]
    return {
        "model_list": models,
        "router_settings": {"timeout": 60, "num_retries": 5, "cooldown_time": 0},
        "general_settings": {"drain_delay": DRAIN_DELAY_S, "drain_grace": DRAIN_GRACE_S},
    }


def _open(running: Proxy, sockets: Sockets, sent: bytes) -> socket.socket:
    made = sockets.enter_context(connect(running.port))
    made.sendall(sent)
    return made


def _hanging(model: str, count: int, *, stream: bool = False) -> Attack:
    sent = request(_CHAT, bodies.chat(model, bodies.CHAT["short messages"](40), stream=stream))

    def attack(running: Proxy, sockets: Sockets) -> None:
        for _ in range(count):
            _open(running, sockets, sent)

    return attack


def _unread(running: Proxy, sockets: Sockets) -> None:
    """Send requests that have large answers, with a small receive buffer, and never read from the connections."""
    big = b'"messages":[{"role":"user","content":"%s"}]' % (b"x" * 2_000_000)
    for _ in range(4):
        made = socket.socket()
        sockets.callback(made.close)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.connect(("127.0.0.1", running.port))
        made.settimeout(3.0)
        with contextlib.suppress(OSError):
            made.sendall(request("/v1/explain", bodies.chat("ok", big)))


def _sending(sent: bytes, count: int) -> Attack:
    """Return an attack that sends *sent* on each of *count* connections, and leaves these connections open."""

    def attack(running: Proxy, sockets: Sockets) -> None:
        for _ in range(count):
            _open(running, sockets, sent)

    return attack


def _working(path: str, body: Callable[[], bytes], count: int) -> Attack:
    """Return an attack that keeps worker threads busy."""

    def attack(running: Proxy, sockets: Sockets) -> None:
        sent = request(path, body())
        threads = [
            threading.Thread(target=exchange, args=(running.port, sent, _LONGEST_S)) for _ in range(count)
        ]
        for thread in threads:
            thread.start()
            sockets.callback(thread.join)

    return attack


def _identical() -> bytes:
    return bodies.chat("ok", bodies.CHAT["identical long ids"](_BUSY))


def _stops() -> bytes:
    return bodies.chat("ok", bodies.CHAT["many stops"](_BUSY))


def _looked() -> bytes:
    return bodies.looked_at("ok", bodies.CHAT["identical long ids"](_BUSY))


def _texts() -> bytes:
    return bodies.chat("ok", bodies.CHAT["text over the budget"](_LARGE))


def _small_messages() -> bytes:
    return bodies.chat("gemini", bodies.CHAT["short messages"](_LARGE // 4))


_HALF = request(_CHAT, b'{"model":"ok",' + b" " * 1000)[:-500]

_CASES: Mapping[str, Attack] = {
    "nothing": lambda *_: None,
    "worker threads busy: identical ids": _working(_CHAT, _identical, 4),
    "worker threads busy: many stops": _working(_CHAT, _stops, 4),
    "worker threads busy: 31 MiB of text": _working(_CHAT, _texts, 4),
    "worker threads busy: short messages": _working(_CHAT, _small_messages, 4),
    "the inspector's look": _working("/ui/api/look", _looked, 3),
    "explain": _working("/v1/explain", _identical, 3),
    "streams that never end": _hanging("endless", 20, stream=True),
    "a provider that never answers": _hanging("never", 20),
    "retries": _hanging("busy", 20),
    "silent connections": _sending(b"", 100),
    "half-sent heads": _sending(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n", 50),
    "half-sent bodies": _sending(_HALF, 50),
    "answers that nobody reads": _unread,
}


def run(directory: Path, provider: Provider, seconds: float, *, wanted: str) -> list[Figure]:
    """Return, for each case, the seconds from SIGTERM to the exit of the proxy."""
    until = time.monotonic() + seconds
    figures = []
    for name, attack in _CASES.items():
        if wanted not in f"{STOP.key} {name}":
            continue
        if time.monotonic() > until:
            figures.append(Figure(STOP, name, None, "no time was left"))
            continue
        figures.append(better_of_two(lambda: _stop(directory, provider, name, attack)))  # noqa: B023
    return figures


def _stop(directory: Path, provider: Provider, name: str, attack: Attack) -> Figure:
    with Sockets() as sockets, proxy(directory, _config(provider)) as running:
        exchange(running.port, request(_CHAT, bodies.chat("ok", bodies.CHAT["short messages"](40))), 10.0)
        attack(running, sockets)
        time.sleep(_BEFORE_S)
        running.running.signal()
        began = time.monotonic()
        try:
            status = running.running.wait(_LONGEST_S)
        except subprocess.TimeoutExpired:
            running.kill()
            return Figure(STOP, name, _LONGEST_S, "was killed", ended=False)
        return Figure(STOP, name, time.monotonic() - began, f"exit status {status}")
