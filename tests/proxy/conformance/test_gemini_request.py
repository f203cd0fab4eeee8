"""Tests that texts, results and media of a request in Gemini's format are read in both spellings."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.conformance.gemini_request import Carried, read_carried
from tests.proxy.conformance.builders import contents, response

DATA = {"mimeType": "image/png", "data": "AAAA"}


def test_texts_are_those_of_the_instruction_and_of_contents() -> None:
    body = contents({"text": "b"}, systemInstruction={"parts": [{"text": "a"}]})

    assert read_carried(body).texts == ("a", "b")


def test_texts_of_a_response_are_results_alone() -> None:
    found = read_carried(contents(response({"content": "c"}, {"text": "d"})))

    assert found == Carried((), ([{"content": "c"}, ["d"]],), 0)


def test_snake_case_is_read_too() -> None:
    """The fields of a request are also read in snake case, since Google's JSON reader accepts both spellings."""
    body = contents(
        {"function_response": {"response": {"content": "c"}, "parts": [{"inline_data": DATA}]}},
        {"file_data": {"file_uri": "gs://a/b"}},
        system_instruction={"parts": [{"text": "a"}]},
    )

    assert read_carried(body) == Carried(("a",), ([{"content": "c"}, [None]],), 2)


def test_media_of_contents_and_of_responses_are_counted() -> None:
    body = contents({"inlineData": DATA}, response({}, {"inlineData": DATA}, {"fileData": DATA}))

    assert read_carried(body).media == 3


@pytest.mark.parametrize(
    "body",
    [
        None,
        "text",
        [],
        {},
        {"contents": {}},
        {"contents": [None, {"parts": None}, {"parts": ["text", {"text": 7}]}]},
        {"systemInstruction": "text"},
        contents({"functionResponse": "text"}),
        contents({"functionResponse": {"parts": ["text"]}}, {"functionResponse": None}),
    ],
    ids=str,
)
def test_value_of_another_form_carries_no_text(body: Any) -> None:
    """A body that has not the form of a request carries no text, and reading it raises nothing."""
    assert read_carried(body).texts == ()
