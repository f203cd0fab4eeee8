"""Others wait behind one request: the worst time of others beside it, less what they take when nothing else runs."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attack import bodies
from benchmarks.attack.child import Prober, Provider, Proxy, Waits, deployment, prober, proxy
from benchmarks.attack.exchange import Answer, exchange, request
from benchmarks.attack.goals import ANSWERS, LARGE, SMALL, Row
from benchmarks.attack.manners import HOSTILE_ERRORS
from benchmarks.attack.verdicts import Figure, better_of_two

_CHAT, _PROBE = "/v1/chat/completions", "probe"
_IDLE_S = 1.0
_AFTERWARDS_S = 0.1
_SMALL = (500_000, 1_000_000)
"""Bytes below the size from which work left the event loop, and above it."""

_LARGE = (31 * 2**20,)
_LONGEST_S = {SMALL: 6.0, LARGE: 12.0, ANSWERS: 6.0}
"""Seconds until an attack that still runs is ended with its process."""

_DEADLINE_S = 8
_WHOLE, _CUT = 1_000_000_000, 1_000_000
"""Windows in tokens: a body of 31 MiB is sent whole to the one, and cut for the other."""

MODELS: Mapping[str, str] = {
    "openai": "openai/gpt-4.1",
    "gemini": "gemini/gemini-2.5-flash",
    "anthropic": "anthropic/claude-sonnet-4-5",
    "mistral": "mistral/mistral-large-latest",
    "bedrock": "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
}
_BASES = {"gemini": "/v1beta", "anthropic": "", "bedrock": ""}
_TELLING = (
    "many stops", "identical illegal ids", "identical long ids",
    "empty objects in an unknown field", "dense parts", "non-ASCII text",
    "text over the budget", "short messages", "a long data: URL", "wide schema", "half surrogates",
)  # fmt: skip
"""Families that every wire and path is sent; each stands for others of its kind."""

_LOOKED_AT = 2 * 2**20 - 1_000
"""The inspector looks at 2 MiB at most."""


@dataclass(frozen=True, slots=True)
class Case:
    """One attack: where it goes, and what builds its body."""

    row: Row
    name: str
    path: str
    build: Callable[[], bytes]


class Stand:
    """The proxy under attack and its prober; both are started anew after an attack that did not end."""

    def __init__(self, directory: Path, attacked: Provider, calm: Provider) -> None:
        self._directory, self._config = directory, _config(attacked, calm)
        self._stack = contextlib.ExitStack()
        self.idle: list[Waits] = []
        self._proxy: Proxy | None = None
        self._prober: Prober | None = None

    def measure(self, case: Case) -> Figure:
        """Attack once and return how much longer others waited, in milliseconds."""
        running, asking = self._started()
        sent = request(case.path, case.build())
        asking.begin()
        answer = exchange(running.port, sent, _LONGEST_S[case.row])
        if not answer.timed_out:
            time.sleep(_AFTERWARDS_S)  # work may go on behind the answer
        waits = asking.end()
        if answer.timed_out or running.running.process.poll() is not None:
            self.close()
        longer = longest_extra(waits, self.idle[-1])
        failed = sum(one["failed"] for one in waits.values())
        return Figure(case.row, case.name, longer, _note(answer, failed), ended=not answer.timed_out)

    def close(self) -> None:
        """End both processes."""
        if self._proxy is not None:
            self._proxy.kill()
        self._proxy = None
        self._stack.close()

    def _started(self) -> tuple[Proxy, Prober]:
        if self._proxy is None or self._prober is None:
            self._stack = contextlib.ExitStack()
            self._proxy = self._stack.enter_context(proxy(self._directory, self._config))
            _warm(self._proxy)
            self._prober = self._stack.enter_context(prober(self._proxy.port, _PROBE))
            time.sleep(0.3)
            self._prober.begin()
            time.sleep(_IDLE_S)
            self.idle.append(self._prober.end())
        return self._proxy, self._prober


def longest_extra(waits: Waits, idle: Waits) -> float:
    """Return by how many milliseconds the worst wait is over what is usual when nothing else runs."""
    return max(0.0, *(waits[kind]["worst"] - idle[kind]["median"] for kind in waits))


def _note(answer: Answer, failed: float) -> str:
    said = "did not end" if answer.timed_out else f"{answer.status or 'closed'} after {answer.seconds:.1f} s"
    return f"{said}, {failed:.0f} probes failed" if failed else said


def _config(attacked: Provider, calm: Provider) -> dict[str, object]:
    models = [deployment(_PROBE, "openai/probe", calm.base("ok"))]
    for name, model in MODELS.items():
        window = _WHOLE if name == "openai" else _CUT
        models.append(deployment(name, model, attacked.base("ok", _BASES.get(name, "/v1")), window=window))
    models.append(
        deployment(
            "openai litellm", MODELS["openai"], attacked.base("ok"), transport="litellm", window=_WHOLE
        )
    )
    models.append(
        deployment("gemini litellm", MODELS["gemini"], attacked.base("ok", "/v1beta"), transport="litellm")
    )
    for manner in (*HOSTILE_ERRORS, *_ANSWERS):
        for name in ("openai", "gemini", "anthropic"):
            base = attacked.base(manner, _BASES.get(name, "/v1"))
            models.append(deployment(f"{manner} {name}", MODELS[name], base))
    return {
        "model_list": models,
        "router_settings": {"timeout": _DEADLINE_S, "num_retries": 0, "cooldown_time": 0},
        "general_settings": {"drain_delay": 0, "drain_grace": 0},
    }


_ANSWERS = ("answer-calls", "stream-dense", "stream-lines")


def _warm(running: Proxy) -> None:
    """Send each wire a small request, so that no first import is measured."""
    for name in (_PROBE, *MODELS, "openai litellm", "gemini litellm"):
        body = bodies.chat(name, bodies.CHAT["short messages"](60))
        exchange(running.port, request(_CHAT, body), 20.0)


def cases(row: Row, *, full: bool) -> Iterator[Case]:
    """Yield the attacks of a row; without *full* those that differ from others in kind."""
    if row is ANSWERS:
        yield from _answer_cases()
        return
    sizes = _SMALL if row is SMALL else _LARGE
    for size in sizes:
        for name, build in bodies.chat_families().items():
            once = functools.lru_cache(maxsize=1)(build)  # all wires are sent the same members
            for model in _models_for(row, name, size, full=full):
                yield Case(row, f"{model}: {name}, {_told(size)}", _CHAT, _chat_body(model, once, size))
        yield from _path_cases(row, size, full=full)


def _models_for(row: Row, name: str, size: int, *, full: bool) -> Sequence[str]:
    """Return the models that are sent a family: all, or those whose code differs for it."""
    through = ("anthropic", "mistral", "bedrock", "openai litellm", "gemini litellm")
    if full:
        return ("openai", "gemini", *through)
    if name.startswith(bodies.OF_TESTS):
        return ("gemini",) if size == _SMALL[0] else ()
    if name in _TELLING and size != _SMALL[1]:
        return ("openai", "gemini", *through)
    return ("openai", "gemini") if row is SMALL else ("gemini",)


def _chat_body(model: str, build: bodies.Family, size: int) -> Callable[[], bytes]:
    return lambda: bodies.chat(model, build(size))


def _look_body(build: bodies.Family, size: int) -> Callable[[], bytes]:
    return lambda: bodies.looked_at("gemini", build(size))


def _told(size: int) -> str:
    return f"{size / 2**20:.0f} MiB" if size >= 2**21 else f"{size // 1000} KB"


def _path_cases(row: Row, size: int, *, full: bool) -> Iterator[Case]:
    """Yield the attacks on paths beside the chat's."""
    for path, families in (("/v1/embeddings", bodies.EMBEDDINGS), ("/v1/completions", bodies.COMPLETIONS)):
        for name, build in families.items():
            for model in ("openai", "gemini") if full else ("openai",):
                told = f"{path} {model}: {name}, {_told(size)}"
                yield Case(row, told, path, _chat_body(model, build, size))
    for name in _TELLING:
        build = bodies.CHAT[name]
        told = f"{name}, {_told(size)}"
        yield Case(row, f"/v1/explain: {told}", "/v1/explain", _chat_body("gemini", build, size))
        look = min(size, _LOOKED_AT)
        yield Case(row, f"/ui/api/look: {name}, {_told(look)}", "/ui/api/look", _look_body(build, look))


def _answer_cases() -> Iterator[Case]:
    for manner in (*HOSTILE_ERRORS, *_ANSWERS):
        for name in ("openai", "gemini", "anthropic"):
            if manner in _ANSWERS and name != "openai":
                continue
            stream = manner.startswith("stream")

            def body(model: str = f"{manner} {name}", stream: bool = stream) -> bytes:
                return bodies.chat(model, bodies.CHAT["unclosed arguments"](600), stream=stream)

            yield Case(ANSWERS, f"{name}: {manner}", _CHAT, body)


def run(
    directory: Path,
    attacked: Provider,
    calm: Provider,
    seconds: Mapping[Row, float],
    *,
    full: bool,
    wanted: str,
) -> list[Figure]:
    """Return the figures of the cases whose names hold *wanted*; each row has its *seconds*, and the rest is told."""
    stand = Stand(directory, attacked, calm)
    figures = []
    try:
        for row, left in seconds.items():
            until = time.monotonic() + left
            chosen = [case for case in cases(row, full=full) if wanted in f"{row.key} {case.name}"]
            for case in chosen:
                if time.monotonic() > until:
                    figures.append(Figure(row, case.name, None, "no time was left"))
                else:
                    figures.append(better_of_two(functools.partial(stand.measure, case)))
    finally:
        stand.close()
    for idle in stand.idle[:1]:
        told = ", ".join(
            f"{kind} {one['median']:.1f} (worst {one['worst']:.1f})" for kind, one in idle.items()
        )
        print(f"Others take, when nothing else runs, in ms: {told}.")
    return figures
