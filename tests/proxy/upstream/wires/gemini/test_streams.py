"""Tests of Gemini's streams, chunk by chunk."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.gemini import StreamReader
from tests.proxy.upstream.wires.gemini.test_answers import SIGNATURE, SIGNED, body, call

STOP = body()
USAGE = {"promptTokenCount": 5, "candidatesTokenCount": 3, "totalTokenCount": 8}


def event(*parts: dict[str, Any], **rest: Any) -> dict[str, Any]:
    """Return an event that does not end the answer."""
    return body(*parts, **{"reason": None, **rest})


def read(*events: Any) -> list[dict[str, Any]]:
    """Return all chunks that the reader makes of *events*."""
    reader = StreamReader("m")
    return [chunk for one in events for chunk in reader.feed(one)] + reader.close()


def deltas(*events: Any) -> list[dict[str, Any]]:
    """Return the deltas of the first choice."""
    return [choice["delta"] for chunk in read(*events) for choice in chunk["choices"] if choice["index"] == 0]


def reasons(*events: Any) -> list[str]:
    """Return the finish reasons in the chunks of a stream."""
    return [c["finish_reason"] for chunk in read(*events) for c in chunk["choices"] if c["finish_reason"]]


def test_each_event_s_text_is_one_delta() -> None:
    """Thoughts have a field of their own. An event without content gives no chunk."""
    events = [
        event({"text": "w", "thought": True}),
        event({"text": "a"}),
        event({"text": ""}),
        body({"text": "b"}),
    ]

    assert deltas(*events) == [{"reasoning_content": "w"}, {"content": "a"}, {"content": "b"}, {}]


def test_calls_come_whole_and_numbered() -> None:
    """A call that Gemini sends again is not repeated to the client."""
    a, b = {**call("f", {"x": 1}, id="a"), "thoughtSignature": SIGNATURE}, call("g", id="b")

    seen = [
        one
        for delta in deltas(event(a), event(b), event(b), event(call("h")), STOP)
        for one in delta.get("tool_calls", [])
    ]

    assert [one["index"] for one in seen] == [0, 1, 2]
    assert [one["function"]["name"] for one in seen] == ["f", "g", "h"]
    assert [one["id"] for one in seen][:2] == ["a", "b"]
    assert [one.get("extra_content") for one in seen] == [SIGNED, None, None]
    assert seen[0]["function"]["arguments"] == '{"x": 1}'


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([event({"text": "a"}), STOP], "stop"),
        ([event(call()), STOP], "tool_calls"),
        ([body(call()), body({"text": ""})], "tool_calls"),
        ([body({"text": "a"}), body({"text": "b"}, reason="MAX_TOKENS")], "length"),
        ([body({"text": "a"}, reason="SAFETY"), STOP], "content_filter"),
        ([{"promptFeedback": {"blockReason": "OTHER"}}], "content_filter"),
    ],
)
def test_finish_reason_is_given_once(events: list[Any], reason: str) -> None:
    """The finish reason is sent when the whole answer is known."""
    assert reasons(*events) == [reason]


def test_each_candidate_has_its_own_finish_reason() -> None:
    """Each candidate keeps its own text and finish reason."""
    both = {"candidates": [{"index": i, "content": {"parts": [{"text": "ab"[i]}]}} for i in (0, 1)]}
    end = {"candidates": [{"index": i, "finishReason": r} for i, r in ((0, "STOP"), (1, "MAX_TOKENS"))]}

    first, last = read(both, end)

    assert [(c["index"], c["delta"]) for c in first["choices"]] == [
        (0, {"content": "a"}),
        (1, {"content": "b"}),
    ]
    assert [(c["index"], c["finish_reason"]) for c in last["choices"]] == [(0, "stop"), (1, "length")]


@pytest.mark.parametrize(
    "metadata",
    [
        [{"promptTokenCount": 5}, USAGE],
        [USAGE, {"trafficType": "ON_DEMAND"}],
        [USAGE, {"promptTokenCount": 5}],
        [{**USAGE, "candidatesTokenCount": 1, "totalTokenCount": 6}, USAGE],
    ],
)
def test_last_complete_usage_counts(metadata: list[dict[str, Any]]) -> None:
    """The last complete usage is sent, since each of Gemini's reports counts the whole answer so far."""
    first, second = metadata

    chunk = read(event({"text": "a"}, usageMetadata=first), body(usageMetadata=second))[-1]

    assert chunk["choices"] == []
    assert chunk["usage"] == {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([], "no candidate"),
        ([{"usageMetadata": USAGE}], "no candidate"),
        ([event({"text": "a"})], "broke off"),
        ([STOP], "nothing"),
        ([event({"text": "w", "thought": True}), STOP], "nothing"),
        ([event({"text": "a"}), body(reason="MALFORMED_FUNCTION_CALL")], "cannot be read"),
        ([event({"text": "a"}), {"candidates": "x"}], "not Gemini's"),
        (["x"], "not Gemini's"),
    ],
)
def test_stream_that_is_no_answer_is_a_fault(events: list[Any], words: str) -> None:
    """A stream that broke off has another error message than an empty stream."""
    with pytest.raises(UpstreamFault, match=words):
        read(*events)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"code": 503, "message": "down"}, 503),
        ({"status": "RESOURCE_EXHAUSTED", "message": "down"}, 429),
        ({"message": "down"}, 502),
        ("down", 502),
        ({"code": 999, "message": "down"}, 502),
    ],
)
def test_error_in_a_stream_is_raised_with_its_status(error: Any, status: int) -> None:
    """The reader raises the error when it reads the event."""
    reader = StreamReader("m")
    reader.feed(event({"text": "a"}))

    with pytest.raises(UpstreamFault, match="down") as caught:
        reader.feed({"error": error})

    assert caught.value.http_status == status


def test_second_close_returns_no_chunks() -> None:
    """The first close returns the last chunks."""
    reader = StreamReader("m")
    reader.feed(body({"text": "a"}))

    assert reader.close()
    assert reader.close() == []


def test_id_and_model_are_those_of_the_first_event_that_names_them() -> None:
    """The id and the model stay the same over the stream."""
    chunks = read(
        event({"text": "a"}, responseId="r1", modelVersion="v1"), body({"text": "b"}, responseId="r2")
    )

    assert {(chunk["id"], chunk["model"]) for chunk in chunks} == {("r1", "v1")}
