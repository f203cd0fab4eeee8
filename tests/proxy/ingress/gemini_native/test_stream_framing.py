"""Tests of the two forms of a stream."""

from __future__ import annotations

import json

import pytest

from proxy.ingress.gemini_native.stream_framing import ARRAY, SSE, Framing
from tests.support.gemini_grammar import elements_of, events_of, find_stream_faults


def framed(framing: Framing, elements: list[bytes]) -> bytes:
    """Return *elements* as a stream, with a sign of life before each and behind the last one."""
    if not elements:
        return framing.keep_alive + framing.empty_end
    first, *later = elements
    alive = framing.keep_alive
    raw = alive + framing.first + first + framing.behind
    for element in later:
        raw += alive + framing.later + element + framing.behind
    return raw + alive + framing.end


@pytest.mark.parametrize("number", [0, 1, 3])
def test_array_is_json_with_blanks_in_any_place(number: int) -> None:
    assert elements_of(framed(ARRAY, [b'{"a":1}'] * number)) == [{"a": 1}] * number


@pytest.mark.parametrize("number", [0, 1, 3])
def test_events_have_no_comment_and_no_end_mark(number: int) -> None:
    """gemini-cli and google-genai fail on both."""
    events = events_of(framed(SSE, [b'{"a":1}'] * number))

    assert [event for event in events if "candidates" not in event] == [{"a": 1}] * number


def test_sign_of_life_is_an_empty_text() -> None:
    """google-genai takes a chat for broken where a candidate has no content."""
    [event] = events_of(SSE.keep_alive)

    assert event["candidates"][0]["content"]["parts"] == [{"text": ""}]
    assert find_stream_faults(SSE.keep_alive, complete=False) == []
    assert json.loads(ARRAY.keep_alive + b"0") == 0
