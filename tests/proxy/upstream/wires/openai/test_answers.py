"""Tests of answers, chunks and errors of OpenAI-compatible servers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.openai import StreamReader, read_answer
from proxy.upstream.wires.openai.refusals import read_error
from tests.support.scripted_upstream import STOP, answer, say

NO_ANSWER: list[Any] = [
    {},
    [],
    5,
    "text",
    None,
    [{"choices": []}],
    {"choices": 5},
    {"choices": {"0": {}}},
    {"choices": [None]},
    {"choices": ["text"]},
    {"choices": [{"message": "text", "delta": "text"}]},
    {"choices": [{"index": [0]}]},
    {"choices": [{"message": {"tool_calls": 1}, "delta": {"tool_calls": 1}}]},
    {"choices": [{"message": {"tool_calls": [1]}, "delta": {"tool_calls": [1]}}]},
    {"choices": [{"message": {"tool_calls": [{"function": 1}]}, "delta": {"tool_calls": [{"function": 1}]}}]},
    {"choices": [], "usage": [1]},
]
ERRORS: list[tuple[Any, str, int | None]] = [
    ({"error": {"message": "Slow down.", "code": 429}}, "Slow down.", 429),
    ({"error": {"message": "No.", "code": "of_our_own"}}, "No.", None),
    ({"error": {"message": "No.", "code": 200}}, "No.", None),
    ({"error": {"message": "No.", "code": 99999}}, "No.", None),
    ({"error": "text"}, "text", None),
    ({"error": {}}, "The provider's answer carried an error.", None),
    ({"error": {"message": {"a": 1}}}, "The provider's answer carried an error.", None),
    ({"error": {"message": "Late."}, "choices": [{"delta": {}, "message": {}}]}, "Late.", None),
    ({"object": "error", "message": "Too long.", "code": 400}, "Too long.", 400),
    (
        {"error": {"message": "Provider returned error", "code": 429, "metadata": {"raw": "Slow down."}}},
        "Provider returned error: Slow down.",
        429,
    ),
]


def test_answer_is_returned_unchanged_with_unknown_fields() -> None:
    """Fields that the wire does not know stay in the answer."""
    body = {**answer("Good day."), "x_extra": [1, 2.5]}

    assert read_answer(json.dumps(body).encode()) == body


@pytest.mark.parametrize("body", NO_ANSWER, ids=repr)
def test_json_of_another_shape_is_the_providers_fault(body: Any) -> None:
    """JSON of another shape than an answer's is a fault, since later modules could not read it."""
    with pytest.raises(UpstreamFault, match="not a chat completion"):
        read_answer(json.dumps(body).encode())


@pytest.mark.parametrize("body", [body for body in NO_ANSWER if body != {}], ids=repr)
def test_event_of_another_shape_is_the_providers_fault(body: Any) -> None:
    """An empty object is allowed, since an event may have no choices."""
    with pytest.raises(UpstreamFault, match="not a chat completion"):
        StreamReader().feed(json.dumps(body).encode())


@pytest.mark.parametrize(("body", "text", "status"), ERRORS, ids=[repr(body) for body, _, _ in ERRORS])
def test_error_inside_a_200_has_its_message_and_status(body: Any, text: str, status: int | None) -> None:
    """Whole answers and events raise the error with its message and status."""
    raw = json.dumps(body).encode()
    for read in (read_answer, StreamReader().feed):
        with pytest.raises(UpstreamFault) as caught:
            read(raw)
        assert (caught.value.message, caught.value.upstream_status) == (text, status)


def test_done_ends_the_stream() -> None:
    """Payloads after ``[DONE]`` are ignored."""
    reader = StreamReader()
    chunks = [say("Good "), {"choices": [], "usage": {"total_tokens": 1}}, {"choices": None}, STOP]

    assert [reader.feed(json.dumps(chunk).encode()) for chunk in chunks] == [[chunk] for chunk in chunks]
    assert (reader.ended, reader.feed(b"[DONE]")) == (False, [])
    assert reader.ended
    assert reader.feed(b"garbage") == []
    assert reader.close() == []


def test_a_choice_that_stands_twice_in_an_event_is_two_chunks() -> None:
    """Two entries of one choice become two chunks, since OpenAI's own client keeps only the last in a first chunk."""
    pieces = [{"index": 0, "delta": {"content": text}} for text in "ab"]
    event = {"choices": pieces, "usage": None}

    assert StreamReader().feed(json.dumps(event).encode()) == [{**event, "choices": [one]} for one in pieces]


def test_choices_with_different_indices_stay_in_one_chunk() -> None:
    """Most servers send several choices in one chunk."""
    event = {"choices": [{"index": at, "delta": {"content": "a"}} for at in (1, 0)]}

    assert StreamReader().feed(json.dumps(event).encode()) == [event]


@pytest.mark.parametrize("payload", [b"", b" ", b"\n"])
def test_empty_event_of_openai_gives_no_chunk(payload: bytes) -> None:
    """Some servers send empty events to keep the connection alive."""
    reader = StreamReader()

    assert reader.feed(payload) == []
    assert not reader.ended


@pytest.mark.parametrize("payload", [b"[DONE] ", b" [DONE]"])
def test_done_with_spaces_ends_the_stream(payload: bytes) -> None:
    """Some servers add spaces around ``[DONE]``."""
    reader = StreamReader()

    assert reader.feed(payload) == []
    assert reader.ended


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "Words."}}, "Words."),
        ({"error": "Words."}, "Words."),
        ({"message": "Words."}, "Words."),
        ({"detail": "Words."}, "Words."),
        ([{"error": {"message": "Words."}}], "Words."),
        ({"object": "error", "message": "Words."}, "Words."),
        ({"error": {"message": ""}, "message": "Words."}, "Words."),
        ({"error": {"message": 5}, "detail": "Words."}, "Words."),
        ({"error": {}}, None),
        ({"error": None}, None),
        ({"detail": [{"msg": "x"}]}, "x"),
        ({"detail": [{"loc": ["body", "n"], "msg": "x"}, {"msg": 5}, "y", {"msg": "z"}]}, "x (body.n); z"),
        ({"object": "error", "message": {"detail": [{"loc": ["body"], "msg": "x"}]}}, "x (body)"),
        ({"message": {"detail": "Words."}}, "Words."),
        ({"message": {"detail": [5]}}, None),
        ({"detail": [{"loc": ["my text"], "msg": "x"}]}, "x"),
        ({"detail": []}, None),
        ([], None),
        (["Words."], None),
        ("Words.", None),
        (None, None),
    ],
    ids=repr,
)
def test_message_is_found_in_each_envelope(body: Any, words: str | None) -> None:
    """An error without a message gives None."""
    assert read_error(json.dumps(body).encode()) == words


@pytest.mark.parametrize("body", [b"", b"<html>Bad gateway</html>", b"\xff", b"[" * 9999])
def test_error_body_that_is_no_json_has_no_message(body: bytes) -> None:
    """The error message does not repeat the page of another proxy."""
    assert read_error(body) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 600) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "message", "choices", "delta", "code", "detail"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(body=JSON)
def test_any_json_has_a_message_or_none(body: Any) -> None:
    """No error body raises an exception, which would hide the provider's error."""
    words = read_error(json.dumps(body).encode())
    assert words is None or words
