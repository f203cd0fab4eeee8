"""The hostile requests that may delay others: the families of bodies for each wire and path, and their sizes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.attack import bodies
from benchmarks.attack.child import Provider, deployment
from benchmarks.attack.content_bodies import CONTENTS, GEMINI_API
from benchmarks.attack.goals import ANSWERS, LARGE, SMALL, Row
from benchmarks.attack.manners import HOSTILE_ERRORS
from benchmarks.attack.message_bodies import MESSAGES

CHAT, PROBE = "/v1/chat/completions", "probe"
DEADLINE_S = 8
_SMALL = (500_000, 1_000_000)
"""Sizes in bytes: a body that the proxy handles in the event loop, and a body that it handles in a worker thread."""

_LARGE = 31 * 2**20
_LOOKED_AT = 2 * 2**20 - 1_000
"""The size of a body for the inspector, which reads 2 MiB at most."""

_WHOLE, _CUT = 1_000_000_000, 1_000_000
"""Windows in tokens. A body of 31 MiB is sent whole to the first, and is cut for the second."""

DIRECT: Mapping[str, str] = {"openai": "openai/gpt-4.1", "gemini": "gemini/gemini-2.5-flash"}
NATIVE: Mapping[str, str] = {"responses": "xai/grok-4.5", "claude": "anthropic/claude-sonnet-4-5"}
"""Providers that speak the Responses API and Anthropic's, so that they get a client's own items or messages."""

_NATIVE_OF: Mapping[str, str] = {
    "/v1/responses": "responses",
    "/v1/messages": "claude",
    GEMINI_API: "gemini",
}
"""The provider that speaks its format, for each path of such a format."""

LITELLM: Mapping[str, str] = {
    "anthropic": "anthropic/claude-sonnet-4-5",
    "mistral": "mistral/mistral-large-latest",
    "bedrock": "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
    "openai litellm": "openai/gpt-4.1",
    "gemini litellm": "gemini/gemini-2.5-flash",
}
_BASES = {"gemini": "/v1beta", "gemini litellm": "/v1beta", "anthropic": "", "claude": "", "bedrock": ""}
_TELLING_LARGE = (
    "empty objects in an unknown field",
    "non-ASCII text",
    "text over the budget",
    "short messages",
    "a long data: URL",
)
_TELLING = (
    *_TELLING_LARGE,
    "many stops",
    "identical illegal ids",
    "identical long ids",
    "dense parts",
    "wide schema",
    "half surrogates",
)
"""Families that even a short run sends to every wire: up to a megabyte, or 31 MiB for ``_TELLING_LARGE``.
"""

_OTHERS: Mapping[str, Mapping[str, bodies.Family]] = {
    "/v1/embeddings": bodies.EMBEDDINGS,
    "/v1/completions": bodies.COMPLETIONS,
    "/v1/responses": bodies.RESPONSES,
    "/v1/messages": MESSAGES,
    GEMINI_API: CONTENTS,
}
"""The families of each path other than the chat's."""

_STREAMS = ("stream-dense", "stream-lines")
_ANSWERS = ("answer-calls", *_STREAMS)


@dataclass(frozen=True, slots=True)
class Case:
    """One attack: *wire* names a model, a path or both, and *build* makes the body."""

    row: Row
    wire: str
    family: str
    build: Callable[[], bytes]
    path: str = CHAT
    litellm: bool = False

    @property
    def name(self) -> str:
        """The name of the case in the table."""
        return f"{self.wire}: {self.family}"


def config(attacked: Provider, calm: Provider, *, litellm: bool) -> dict[str, object]:
    """Return the proxy's settings, with models on the direct wires or with models that are called through litellm."""
    chosen = LITELLM if litellm else {**DIRECT, **NATIVE}
    models = [deployment(PROBE, "openai/probe", calm.base("ok"))]
    for name, model in chosen.items():
        base = _BASES.get(name, "/v1")
        transport = "litellm" if litellm else "direct"
        window = _WHOLE if model == DIRECT["openai"] else _CUT
        for manner in ("ok", *HOSTILE_ERRORS, *_ANSWERS):
            told = name if manner == "ok" else f"{manner} {name}"
            models.append(
                deployment(told, model, attacked.base(manner, base), transport=transport, window=window)
            )
    return {
        "model_list": models,
        "router_settings": {"timeout": DEADLINE_S, "num_retries": 0, "cooldown_time": 0},
        "general_settings": {"drain_delay": 0, "drain_grace": 0},
    }


def cases(row: Row, *, full: bool) -> Iterator[Case]:
    """Yield the attacks of a row. Without *full*, similar attacks are left out."""
    if row is ANSWERS:
        yield from _answer_cases()
        return
    families = bodies.chat_families() if full else bodies.CHAT
    for size in _SMALL if row is SMALL else (_LARGE,):
        for name, build in families.items():
            once = functools.lru_cache(maxsize=1)(build)  # all wires are sent the same members
            for model in _models_for(row, name, size, full=full):
                body = _chat_body(model, once, size)
                yield Case(row, model, f"{name}, {_told(size)}", body, litellm=model in LITELLM)
        if full or size != _SMALL[1]:
            yield from _path_cases(row, size, full=full)


def _models_for(row: Row, name: str, size: int, *, full: bool) -> Sequence[str]:
    if full or name in (_TELLING_LARGE if row is LARGE else _TELLING):
        wires = (*DIRECT, "claude")
        return (*wires, *LITELLM) if full or size != _SMALL[1] else wires
    if row is LARGE:
        return ("gemini",)
    return () if size == _SMALL[1] else tuple(DIRECT)


def _path_cases(row: Row, size: int, *, full: bool) -> Iterator[Case]:
    """Yield the attacks on paths other than the chat's."""
    for path, families in _OTHERS.items():
        for name, build in families.items():
            for model in _models_of(path, row, full=full):
                wire = f"{path} {model}"
                body = (_contents_body if path == GEMINI_API else _chat_body)(model, build, size)
                address = path.replace("{model}", model)
                yield Case(row, wire, f"{name}, {_told(size)}", body, address)
    for name in _TELLING if full or row is SMALL else _TELLING_LARGE:
        build = bodies.CHAT[name]
        body = _chat_body("gemini", build, size)
        yield Case(row, "/v1/explain", f"{name}, {_told(size)}", body, "/v1/explain")
        look = min(size, _LOOKED_AT)
        body = _look_body("gemini", build, look)
        yield Case(row, "/ui/api/look", f"{name}, {_told(look)}", body, "/ui/api/look")


def _models_of(path: str, row: Row, *, full: bool) -> Sequence[str]:
    models = (*DIRECT,) if full else ("openai",)
    native = _NATIVE_OF.get(path)
    if path == GEMINI_API and row is LARGE and not full:
        return ("gemini",)  # the same work as for others, and more
    return models if native is None or native in models else (*models, native)


def _answer_cases() -> Iterator[Case]:
    for manner in (*HOSTILE_ERRORS, *_ANSWERS):
        for wire in ("openai", "gemini", "anthropic", "claude"):
            if manner in _ANSWERS and wire not in ("openai", "claude"):
                continue
            build = _asking(f"{manner} {wire}", stream=manner in _STREAMS)
            yield Case(ANSWERS, wire, manner, build, litellm=wire in LITELLM)
        path = "/v1/messages"
        build = _asking(f"{manner} claude", stream=manner in _STREAMS, native=True)
        yield Case(ANSWERS, f"{path} claude", manner, build, path)
        method = ":streamGenerateContent?alt=sse" if manner in _STREAMS else ":generateContent"
        address = f"/v1beta/models/{manner}%20gemini{method}"
        yield Case(ANSWERS, f"{GEMINI_API} gemini", manner, _short_contents, address)


def _asking(model: str, *, stream: bool, native: bool = False) -> Callable[[], bytes]:
    build = MESSAGES["short messages"] if native else bodies.CHAT["unclosed arguments"]
    return lambda: bodies.chat(model, build(600), stream=stream)


def _short_contents() -> bytes:
    return b"{%s}" % CONTENTS["short contents"](600)


def _chat_body(model: str, build: bodies.Family, size: int) -> Callable[[], bytes]:
    return lambda: bodies.chat(model, build(size))


def _contents_body(_: str, build: bodies.Family, size: int) -> Callable[[], bytes]:
    return lambda: b"{%s}" % build(size)


def _look_body(model: str, build: bodies.Family, size: int) -> Callable[[], bytes]:
    return lambda: bodies.looked_at(model, build(size))


def _told(size: int) -> str:
    return f"{size / 2**20:.0f} MiB" if size >= 2**20 else f"{size // 1000} KB"
