"""The models that the clients of Gemini's API ask, and checks of what the providers' emulators were sent."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.clients.conftest import GEMINI_MODEL
from tests.clients.messages.cases import CLAUDE, GPT, OLD_CLAUDE, blocks_of_round
from tests.clients.responses.relay import Exchange
from tests.support.gemini_grammar import find_answer_faults, find_stream_faults

GEMINI = f"gemini/{GEMINI_MODEL}"
"""A name with a slash, which the clients write into the path as it is."""

FLASH = GEMINI_MODEL
"""The same model by Google's own name for it, which a wildcard covers."""

MODELS = (GEMINI, GPT, CLAUDE, OLD_CLAUDE)
CLAUDES = (CLAUDE, OLD_CLAUDE)
EMBEDDER = "gemini-embedding-001"
OTHER_EMBEDDER = "text-embedding-3-small"

__all__ = [
    "CLAUDE",
    "CLAUDES",
    "EMBEDDER",
    "FLASH",
    "GEMINI",
    "GPT",
    "MODELS",
    "OLD_CLAUDE",
    "OTHER_EMBEDDER",
    "blocks_of_round",
    "check_answers",
    "in_standard_base64",
]


def check_answers(exchanges: Sequence[Exchange], model: str, *statuses: int) -> None:
    """Check that there were as many exchanges as *statuses*, and that each good answer was legal."""
    assert [exchange.status for exchange in exchanges] == list(statuses)
    is_relayed = model in (GEMINI, FLASH)
    for exchange in exchanges:
        if exchange.status == 200 and exchange.is_stream:
            assert find_stream_faults(bytes(exchange.answer), relayed=is_relayed) == []
        elif exchange.status == 200:
            assert find_answer_faults(json.loads(exchange.answer), relayed=is_relayed) == []


def in_standard_base64(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request to Gemini with its signatures in the standard alphabet.

    google-genai writes them in the other.
    """
    copied: dict[str, Any] = json.loads(json.dumps(body))
    for content in copied["contents"]:
        for part in content["parts"]:
            if "thoughtSignature" in part:
                raw = base64.urlsafe_b64decode(part["thoughtSignature"])
                part["thoughtSignature"] = base64.b64encode(raw).decode()
    return copied
