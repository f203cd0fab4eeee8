"""Gemini's emulator in the driver's event loop, with a note of every signature that reached it.

The emulator refuses a wrong signature, and accepts the documented stand-in. So the notes tell for each call whether the
real signature came back.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import orjson
from aiohttp import web
from typing_extensions import override

from proxy.emulator import create_emulator, serving
from proxy.emulator.faults import NO_FAULT, Fault, FaultQueue
from proxy.emulator.signatures import DUMMIES, verify
from proxy.emulator.state import STATE

_JOURNAL = 8
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Came(StrEnum):
    """The signature of a call, as it reached the provider."""

    REAL = "restored"
    STAND_IN = "stand-in"
    WRONG = "wrong"
    """A signature of another call, or of nobody."""

    NONE = "missing"


@dataclass
class Seen:
    """The notes about the requests that reached the provider."""

    signatures: dict[str, list[Came]] = field(default_factory=lambda: defaultdict(list))
    """The signatures of each call's first request to the provider and of its repetitions, by the call's mark.

    Only the newest call of a request is noted. A replica may have the older ones in its memory.
    """

    older: Counter[Came] = field(default_factory=Counter)
    """The signatures of the older calls."""

    statuses: Counter[int] = field(default_factory=Counter)
    faulted: set[str] = field(default_factory=set)
    """The marks of the requests that got a fault."""

    def clear(self) -> None:
        """Forget all notes."""
        for notes in (self.signatures, self.older, self.statuses, self.faulted):
            notes.clear()

    def first(self) -> Counter[Came]:
        """Return the number of calls for each kind of signature on the call's first request."""
        return Counter(came[0] for came in self.signatures.values())

    def every(self) -> Counter[Came]:
        """Return the number of signatures of each kind, those of older calls and of repeated requests included."""
        return self.older + Counter(came for one in self.signatures.values() for came in one)


@dataclass(frozen=True)
class Provider:
    """The running emulator: its address, its notes, and the source of its faults."""

    origin: str
    seen: Seen
    faults: DrawnFaults

    @property
    def api_base(self) -> str:
        """The ``api_base`` of a deployment."""
        return f"{self.origin}/v1beta"


def no_fault(_: str) -> Fault:
    """Return no fault, for every model."""
    return NO_FAULT


class DrawnFaults(FaultQueue):
    """The emulator's faults: :attr:`draw` returns the fault for a model. By default there are no faults."""

    def __init__(self, seen: Seen) -> None:
        super().__init__()
        self._seen = seen
        self.draw: Callable[[str], Fault] = no_fault

    @override
    def take_for(self, model: str) -> Fault:
        fault = self.draw(model)
        if fault is not NO_FAULT:
            self._seen.faulted.add(_asked.get())
        return fault


_asked: ContextVar[str] = ContextVar("asked", default="")
"""The mark that the running request asks for."""


@asynccontextmanager
async def providing() -> AsyncIterator[Provider]:
    """Serve the emulator while the context lasts."""
    seen = Seen()
    faults = DrawnFaults(seen)
    app = create_emulator(journal_size=_JOURNAL)
    app[STATE].faults = faults

    @web.middleware
    async def note(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not request.path.endswith("enerateContent"):
            return await handler(request)
        body = orjson.loads(await request.read())
        note_signatures(body, seen)
        _asked.set(asked_mark(body))
        response = await handler(request)
        seen.statuses[response.status] += 1
        return response

    app.middlewares.append(note)
    async with serving(app=app) as origin:
        yield Provider(origin, seen, faults)


def note_signatures(body: Any, seen: Seen) -> None:
    """Note the signature of each call in *body*, a request in Gemini's format."""
    parts = [
        part for content in body.get("contents", ()) for part in content["parts"] if "functionCall" in part
    ]
    *older, newest = parts or [None]
    seen.older.update(map(judge, older))
    if newest is not None:
        seen.signatures[newest["functionCall"].get("args", {}).get("mark", "")].append(judge(newest))


def judge(part: Any) -> Came:
    """Return the kind of signature on *part*, a call in Gemini's format."""
    signature = part.get("thoughtSignature")
    if not signature:
        return Came.NONE
    if signature in DUMMIES:
        return Came.STAND_IN
    return Came.REAL if verify(signature, part) is None else Came.WRONG


def asked_mark(body: Any) -> str:
    """Return the mark of the call that *body* asks for, or "" where it asks for none."""
    for tool in body.get("tools", ()):
        for declared in tool.get("functionDeclarations", ()):
            schema = declared.get("parameters") or declared.get("parametersJsonSchema") or {}
            values = schema.get("properties", {}).get("mark", {}).get("enum")
            if values:
                return str(values[0])
    return ""
