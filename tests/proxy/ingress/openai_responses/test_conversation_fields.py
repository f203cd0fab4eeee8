"""Tests of the body of requests about conversations."""

from __future__ import annotations

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.openai_responses.conversation_fields import read_conversation_fields


@pytest.mark.parametrize("body", [b"", b" ", b"{}", b'{"metadata": null, "items": null}'])
def test_body_may_be_empty(body: bytes) -> None:
    fields = read_conversation_fields(body, max_nesting=50)
    assert (fields.metadata, fields.items) == ({}, [])


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b'{"items": {}}',
        b'{"items": [1]}',
        b'{"metadata": []}',
        b'{"items": [%s]}' % b",".join([b"{}"] * 21),
    ],
)
def test_faulty_body_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidRequest):
        read_conversation_fields(body, max_nesting=50)


def test_body_that_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        read_conversation_fields(b'{"items": [{"a": %s}]}' % (b"[" * 60 + b"]" * 60), max_nesting=50)
