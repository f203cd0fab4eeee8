"""Tests of the notes and judgements of ``benchmarks/state``, which have to see what goes wrong."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from benchmarks.state.cooldowns import Times, Trial, judge
from benchmarks.state.fault_rows import ERRORS, SKIPPED, UP, Row, judge_open
from benchmarks.state.provider import Came, Seen, asked_mark, note_signatures
from benchmarks.state.sessions import Failed, Session, joined
from proxy.emulator.signatures import sign_call
from proxy.upstream.signature_carriers import STAND_IN

REAL = sign_call("step", {"mark": "s1t1"}, 1)


def part(mark: str, signature: str | None) -> dict[str, Any]:
    """Return a call in Gemini's format."""
    call = {"functionCall": {"name": "step", "args": {"mark": mark}}}
    return call if signature is None else {**call, "thoughtSignature": signature}


@pytest.mark.parametrize(
    ("signature", "came"),
    [
        (REAL, Came.REAL),
        (STAND_IN, Came.STAND_IN),
        (None, Came.NONE),
        ("Zm9yZWlnbg==", Came.WRONG),
        (sign_call("step", {"mark": "s2t1"}, 1), Came.WRONG),
    ],
)
def test_signature_of_the_newest_call_is_noted(signature: str | None, came: Came) -> None:
    seen = Seen()
    contents = [{"parts": [part("s1t0", STAND_IN)]}, {"parts": [part("s1t1", signature)]}]

    note_signatures({"contents": contents}, seen)

    assert seen.signatures == {"s1t1": [came]}
    assert seen.older == {Came.STAND_IN: 1}
    assert seen.every() == Counter([came, Came.STAND_IN])


def test_a_repeated_request_does_not_hide_the_first_signature() -> None:
    seen = Seen()
    for signature in ("Zm9yZWlnbg==", STAND_IN):
        note_signatures({"contents": [{"parts": [part("s1t1", signature)]}]}, seen)

    assert seen.first() == {Came.WRONG: 1}


def test_each_request_asks_for_a_call_of_its_own() -> None:
    one, other = Session(stream=False), Session(stream=False)
    schema = one.body()["tools"][0]["function"]["parameters"]

    assert asked_mark({"tools": [{"functionDeclarations": [{"parameters": schema}]}]}) == one.mark
    assert one.mark != other.mark


def test_call_of_another_request_fails() -> None:
    session = Session(stream=False)
    function = {"name": "step", "arguments": '{"mark": "s0t0"}'}

    with pytest.raises(Failed, match="another call"):
        session.add({"id": "call_1", "type": "function", "function": function})


def test_stream_without_a_finish_fails() -> None:
    piece = {"index": 0, "id": "call_1", "function": {"name": "step", "arguments": "{}"}}
    chunk = {"choices": [{"delta": {"tool_calls": [piece]}, "finish_reason": None}]}

    with pytest.raises(Failed, match="ended with None"):
        joined([chunk])


@pytest.mark.parametrize(
    ("up", "asked", "skipped", "words"),
    [
        (0, 5, 40, ""),
        (1, 5, 40, "says that the store is up"),
        (0, 11, 40, "asked 11 times"),
        (0, 5, 0, "skipped no look-up"),
    ],
)
def test_replica_that_asks_a_store_that_does_not_answer_is_reported(
    up: int, asked: int, skipped: int, words: str
) -> None:
    row = Row("frozen")
    first = {(UP, ()): 0.0, (ERRORS, (("kind", "timeout"),)): 3.0, (SKIPPED, ()): 7.0}
    last = {(UP, ()): up, (ERRORS, (("kind", "timeout"),)): 3.0 + asked, (SKIPPED, ()): 7.0 + skipped}

    judge_open(row, [first], [last], 5.0)

    assert len(row.violations) == bool(words)
    assert words in "".join(row.violations)


@pytest.mark.parametrize(
    ("calls", "at_once", "words"),
    [
        ([0.3, 1.0, 5.1], 1, ""),
        ([0.3, 1.2, 5.1], 1, "1.20 s after the refusal"),
        ([5.1, 5.2], 2, "2 probes at once"),
    ],
)
def test_late_call_and_second_probe_are_reported(calls: list[float], at_once: int, words: str) -> None:
    trial = Trial(Times(), calls, at_once, probed_after=5.1)

    broken = judge(0, trial)

    assert len(broken) == bool(words)
    assert words in "".join(broken)
