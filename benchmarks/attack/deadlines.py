"""Measure how late a deadline ends a request: the seconds from the deadline to the end of the answer."""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attack import bodies
from benchmarks.attack.child import Program, Provider, Proxy, deployment, proxy
from benchmarks.attack.exchange import Answer, connect, exchange, receive, request
from benchmarks.attack.goals import DEADLINE
from benchmarks.attack.verdicts import Figure, better_of_two

_TIMEOUT_S = 2.0
_LONGEST_S = 7.0
_CHAT = "/v1/chat/completions"
_BUSY = 925_000
_MANNERS = ("never", "hang", "endless", "trickle", "busy")
_GEMINI, _OPENAI = "gemini/gemini-2.5-flash", "openai/gpt-4.1"


@dataclass(frozen=True, slots=True)
class _Field:
    running: Proxy
    provider: Provider


def _config(provider: Provider, *, litellm: bool) -> dict[str, object]:
    models = [deployment("ok", _OPENAI, provider.base("ok"))]
    models.append(deployment("gemini", _GEMINI, provider.base("ok", "/v1beta")))
    for manner in _MANNERS:
        models.append(deployment(manner, _OPENAI, provider.base(manner)))
        if litellm:
            through = deployment(f"{manner} litellm", _OPENAI, provider.base(manner), transport="litellm")
            models.append(through)
    return {
        "model_list": models,
        "router_settings": {"timeout": _TIMEOUT_S, "num_retries": 5, "cooldown_time": 0},
        "general_settings": {
            "drain_delay": 0,
            "drain_grace": 0,
            "media": {"fetch": True, "timeout": 30},
        },
    }


def _small(model: str, *, stream: bool = False) -> bytes:
    return bodies.chat(model, bodies.CHAT["short messages"](40), stream=stream)


def _asks(model: str, path: str = _CHAT, *, stream: bool = False) -> Callable[[_Field], Answer]:
    body = _small(model, stream=stream)
    if path == "/v1/embeddings":
        body = bodies.chat(model, b'"input":"a"')
    elif path == "/v1/completions":
        body = bodies.chat(model, b'"prompt":"a"', stream=stream)
    return lambda field: exchange(field.running.port, request(path, body), _LONGEST_S)


def _half_body(field: _Field) -> Answer:
    """Send half a body, then nothing."""
    body = _small("ok")
    began = time.monotonic()
    with connect(field.running.port) as made:
        made.sendall(request(_CHAT, body)[: -len(body) // 2])
        try:
            return receive(made, began, _LONGEST_S)
        except TimeoutError:
            return Answer(0, seconds=time.monotonic() - began, timed_out=True)


def _slow_body(field: _Field) -> Answer:
    """Send a byte of a body every tenth of a second."""
    body = _small("ok") + b" " * 1000
    began = time.monotonic()
    with connect(field.running.port) as made:
        made.sendall(request(_CHAT, body)[: -len(body)])
        made.settimeout(0.1)
        for byte in body:
            if time.monotonic() - began > _LONGEST_S:
                break
            with contextlib.suppress(OSError):
                made.send(bytes([byte]))
            try:
                made.recv(1, 2)  # MSG_PEEK
                return receive(made, began, _LONGEST_S)
            except TimeoutError:
                continue
    return Answer(0, seconds=time.monotonic() - began, timed_out=True)


def _works(name: str, model: str, path: str = _CHAT, size: int = _BUSY) -> Callable[[_Field], Answer]:
    families = {"/v1/embeddings": bodies.EMBEDDINGS}.get(path, bodies.CHAT)
    sent = bodies.chat(model, families[name](size))
    return lambda field: exchange(field.running.port, request(path, sent), _LONGEST_S)


def _behind(name: str, size: int) -> Callable[[_Field], Answer]:
    """Return an attack that needs a worker thread while other requests keep all worker threads busy."""

    def attack(field: _Field) -> Answer:
        hostile = request(_CHAT, bodies.chat("ok", bodies.CHAT[name](size)))
        others = [
            threading.Thread(target=exchange, args=(field.running.port, hostile, _LONGEST_S))
            for _ in range(4)
        ]
        for other in others:
            other.start()
        time.sleep(0.3)
        try:
            body = bodies.chat("ok", bodies.CHAT["text over the budget"](700_000))
            return exchange(field.running.port, request(_CHAT, body), _LONGEST_S)
        finally:
            for other in others:
                other.join()

    return attack


def _fetches(field: _Field) -> Answer:
    """Send a request with many image addresses that answer slowly or never."""
    manners = (*["image"] * 24, *["never"] * 8)
    images = ",".join(
        f'{{"type":"image_url","image_url":{{"url":"http://127.0.0.1:{field.provider.port}/{manner}/{at}"}}}}'
        for at, manner in enumerate(manners)
    )
    body = bodies.chat("gemini", f'"messages":[{{"role":"user","content":[{images}]}}]'.encode())
    return exchange(field.running.port, request(_CHAT, body), _LONGEST_S)


_WORKING: Mapping[str, Callable[[_Field], Answer]] = {
    "waiting behind identical ids": _behind("identical long ids", _BUSY),
    "waiting behind 31 MiB of text": _behind("text over the budget", 31 * 2**20),
    "working: 31 MiB of text": _works("text over the budget", "ok", size=31 * 2**20),
    "working: 8 MiB of short messages": _works("short messages", "gemini", size=8 * 2**20),
    "working: identical ids": _works("identical long ids", "ok"),
    "working: many stops": _works("many stops", "ok"),
    "working: wide schema": _works("wide schema", "gemini"),
    "working: embeddings": _works("lists of one token", "ok", "/v1/embeddings"),
    "explain: identical ids": _works("identical long ids", "ok", "/v1/explain"),
}
"""Requests that use the proxy's CPU. Only one of these cases runs at a time."""

_WAITING: Mapping[str, Callable[[_Field], Answer]] = {
    "half a body": _half_body,
    "a body, byte by byte": _slow_body,
    "fetching images": _fetches,
    "a provider that never answers": _asks("never"),
    "the same through litellm": _asks("never litellm"),
    "the same, embeddings": _asks("never", "/v1/embeddings"),
    "the same, completions": _asks("never", "/v1/completions"),
    "an answer, byte by byte": _asks("trickle"),
    "the same answer through litellm": _asks("trickle litellm"),
    "a provider that is always busy": _asks("busy"),
    "busy, through litellm": _asks("busy litellm"),
    "a stream that never ends": _asks("endless", stream=True),
    "the same stream through litellm": _asks("endless litellm", stream=True),
    "the same stream, completions": _asks("endless", "/v1/completions", stream=True),
    "a stream that stops": _asks("hang", stream=True),
    "a stream that stops, through litellm": _asks("hang litellm", stream=True),
}
"""Requests that wait for a client or a provider. These cases run all at once."""


def run(directory: Path, provider: Provider, seconds: float, *, wanted: str) -> list[Figure]:
    """Return, for each case, the seconds by which the request ended after its deadline."""
    until = time.monotonic() + seconds
    figures = []
    waiting = _chosen(_WAITING, wanted)
    if waiting:
        with _started(directory, provider, litellm=True) as at, ThreadPoolExecutor(len(waiting)) as pool:
            figures += list(pool.map(lambda case: better_of_two(lambda: _late(case, at)), waiting))
    with contextlib.ExitStack() as stack:
        field: _Field | None = None
        for case in _chosen(_WORKING, wanted):
            if time.monotonic() > until:
                figures.append(Figure(DEADLINE, case[0], None, "no time was left"))
                continue
            field = field or stack.enter_context(_started(directory, provider, litellm=False))
            figures.append(better_of_two(functools.partial(_late, case, field)))
            if not figures[-1].met:  # its work may go on and disturb the next
                field.running.kill()
                field = None
    return figures


@contextlib.contextmanager
def _started(directory: Path, provider: Provider, *, litellm: bool) -> Iterator[_Field]:
    """Run the proxy, and yield after one answer over each wire, so that no first import is measured."""
    program = Program(module=(sys.executable, "-m", "benchmarks.attack.open_media"))
    with proxy(directory, _config(provider, litellm=litellm), program) as running:
        for model in ("ok", "gemini", *(["busy litellm"] if litellm else [])):
            exchange(running.port, request(_CHAT, _small(model)), 20.0)
        yield _Field(running, provider)


_Case = tuple[str, Callable[[_Field], Answer]]


def _chosen(cases: Mapping[str, Callable[[_Field], Answer]], wanted: str) -> list[_Case]:
    return [case for case in cases.items() if wanted in f"{DEADLINE.key} {case[0]}"]


def _late(case: _Case, field: _Field) -> Figure:
    name, attack = case
    answer = attack(field)
    said = "did not end" if answer.timed_out else str(answer.status or "closed")
    late = max(0.0, answer.seconds - _TIMEOUT_S)
    return Figure(DEADLINE, name, late, said, ended=not answer.timed_out)
