"""Tests of refusals that a plain retry would get again: the proxy asks another model, repairs, or returns the error."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import Any

import pytest

from tests.process.emulators import Gemini
from tests.process.resilience.asking_again import (
    CALLED,
    LARGER,
    MAIN,
    READ,
    SLACK_S,
    SPARE,
    TEXT,
    TOOLS,
    Asker,
)
from tests.support.builders import assistant, call, tool, user
from tests.support.openai_emulator import OpenAIEmulator

OVERFLOW = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
PER_DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"


@dataclass(frozen=True)
class Refusal:
    """The provider's refusal, the model that is asked instead, and the client's error if there is no other model."""

    name: str
    fault: dict[str, Any]
    code: str
    words: str
    status: int
    instead: str = SPARE


REFUSALS = (
    Refusal(
        "a daily quota",
        {"status": 429, "quota_id": PER_DAY, "retry_delay_seconds": 45},
        "insufficient_quota",
        "You exceeded your current quota",
        429,
    ),
    Refusal("401", {"status": 401}, "upstream_error", "the proxy's key", 401),
    Refusal("403", {"status": 403}, "upstream_error", "the proxy's key", 403),
    Refusal("404", {"status": 404}, "upstream_error", "not found", 404),
    Refusal(
        "Gemini's 400 for a bad key",
        {
            "status": 400,
            "message": "API key not valid. Please pass a valid API key.",
            "reason": "API_KEY_INVALID",
        },
        "upstream_error",
        "the proxy's key",
        401,
    ),
    Refusal(
        "overflow", {"status": 400, "message": OVERFLOW}, "context_length_exceeded", OVERFLOW, 400, LARGER
    ),
    Refusal("an invalid request", {"status": 400}, "upstream_error", "invalid argument", 400),
)


@pytest.mark.pairwise
@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.name)
def test_another_model_is_asked_at_once(asker: Asker, gemini: Gemini, number: int, refusal: Refusal) -> None:
    """After one refused call the fallback is asked without a wait, and answers."""
    gemini.fault(**refusal.fault, model=MAIN)

    outcome = asker.ask(f"backed-{number}", says=CALLED, tools=TOOLS)

    assert outcome.answer.is_whole, outcome.answer.text
    assert (outcome.text, outcome.calls) == ("", [READ])
    assert outcome.called == [MAIN, refusal.instead]
    assert outcome.attempts == 2
    assert outcome.answer.headers["x-turnright-model"] == f"gemini/{refusal.instead}"
    assert outcome.seconds < SLACK_S


@pytest.mark.pairwise
@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.name)
def test_nobody_else_to_ask(asker: Asker, gemini: Gemini, number: int, refusal: Refusal) -> None:
    """Without a fallback the client gets the error after one call. SDKs are told not to retry."""
    gemini.fault(**refusal.fault, times=9)

    outcome = asker.ask(f"alone-{number}")

    assert outcome.answer.status == refusal.status
    assert outcome.error["code"] == refusal.code
    assert refusal.words in outcome.error["message"]
    assert outcome.answer.headers["x-should-retry"] == "false"
    assert "retry-after" not in outcome.answer.headers
    assert outcome.called == [MAIN]
    assert outcome.attempts == 1
    assert outcome.seconds < SLACK_S


def test_last_models_refusal_is_told_after_one_call_of_each(
    asker: Asker, gemini: Gemini, number: int
) -> None:
    gemini.fault(status=400, times=9)

    outcome = asker.ask(f"backed-{number}")

    assert outcome.answer.status == 400
    assert outcome.answer.headers["x-should-retry"] == "false"
    assert outcome.called == [MAIN, SPARE]
    assert outcome.attempts == 2


def test_refused_signature_is_replaced_and_retried_once(asker: Asker, number: int) -> None:
    """A signature that Gemini did not make is refused, then replaced and accepted, with two calls in all."""
    signed = f"c1__thought__{b64encode(b'foreign, of test %d' % number).decode()}"  # one that was not refused before
    history = [user("go"), assistant(calls=[call(signed, "read", '{"path": "/a"}')]), tool(signed, "found")]

    outcome = asker.ask(f"alone-{number}", history, tools=TOOLS)

    assert outcome.answer.is_whole, outcome.answer.text
    assert outcome.text == TEXT
    assert [entry["verdict"]["message"] for entry in outcome.entries] == [
        "Corrupted thought signature.",
        None,
    ]
    assert outcome.attempts == 2
    assert outcome.answer.headers["x-turnright-changes"] == "repair=2"  # of the call and of its result


def test_refused_parameter_is_left_out_once(
    asker: Asker, openai_emulator: OpenAIEmulator, number: int
) -> None:
    """The retry leaves out the refused parameter, and keeps all else."""
    words = "Unsupported parameter: 'temperature' is not supported with this model."
    openai_emulator.faults.append({"status": 400, "message": words})

    outcome = asker.ask(f"openai-{number}", temperature=0.5)

    assert outcome.answer.is_whole, outcome.answer.text
    assert outcome.attempts == 2
    first, second = (request.body for request in openai_emulator.requests)
    assert {**second, "temperature": 0.5} == first
    assert "temperature" not in second


def test_repair_that_does_not_help(asker: Asker, openai_emulator: OpenAIEmulator, number: int) -> None:
    """A request is repaired only once. The client gets the second refusal."""
    for name in ("temperature", "top_p"):
        words = f"Unsupported parameter: '{name}' is not supported with this model."
        openai_emulator.faults.append({"status": 400, "message": words})

    outcome = asker.ask(f"openai-{number}", temperature=0.5, top_p=0.5)

    assert outcome.answer.status == 400
    assert "top_p" in outcome.error["message"]
    assert outcome.answer.headers["x-should-retry"] == "false"
    assert outcome.attempts == len(openai_emulator.requests) == 2


def test_request_refused_twice_is_refused_without_a_call(asker: Asker, gemini: Gemini, number: int) -> None:
    """A request that was refused twice is refused without a call. Another request is still sent."""
    gemini.fault(status=400, times=9)

    first, second, third = (asker.ask(f"alone-{number}") for _ in range(3))
    other = asker.ask(f"alone-{number}", [user("go there")])

    assert [outcome.called for outcome in (first, second, third, other)] == [[MAIN], [MAIN], [], [MAIN]]
    assert third.attempts == 0
    assert {outcome.answer.status for outcome in (first, second, third)} == {400}
    assert first.error == second.error == third.error
    assert third.answer.headers["x-should-retry"] == "false"


def test_third_time_with_a_fallback(asker: Asker, gemini: Gemini, number: int) -> None:
    """A model that has refused a request twice as invalid is skipped, and the fallback answers."""
    gemini.fault(status=400, times=9, model=MAIN)

    outcomes = [asker.ask(f"backed-{number}") for _ in range(3)]

    assert [outcome.called for outcome in outcomes] == [[MAIN, SPARE], [MAIN, SPARE], [SPARE]]
    assert [outcome.attempts for outcome in outcomes] == [2, 2, 1]
    assert [outcome.text for outcome in outcomes] == [TEXT] * 3
