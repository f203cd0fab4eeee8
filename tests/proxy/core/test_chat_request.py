"""Tests that a chat request knows whether a later step replaced its history."""

from __future__ import annotations

from dataclasses import replace

from proxy.ingress.openai_chat.read_request import parse_chat_request
from tests.support.builders import user

READ = parse_chat_request(b'{"model":"m","messages":[{"role":"user","content":"Hi."}]}', max_nesting=50)


def test_equal_history_has_no_known_outline() -> None:
    """The parser's outline counts only for the same history object, since a comparison would take too long."""
    equal = replace(READ, messages=[user("Hi.")])

    assert equal.messages == READ.messages
    assert equal.known_outline is None
    assert READ.known_outline is READ.outline


def test_request_without_a_source_has_no_body() -> None:
    """A request that the proxy itself makes has no source, and its body has 0 bytes."""
    made = replace(READ, source=None)

    assert made.known_outline is READ.outline
    assert made.body_bytes == 0
