"""The state of one emulator, and the functions that build the handlers' JSON responses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web

from proxy.emulator.answers import Script
from proxy.emulator.errors import Refusal, error_body
from proxy.emulator.faults import FaultQueue, Queue
from proxy.emulator.journal import Journal


@dataclass
class State:
    """The queues, the journal and the options of one emulator."""

    journal: Journal
    seed: int = 0
    required_key: str | None = None
    faults: FaultQueue = field(default_factory=FaultQueue)
    answers: Queue[Script] = field(default_factory=Queue)


STATE = web.AppKey("emulator_state", State)


def json_response(body: Any, status: int = 200) -> web.Response:
    """Return *body* as JSON with the content type that Google sends."""
    return web.Response(
        body=orjson.dumps(body), status=status, content_type="application/json", charset="UTF-8"
    )


def refusal_response(refusal: Refusal) -> web.Response:
    """Return *refusal* in Google's error shape."""
    return json_response(error_body(refusal), refusal.status)
