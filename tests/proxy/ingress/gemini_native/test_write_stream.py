"""Tests of the writer of a stream."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest, UpstreamFault
from proxy.core.json_text import write_json
from proxy.ingress.gemini_native.places import ContentPlaces
from proxy.ingress.token_numbers import TokenNumbers
from sanitizers.native import Span
from tests.proxy.ingress.gemini_native.deltas import (
    USAGE,
    answers,
    calls,
    chunk,
    piece,
    usage_chunk,
    write,
    written,
)
from tests.support.gemini_grammar import (
    answer_of,
    elements_of,
    events_of,
    find_array_faults,
    find_stream_faults,
)

BEGUN = chunk(role="assistant", content="")


def event(*parts: dict[str, Any], finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """Return an event of Gemini's own."""
    candidate: dict[str, Any] = {"content": {"parts": [*parts], "role": "model"}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": "m", "responseId": "i", **fields}


def test_pieces_of_text_add_up() -> None:
    found = written(BEGUN, chunk(content="Good "), chunk(content="day."), usage_chunk(USAGE))

    assert found["candidates"] == [{"index": 0, "parts": [{"text": "Good day."}], "finishReason": "STOP"}]
    assert (found["modelVersion"], found["responseId"]) == ("m", "i")


def test_each_piece_of_text_is_an_event() -> None:
    events = events_of(write(chunk(content="A"), chunk(content="B")))

    assert [one["candidates"][0].get("content", {}).get("parts") for one in events] == [
        [{"text": "A"}],
        [{"text": "B"}],
        [{"text": ""}],  # google-genai drops a turn of a chat whose last event has no content
    ]


def test_counts_come_last() -> None:
    *earlier, last = events_of(write(chunk(content="A"), chunk("stop"), usage_chunk(USAGE), finish=None))

    assert last["usageMetadata"]["promptTokenCount"] == 10
    assert all("usageMetadata" not in one for one in earlier)


def test_answer_without_counts_has_an_estimate() -> None:
    usage = written(chunk(content="12345678"), numbers=lambda: TokenNumbers(7))["usageMetadata"]

    assert (usage["promptTokenCount"], usage["candidatesTokenCount"]) == (7, 2)


def test_plain_texts_are_written_the_same_way_as_others() -> None:
    """Most chunks take a short way."""
    plain, long = answers().write_stream(), answers().write_stream()
    for writer in (plain, long):
        writer.write_chunk(chunk(role="assistant", content="A"))
    given = chunk(content='B\u2028"é')

    assert plain.write_chunk(given) == long.write_chunk(
        {**given, "choices": [{**given["choices"][0], "x": 1}]}
    )


@pytest.mark.parametrize("split", range(1, 8))
def test_call_is_whole_wherever_its_pieces_end(split: int) -> None:
    arguments = '{"a":1}'
    found = written(
        chunk(content="A"),
        calls(piece(0, arguments[:split], begins=True), piece(1, "{}", begins=True)),
        calls(piece(0, arguments[split:])),
        finish="tool_calls",
    )

    assert [part.get("functionCall") for part in found["candidates"][0]["parts"]] == [
        None,
        {"id": "call_0", "name": "f0", "args": {"a": 1}},
        {"id": "call_1", "name": "f1", "args": {}},
    ]


def test_text_behind_the_end_of_its_choice_says_nothing() -> None:
    found = written(chunk(content="A"), chunk("stop"), chunk(content="B"), finish=None)

    assert found["candidates"][0]["parts"] == [{"text": "A"}]


def test_thoughts_are_shown_to_those_who_want_them() -> None:
    deltas = (chunk(reasoning_content="Hm."), chunk(content="A"))

    assert written(*deltas)["candidates"][0]["parts"] == [{"text": "Hm.", "thought": True}, {"text": "A"}]
    assert written(*deltas, shows_thoughts=False)["candidates"][0]["parts"] == [{"text": "A"}]


def test_answer_that_says_nothing_has_a_part() -> None:
    assert written(BEGUN)["candidates"][0]["parts"] == [{"text": " "}]


def test_answer_of_which_nothing_passed_a_filter_has_no_candidate() -> None:
    [last] = events_of(write(BEGUN, finish="content_filter"))

    assert (last["promptFeedback"], "candidates" in last) == ({"blockReason": "SAFETY"}, False)
    assert written(chunk(content="A"), finish="content_filter")["candidates"][0]["finishReason"] == "SAFETY"


def test_several_choices_are_several_candidates() -> None:
    found = written(
        chunk(content="A"),
        chunk(content="B", index=1),
        chunk(content="C"),
        chunk("length", index=1),
        chunk(content="D"),
    )

    assert [(one["parts"], one["finishReason"]) for one in found["candidates"]] == [
        ([{"text": "ACD"}], "STOP"),
        ([{"text": "B"}], "MAX_TOKENS"),
    ]


@pytest.mark.parametrize("texts", [(), ("A",), ("A", "B")])
def test_array_has_the_same_elements_as_the_events(texts: tuple[str, ...]) -> None:
    given = [chunk(content=text) for text in texts]
    array, events = write(*given, is_array=True), write(*given)

    assert elements_of(array) == events_of(events)
    assert find_array_faults(array) == find_stream_faults(events) == []


@pytest.mark.parametrize("is_array", [False, True])
@pytest.mark.parametrize("begins", [False, True])
def test_stream_that_fails_ends_with_the_error(is_array: bool, begins: bool) -> None:
    """google-genai takes a silent end for a whole answer."""
    writer = answers(is_array=is_array).write_stream()
    raw = writer.write_chunk(chunk(content="A")) if begins else b""
    raw += writer.write_error(UpstreamFault("It broke.", upstream_status=503))
    events = elements_of(raw) if is_array else events_of(raw)

    assert events[-1]["error"]["status"] == "UNAVAILABLE"
    assert len(events) == 1 + begins
    assert writer.write_end() == writer.write_error(UpstreamFault("x")) == b""
    assert writer.write_chunk(chunk(content="B")) == b""


def test_stream_without_a_finish_reason_ends_with_an_error() -> None:
    raw = write(chunk(content="A"), finish=None)

    assert "error" in events_of(raw)[-1]
    assert "finishReason" not in raw.decode()


def test_error_in_a_stream_has_the_clients_places() -> None:

    places = ContentPlaces([Span(range(1), range(1, 2))])
    [last] = events_of(
        answers(places=places).write_stream().write_error(InvalidRequest("No.", param="messages[1]"))
    )

    assert last["error"]["message"] == "contents[0]: No."


def test_events_of_gemini_go_out_as_they_came() -> None:
    writer = answers().write_stream()
    given = [
        event({"text": "A", "new": 1}, newField={"x": 1}),
        event({"functionCall": {"name": "f0", "args": {}}, "thoughtSignature": "QQ=="}),
        event({"text": ""}, finish="STOP", usageMetadata={"promptTokenCount": 1}),
    ]
    chunks = [chunk(content="A"), calls(piece(0, "{}", begins=True)), {**chunk(), "choices": []}]
    raw = b"".join(map(writer.write_native, given, chunks))
    raw += (
        writer.write_chunk(chunk("tool_calls")) + writer.write_chunk(usage_chunk(USAGE)) + writer.write_end()
    )

    assert events_of(raw) == given


def test_renamed_tool_has_the_clients_name_in_geminis_event() -> None:
    writer = answers().write_stream()
    given = event({"functionCall": {"name": "renamed", "args": {}}})
    [found] = events_of(writer.write_native(given, calls(piece(0, "{}", begins=True))))

    assert found == event({"functionCall": {"name": "f0", "args": {}}})


def test_answer_goes_on_in_its_own_form_behind_a_repair() -> None:
    writer = answers().write_stream()
    raw = writer.write_native(event({"text": "A"}), chunk(content="A"))
    raw += writer.write_chunk(chunk(content="b"))
    raw += writer.write_native(event({"text": "C"}, finish="STOP"), chunk(content="C"))
    raw += writer.write_chunk(chunk("stop")) + writer.write_chunk(usage_chunk(USAGE)) + writer.write_end()

    assert find_stream_faults(raw) == []
    [candidate] = answer_of(events_of(raw))["candidates"]
    assert (candidate["parts"], candidate["finishReason"]) == ([{"text": "AbC"}], "STOP")


def test_call_that_a_repair_held_back_follows_geminis_end() -> None:
    writer = answers().write_stream()
    raw = writer.write_native(event({"text": "A"}, finish="STOP"), chunk(content="A"))
    raw += (
        writer.write_chunk(chunk("tool_calls", tool_calls=[piece(0, "{}", begins=True)])) + writer.write_end()
    )
    last = events_of(raw)[-1]

    assert last["candidates"][0]["content"]["parts"][0]["functionCall"]["name"] == "f0"
    assert "usageMetadata" in last


def test_finish_reason_waits_for_a_call_that_is_kept() -> None:
    """A repair has changed the call, so that Gemini's end would come before it."""
    writer = answers().write_stream()
    raw = writer.write_native(event({"text": "A"}), chunk(content="A"))
    raw += writer.write_chunk(calls(piece(0, "{}", begins=True)))
    raw += writer.write_native(event({"text": ""}, finish="STOP"), {**chunk(), "choices": []})
    raw += (
        writer.write_chunk(chunk("tool_calls")) + writer.write_chunk(usage_chunk(USAGE)) + writer.write_end()
    )

    assert find_stream_faults(raw) == []
    assert raw.count(b"finishReason") == 1


def test_text_behind_bare_log_probabilities_is_the_answer() -> None:
    """The short way is for a candidate that has said something."""
    logged = chunk()
    logged["choices"][0]["logprobs"] = {"content": [{"token": "A", "logprob": -1.0}]}

    assert written(logged, chunk(content="A"), chunk(content="B"))["candidates"][0]["parts"] == [
        {"text": "AB"}
    ]


def test_text_in_the_last_chunk_of_its_choice_is_the_last_one() -> None:
    found = written(chunk("stop", content="A"), chunk(content="B"), finish=None)

    assert found["candidates"][0]["parts"] == [{"text": "A"}]


def test_blocked_prompt_is_told_once() -> None:
    writer = answers().write_stream()
    given = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "modelVersion": "m", "responseId": "i"}
    raw = writer.write_native(given, {**chunk(), "choices": []})
    raw += writer.write_chunk(chunk("content_filter")) + writer.write_end()

    assert events_of(raw) == [given]


def test_chunk_that_was_held_back_is_written_the_same_way() -> None:
    given = chunk(content="A")

    assert answers().write_stream().write_encoded(write_json(given)) == answers().write_stream().write_chunk(
        given
    )


def test_events_are_json_of_one_line() -> None:
    raw = write(chunk(content='A\n\n"\u2028'))

    assert all(json.loads(line.removeprefix("data: ")) for line in raw.decode().split("\n\n") if line)
