"""Tests of the wire as the protocol of wires."""

from __future__ import annotations

import json

from proxy.core.source import OPENAI_RESPONSES, SOURCE, AnswerSource
from proxy.upstream.wires.openai.wire import AZURE, OPENAI
from proxy.upstream.wires.table import RESPONSES
from tests.proxy.upstream.wires.openai_responses.calling import call_for, openai
from tests.support.native_responses import ITEMS, response

WIRE = RESPONSES["openai"]


def test_key_and_errors_are_those_of_chats() -> None:
    deployment = openai()
    azure = openai("azure/g", api_base="https://a.openai.azure.com", api_version="2025-04-01-preview")
    refusal = b'{"error":{"message":"Too many tokens."}}'

    assert WIRE.headers(deployment) == OPENAI.chat.headers(deployment)
    assert RESPONSES["azure"].headers(azure) == AZURE.chat.headers(azure)
    assert WIRE.read_error(400, refusal) == "Too many tokens."
    assert WIRE.unsupported(deployment, {"top_k": 1}) == {"top_k"}
    url = RESPONSES["azure"].url(call_for({}, azure), stream=True)
    assert url == "https://a.openai.azure.com/openai/responses?api-version=2025-04-01-preview"


def test_answer_has_the_response_as_its_source() -> None:
    native = response(ITEMS)
    answer = WIRE.read_answer(json.dumps(native).encode(), call_for({}))

    assert answer[SOURCE] == AnswerSource(OPENAI_RESPONSES, native)
    assert WIRE.format == OPENAI_RESPONSES
