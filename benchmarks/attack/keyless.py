"""Measure the CPU of requests without a key: the proxy's CPU time, divided by the number of requests."""

from __future__ import annotations

import contextlib
import gzip
import time
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.attack.child import Provider, Proxy, deployment, proxy
from benchmarks.attack.exchange import connect, request
from benchmarks.attack.goals import INVITED, KEYLESS
from benchmarks.attack.verdicts import Figure, better_of_two

_CHAT = "/v1/chat/completions"
_LONGEST_S = 12.0
_SETTLE_S = 6.0
_PLAIN = 30 * 2**20
_BOMB = 4 * 2**20
"""The size of a compressed body, in bytes. Unpacked, the body is about a thousand times as large."""

_SILENCE_S = 0.3
"""Seconds of silence after which the client stops waiting for further answers."""

_PIPELINED = 50
Requests = Callable[[], tuple[list[bytes], int]]
"""Returns the pieces to send on one connection, and the number of requests in them."""


def _one(raw: bytes) -> Requests:
    return lambda: ([raw], 1)


def _zeros(pack: Callable[[bytes], bytes]) -> bytes:
    return pack(b" " * 2**20)


def _gzip_bomb() -> bytes:
    """Return as many gzip members, each of 16 MiB of blanks, as fit into :data:`_BOMB`."""
    member = gzip.compress(b" " * 2**24, 9, mtime=0)
    return member * (_BOMB // len(member))


def _deflate_bomb() -> bytes:
    packer = zlib.compressobj(9)
    piece = b" " * 2**24
    packed = b"".join(packer.compress(piece) for _ in range(64))
    return packed + packer.flush()


def _packed(coding: str, build: Callable[[], bytes]) -> Requests:
    return lambda: ([request(_CHAT, build(), headers={"Content-Encoding": coding})], 1)


def _chunked(piece: bytes, count: int, size: int) -> Requests:
    """Return a request with a chunked body, which is sent in *count* writes of *size* chunks each."""
    chunk = b"%x\r\n%s\r\n" % (len(piece), piece)
    head = request(_CHAT, headers={"Content-Length": "", "Transfer-Encoding": "chunked"})
    return lambda: ([head, *[chunk * size] * count, b"0\r\n\r\n"], 1)


def _pipelined() -> tuple[list[bytes], int]:
    one = request(_CHAT, b'{"model":"ok","messages":[]}')
    return [one * _PIPELINED], _PIPELINED


_CASES: Mapping[str, Requests] = {
    "a small body": _one(request(_CHAT, b"{}")),
    "30 MiB, plain": lambda: ([request(_CHAT, b" " * _PLAIN)], 1),
    "30 MiB to the inspector": lambda: ([request("/ui/api/look", b" " * _PLAIN)], 1),
    "30 MiB to a probe": lambda: ([request("/livez", b" " * _PLAIN)], 1),
    "30 MiB to no path": lambda: ([request("/nothing", b" " * _PLAIN)], 1),
    "4 MiB of gzip": _packed("gzip", _gzip_bomb),
    "1 MiB of deflate": _packed("deflate", _deflate_bomb),
    "a coding that nobody knows": _packed("br", lambda: b"x" * _BOMB),
    "4 MiB of gzip to a probe": lambda: (
        [request("/livez", _gzip_bomb(), headers={"Content-Encoding": "gzip"})],
        1,
    ),
    "chunks of one byte, 20,000 writes": _chunked(b"a", 20_000, 1),
    "chunks of one byte, 4 MiB": _chunked(b"a", 64, 11_000),
    "30 MiB, announced with Expect": lambda: (
        [request(_CHAT, b" " * _PLAIN, headers={"Expect": "100-continue"})],
        1,
    ),
    "a head of many lines": _one(request(_CHAT, b"{}", headers={f"X-{at}": "x" * 50 for at in range(100)})),
    "a head without an end": lambda: ([b"POST / HTTP/1.1\r\n" + b"X-A: b\r\n" * 500_000], 1),
    "a long header": _one(request(_CHAT, b"{}", headers={"X-A": "x" * 2**20})),
    "a long path": _one(request(f"/{'a%20' * 2**17}", b"{}")),
    "pipelined requests": _pipelined,
    "a wrong key": _one(request(_CHAT, b" " * _PLAIN, key="x" * 4000)),
}


def run(directory: Path, provider: Provider, seconds: float, *, wanted: str) -> list[Figure]:
    """Return the CPU milliseconds of each kind of request, and whether the proxy invites a body."""
    until = time.monotonic() + seconds
    config = {
        "model_list": [deployment("ok", "openai/gpt-4.1", provider.base("ok"))],
        "general_settings": {"master_key": "sk-attack-master", "drain_delay": 0, "drain_grace": 0},
    }
    figures: list[Figure] = []
    with proxy(directory, config) as running:
        _send(running.port, *_CASES["a small body"]())
        for name, build in _CASES.items():
            if wanted not in f"{KEYLESS.key} {name}":
                continue
            if time.monotonic() > until:
                figures.append(Figure(KEYLESS, name, None, "no time was left"))
                continue
            pieces, count = build()
            figures.append(better_of_two(lambda: _cost(running, name, pieces, count)))  # noqa: B023
        figures += [_invitation(running)] if wanted in f"{INVITED.key} {_WAITS}" else []
    return figures


def _cost(running: Proxy, name: str, pieces: list[bytes], count: int) -> Figure:
    running.settle(_SETTLE_S)
    before = running.cpu()
    said, ended = _send(running.port, pieces, count)
    running.settle(_SETTLE_S)
    used = (running.cpu() - before) / count
    return Figure(KEYLESS, name, used * 1000, said, ended=ended)


def _send(port: int, pieces: list[bytes], count: int) -> tuple[str, bool]:
    """Send the pieces until all are sent, the server stops reading, or the time is over.

    Return the answer's first line, and whether the time sufficed.
    """
    until = time.monotonic() + _LONGEST_S
    first = b""
    with connect(port) as made:
        made.setblocking(True)
        for piece in pieces:
            view = memoryview(piece)
            try:
                while view and time.monotonic() < until:
                    made.settimeout(max(0.01, until - time.monotonic()))
                    view = view[made.send(view[: 2**18]) :]
            except OSError:
                break
        with contextlib.suppress(TimeoutError, OSError):
            while time.monotonic() < until:
                made.settimeout(_SILENCE_S if first else max(0.01, until - time.monotonic()))
                said = made.recv(65_536)
                first = first or said
                if not said:
                    break
    line = first.partition(b"\r\n")[0].decode("latin-1") or "closed"
    return line, time.monotonic() < until


_WAITS = "Expect: 100-continue"


def _invitation(running: Proxy) -> Figure:
    """Return the figure 1 where the proxy answers ``100 Continue`` to a request without a key, else 0."""
    body = b" " * 1000
    head = request(_CHAT, body, headers={"Expect": "100-continue"})[: -len(body)]
    with connect(running.port) as made:
        made.sendall(head)
        made.settimeout(_SETTLE_S)
        try:
            said = made.recv(65_536)
        except OSError:
            said = b""
    invited = said.startswith(b"HTTP/1.1 100")
    return Figure(
        INVITED, _WAITS, float(invited) if said else None, said.partition(b"\r\n")[0].decode("latin-1")
    )
