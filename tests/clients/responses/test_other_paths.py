"""Tests that openai-python reads the answers of the other paths: stored responses, compaction and conversations."""

from __future__ import annotations

from tests.clients.responses.cases import GEMINI, STORED
from tests.clients.responses.gateways import Gateways
from tests.clients.running_clients import run_script

FACT = "The number of the room is 4711."
SUMMARY = "The room is 4711."


def test_openai_s_own_client_uses_every_path(gateways: Gateways) -> None:
    """A response is found, listed, counted, compacted, continued in a conversation, and gone after its deletion."""
    for text in ("Noted.", SUMMARY, "It is 4711.", "It is 4711 again."):
        gateways.gemini.say(text)
    gateways.begin(STORED)

    told = run_script("responses.openai_paths", gateways.relay.base_url, GEMINI, FACT)

    assert told.pop("tokens") > 0
    assert told == {
        "is found": True,
        "events": "response.completed",
        "inputs": [FACT],
        "compacted": ["compaction"],
        "after": "It is 4711.",
        "items": ["message", "message", "reasoning", "message"],
        "deleted": True,
        "errors": [["previous_response_not_found", "previous_response_id"], 404],
    }
