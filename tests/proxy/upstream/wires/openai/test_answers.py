"""What an OpenAI-compatible server answers: answers, chunks, errors, and what is none of them."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.openai import StreamReader, read_answer, read_error
from tests.support.scripted_upstream import STOP, answer, say

NO_JSON = [
    b"",
    b"<html>502</html>",
    b"{",
    b'{"choices": [NaN]}',
    b"\xff",
    b'{"choices":[], "a": "\xff"}',
    b"[" * 9999,
]
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
]


def test_answer_is_passed_on() -> None:
    """An answer comes back as it is, with fields that nobody knows."""
    body = {**answer("Good day."), "x_extra": [1, 2.5]}

    assert read_answer(json.dumps(body).encode()) == body


@pytest.mark.parametrize("body", NO_JSON, ids=lambda body: repr(body[:30]))
def test_answer_that_is_no_json(body: bytes) -> None:
    """A 200 with something else than JSON is the provider's fault, whole and as an event."""
    with pytest.raises(UpstreamFault, match="not JSON"):
        read_answer(body)
    if body:
        with pytest.raises(UpstreamFault, match="not JSON"):
            StreamReader().feed(body)


@pytest.mark.parametrize("body", NO_ANSWER, ids=repr)
def test_json_of_another_shape_is_the_providers_fault(body: Any) -> None:
    """JSON that nobody behind could read as an answer is the provider's fault."""
    with pytest.raises(UpstreamFault, match="not a chat completion"):
        read_answer(json.dumps(body).encode())


@pytest.mark.parametrize("body", [body for body in NO_ANSWER if body != {}], ids=repr)
def test_chunk_of_another_shape(body: Any) -> None:
    """So is such an event; one without choices says nothing, and harms nobody."""
    with pytest.raises(UpstreamFault, match="not a chat completion"):
        StreamReader().feed(json.dumps(body).encode())


@pytest.mark.parametrize(("body", "text", "status"), ERRORS, ids=[repr(body) for body, _, _ in ERRORS])
def test_error_inside_a_200(body: Any, text: str, status: int | None) -> None:
    """An error object is an error, with its words and its status where it names one, whole and in a stream."""
    raw = json.dumps(body).encode()
    for read in (read_answer, StreamReader().feed):
        with pytest.raises(UpstreamFault) as caught:
            read(raw)
        assert (caught.value.message, caught.value.upstream_status) == (text, status)


def test_done_ends_the_stream() -> None:
    """Chunks come as they are; `[DONE]` ends the stream, and what comes behind it is not looked at."""
    reader = StreamReader()
    chunks = [say("Good "), {"choices": [], "usage": {"total_tokens": 1}}, {"choices": None}, STOP]

    assert [reader.feed(json.dumps(chunk).encode()) for chunk in chunks] == [[chunk] for chunk in chunks]
    assert (reader.ended, reader.feed(b"[DONE]")) == (False, [])
    assert reader.ended
    assert reader.feed(b"garbage") == []
    assert reader.close() == []


def test_a_choice_that_stands_twice_in_an_event_is_two_chunks() -> None:
    """Nothing of it is lost: OpenAI's own client keeps the last of two in the first chunk."""
    pieces = [{"index": 0, "delta": {"content": text}} for text in "ab"]
    event = {"choices": pieces, "usage": None}

    assert StreamReader().feed(json.dumps(event).encode()) == [{**event, "choices": [one]} for one in pieces]


def test_choices_of_their_own_stay_in_one_chunk() -> None:
    """As most servers send them."""
    event = {"choices": [{"index": at, "delta": {"content": "a"}} for at in (1, 0)]}

    assert StreamReader().feed(json.dumps(event).encode()) == [event]


@pytest.mark.parametrize("payload", [b"", b" ", b"\n"])
def test_empty_event_of_openai_says_nothing(payload: bytes) -> None:
    """An event of nothing, as some servers send to keep a connection alive, is no fault."""
    reader = StreamReader()

    assert reader.feed(payload) == []
    assert not reader.ended


@pytest.mark.parametrize("payload", [b"[DONE] ", b" [DONE]"])
def test_done_with_spaces(payload: bytes) -> None:
    """The end is the end with spaces around it."""
    reader = StreamReader()

    assert reader.feed(payload) == []
    assert reader.ended


def test_emoji_cut_in_two_by_openai_is_kept_as_halves() -> None:
    """An escaped emoji that the provider cut in two is kept as its halves, not taken for broken JSON."""
    [chunk] = StreamReader().feed(b'{"choices":[{"delta":{"content":"\\uD83D"}}]}')

    assert chunk["choices"][0]["delta"]["content"] == "\ud83d"
    assert read_answer(b'{"choices":[],"x":"\\ude00"}')["x"] == "\ude00"


@pytest.mark.parametrize(
    "body", [b'{"choices":[],"x":"\\ud83d","y":NaN}', b'"\\ud83d"' + b"[" * 99999, b'"\\ud83d']
)
def test_half_a_character_in_no_json(body: bytes) -> None:
    """Half a character does not make JSON of what is none."""
    with pytest.raises(UpstreamFault, match="not JSON"):
        read_answer(body)


DEEP = b"[" * 990 + b"]" * 990
PLACES = [
    b'"annotations":[{"a":%b}]',
    b'"audio":{"a":%b}',
    b'"tool_calls":[{"id":"c","function":{"name":"f","arguments":{"a":%b}}}]',
]


@pytest.mark.parametrize("place", PLACES, ids=["annotations", "audio", "arguments"])
def test_answer_of_openai_nested_too_deeply_is_its_fault(place: bytes) -> None:
    """What could not be written out again is the provider's fault, wherever it stands."""
    for read, said in ((read_answer, b"message"), (StreamReader().feed, b"delta")):
        body = b'{"choices":[{"%b":{%b},"finish_reason":"stop"}]}' % (said, place % DEEP)
        with pytest.raises(UpstreamFault, match="nested too deeply"):
            read(body)


@pytest.mark.parametrize("place", PLACES, ids=["annotations", "audio", "arguments"])
def test_answer_that_is_nested_deeply(place: bytes) -> None:
    """What can be written out again is read."""
    deep = place % (b"[" * 240 + b"]" * 240)
    [choice] = read_answer(b'{"choices":[{"message":{%b},"finish_reason":"stop"}]}' % deep)["choices"]

    assert orjson.dumps(choice)


def test_many_brackets_are_not_deep() -> None:
    """A text of brackets, and a long list, are no depth."""
    body = {**answer("[{" * 999), "x": [[{}]] * 999}

    assert read_answer(json.dumps(body).encode()) == body


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
        ({"detail": [{"msg": "x"}]}, None),
        ([], None),
        (["Words."], None),
        ("Words.", None),
        (None, None),
    ],
    ids=repr,
)
def test_words_of_an_error(body: Any, words: str | None) -> None:
    """The provider's words are found in whichever envelope; where there are none, that is said."""
    assert read_error(json.dumps(body).encode()) == words


@pytest.mark.parametrize("body", [b"", b"<html>Bad gateway</html>", b"\xff", b"[" * 9999])
def test_error_that_is_no_json(body: bytes) -> None:
    """A page, or nothing, is no words."""
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
def test_any_json_is_read_or_refused(body: Any) -> None:
    """No JSON whatever raises anything but the provider's fault."""
    raw = json.dumps(body).encode()
    words = read_error(raw)
    assert words is None or words
    for read in (read_answer, StreamReader().feed):
        with suppress(UpstreamFault):
            read(raw)
