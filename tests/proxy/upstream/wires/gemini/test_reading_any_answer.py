"""Tests that any JSON from Gemini is read as an answer, or raises the provider's fault."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import UpstreamFault
from proxy.core.json_text import write_json
from proxy.upstream.wires.gemini import StreamReader, read_answer
from tests.proxy.upstream.wires.gemini.test_answers import SIGNATURE, body, call
from tests.proxy.upstream.wires.gemini.test_streams_properties import outcome

ANSWER: dict[str, Any] = {
    "candidates": [
        {
            "index": 0,
            "content": {
                "role": "model",
                "parts": [
                    {"text": "hm", "thought": True, "thoughtSignature": SIGNATURE},
                    {"text": "yes"},
                    {"functionCall": {"id": "c1", "name": "f", "args": {"a": [1]}}},
                    {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
                ],
            },
            "finishReason": "STOP",
            "finishMessage": "done",
            "logprobsResult": {
                "chosenCandidates": [{"token": "yes", "logProbability": -0.5}],
                "topCandidates": [{"candidates": [{"token": "yes", "logProbability": -0.5}]}],
            },
        },
        {"index": 1, "content": {"parts": [{"text": "no"}]}, "finishReason": "MAX_TOKENS"},
    ],
    "promptFeedback": {"blockReason": "SAFETY"},
    "usageMetadata": {
        "promptTokenCount": 5,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 2,
        "cachedContentTokenCount": 1,
        "totalTokenCount": 10,
    },
    "responseId": "r1",
    "modelVersion": "v1",
}
ERROR = {"error": {"code": 503, "message": "down", "status": "UNAVAILABLE", "details": [{}]}}

_SHORT_NAMES = [
    "args",
    "code",
    "content",
    "error",
    "id",
    "index",
    "message",
    "name",
    "parts",
    "status",
    "text",
    "x",
]


def _places(holder: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the container and the key of every value within *holder*."""
    for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
        yield holder, key
        if isinstance(holder[key], dict | list):
            yield from _places(holder[key])


_NAMES = sorted({*_SHORT_NAMES, *(key for _, key in _places(ANSWER) if isinstance(key, str))})
_scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=4)
    | st.sampled_from(["STOP", "SAFETY", "5", "\ud83d", json.dumps(ERROR), 2**70, 10**400])
)
_json = st.recursive(
    _scalars,
    lambda deeper: (
        st.lists(deeper, max_size=3) | st.dictionaries(st.sampled_from(_NAMES), deeper, max_size=4)
    ),
    max_leaves=12,
)
_DROP = object()


@st.composite
def _mutated(draw: st.DrawFn) -> Any:
    """Draw a real answer or error in which one to three values are replaced or left out."""
    root = [copy.deepcopy(draw(st.sampled_from([ANSWER, ERROR, [ERROR]])))]
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(root))
        holder, key = draw(st.sampled_from(places))
        value = draw(st.just(_DROP) | _json)
        if value is not _DROP:
            holder[key] = value
        elif isinstance(holder, dict):
            del holder[key]
    return root[0]


def check_choices(choices: list[dict[str, Any]], said: str) -> None:
    """Check the fields of choices that clients rely on."""
    indices = [choice["index"] for choice in choices]
    assert all(type(index) is int and index >= 0 for index in indices)
    assert len(set(indices)) == len(indices)
    for choice in choices:
        for name in ("content", "reasoning_content"):
            assert isinstance(choice[said].get(name), str | None)
        for one in choice[said].get("tool_calls", []):
            assert one["id"]
            assert one["function"]["name"]
            assert isinstance(json.loads(one["function"]["arguments"]), dict)


def check_usage(usage: dict[str, Any] | None) -> None:
    """Check that every count of a usage is an integer of zero or more."""
    for count in (usage or {}).values():
        counts = count.values() if isinstance(count, dict) else [count]
        assert all(type(one) is int and one >= 0 for one in counts)


@given(_json | _mutated())
def test_any_whole_answer_is_read_or_is_the_providers_fault(value: Any) -> None:
    """Any JSON in place of a whole answer gives an answer that JSON can hold, or a fault with a message."""
    answer = outcome(lambda: read_answer(value, model="m"))
    if isinstance(answer, str):
        assert answer
        return

    write_json(answer)
    assert answer["choices"]
    check_choices(answer["choices"], "message")
    check_usage(answer.get("usage"))


@given(st.lists(_json | _mutated() | st.just(ANSWER), max_size=3))
def test_any_stream_is_read_or_is_the_providers_fault(events: list[Any]) -> None:
    """Every chunk can be written as JSON, and some chunk has a finish reason."""
    reader = StreamReader("m")
    chunks = outcome(lambda: [chunk for event in events for chunk in reader.feed(event)] + reader.close())
    if isinstance(chunks, str):
        assert chunks
        return

    for chunk in chunks:
        write_json(chunk)
        check_choices(chunk["choices"], "delta")
        check_usage(chunk.get("usage"))
    ends = [c["finish_reason"] for chunk in chunks for c in chunk["choices"] if c["finish_reason"]]
    assert ends


def _nested(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize("args", [_nested(5_000), {"a": float("inf")}, {"a": float("nan")}])
def test_arguments_that_cannot_be_written_as_json_are_a_fault(args: Any) -> None:
    """The arguments are nested too deeply, or hold an infinity or NaN."""
    with pytest.raises(UpstreamFault, match="cannot be written"):
        read_answer(body(call(args=args)), model="m")


@pytest.mark.parametrize(
    "answer",
    [
        body({"text": 5}),
        body({"text": ["a"]}, {"text": "b"}),
        body({"text": "a"}, reason=None) | {"candidates": [{"finishReason": 1}]},
        {"candidates": [{"content": {"parts": [{"text": "a"}]}, "finishReason": ["STOP"]}]},
    ],
)
def test_text_or_finish_reason_of_another_type_is_a_fault(answer: Any) -> None:
    """A text or finish reason of another type is a fault, since its value would be lost."""
    with pytest.raises(UpstreamFault, match="not Gemini's"):
        read_answer(answer, model="m")


def test_null_fields_count_as_missing() -> None:
    """In proto JSON a null field means the same as a missing field."""
    part = {"text": "a", "functionCall": None, "thought": None, "thoughtSignature": None}

    assert read_answer(body(part), model="m")["choices"][0]["message"]["content"] == "a"
