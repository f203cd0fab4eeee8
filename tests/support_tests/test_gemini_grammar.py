"""Tests that the checker of Gemini's answers finds a fault of each rule, and none in what Gemini's API sends."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.gemini_grammar import (
    answer_of,
    elements_of,
    events_of,
    find_answer_faults,
    find_array_faults,
    find_error_faults,
    find_event_faults,
    find_stream_faults,
)

Json = dict[str, Any]

USAGE: Json = {
    "promptTokenCount": 3,
    "cachedContentTokenCount": 1,
    "candidatesTokenCount": 9,
    "thoughtsTokenCount": 2,
    "totalTokenCount": 14,
}
NAMED: Json = {"modelVersion": "m", "responseId": "r"}
CALL: Json = {"functionCall": {"id": "a", "name": "f", "args": {"q": 1}}, "thoughtSignature": "c2ln"}
OTHER_CALL: Json = {"functionCall": {"id": "b", "name": "g", "args": {}}}


def said(*parts: Json, index: int = 0, **fields: Any) -> Json:
    """Return a candidate with parts."""
    return {"content": {"role": "model", "parts": list(parts)}, "index": index, **fields}


def event(*candidates: Json, **fields: Any) -> Json:
    """Return an event of a stream."""
    return {"candidates": list(candidates), **NAMED, **fields}


EVENTS: list[Json] = [
    {"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}}]},
    event(said({"text": "Hm. ", "thought": True})),
    event(said({"text": "Yes.", "thought": True}, {"text": "We"})),
    {"candidates": []},
    event(said({"text": "ll."}), usageMetadata={"promptTokenCount": 3, "totalTokenCount": 3}),
    event(said(CALL, OTHER_CALL)),
    event({"finishReason": "STOP", "index": 0}, usageMetadata=USAGE),
]
"""A stream with each kind of part that the proxy writes, and two heartbeats."""

ANSWER: Json = event(
    said(
        *({"text": "Hm. Yes.", "thought": True}, {"text": "Well."}, CALL, OTHER_CALL),
        finishReason="STOP",
    ),
    usageMetadata=USAGE,
)
ERROR: Json = {"error": {"code": 503, "message": "Overloaded.", "status": "UNAVAILABLE"}}
BLOCKED: Json = {"promptFeedback": {"blockReason": "SAFETY"}, **NAMED, "usageMetadata": USAGE}

Edit = Callable[[list[Json]], Any]
THOUGHT, TEXT, CALLS, END = 1, 4, 5, 6


def put(at: int, *path: Any) -> Edit:
    """Return an edit that sets the value at a path, which is the last of *path*, within an event."""
    *keys, value = path

    def edit(events: list[Json]) -> None:
        found: Any = events[at]
        for key in keys[:-1]:
            found = found[key]
        found[keys[-1]] = value

    return edit


def without(at: int, *path: Any) -> Edit:
    """Return an edit that removes an event, or the value at a path within an event."""

    def edit(events: list[Json]) -> None:
        found: Any = events
        for key in (at, *path)[:-1]:
            found = found[key]
        del found[(at, *path)[-1]]

    return edit


def added(at: int, *new: Json) -> Edit:
    """Return an edit that puts events before the event at a place."""
    return lambda events: events.__setitem__(slice(at, at), new)


FIRST = ("candidates", 0)
CONTENT = (*FIRST, "content")
PART = (*CONTENT, "parts", 0)
CALLED = (*PART, "functionCall")

BROKEN: dict[str, tuple[Edit, str]] = {
    "no reason": (without(END, *FIRST, "finishReason"), "candidate 0 has no finish reason"),
    "unknown reason": (put(END, *FIRST, "finishReason", "TOOL_CALLS"), "an unknown finish reason"),
    "reason twice": (added(END, EVENTS[END]), "a finish reason comes once"),
    "text behind the reason": (added(END + 1, EVENTS[TEXT]), "parts behind the finish reason"),
    "no usage": (without(END, "usageMetadata"), "the last event has usageMetadata"),
    "usage before the end": (
        lambda events: events[END - 1].update(usageMetadata=events[END].pop("usageMetadata")),
        "the last event has usageMetadata",
    ),
    "usage that is null": (put(END, "usageMetadata", None), "usageMetadata is an object"),
    "a null count": (put(END, "usageMetadata", "promptTokenCount", None), "promptTokenCount is a count"),
    "no tokens": (put(END, "usageMetadata", "promptTokenCount", 0), "the request has tokens"),
    "no total": (without(END, "usageMetadata", "totalTokenCount"), "totalTokenCount is missing"),
    "another total": (put(END, "usageMetadata", "totalTokenCount", 12), "the sum of the counts"),
    "thoughts among the answer": (put(END, "usageMetadata", "candidatesTokenCount", 11), "the sum of"),
    "cached apart from the prompt": (
        put(END, "usageMetadata", "cachedContentTokenCount", 4),
        "includes cached tokens",
    ),
    "counts that fall": (
        put(TEXT, "usageMetadata", {"promptTokenCount": 90, "totalTokenCount": 90}),
        "counts are cumulative",
    ),
    "no model": (without(TEXT, "modelVersion"), "modelVersion is missing"),
    "another model": (put(TEXT, "modelVersion", "n"), "modelVersion stays the same"),
    "no id": (without(END, "responseId"), "responseId is missing"),
    "another id": (put(END, "responseId", "s"), "responseId stays the same"),
    "snake case": (put(TEXT, "usage_metadata", {}), "an unknown field of an answer"),
    "field of a chat": (put(TEXT, *FIRST, "delta", {}), "an unknown field of a candidate"),
    "a candidate twice": (put(TEXT, "candidates", [said(), said()]), "an event has a candidate once"),
    "index left out": (put(TEXT, *FIRST, "index", 2), "the indexes of candidates"),
    "negative index": (put(TEXT, *FIRST, "index", -1), "an index is a number"),
    "no role": (without(TEXT, *CONTENT, "role"), "the role of an answer"),
    "another role": (put(TEXT, *CONTENT, "role", "assistant"), "the role of an answer"),
    "field of a content": (put(TEXT, *CONTENT, "name", "x"), "an unknown field of a content"),
    "part without data": (put(TEXT, *PART, {"thoughtSignature": "c2ln"}), "a part has data"),
    "two kinds in a part": (put(CALLS, *PART, "text", "x"), "a part has one kind of data"),
    "field of a part": (put(CALLS, *PART, "functionCallId", "x"), "an unknown field of a part"),
    "text that is null": (put(TEXT, *PART, "text", None), "a text is a string"),
    "call that is a thought": (put(CALLS, *PART, "thought", True), "a thought is a text"),
    "thought that is false": (put(THOUGHT, *PART, "thought", False), "a thought is a text"),
    "signature with another alphabet": (put(CALLS, *PART, "thoughtSignature", "tr1.x==="), "is base64"),
    "signature without padding": (put(CALLS, *PART, "thoughtSignature", "c2lnbg"), "is base64"),
    "signature of both alphabets": (put(CALLS, *PART, "thoughtSignature", "c-l+"), "is base64"),
    "call without an id": (without(CALLS, *CALLED, "id"), "a call has its id, its name"),
    "call with an empty id": (put(CALLS, *CALLED, "id", ""), "a call has an id"),
    "one id twice": (put(CALLS, *CALLED, "id", "b"), "the ids of calls are unique"),
    "call without a name": (put(CALLS, *CALLED, "name", ""), "the name of a call is legal"),
    "call without arguments": (without(CALLS, *CALLED, "args"), "a call has its id, its name"),
    "arguments in a text": (put(CALLS, *CALLED, "args", "{}"), "arguments are an object"),
    "call in pieces": (put(CALLS, *CALLED, "willContinue", True), "a call is whole"),
    "media without data": (put(CALLS, *PART, {"inlineData": {"mimeType": "image/png"}}), "media has its"),
    "STOP without parts": (lambda events: events.__setitem__(slice(1, 6), []), "candidate 0 has no parts"),
    "no candidate": (
        lambda events: events.__setitem__(slice(0, 7), [event(usageMetadata=USAGE)]),
        "there is no candidate",
    ),
    "nothing": (lambda events: events.clear(), "there is no candidate and no error"),
    "event behind an error": (added(END, ERROR), "an event behind an error"),
    "candidate of a blocked prompt": (added(0, BLOCKED), "a candidate of a blocked prompt"),
    "unknown block reason": (put(END, "promptFeedback", {"blockReason": "content_filter"}), "blockReason"),
}


def write(events: list[Json]) -> bytes:
    """Return the bytes of a stream of server-sent events."""
    return "".join(f"data: {json.dumps(one)}\n\n" for one in events).encode()


def test_stream_of_the_api_has_no_fault_and_adds_up_to_its_answer() -> None:
    assert find_stream_faults(write(EVENTS)) == []
    assert find_array_faults(json.dumps(EVENTS, indent=1).encode()) == []
    assert find_answer_faults(ANSWER) == []
    told = answer_of(EVENTS)
    assert told == answer_of([ANSWER])
    assert told["candidates"] == [
        {"index": 0, "parts": ANSWER["candidates"][0]["content"]["parts"], "finishReason": "STOP"}
    ]
    assert (told["usageMetadata"], told["responseId"]) == (USAGE, "r")


@pytest.mark.parametrize("case", BROKEN)
def test_fault_of_each_rule_is_found(case: str) -> None:
    edit, rule = BROKEN[case]
    events = copy.deepcopy(EVENTS)
    edit(events)

    assert any(rule in fault for fault in find_stream_faults(write(events)))
    assert find_stream_faults(write(events)) == find_array_faults(json.dumps(events).encode())


@pytest.mark.parametrize("count", range(len(EVENTS)))
def test_error_may_end_a_stream_at_any_place(count: int) -> None:
    assert find_event_faults([*EVENTS[:count], ERROR]) == []


@pytest.mark.parametrize("count", range(len(EVENTS)))
def test_stream_that_is_cut_off_is_no_fault_where_the_end_may_be_missing(count: int) -> None:
    assert find_event_faults(EVENTS[:count], complete=False) == []
    assert find_event_faults(EVENTS[:count]) != []


def test_blocked_prompt_has_no_candidate() -> None:
    assert find_event_faults([BLOCKED]) == []
    assert find_answer_faults(BLOCKED) == []


def test_candidates_may_come_in_turns() -> None:
    ends = [{"finishReason": "STOP", "index": at} for at in range(2)]
    events = [
        event(said({"text": "a"}), said({"text": "c"}, index=1)),
        event(said({"text": "b"}), said({"text": "d"}, index=1)),
        event(*ends, usageMetadata=USAGE),
    ]

    assert find_event_faults(events) == []
    texts = [one["parts"][0]["text"] for one in answer_of(events)["candidates"]]
    assert texts == ["ab", "cd"]


def test_relayed_stream_may_have_what_only_the_provider_knows() -> None:
    events = copy.deepcopy(EVENTS)
    events[TEXT]["serverFields"] = {}
    events[TEXT]["candidates"][0]["content"]["parts"].append({"hologram": 1})
    events[CALLS]["candidates"][0]["content"]["parts"] = [{"functionCall": {"name": "f"}}]
    events[END]["candidates"][0]["finishReason"] = "MALFORMED_FUNCTION_CALL"
    events[END]["usageMetadata"] = {"promptTokenCount": 3}

    assert find_event_faults(events, relayed=True) == []
    assert find_event_faults(events) != []


@pytest.mark.parametrize(
    "raw",
    [
        b": comment\n\n",
        b"data: [DONE]\n\n",
        b'event: x\ndata: {"candidates": []}\n\n',
        b'data: {"candidates": []}\n',
        b"data: [{}]\n\n",
    ],
)
def test_other_framing_of_events_is_refused(raw: bytes) -> None:
    with pytest.raises((AssertionError, ValueError)):
        events_of(raw)


@pytest.mark.parametrize("raw", [b"", b"{}", b"[{},", b"[1]", b"[{}]\n[DONE]"])
def test_other_framing_of_an_array_is_refused(raw: bytes) -> None:
    with pytest.raises((AssertionError, ValueError)):
        elements_of(raw)


@pytest.mark.parametrize("name", ["modelVersion", "responseId", "usageMetadata"])
def test_missing_field_of_a_whole_answer_is_found(name: str) -> None:
    answer = {key: value for key, value in ANSWER.items() if key != name}

    assert any(name in fault for fault in find_answer_faults(answer))


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (ERROR, "an answer is no error"),
        (event(said({"text": ""}), usageMetadata=USAGE), "an empty text in candidate 0"),
        (event(said(CALL), usageMetadata=USAGE), "candidate 0 has no finish reason"),
        ({"candidates": {}, **NAMED}, "candidates are a list"),
    ],
)
def test_fault_of_a_whole_answer_is_found(answer: Json, rule: str) -> None:
    assert any(rule in fault for fault in find_answer_faults(answer))


INFO = "type.googleapis.com/google.rpc."
LIMITED: Json = {
    "error": {
        "code": 429,
        "message": "Please retry in 3s.",
        "status": "RESOURCE_EXHAUSTED",
        "details": [
            {"@type": f"{INFO}RetryInfo", "retryDelay": "3s"},
            {
                "@type": f"{INFO}BadRequest",
                "fieldViolations": [{"field": "contents[0]", "description": "must be an object"}],
            },
        ],
    }
}


def test_error_in_googles_envelope_has_no_fault() -> None:
    assert find_error_faults(ERROR, 503) == []
    assert find_error_faults(LIMITED, 429) == []


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"message": ""}, "an error says what it is"),
        ({"message": "Traceback (most recent call last)"}, "an error says what it is"),
        ({"code": "429"}, "the code of a status"),
        ({"code": 400}, "the code of a status"),
        ({"status": "rate_limit_error"}, "an unknown status"),
        ({"type": "rate_limit_error"}, "an unknown field of an error"),
        ({"details": {}}, "details are a list"),
        ({"details": [{"retryDelay": "3s"}]}, "a detail has a type"),
        ({"details": [{"@type": f"{INFO}RetryInfo", "retryDelay": 3}]}, "a delay has seconds"),
        ({"details": [{"@type": f"{INFO}BadRequest"}]}, "a violation has its field"),
    ],
)
def test_fault_of_an_error_is_found(change: Json, rule: str) -> None:
    assert any(rule in fault for fault in find_error_faults({"error": LIMITED["error"] | change}))


@pytest.mark.parametrize("envelope", [{}, [], {"type": "error", **ERROR}, {"error": "no"}])
def test_other_envelope_is_refused(envelope: Any) -> None:
    assert find_error_faults(envelope) != []


def test_code_is_the_one_of_http() -> None:
    assert find_error_faults(ERROR, 500) == ["the code is HTTP's status"]
