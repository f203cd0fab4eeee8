"""Tests of failures that do not pass: the fallback answers, or the client gets the last failure's status and code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.process.emulators import Gemini
from tests.process.resilience.asking_again import MAIN, SLACK_S, SPARE, TEXT, Asker


@dataclass(frozen=True)
class Failure:
    """A failure, the number of calls that it causes on one model, and the client's final error."""

    name: str
    fault: dict[str, Any]
    calls: int
    status: int
    code: str = "upstream_error"
    headers: tuple[tuple[str, str], ...] = ()
    least_s: float = 0.0
    most_s: float = 1.5

    def calls_on(self, transport: str, *, stream: bool) -> int:
        """Return the number of calls. litellm shows garbage in a stream as an empty answer, which gets more retries."""
        return 3 if (self.name, transport, stream) == ("garbage", "litellm", True) else self.calls


FAILURES = (
    Failure("503", {"status": 503}, 3, 503),
    Failure("500", {"status": 500}, 3, 500),
    Failure("504", {"status": 504}, 2, 504),
    Failure(
        "429 that asks for 0.6 s",
        {"status": 429, "retry_delay_seconds": 0.6},
        3,
        429,
        "rate_limit_exceeded",
        (("retry-after", "1"), ("x-should-retry", "true")),
        least_s=1.2,
        most_s=1.6,
    ),
    Failure("reset", {"reset": True}, 3, 502, "upstream_unreachable"),
    Failure("garbage", {"garbage": True}, 2, 502),
    Failure("empty", {"empty_candidate": True}, 3, 502),
)


@pytest.mark.pairwise
@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.name)
def test_nobody_else_to_ask(
    asker: Asker, gemini: Gemini, number: int, transport: str, failure: Failure
) -> None:
    """Without a fallback the client gets the failure's status and code, after all its retries."""
    gemini.fault(**failure.fault, times=9)

    outcome = asker.ask(f"alone-{number}")

    calls = failure.calls_on(transport, stream=asker.stream)
    assert outcome.answer.status == failure.status
    assert outcome.error["code"] == failure.code
    shown = {name: outcome.answer.headers.get(name) for name in ("retry-after", "x-should-retry")}
    assert {name: value for name, value in shown.items() if value} == dict(failure.headers)
    assert outcome.called == [MAIN] * calls
    assert outcome.attempts == calls
    assert failure.least_s <= outcome.seconds < failure.most_s + SLACK_S


@pytest.mark.pairwise
@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.name)
def test_fallback_answers_when_the_tries_are_used_up(
    asker: Asker, gemini: Gemini, number: int, transport: str, failure: Failure
) -> None:
    """The fallback is asked once the retries are used up, and the client gets one answer."""
    gemini.fault(**failure.fault, times=9, model=MAIN)

    outcome = asker.ask(f"backed-{number}")

    calls = failure.calls_on(transport, stream=asker.stream)
    assert outcome.answer.is_whole, outcome.answer.text
    assert outcome.text == TEXT
    assert outcome.called == [*[MAIN] * calls, SPARE]
    assert outcome.attempts == calls + 1
    assert failure.least_s <= outcome.seconds < failure.most_s + SLACK_S
