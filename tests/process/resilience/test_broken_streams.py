"""Tests that a broken stream is retried only while the client has no part of the answer."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.process.emulators import Gemini
from tests.process.resilience.asking_again import CALLED, MAIN, READ, SLACK_S, TEXT, TOOLS, Asker
from tests.process.resilience.conftest import IDLE_S
from tests.process.running import Served

THOUGHT = {"text": "hm", "thought": True}


@pytest.fixture
def asker(http: httpx.Client, failing: Served, gemini: Gemini) -> Asker:
    """Return an asker for streams, since the proxy reads a whole answer to its end before it sends any part."""
    return Asker(http, failing, gemini, stream=True)


@pytest.mark.parametrize("chunks", [1, 3], ids=["after the first text", "in the middle"])
def test_stream_whose_connection_is_cut_ends_with_an_error(
    asker: Asker, gemini: Gemini, number: int, chunks: int
) -> None:
    """If the provider's connection is cut, the client keeps the text so far, and gets an error without ``[DONE]``."""
    gemini.fault(cut_after_chunks=chunks)

    outcome = asker.ask(f"backed-{number}")

    assert outcome.answer.status == 200
    assert outcome.error["code"] == "upstream_unreachable"
    assert outcome.text
    assert TEXT.startswith(outcome.text)
    assert outcome.text != TEXT
    assert outcome.called == [MAIN]
    assert outcome.attempts == 1
    assert outcome.seconds < SLACK_S


def test_connection_cut_behind_a_call(asker: Asker, gemini: Gemini, number: int) -> None:
    """A call that the client already has is not made a second time."""
    gemini.fault(cut_after_chunks=1)

    outcome = asker.ask(f"backed-{number}", says=CALLED, tools=TOOLS)

    assert outcome.calls == [READ]
    assert outcome.error["code"] == "upstream_unreachable"
    assert outcome.called == [MAIN]


@pytest.mark.parametrize("fault", [{"cut_after_chunks": 1}, {"end_after_chunks": 1}], ids=["cut", "ended"])
def test_thoughts_of_a_lost_answer(asker: Asker, gemini: Gemini, number: int, fault: dict[str, Any]) -> None:
    """Thoughts are held back, so that a stream that breaks after them is retried, unseen by the client."""
    gemini.fault(**fault)
    for _ in range(2):
        gemini.answer(THOUGHT, {"text": TEXT})

    answer = asker.ask_only(f"alone-{number}")

    assert answer.is_whole, answer.text
    assert answer.text.count('"reasoning_content":"hm"') == 1
    assert answer.text.count('"one two') == 1
    assert len(gemini.journal()) == int(answer.headers["x-turnright-attempts"]) == 2


def test_stream_without_an_event(asker: Asker, gemini: Gemini, number: int) -> None:
    """A stream that ends without an event is retried, unseen by the client."""
    gemini.fault(end_after_chunks=0)

    outcome = asker.ask(f"alone-{number}")

    assert outcome.answer.is_whole, outcome.answer.text
    assert outcome.text == TEXT
    assert outcome.called == [MAIN] * 2


def test_end_without_a_finish_reason(asker: Asker, gemini: Gemini, number: int, transport: str) -> None:
    """On the direct transport, a stream without a finish reason ends with an error. litellm adds a finish reason."""
    gemini.fault(end_after_chunks=3)

    outcome = asker.ask(f"backed-{number}")

    assert outcome.answer.status == 200
    assert outcome.text
    assert TEXT.startswith(outcome.text)
    assert outcome.called == [MAIN]
    assert outcome.attempts == 1
    if transport == "litellm":  # it writes "stop" under such a stream, which then looks like any other
        assert outcome.answer.is_whole
    else:
        assert "finish reason" in outcome.error["message"]


def test_silence_in_the_middle(asker: Asker, gemini: Gemini, number: int) -> None:
    """A stream that falls silent ends with an error after the idle limit."""
    gemini.fault(chunk_delay_seconds=60)

    outcome = asker.ask(f"backed-{number}")

    assert outcome.answer.status == 200
    assert outcome.error["code"] == "upstream_timeout"
    assert outcome.text
    assert TEXT.startswith(outcome.text)
    assert outcome.called == [MAIN]
    assert IDLE_S <= outcome.seconds < IDLE_S + SLACK_S


def test_malformed_call_behind_a_text(asker: Asker, number: int, transport: str) -> None:
    """A malformed call after a text that the client already has is not retried."""
    says = {"text": "I shall read it."}

    outcome = asker.ask(f"backed-{number}", says=says, finish_reason="MALFORMED_FUNCTION_CALL")

    assert outcome.text == "I shall read it."
    assert outcome.called == [MAIN]
    if transport == "litellm":  # it says that the model stopped
        assert outcome.answer.is_whole
    else:
        assert "MALFORMED_FUNCTION_CALL" in outcome.error["message"]
