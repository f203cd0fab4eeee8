"""Tests that Google's message is read from the body of an error, even if other proxies have wrapped it."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.upstream.wires.gemini.refusals import read_error

ERROR = {"error": {"code": 429, "message": "Quota exceeded.", "status": "RESOURCE_EXHAUSTED", "details": []}}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (ERROR, "Quota exceeded."),
        ([ERROR], "Quota exceeded."),
        ({"error": {"message": json.dumps(ERROR)}}, "Quota exceeded."),
        ({"error": {"message": json.dumps([{"error": {"message": json.dumps(ERROR)}}])}}, "Quota exceeded."),
        ({"error": {"message": "{not JSON}"}}, "{not JSON}"),
        ({"error": {"message": '{"detail": 1}'}}, '{"detail": 1}'),
        ({"error": "words"}, "words"),
        ({"message": "words"}, "words"),
        ({"error": {"status": "UNAVAILABLE", "message": ""}}, "UNAVAILABLE (status 429)"),
        ({"error": {"code": 1}}, None),
        ({"error": {}}, None),
        ({"error": ""}, None),
        ([], None),
        ({}, None),
        (7, None),
        (None, None),
    ],
)
def test_innermost_message_is_the_refusals(body: Any, words: str | None) -> None:
    """The innermost of nested error messages is read, since proxies on the way wrap Google's message."""
    assert read_error(429, orjson.dumps(body)) == words


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff", b"[" * 2000, b'{"error": '])
def test_error_body_without_json_has_no_message(body: bytes) -> None:
    """The proxy does not repeat a load balancer's page as a message."""
    assert read_error(502, body) is None


_json = st.recursive(
    st.none() | st.integers() | st.text(max_size=9) | st.just(json.dumps(ERROR)),
    lambda deeper: (
        st.lists(deeper, max_size=2)
        | st.dictionaries(st.sampled_from(["error", "message", "status", "x"]), deeper, max_size=3)
    ),
    max_leaves=8,
)


@given(_json)
def test_any_error_body_gives_a_message_or_none(value: Any) -> None:
    """No error body raises an exception, which would hide the provider's error."""
    words = read_error(500, json.dumps(value).encode())

    assert words is None or words
