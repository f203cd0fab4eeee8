"""Tests of usage that stands in another place of a stream."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.upstream.wires.openai import StreamReader
from proxy.upstream.wires.openai.odd_usage import take_odd_usage

USAGE = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}


@pytest.mark.parametrize(
    ("chunk", "choice", "wanted"),
    [
        pytest.param({}, {"usage": USAGE}, USAGE, id="Moonshot"),
        pytest.param({"usage": None}, {"usage": USAGE}, USAGE, id="null counts as none"),
        pytest.param({"x_groq": {"id": "r", "usage": USAGE}}, {}, USAGE, id="Groq"),
        pytest.param({"x_groq": {"usage": {"a": 1}}}, {"usage": USAGE}, USAGE, id="the choice first"),
        pytest.param({"usage": {"a": 1}}, {"usage": USAGE}, {"a": 1}, id="its own"),
        pytest.param({"x_groq": {"id": "r"}}, {}, None, id="no usage in x_groq"),
        pytest.param({"x_groq": "r"}, {"usage": "none"}, None, id="other types"),
        pytest.param({}, {"usage": [1]}, None, id="a list"),
        pytest.param({}, {}, None, id="none"),
    ],
)
def test_usage_of_a_stream_is_found_in_each_place(chunk: Any, choice: Any, wanted: Any) -> None:
    """The usage of the chunk itself takes precedence."""
    take_odd_usage(chunk, choice)

    assert chunk.get("usage") == wanted


LAST = {"index": 0, "delta": {}, "finish_reason": "stop"}


@pytest.mark.parametrize(
    ("event", "usage"),
    [
        ({"choices": [LAST], "usage": USAGE}, USAGE),
        ({"choices": [], "usage": USAGE}, USAGE),
        ({"choices": [{**LAST, "usage": USAGE}]}, USAGE),
        ({"choices": [LAST], "x_groq": {"usage": USAGE}}, USAGE),
        ({"choices": [{"index": 0, "delta": {"content": "a"}}], "x_groq": {"id": "r"}}, None),
    ],
)
def test_usage_of_a_streams_event_is_read(event: Any, usage: Any) -> None:
    """The usage stands in the last event of a choice, or in one of its own."""
    [chunk] = StreamReader().feed(json.dumps(event).encode())

    assert chunk.get("usage") == usage
