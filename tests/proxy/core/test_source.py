"""Tests of a request's source: the body and the history that was read from it."""

from __future__ import annotations

from proxy.core.chat_request import ChatRequest
from proxy.core.source import OPENAI_CHAT
from proxy.ingress.openai_chat.read_request import parse_chat_request

BODY = b'{"model":"m","messages":[{"role":"user","content":"Hi."}]}'


def read() -> ChatRequest:
    """Return a request that was read from a body in OpenAI's format."""
    return parse_chat_request(BODY, max_nesting=50)


def test_source_has_the_format_the_body_and_the_history() -> None:
    """The source has the format, the body, and the request's own history object."""
    request = read()

    assert request.source is not None
    assert (request.source.format, request.source.body) == (OPENAI_CHAT, BODY)
    assert request.source.messages is request.messages
    assert request.body_bytes == len(BODY)


def test_source_has_the_mended_body() -> None:
    """The source has the corrected body, so that the provider gets the body that was read."""
    request = parse_chat_request(BODY.replace(b"Hi.", b"Hi \\ud83d"), max_nesting=50, mends=True)

    assert request.source is not None
    assert b"\\ud83d" not in request.source.body
    assert "Hi \ufffd".encode() in request.source.body
