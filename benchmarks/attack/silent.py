"""Measure how long a client with a key waits while silent connections are open, and how many lines are logged."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attack import bodies
from benchmarks.attack.child import Program, Provider, Proxy, deployment, proxy
from benchmarks.attack.exchange import connect, exchange, request
from benchmarks.attack.goals import LOG, SILENT
from benchmarks.attack.verdicts import Figure, better_of_two

_NOFILE = 256
_CONNECTIONS = 400
_WATCHED_S = 4.0
_LONGEST_S = 4.0
_GIVEN_UP = 5
_AT_ONCE = 2
_EVERY_S = 0.4
_KEY = "sk-attack-master"
_CHAT = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class _Kind:
    """The bytes that each connection sends, and the loopback addresses that it comes from."""

    sent: bytes
    sources: tuple[str, ...] = ("127.0.0.1",)


_CASES: Mapping[str, _Kind] = {
    "silent": _Kind(b""),
    "silent, from another address": _Kind(b"", ("127.0.0.2",)),
    "silent, from many addresses": _Kind(b"", tuple(f"127.0.0.{at}" for at in range(2, 42))),
    "half a head": _Kind(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n", ("127.0.0.2",)),
    "refused, then silent": _Kind(request(_CHAT, b"{}"), ("127.0.0.2",)),
    "probed, then silent": _Kind(request("/livez", method="GET"), ("127.0.0.2",)),
}


def run(directory: Path, provider: Provider, seconds: float, *, wanted: str) -> list[Figure]:
    """Return, for each kind of connection, the worst time of a client with a key, and the number of logged lines."""
    until = time.monotonic() + seconds

    def measure(name: str, kind: _Kind) -> list[Figure]:
        if time.monotonic() > until:
            return [Figure(row, name, None, "no time was left") for row in (SILENT, LOG)]
        lines: list[int] = []
        waited = better_of_two(functools.partial(_watch, directory, provider, name, kind, lines))
        return [waited, Figure(LOG, name, float(min(lines)), f"in {_WATCHED_S:.0f} s")]

    chosen = [one for one in _CASES.items() if wanted in f"{SILENT.key} {LOG.key} {one[0]}"]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return [figure for figures in pool.map(lambda one: measure(*one), chosen) for figure in figures]


def _watch(directory: Path, provider: Provider, name: str, kind: _Kind, lines: list[int]) -> Figure:
    config = {
        "model_list": [deployment("ok", "openai/gpt-4.1", provider.base("ok"))],
        "general_settings": {"master_key": _KEY, "drain_delay": 0, "drain_grace": 0},
    }
    with contextlib.ExitStack() as stack, proxy(directory, config, Program(nofile=_NOFILE)) as running:
        _ask(running)
        asked = 1 + _open_all(running, kind, stack)
        before = _lines(running)
        worst, served, questions = 0.0, 0, 0
        until = time.monotonic() + _WATCHED_S
        while time.monotonic() < until:
            seconds, answered = _ask(running)
            worst, served, questions = max(worst, seconds), served + answered, questions + 1
            time.sleep(_EVERY_S)
        lines.append(max(0, _lines(running) - before - questions))
        if _lines(running) > 10_000 or served < questions:
            running.kill()  # a log of hundreds of thousands of lines takes long to end
    said = f"{served} of {questions} served beside {asked - 1} connections"
    return Figure(SILENT, name, worst if served == questions else max(worst, _LONGEST_S), said)


def _open_all(running: Proxy, kind: _Kind, stack: contextlib.ExitStack) -> int:
    """Open the connections, and return the number that the kernel accepted."""
    opened = failed = 0
    for at in range(_CONNECTIONS):
        try:
            made = connect(running.port, 0.2, kind.sources[at % len(kind.sources)])
        except OSError:
            failed += 1
            if failed == _GIVEN_UP:
                break
            continue
        stack.callback(made.close)
        opened += 1
        if kind.sent:
            with contextlib.suppress(OSError):
                made.sendall(kind.sent)
    return opened


def _ask(running: Proxy) -> tuple[float, bool]:
    """Send a request with a key on a new connection. Return the seconds, and whether the request was served."""
    body = bodies.chat("ok", bodies.CHAT["short messages"](40))
    answer = exchange(running.port, request(_CHAT, body, key=_KEY), _LONGEST_S)
    return answer.seconds, answer.status == 200


def _lines(running: Proxy) -> int:
    """Return how many lines the process has written so far, to either output."""
    said = running.running
    return said.output.count("\n") + said.errors.count("\n")
