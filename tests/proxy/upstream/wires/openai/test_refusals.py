"""Tests of errors in the body of a 200 on OpenAI's wire, and of the status that is read from such an error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.openai import StreamReader, read_answer
from proxy.upstream.wires.openai.refusals import read_error
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


RETURNED = "Provider returned error"


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({"raw": "x is rate-limited", "provider_name": "X"}, f"{RETURNED}: x is rate-limited"),
        ({"raw": '{"error": {"message": "Too long.", "code": 400}}'}, f"{RETURNED}: Too long."),
        ({"raw": '{"detail": "Too long."}'}, f"{RETURNED}: Too long."),
        ({"raw": '{"status": 400}'}, f'{RETURNED}: {{"status": 400}}'),
        ({"raw": " "}, RETURNED),
        ({"raw": {"error": "Too long."}}, RETURNED),
        ({"reasons": ["moderation"]}, RETURNED),
        ("raw", RETURNED),
        (None, RETURNED),
    ],
)
def test_reason_of_the_provider_behind_openrouter_is_told(metadata: Any, words: str) -> None:
    """The reason stands in ``metadata.raw``, as a text or as the body of the other provider's error."""
    error = {"message": RETURNED, "code": 400, "metadata": metadata}

    assert caught({"error": error}) == [(words, 400)] * 2
    assert read_error(json.dumps({"error": error}).encode()) == words


def test_reason_without_a_message_is_not_told() -> None:
    """Only OpenRouter's own words introduce the reason."""
    assert read_error(json.dumps({"error": {"metadata": {"raw": "Slow down."}}}).encode()) is None


@pytest.mark.parametrize(
    ("code", "status"),
    [(1001, 504), (1002, 429), (1004, 401), (1008, 402), (2013, 400), (1000, None), ("x", None)],
)
@pytest.mark.parametrize("choices", [None, []])
def test_refusal_of_minimax_has_its_words_and_a_status(choices: Any, code: Any, status: int | None) -> None:
    """MiniMax writes it into a 200 that has no choices."""
    body = {"id": "x", "choices": choices, "base_resp": {"status_code": code, "status_msg": "No."}}

    assert caught(body) == [("No.", status)] * 2


@pytest.mark.parametrize("refusal", [{"status_code": 0, "status_msg": ""}, None, "x", {}])
def test_answer_of_minimax_is_no_refusal(refusal: Any) -> None:
    """Each answer has the field, and so has each chunk of usage."""
    read_answer(json.dumps({**answer("x"), "base_resp": refusal}).encode())

    assert StreamReader().feed(json.dumps({"choices": [], "base_resp": refusal}).encode())


def test_error_of_a_choice_has_its_words() -> None:
    """OpenRouter's choice with the finish reason ``error`` holds the error."""
    choice = {"index": 0, "finish_reason": "error", "error": {"code": 503, "message": "Upstream idle."}}

    for read, said in ((read_answer, "message"), (StreamReader().feed, "delta")):
        with pytest.raises(UpstreamFault) as fault:
            read(json.dumps({"choices": [{**choice, said: {"content": ""}}]}).encode())
        assert (fault.value.message, fault.value.upstream_status) == ("Upstream idle.", 503)


def test_body_that_begins_like_an_event_is_read() -> None:
    """NVIDIA's errors begin so (litellm#4558)."""
    assert (
        read_error(b'data:{"status": 500, "detail": "System role not supported"}')
        == "System role not supported"
    )
