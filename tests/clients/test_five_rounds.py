"""Tests a tool loop of five rounds of parallel calls on Gemini 3, with clients that keep their own histories.

Gemini 3 signs the first call of each round, and demands the signature back on that call, in every round of the turn.
The clients drop fields that OpenAI does not have, so the signatures must survive without their help.
"""

from __future__ import annotations

import pytest

from tests.clients.conftest import GEMINI_MODEL
from tests.clients.judging import check_report, check_request
from tests.clients.rounds import LAST_WORDS, ROUNDS
from tests.clients.running_clients import CLIENTS, NAME, Client, both_ways
from tests.process.emulators import Gemini
from tests.process.running import Served


@pytest.mark.parametrize("client", CLIENTS, ids=NAME)
def test_each_call_of_five_rounds_keeps_its_signature_and_result(
    served: Served, gemini: Gemini, client: Client
) -> None:
    """Every call of five rounds comes back with its own result, and with its signature if it has one."""
    run_and_check(served, gemini, client, f"gemini/{GEMINI_MODEL}")


@pytest.mark.parametrize("client", both_ways("openai_bare", "ai_sdk.mjs"), ids=NAME)
def test_signatures_survive_through_litellm(served: Served, gemini: Gemini, client: Client) -> None:
    """Signatures and results also survive on the litellm transport."""
    run_and_check(served, gemini, client, "through-litellm")


def run_and_check(served: Served, gemini: Gemini, client: Client, model: str) -> None:
    """Run the client, and check each of its requests and then its report."""
    for expected in ROUNDS:
        gemini.answer(*expected.parts)
    gemini.say(LAST_WORDS)

    report = client.run(served.base_url, model)

    journal = gemini.journal()
    assert [entry["verdict"]["status"] for entry in journal] == [200] * (len(ROUNDS) + 1)
    assert {entry["stream"] for entry in journal} == {client.stream}
    for done, entry in enumerate(journal):
        check_request(entry["body"], done)
    check_report(report)
