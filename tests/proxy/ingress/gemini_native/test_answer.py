"""Tests of the format of one request's answer."""

from __future__ import annotations

import json

import pytest

from proxy.core.errors import InvalidRequest
from proxy.core.json_text import EVENT_STREAM
from proxy.ingress.gemini_native.places import ContentPlaces
from proxy.ingress.gemini_native.stream_framing import ARRAY, SSE
from sanitizers.native import Span
from tests.proxy.ingress.gemini_native.deltas import answers
from tests.proxy.ingress.gemini_native.test_native_names import native
from tests.proxy.ingress.gemini_native.test_write_parts import call
from tests.support.scripted_upstream import answer


@pytest.mark.parametrize(("is_array", "content_type"), [(False, EVENT_STREAM), (True, ARRAY.content_type)])
def test_stream_has_the_type_of_its_form(is_array: bool, content_type: str) -> None:
    made = answers(is_array=is_array)

    assert made.stream_content_type == content_type
    assert made.keep_alive == (ARRAY if is_array else SSE).keep_alive


def test_geminis_answer_goes_out_as_it_came() -> None:
    given = {**native([]), "newField": 1}

    assert json.loads(answers().write_native_answer(given, answer("x"))) == given


def test_geminis_answer_has_the_clients_names() -> None:
    canonical = answer(tool_calls=[{**call(), "function": {"name": "mine", "arguments": "{}"}}])
    found = json.loads(answers().write_native_answer(native(["theirs"]), canonical))
    doubtful = json.loads(answers().write_native_answer(native(["theirs", "theirs"]), canonical))

    assert found == native(["mine"])
    assert doubtful["candidates"][0]["content"]["parts"][-1]["functionCall"]["id"] == "call_1"


def test_error_has_the_clients_places() -> None:
    places = ContentPlaces([Span(range(2), range(2))])
    error = InvalidRequest("No.", param="messages[0]")

    assert json.loads(answers(places=places).write_error(error))["error"]["message"] == "contents[0]: No."
