"""Tests that the client gets one whole answer, and sees nothing of failures that pass."""

from __future__ import annotations

import json
import socket
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.process.asking import body
from tests.process.emulators import Gemini
from tests.process.resilience.asking_again import (
    CALLED,
    MAIN,
    READ,
    SAID,
    SLACK_S,
    TEXT,
    TOOLS,
    Asker,
)
from tests.process.running import Served
from tests.support.builders import user


@dataclass(frozen=True)
class Scenario:
    """A failure, the number of calls that the proxy makes, and the bounds of the waits between the calls."""

    name: str
    fault: dict[str, Any]
    calls: int = 2
    least_s: float = 0.0
    most_s: float = 0.5
    """The most seconds of back-off: at most 0.5 s after the first failure and 1 s after the next, with full jitter."""


SCENARIOS = (
    Scenario("503 twice", {"status": 503, "times": 2}, calls=3, most_s=1.5),
    Scenario("429 that asks for 0.8 s", {"status": 429, "retry_delay_seconds": 0.8}, least_s=0.8, most_s=1.0),
    Scenario("429 that asks for nothing", {"status": 429}),
    Scenario("500", {"status": 500}),
    Scenario("502", {"status": 502}),
    Scenario("504", {"status": 504}),
    Scenario("529", {"status": 529}),
    Scenario("reset before the answer", {"reset": True}),
    Scenario("cut behind the headers, or within a whole body", {"cut_after_chunks": 0}),
    Scenario("200 with garbage", {"garbage": True}),
    Scenario("an empty candidate", {"empty_candidate": True}),
    Scenario("an empty candidate twice", {"empty_candidate": True, "times": 2}, calls=3, most_s=1.5),
)


@pytest.mark.pairwise
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_failure_that_passes_is_hidden_from_the_client(
    asker: Asker, gemini: Gemini, number: int, scenario: Scenario
) -> None:
    """A text and a tool call each arrive once, after the number of calls and the waits that the scenario expects."""
    for says, text, calls in ((SAID, TEXT, []), (CALLED, "", [READ])):
        gemini.fault(**scenario.fault)

        outcome = asker.ask(f"alone-{number}", says=says, tools=TOOLS)

        assert outcome.answer.is_whole, outcome.answer.text
        assert (outcome.text, outcome.calls) == (text, calls)
        assert outcome.called == [MAIN] * scenario.calls
        assert outcome.attempts == scenario.calls
        assert scenario.least_s <= outcome.seconds < scenario.most_s + SLACK_S
        assert not {"retry-after", "x-should-retry", "x-turnright-changes"} & outcome.answer.headers.keys()


@pytest.mark.parametrize("scenario", SCENARIOS[:1], ids=lambda scenario: scenario.name)
def test_request_stays_the_same(asker: Asker, gemini: Gemini, number: int, scenario: Scenario) -> None:
    """A retry sends the same request again."""
    gemini.fault(**scenario.fault)

    outcome = asker.ask(f"alone-{number}")

    first, *others = (entry["body"] for entry in outcome.entries)
    assert others == [first] * (scenario.calls - 1)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("MALFORMED_FUNCTION_CALL", "Your last tool call could not be read"),
        ("UNEXPECTED_TOOL_CALL", "a tool that is not declared. Declared are: read."),
    ],
)
def test_call_that_cannot_be_read(
    asker: Asker, gemini: Gemini, number: int, transport: str, reason: str, words: str
) -> None:
    """On the direct transport, the retry tells the model what was wrong, after the user's message.

    The client gets one call.
    """
    gemini.fault(finish_reason=reason, finish_message="print(default_api.read(path=")

    outcome = asker.ask(f"alone-{number}", says=CALLED, tools=TOOLS)

    assert outcome.answer.is_whole, outcome.answer.text
    assert (outcome.text, outcome.calls) == ("", [READ])
    assert outcome.called == [MAIN] * 2
    assert outcome.attempts == 2
    assert outcome.seconds < 0.5 + SLACK_S
    first, second = (_texts(entry["body"]) for entry in outcome.entries)
    assert first == ["go"]
    if (
        transport == "litellm"
    ):  # it makes an empty stop of the reason, so that nobody knows what to tell the model
        assert second == ["go"]
        assert "x-turnright-changes" not in outcome.answer.headers
    else:
        said, note = "\n\n".join(second).split("\n\n")
        assert said == "go"
        assert words in note
        assert outcome.answer.headers["x-turnright-changes"] == "note=1"


def test_call_that_stays_malformed(asker: Asker, gemini: Gemini, number: int, transport: str) -> None:
    """On the direct transport, each retry holds one note to the model, however often the call fails.

    After two retries the client gets a 502.
    """
    gemini.fault(finish_reason="MALFORMED_FUNCTION_CALL", times=9)

    outcome = asker.ask(f"alone-{number}", tools=TOOLS)

    assert outcome.answer.status == 502
    assert outcome.called == [MAIN] * 3
    assert outcome.attempts == 3
    assert outcome.seconds < 1.5 + SLACK_S
    assert [" ".join(_texts(entry["body"])).count("[Your") for entry in outcome.entries] == (
        [0, 0, 0] if transport == "litellm" else [0, 1, 1]
    )
    expected = "holds nothing" if transport == "litellm" else "MALFORMED_FUNCTION_CALL"
    assert expected in outcome.error["message"] or "says nothing" in outcome.error["message"]


def test_answer_of_thoughts_alone_is_retried(asker: Asker, gemini: Gemini, number: int) -> None:
    """An answer of thoughts alone is retried, and the client does not get its thoughts."""
    gemini.answer({"text": "hm", "thought": True})
    gemini.say(TEXT)

    answer = asker.ask_only(f"alone-{number}")

    assert answer.is_whole, answer.text
    assert "one two" in answer.text
    assert "hm" not in answer.text
    assert len(gemini.journal()) == int(answer.headers["x-turnright-attempts"]) == 2


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_client_that_leaves_before_the_next_try(
    failing: Served, gemini: Gemini, number: int, stream: bool
) -> None:
    """If the client leaves during the wait before a retry, the proxy does not call the provider again."""
    gemini.fault(status=429, retry_delay_seconds=1.0)
    address, request = urlsplit(failing.origin), body(f"alone-{number}", [user("go")], stream=stream)
    payload = json.dumps(request).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(payload)}\r\n\r\n"

    with socket.create_connection((address.hostname or "", address.port or 80), timeout=30) as client:
        client.sendall(head.encode() + payload)
        assert gemini.wait_for_ends(1) == ["complete"]
    time.sleep(1.5)

    assert [entry["finished"] for entry in gemini.journal()] == ["complete"]


def _texts(body: dict[str, Any]) -> list[str]:
    return [part["text"] for content in body["contents"] for part in content["parts"]]
