"""Tests of errors in the body of a 200 on OpenAI's wire, and of the status that is read from such an error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.openai import StreamReader, read_answer
from tests.support.scripted_upstream import answer, say

QUOTA = {"code": 429, "message": "Quota exceeded.", "status": "RESOURCE_EXHAUSTED"}


def caught(body: Any) -> list[tuple[str, int | None]]:
    """Return the message and the status of the error in *body*, for a whole answer and for an event."""
    found = []
    for read in (read_answer, StreamReader().feed):
        with pytest.raises(UpstreamFault) as fault:
            read(json.dumps(body).encode())
        found.append((fault.value.message, fault.value.upstream_status))
    return found


@pytest.mark.parametrize("body", [[{"error": QUOTA}], [{}, {"error": QUOTA}], {"error": QUOTA}, QUOTA])
def test_error_is_read_in_each_envelope(body: Any) -> None:
    """The error may be in an array, as at Gemini's OpenAI-compatible endpoint."""
    assert caught(body) == [("Quota exceeded.", 429)] * 2


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"code": "429"}, 429),
        ({"code": "503", "type": "invalid_request_error"}, 503),
        ({"code": None, "status": 404}, 404),
        ({"code": "rate_limit_exceeded"}, 429),
        ({"code": "invalid_api_key", "type": "invalid_request_error"}, 401),
        ({"code": None, "type": "tokens"}, 429),
        ({"type": "rate_limit_error"}, 429),
        ({"type": "overloaded_error"}, 503),
        ({"type": "server_error", "code": "of_our_own"}, 500),
        ({"type": "BadRequestError"}, 400),
        ({"status": "UNAVAILABLE"}, 503),
        ({"code": "200"}, None),
        ({"code": "99999999999999999999999"}, None),
        ({"code": True}, None),
        ({"code": [429], "type": {}}, None),
        ({"code": "1113"}, None),
    ],
    ids=repr,
)
def test_status_is_read_from_code_then_type(error: Any, status: int | None) -> None:
    """A numeric status counts before a known name of an error."""
    assert caught({"error": {"message": "No.", **error}}) == [("No.", status)] * 2


@pytest.mark.parametrize("error", [None, "", {}, [], False, 0], ids=repr)
def test_empty_error_field_is_no_error(error: Any) -> None:
    """Some servers write an empty ``error`` field into every answer."""
    for value in (answer(), {"choices": [], "usage": {"total_tokens": 1}}):
        assert read_answer(json.dumps({**value, "error": error}).encode())["choices"] == value["choices"]
    assert StreamReader().feed(json.dumps({**say("x"), "error": error}).encode())
    assert StreamReader().feed(json.dumps({"choices": [], "error": error}).encode())


def test_message_without_a_status_is_no_error() -> None:
    assert StreamReader().feed(b'{"message": "processing"}') == [{"message": "processing"}]
