"""The calls of Claude Code that the tests let the models make, and what is checked of each session."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.clients.messages.cases import (
    CLAUDES,
)
from tests.clients.messages.gateways import Gateways
from tests.support.messages_grammar import find_message_faults, find_stream_faults

WRITE = {"command": "echo real-$((40 + 2)) > note.txt; cat note.txt", "description": "Write"}
APPEND = {"command": "echo more-$((50 + 3)) >> note.txt; cat note.txt", "description": "Append"}
PROMPT = "Please work with the note."
THOUGHT = {"type": "thinking", "thinking": "Let me see."}


def call(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call of one of Claude Code's tools as a block."""
    return {"type": "tool_use", "name": name, "input": dict(given)}


def signatures_in(body: Mapping[str, Any]) -> list[str | None]:
    """Return the signature of each call in a request to Gemini."""
    parts = [part for turn in body["contents"] for part in turn["parts"] if "functionCall" in part]
    return [part.get("thoughtSignature") for part in parts]


def check_answers(gateways: Gateways, model: str, *statuses: int) -> None:
    """Check that Claude Code asked as often as there are *statuses*, and that each good answer was legal."""
    assert [exchange.status for exchange in gateways.exchanges] == list(statuses)
    for exchange in gateways.exchanges:
        if exchange.status == 200 and exchange.is_stream:
            assert find_stream_faults(bytes(exchange.answer), relayed=model in CLAUDES) == []
        elif exchange.status == 200:
            assert find_message_faults(json.loads(exchange.answer), relayed=model in CLAUDES) == []
