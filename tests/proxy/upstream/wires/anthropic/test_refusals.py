"""Tests of Anthropic's errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.anthropic.refusals import NO_MESSAGE, raise_error, read_error, refuse_message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "Overloaded"),
        ({"error": "no"}, "no"),
        ({"message": "no"}, "no"),
        ({"code": 500, "msg": "404 NOT_FOUND", "success": False}, "404 NOT_FOUND"),
        ({"detail": "no"}, "no"),
        ({"error": {"message": ""}}, None),
        ({}, None),
        ([], None),
    ],
)
def test_message_is_found_in_every_envelope(body: Any, message: str | None) -> None:
    """Servers of other vendors have envelopes of their own."""
    assert read_error(json.dumps(body).encode()) == message


def test_page_has_no_message() -> None:
    """A proxy on the way may answer with HTML."""
    assert read_error(b"<html>") is None


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("invalid_request_error", 400),
        ("authentication_error", 401),
        ("billing_error", 402),
        ("permission_error", 403),
        ("not_found_error", 404),
        ("conflict_error", 409),
        ("request_too_large", 413),
        ("rate_limit_error", 429),
        ("api_error", 500),
        ("timeout_error", 504),
        ("overloaded_error", 529),
        ("other_error", None),
        (3, None),
    ],
)
def test_error_in_a_stream_has_the_status_of_its_type(kind: Any, status: int | None) -> None:
    """Each of them is a 500 with litellm."""
    with pytest.raises(UpstreamFault, match=r"^no$") as fault:
        raise_error({"type": "error", "error": {"type": kind, "message": "no"}})
    assert fault.value.upstream_status == status


def test_error_without_words_is_an_error() -> None:
    """The type alone says enough."""
    with pytest.raises(UpstreamFault) as fault:
        raise_error({"type": "error"})
    assert fault.value.upstream_status is None


@pytest.mark.parametrize("value", [{"type": "message"}, {"type": "message", "error": None}, [], "error"])
def test_other_values_are_no_error(value: Any) -> None:
    """The reader of the answer judges them."""
    raise_error(value)


def test_body_that_is_no_message_is_a_fault() -> None:
    """The words name no content."""
    with pytest.raises(UpstreamFault, match=NO_MESSAGE):
        refuse_message()
