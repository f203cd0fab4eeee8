"""Tests of Gemini's format without the facts of a request."""

from __future__ import annotations

import json

from proxy.core.source import GEMINI_NATIVE as NAME
from proxy.ingress.gemini_native.format import GEMINI_NATIVE
from tests.proxy.ingress.gemini_native.test_native_names import native
from tests.support.gemini_grammar import find_answer_faults
from tests.support.scripted_upstream import answer


def test_answers_are_written_without_a_request() -> None:
    found = json.loads(GEMINI_NATIVE.write_answer(answer()))

    assert find_answer_faults(found) == []
    assert json.loads(GEMINI_NATIVE.write_native_answer(native([]), answer())) == native([])


def test_native_events_are_those_of_the_same_format() -> None:
    assert GEMINI_NATIVE.write_stream().format == GEMINI_NATIVE.name == NAME
