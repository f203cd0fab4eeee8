"""Tests how contents become chat messages."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers.errors import Unrepairable
from sanitizers.native.gemini.project import project_contents
from sanitizers.native.protocol import HELD_PLACEHOLDER
from sanitizers.work_limit import WorkLimit, limited_by
from tests.sanitizers.native.gemini.building import SIGNED, answered, called, model, said, user
from tests.support.strategies.contents import PNG


def content_of(part: dict[str, Any], role: str = "user") -> Any:
    """Return the content of the message for *part* alone."""
    [message] = project_contents([{"role": role, "parts": [part]}]).messages
    return message["content"]


@pytest.mark.parametrize(
    ("part", "content"),
    [
        (said("a"), "a"),
        ({"text": "a", "thoughtSignature": "x"}, [{"type": "text", "text": "a"}]),
        ({"text": "a", "thought": True}, ""),
        ({"text": ""}, ""),
        (
            {"inline_data": {"mime_type": "image/png", "data": PNG}},
            [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}],
        ),
        (
            {"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}},
            [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}],
        ),
        (
            {"inlineData": {"mimeType": "application/pdf", "data": "AAAA"}},
            [
                {
                    "type": "file",
                    "file": {"file_data": "data:application/pdf;base64,AAAA", "filename": "file.pdf"},
                }
            ],
        ),
        (
            {"fileData": {"mimeType": "image/png", "fileUri": "files/a"}},
            [{"type": "text", "text": HELD_PLACEHOLDER}],
        ),
        (
            {"executableCode": {"language": "PYTHON", "code": "1"}},
            [{"type": "text", "text": "```python\n1\n```"}],
        ),
        ({"codeExecutionResult": {"output": "1"}}, [{"type": "text", "text": "```\n1\n```"}]),
        ({"toolCall": {"a": 1}}, [{"type": "text", "text": '```json\n{"a":1}\n```'}]),
    ],
)
def test_part_becomes_what_a_message_can_hold(part: dict[str, Any], content: Any) -> None:
    """Bytes become media. Data that a message cannot hold becomes a text."""
    assert content_of(part) == content


def test_media_of_the_model_becomes_a_text() -> None:
    """Media in the model's content becomes a text, since providers accept no media in assistant messages."""
    part = {"inlineData": {"mimeType": "image/png", "data": PNG}}

    assert content_of(part, "model") == [{"type": "text", "text": "[image/png]"}]


@pytest.mark.parametrize(
    ("response", "content"),
    [
        ({"output": "a"}, "a"),
        ({"result": "a"}, "a"),
        ({"error": "a"}, '{"error":"a"}'),
        ({"output": 1}, '{"output":1}'),
        ({"output": "a", "more": "b"}, '{"output":"a","more":"b"}'),
        ({}, "{}"),
        (None, ""),
        ([1], "[1]"),
    ],
)
def test_response_is_the_text_under_its_usual_key_or_json(response: Any, content: str) -> None:
    """A response is the text under its usual key, or JSON.

    An error keeps its key, since its text alone could read as a success.
    """
    part = {"functionResponse": {"name": "f", "response": response}}

    assert content_of(part) == content


def test_signature_stands_on_its_call() -> None:
    """A signature goes to ``extra_content.google`` of its call, so that a changed call keeps the signature."""
    [message] = project_contents([model(called("f", "a"))]).messages

    assert message["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": SIGNED}}


@pytest.mark.parametrize(
    ("calls", "responses", "order"),
    [
        ([called("f", "a"), called("f", "b")], [answered("f", "b"), answered("f", "a")], [1, 0]),
        ([called("f"), called("g")], [answered("g"), answered("f")], [1, 0]),
        ([called("f"), called("f")], [answered("f"), answered("f")], [0, 1]),
        ([called("f", "a"), called("g", "b")], [answered("g"), answered("f")], [1, 0]),
        ([called("f"), called("g")], [answered("f", "x"), answered("g", "y")], [0, 1]),
        ([called("f", "a"), called("f", "b")], [answered("f", "a"), answered("f", "x")], [0, 1]),
        ([called("f", "a")], [answered("other", "a")], [0]),
    ],
)
def test_response_belongs_to_the_call_of_its_id_or_else_of_its_name_and_order(
    calls: list[Any], responses: list[Any], order: list[int]
) -> None:
    """A response belongs to a call of the content before it: by its id, else by its name and order."""
    turn, *results = project_contents([model(*calls), user(*responses)]).messages
    ids = [call["id"] for call in turn["tool_calls"]]

    assert [ids.index(result["tool_call_id"]) for result in results] == order


def test_response_without_a_call_keeps_its_name_for_the_pipeline() -> None:
    """A response without a call keeps its name and gets no id, so that it matches no other call."""
    [result] = project_contents([user(answered("f"))]).messages

    assert result == {"role": "tool", "name": "f", "content": "done"}


def test_derived_ids_differ_and_stay_while_the_list_grows() -> None:
    """Ids derived for calls without an id differ, and stay the same while the list grows.

    So prompt caches keep hitting.
    """
    start = [user(said()), model(called("f"), called("f"))]
    first = project_contents(start)
    longer = project_contents([*start, user(answered("f"), answered("f")), model(called("f"))])

    ids = [call["id"] for call in longer.messages[1]["tool_calls"]]
    assert len(set(ids)) == 2
    assert ids == [call["id"] for call in first.messages[1]["tool_calls"]]
    assert longer.unnamed == {*ids, longer.messages[-1]["tool_calls"][0]["id"]}


def test_derived_id_differs_from_every_id_of_the_list() -> None:
    """An id derived for a call without one differs from every id of the list, also from later ids."""
    [turn] = project_contents([model(called("f"))]).messages
    taken = turn["tool_calls"][0]["id"]

    first, *_ = project_contents(
        [model(called("f")), user(answered("f")), model(called("g", taken))]
    ).messages

    assert first["tool_calls"][0]["id"] != taken


def test_originals_are_keyed_by_objects_that_stay_alive() -> None:
    """``originals`` is keyed by the ``id()`` of message parts and calls that stay alive.

    The ``id()`` of a deleted object could become another's.
    """
    part = {"text": "a", "videoMetadata": {}}
    projected = project_contents([model(part, called("f")), user(answered("f")), user(said())])
    turn = projected.messages[0]

    assert projected.originals.keys() == {id(turn["content"][0]), id(turn["tool_calls"][0])}


@pytest.mark.parametrize(
    ("content", "roles"),
    [
        (user(said(), answered("f"), answered("g"), said()), ["tool", "tool", "user"]),
        (model(called("f"), answered("f"), called("g"), answered("g")), ["assistant", "tool"] * 2),
        (user(said(), called("f")), ["user", "assistant"]),
        ({"role": "function", "parts": [answered("f")]}, ["tool"]),
        ({"role": "assistant", "parts": [said()]}, ["assistant"]),
        ({"parts": [said()]}, ["user"]),
        (user(), ["user"]),
    ],
)
def test_one_content_can_be_several_messages(content: dict[str, Any], roles: list[str]) -> None:
    """One content can become several messages, each with its role. Results come before the user's texts."""
    projected = project_contents([content])

    assert [message["role"] for message in projected.messages] == roles
    assert [*projected.spans[0].messages] == [*range(len(roles))]


def test_chunks_of_an_answer_are_one_message() -> None:
    """google-genai keeps each chunk of a stream as a content of its own (3.6.1, run in 2026-11)."""
    chunks = [
        model(said("Let")),
        model(said(" me.")),
        model(called("f", "a")),
        model({"functionCall": {"name": "f"}}),
    ]
    native = [user(said()), *chunks, model(said("")), user(answered("f"), answered("f", output="second"))]

    projected = project_contents(native)

    _, turn, first, second = projected.messages
    assert turn["content"] == "Let me."
    assert [first["tool_call_id"], second["tool_call_id"]] == [call["id"] for call in turn["tool_calls"]]
    assert projected.parts[1] == [part for chunk in (*chunks, native[5]) for part in chunk["parts"]]
    assert [(span.items, span.messages) for span in projected.spans] == [
        (range(1), range(1)),
        (range(1, 6), range(1, 2)),
        (range(6, 7), range(2, 4)),
    ]
    assert [projected.item_of(place) for place in range(4)] == [0, 1, 6, 6]
    assert [projected.message_of(index) for index in range(7)] == [0, 1, 1, 1, 1, 1, 2]


def test_fault_in_a_chunk_has_its_own_place() -> None:
    """The place is that of the content which the client sent."""
    with pytest.raises(Unrepairable) as caught:
        project_contents([user(said()), model(said("Let")), model(said(" me"), {"text": 3})])
    assert caught.value.param == "contents[2].parts[1].text"


def test_work_is_linear_and_counted() -> None:
    """The work is linear: twice the parts take twice the steps."""

    def steps(size: int) -> int:
        limit = WorkLimit(10**9)
        calls = [called("f") for _ in range(size)]
        responses = [answered("f") for _ in range(size)]
        with limited_by(limit):
            project_contents([model(*calls), user(*responses)])
        return 10**9 - limit.left

    assert steps(400) <= 2 * steps(200) + 10
    assert steps(400) >= 800
