"""Tests of one candidate of a stream."""

from __future__ import annotations

from typing import Any

from proxy.ingress.gemini_native.answer_context import AnswerContext
from proxy.ingress.gemini_native.open_candidate import OpenCandidate
from tests.proxy.ingress.gemini_native.deltas import chunk, piece

SIGNED = {"google": {"thought_signature": "QQ=="}}


def candidate(**facts: Any) -> OpenCandidate:
    """Return a new candidate, which shows thoughts."""
    return OpenCandidate(AnswerContext("m", "seed", **{"shows_thoughts": True, **facts}), 0)


def choice(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """Return one choice of a strict chunk."""
    found: dict[str, Any] = chunk(finish, **delta)["choices"][0]
    return found


def test_text_goes_out_at_once_and_calls_at_the_end() -> None:
    one = candidate()
    said = one.read(choice(content="Hi."))

    assert said == {"content": {"parts": [{"text": "Hi."}], "role": "model"}, "index": 0}
    assert one.read(choice(tool_calls=[piece(0, "{}", begins=True)])) is None
    assert one.read(choice("tool_calls")) is None
    last = one.end()
    assert last is not None
    assert last["finishReason"] == "STOP"
    assert last["content"]["parts"] == [{"functionCall": {"id": "call_0", "name": "f0", "args": {}}}]


def test_signature_of_a_text_stands_on_an_empty_text_at_the_end() -> None:
    one = candidate()
    one.read(choice(content="Hi."))
    one.read(choice("stop", extra_content=SIGNED))
    last = one.end()

    assert last is not None
    assert last["content"]["parts"] == [{"text": "", "thoughtSignature": "QQ=="}]


def test_hidden_thoughts_say_nothing() -> None:
    one = candidate(shows_thoughts=False)

    assert one.read(choice(reasoning_content="Hm.")) is None
    assert not one.has_said


def test_end_that_was_relayed_is_not_written_again() -> None:
    one = candidate()
    one.relay({"content": "Hi."}, {"finishReason": "STOP"})
    one.read(choice("stop", extra_content=SIGNED))

    assert one.end() is None


def test_calls_behind_a_relayed_end_are_written() -> None:
    """A repair has held them back until the end."""
    one = candidate()
    one.relay({}, {"finishReason": "STOP"})
    one.read(choice("tool_calls", tool_calls=[piece(0, "{}", begins=True)]))
    last = one.end()

    assert last is not None
    assert [*last["content"]["parts"][0]] == ["functionCall"]


def test_candidate_is_blocked_where_a_filter_let_nothing_through() -> None:
    silent, said = candidate(), candidate()
    said.read(choice(content="Hi."))
    for one in (silent, said):
        one.read(choice("content_filter"))

    assert (silent.is_blocked, said.is_blocked) == (True, False)
