"""Tests of the contents that nearly all agents send, which are read without places."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from sanitizers import Unrepairable
from sanitizers.native.gemini.content_reader import ContentReader
from sanitizers.native.gemini.envelope import pack_thoughts
from sanitizers.native.gemini.usual_contents import read_usual_results, read_usual_text, read_usual_turn

SIGNED = "c2lnbmVk"
TEXT = {"text": "a"}
CALL = {"functionCall": {"id": "c1", "name": "f", "args": {"x": [1.5, "✓"]}}}
OTHER = {"functionCall": {"id": "c2", "name": "g", "args": {}}}
RESPONSE = {"functionResponse": {"id": "c1", "name": "f", "response": {"output": "b"}}}
LATER = {"functionResponse": {"id": "c2", "name": "g", "response": {"rows": [1]}}}
NAMES: dict[str | None, str] = {"c1": "f", "c2": "g"}
SEALED = pack_thoughts([{"type": "thinking", "thinking": "a", "signature": "s"}], "o", "c1", "t") or ""


def change(part: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return *part* with changed fields of its data. None removes one."""
    [(kind, held)] = part.items()
    return {kind: {name: value for name, value in {**held, **fields}.items() if value is not None}}


def test_texts_and_calls_are_one_message() -> None:
    """A signature stands on its call, and one of a text is not the chat's."""
    turn = read_usual_turn(
        [TEXT, {**TEXT, "thoughtSignature": SIGNED}, {**CALL, "thoughtSignature": SIGNED}, OTHER]
    )

    assert turn is not None
    function = {"name": "f", "arguments": '{"x":[1.5,"✓"]}'}
    extra = {"google": {"thought_signature": SIGNED}}
    assert turn.message == {
        "role": "assistant",
        "content": "aa",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": function, "extra_content": extra},
            {"id": "c2", "type": "function", "function": {"name": "g", "arguments": "{}"}},
        ],
    }
    assert turn.calls is turn.message["tool_calls"]
    assert turn.names == NAMES
    assert read_usual_turn([TEXT]) == ({"role": "assistant", "content": "a"}, [], {})
    assert read_usual_turn([OTHER]) is not None


@pytest.mark.parametrize(
    "parts",
    [
        [],
        ["x"],
        [{}],
        [{"text": ""}],
        [{"text": 1}],
        [{"text": "a", "thought": True}],
        [{**TEXT, "thoughtSignature": ""}],
        [{**TEXT, "thoughtSignature": 1}],
        [{**TEXT, "thoughtSignature": "c2lnbm"}],
        [{**TEXT, "thoughtSignature": "c2ln-mVk"}],
        [{**TEXT, "thought_signature": SIGNED}],
        [{**CALL, "thoughtSignature": SEALED}],
        [{**CALL, "thoughtSignature": SEALED.replace("-", "+").replace("_", "/")}],
        [{**CALL, "text": "a"}],
        [CALL, TEXT],
        [CALL, CALL],
        [{"functionCall": "x"}],
        [change(CALL, id=None)],
        [change(CALL, id="")],
        [change(CALL, name="")],
        [change(CALL, name=1)],
        [change(CALL, args=None)],
        [change(CALL, args=[])],
        [change(CALL, args={"x": 10**30})],
        [change(CALL, more=1)],
        [{"inlineData": {"mimeType": "image/png", "data": ""}}],
    ],
)
def test_other_parts_of_the_model_are_no_usual_ones(parts: list[Any]) -> None:
    """They need places, ids or reports."""
    assert read_usual_turn(parts) is None


def test_responses_are_results() -> None:
    """They stand in the client's order. A single text is said alone."""
    assert read_usual_results([LATER, RESPONSE], NAMES) == [
        {"role": "tool", "tool_call_id": "c2", "content": '{"rows":[1]}'},
        {"role": "tool", "tool_call_id": "c1", "content": "b"},
    ]


@pytest.mark.parametrize(
    "parts",
    [
        [RESPONSE],
        [RESPONSE, RESPONSE],
        [RESPONSE, TEXT],
        [RESPONSE, "x"],
        [RESPONSE, {**LATER, "thought": True}],
        [RESPONSE, {"functionResponse": "x"}],
        [RESPONSE, change(LATER, id=None)],
        [RESPONSE, change(LATER, id="c3")],
        [RESPONSE, change(LATER, name="f")],
        [RESPONSE, change(LATER, response="x")],
        [RESPONSE, change(LATER, response={"x": 10**30})],
        [RESPONSE, change(LATER, parts=[])],
        [RESPONSE, LATER, LATER],
    ],
)
def test_other_responses_are_no_usual_ones(parts: list[Any]) -> None:
    """Each call has one response, by its id and its name."""
    assert read_usual_results(parts, NAMES) is None


@pytest.mark.parametrize(
    ("parts", "text"),
    [([TEXT], "a"), ([TEXT, TEXT], None), (["x"], None), ([{**TEXT, "thought": True}], None)]
    + [([{"text": value}], None) for value in ("", None, 1)],
)
def test_usual_text_stands_alone(parts: list[Any], text: str | None) -> None:
    """Several texts keep their bounds."""
    assert read_usual_text(parts) == text


PARTS = st.sampled_from(
    [
        TEXT,
        {"text": ""},
        {**TEXT, "thoughtSignature": SIGNED},
        {**TEXT, "thoughtSignature": "c2ln-mV"},
        {**TEXT, "thought": True},
        CALL,
        {**CALL, "thoughtSignature": SIGNED},
        OTHER,
        change(OTHER, id=None),
        change(OTHER, id="c1"),
        change(OTHER, args={"x": 10**30}),
        RESPONSE,
        LATER,
        change(LATER, id=None),
        change(LATER, response={"error": "x"}),
        change(LATER, name="f"),
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
    ]
)
CONTENTS = st.lists(
    st.builds(
        lambda role, parts: {"role": role, "parts": parts},
        st.sampled_from(["user", "model", "model", "user", "assistant", None]),
        st.lists(PARTS, max_size=3),
    ),
    max_size=6,
)


class _WithoutUsual(ContentReader):
    @override
    def _add_usual(self, index: int, content: Any) -> bool:
        return False


@given(CONTENTS)
def test_usual_contents_are_read_as_all_others(contents: list[Any]) -> None:
    """The quick reading changes nothing of what is found."""
    assert found(ContentReader(contents, "t"), contents) == found(_WithoutUsual(contents, "t"), contents)


def test_answered_calls_take_no_further_response() -> None:
    """A later response without an id has no call. The pipeline leaves it out."""
    contents = [
        {"role": "model", "parts": [CALL]},
        {"role": "user", "parts": [RESPONSE]},
        {"role": "user", "parts": [change(RESPONSE, id=None)]},
    ]
    reader = ContentReader(contents, "t")
    for index, content in enumerate(contents):
        reader.add(index, content)

    assert reader.messages[1]["tool_call_id"] == "c1"
    assert reader.messages[2] == {"role": "tool", "name": "f", "content": "b"}


def found(reader: ContentReader, contents: list[Any]) -> Any:
    """Return what *reader* has found in *contents*, or the place of the fault."""
    try:
        for index, content in enumerate(contents):
            reader.add(index, content)
    except Unrepairable as error:
        return error.param
    natives = [[reader.originals.get(id(one)) for one in _pieces(message)] for message in reader.messages]
    seen = (reader.messages, reader.spans, reader.parts, natives, reader.unnamed, reader.odd)
    return (*seen, reader.read.changes, reader.read.needs)


def _pieces(message: dict[str, Any]) -> list[Any]:
    content = message.get("content")
    return [*(content if isinstance(content, list) else ()), *(message.get("tool_calls") or ())]
