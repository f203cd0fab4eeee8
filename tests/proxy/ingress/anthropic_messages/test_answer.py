"""Tests of the format of one request's answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.anthropic_messages.answer import PING
from proxy.ingress.anthropic_messages.message_places import MessagePlaces
from sanitizers.native import Span
from tests.proxy.ingress.anthropic_messages.deltas import answers, chunk
from tests.support.scripted_upstream import answer


def test_whole_answer_and_stream_have_the_same_id_and_model() -> None:
    given = answers()
    whole = json.loads(given.write_answer(answer()))
    first = given.write_stream().write_chunk(chunk(content="A")).split(b"\n")[1]
    begun = json.loads(first.removeprefix(b"data: "))["message"]

    assert (whole["id"], whole["model"]) == (begun["id"], begun["model"]) == (given.message_id, "asked")


def test_native_answer_keeps_its_fields() -> None:
    native = {"id": "msg_1", "model": "m", "content": [], "more": 1, "usage": {"odd": 1}}

    assert json.loads(answers().write_native_answer(native, answer())) == {**native, "model": "asked"}


@pytest.mark.parametrize("held", [{}, {"usage": None}])
def test_counts_that_a_server_leaves_out_are_estimated(held: dict[str, Any]) -> None:
    """Anthropic's SDK for Python has no counts then, and its users' code fails."""
    native = {"id": "msg_1", "model": "m", "content": [], **held}
    usage = json.loads(answers().write_native_answer(native, answer()))["usage"]

    assert usage["input_tokens"] > 0
    assert usage["output_tokens"] > 0


def test_error_has_the_requests_id_and_places() -> None:
    places = MessagePlaces([Span(range(2), range(2))])
    error = InvalidRequest("It is wrong.", param="messages[1]")
    written = json.loads(answers(request_id="req_1", places=places).write_error(error))

    assert (written["request_id"], written["error"]["message"]) == ("req_1", "messages.0: It is wrong.")


def test_silent_stream_gets_pings() -> None:
    assert answers().keep_alive == PING == b'event: ping\ndata: {"type":"ping"}\n\n'
