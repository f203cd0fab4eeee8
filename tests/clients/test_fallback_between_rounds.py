"""Runs five rounds in which OpenAI answers the third and Gemini the others, within one turn.

Gemini must get its own signatures back, and a stand-in for the calls that OpenAI made. OpenAI must get no
signature, no unknown field, and only ids that it accepts.
"""

from __future__ import annotations

import pytest

from tests.clients.judging import check_openai_request, check_report, check_request
from tests.clients.rounds import LAST_WORDS, ROUNDS
from tests.clients.running_clients import NAME, Client, both_ways
from tests.process.emulators import Gemini
from tests.process.running import Served
from tests.support.openai_emulator import OpenAIEmulator

FALLING_BACK = both_ways("openai_bare", "openai_objects", "ai_sdk.mjs")
"""A client that drops unknown fields, one that sends them back, and one that knows signatures."""

FOREIGN = 2
"""The index of the round that OpenAI answers."""


@pytest.mark.parametrize("client", FALLING_BACK, ids=NAME)
def test_signatures_survive_a_fallback(
    served: Served, gemini: Gemini, openai_emulator: OpenAIEmulator, client: Client
) -> None:
    """Gemini's calls come back to Gemini signed, and OpenAI's with a stand-in; OpenAI gets no signature."""
    gemini.fault(times=FOREIGN)  # no effect: lets the earlier rounds pass
    gemini.fault(status=503, message="The model is overloaded.")
    for number, expected in enumerate(ROUNDS):
        if number != FOREIGN:
            gemini.answer(*expected.parts)
    gemini.say(LAST_WORDS)
    openai_emulator.faults.append({"calls": [(call.name, dict(call.args)) for call in ROUNDS[FOREIGN].calls]})

    report = client.run(served.base_url, "gem")

    journal = gemini.journal()
    assert [entry["verdict"]["status"] for entry in journal] == [
        503 if number == FOREIGN else 200 for number in range(len(ROUNDS) + 1)
    ]
    for done, entry in enumerate(journal):
        check_request(entry["body"], done, foreign={FOREIGN})
    [request] = openai_emulator.requests
    assert (request.status, request.refusal) == (200, None)
    check_openai_request(request.body, FOREIGN)
    check_report(report)
