"""Tests of OpenAI's wire: waits in headers, codes for a used-up quota, and empty answers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.process.resilience.asking_again import SLACK_S, Asker
from tests.support.openai_emulator import OpenAIEmulator


@pytest.mark.parametrize(
    ("headers", "least_s"),
    [
        ({"retry-after": "1"}, 1.0),
        ({"retry-after-ms": "700"}, 0.7),
        ({"Retry-After": "1", "retry-after-ms": "10"}, 1.0),
    ],
    ids=["seconds", "milliseconds", "both"],
)
def test_wait_in_a_header(
    asker: Asker, openai_emulator: OpenAIEmulator, number: int, headers: dict[str, str], least_s: float
) -> None:
    """The retry waits for at least as long as the provider's header says, and for the longer wait of two headers."""
    openai_emulator.faults.append({"status": 429, "headers": headers})

    outcome = asker.ask(f"openai-{number}")

    assert outcome.answer.is_whole, outcome.answer.text
    assert outcome.attempts == len(openai_emulator.requests) == 2
    assert least_s <= outcome.seconds < least_s * 1.2 + SLACK_S


def test_429_for_missing_credit_is_not_retried(
    asker: Asker, openai_emulator: OpenAIEmulator, number: int
) -> None:
    """A 429 for missing credit is not retried, whatever its header says. SDKs are told not to retry."""
    openai_emulator.faults.append(
        {
            "status": 429,
            "message": "You exceeded your current quota, please check your plan and billing details.",
            "type": "insufficient_quota",
            "code": "insufficient_quota",
            "headers": {"retry-after": "1"},
        }
    )

    outcome = asker.ask(f"openai-{number}")

    assert outcome.answer.status == 429
    assert outcome.error["code"] == "insufficient_quota"
    assert outcome.answer.headers["x-should-retry"] == "false"
    assert outcome.attempts == len(openai_emulator.requests) == 1
    assert outcome.seconds < SLACK_S


FAULTS: dict[str, dict[str, Any]] = {
    "503": {"status": 503},
    "garbage": {"garbage": True},
    "cut before an event": {"cut_after_chunks": 0},
    "overloaded": {"status": 529, "type": "overloaded_error"},
}


@pytest.mark.parametrize("name", FAULTS)
def test_failure_of_openai_that_passes_is_hidden_from_the_client(
    asker: Asker, openai_emulator: OpenAIEmulator, number: int, name: str
) -> None:
    """A passing failure of OpenAI costs one further call, and the client gets one answer."""
    openai_emulator.faults.extend([FAULTS[name], {"text": "one two three"}])  # type: ignore[list-item]

    outcome = asker.ask(f"openai-{number}")

    assert outcome.answer.is_whole, outcome.answer.text
    assert outcome.text == "one two three"
    assert outcome.attempts == len(openai_emulator.requests) == 2
    assert outcome.seconds < 0.5 + SLACK_S


def test_empty_answer_after_a_tool_result_is_an_answer(
    asker: Asker, openai_emulator: OpenAIEmulator, number: int
) -> None:
    """On OpenAI's wire an empty answer is not retried, since a model may have nothing to add to a tool's result."""
    openai_emulator.faults.append({"text": ""})

    outcome = asker.ask(f"openai-{number}")

    assert outcome.answer.is_whole, outcome.answer.text
    assert outcome.text == ""
    assert outcome.attempts == len(openai_emulator.requests) == 1
