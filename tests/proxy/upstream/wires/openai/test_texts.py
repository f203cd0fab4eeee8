"""Tests of text completions as whole answers and as streams."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.upstream_call import TextCall
from proxy.upstream.wires.openai.texts import TextStreamReader, read_text_answer
from proxy.upstream.wires.openai.wire import OPENAI
from tests.proxy.upstream.deployments import LIMITS, deployment_of
from tests.proxy.upstream.wires.openai.test_wire import MODEL


def test_text_stream_is_read_to_its_end() -> None:
    """A text stream is complete after its finish reason, even without ``[DONE]``."""
    assert OPENAI.texts is not None
    reader = OPENAI.texts.read_stream(TextCall(deployment_of(MODEL), {}, LIMITS))
    choice = {"index": 0, "text": "Good day.", "finish_reason": "stop"}
    [chunk] = reader.feed(json.dumps({"object": "text_completion", "choices": [choice]}).encode())

    assert chunk["choices"][0]["text"] == "Good day."
    assert reader.may_end(1)
    assert reader.is_over()
    assert reader.close() == []


@pytest.mark.parametrize(
    ("given", "index", "text"),
    [({"text": "a"}, 0, "a"), ({"index": None, "text": None}, 0, ""), ({"index": 2, "text": "a"}, 2, "a")],
    ids=repr,
)
def test_a_choice_gets_an_index_and_a_text(given: dict[str, Any], index: int, text: str) -> None:
    """A missing index becomes the choice's position, and a missing text becomes empty."""
    [choice] = read_text_answer(orjson.dumps({"choices": [{**given, "finish_reason": "eos"}]}))["choices"]

    assert choice == {**given, "index": index, "text": text, "finish_reason": "stop"}


def test_choices_with_one_index_are_numbered_by_their_order() -> None:
    """Some servers send the index 0 for all choices."""
    choices = [{"index": 0, "text": text, "finish_reason": "stop"} for text in "ab"]

    found = read_text_answer(orjson.dumps({"choices": choices}))["choices"]
    assert [(choice["index"], choice["text"]) for choice in found] == [(0, "a"), (1, "b")]


@pytest.mark.parametrize(
    ("value", "cause"),
    [
        ({"choices": [{"text": "a"}]}, Cause.TRUNCATED),
        ({"choices": [{"text": "a", "finish_reason": "nobody's"}]}, Cause.ODD_END),
        ({"choices": [{"text": 5, "finish_reason": "stop"}]}, Cause.NOT_AN_ANSWER),
        ({"choices": [{"index": True, "text": "a", "finish_reason": "stop"}]}, Cause.NOT_AN_ANSWER),
        ({"choices": [{"text": "a", "finish_reason": 1}]}, Cause.NOT_AN_ANSWER),
        ({"choices": ["a"]}, Cause.NOT_AN_ANSWER),
        ({"choices": {}}, Cause.NOT_AN_ANSWER),
        ({}, Cause.NOT_AN_ANSWER),
        ([], Cause.NOT_AN_ANSWER),
    ],
    ids=repr,
)
def test_a_200_without_a_whole_text_is_a_fault(value: Any, cause: Cause) -> None:
    """A body without complete texts is a fault. A choice without a finish reason counts as truncated."""
    with pytest.raises(UpstreamFault) as caught:
        read_text_answer(orjson.dumps(value))
    assert caught.value.cause is cause


def test_a_text_after_its_finish_reason_is_a_fault_and_blanks_are_none() -> None:
    """A text after the finish reason is a fault, since clients do not read it. Blanks are no fault."""
    reader = TextStreamReader()
    reader.feed(b'{"choices":[{"index":0,"text":"a","finish_reason":"stop"}]}')

    assert reader.feed(b'{"choices":[{"index":0,"text":" \\n"}]}')
    with pytest.raises(UpstreamFault, match="after the finish reason"):
        reader.feed(b'{"choices":[{"index":0,"text":"b"}]}')
