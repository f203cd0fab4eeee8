"""The Messages format for errors, and for requests whose facts are not known."""

from __future__ import annotations

import secrets
from typing import Any

from proxy.core.errors import ProxyError
from proxy.core.json_text import EVENT_STREAM
from proxy.core.source import ANTHROPIC_MESSAGES as NAME
from proxy.core.upstream_call import Answer
from proxy.ingress.anthropic_messages.answer import PING, MessagesAnswers
from proxy.ingress.anthropic_messages.answer_context import ID_PREFIX
from proxy.ingress.anthropic_messages.errors import write_error
from proxy.ingress.anthropic_messages.read_request import read_request
from proxy.ingress.anthropic_messages.write_stream import MessagesStream


class AnthropicMessages:
    """Implements :class:`proxy.forwarding.answer_format.ClientFormat` without the facts of a request.

    Its answers have the canonical answer's model. :class:`MessagesAnswers` writes the answer of a request that was
    read.
    """

    name = NAME
    id_prefix = ID_PREFIX
    stream_content_type = EVENT_STREAM
    keep_alive = PING
    read_request = staticmethod(read_request)

    def write_answer(self, answer: Answer, /) -> bytes:
        """Return the JSON of the message for the canonical *answer*."""
        return _answers(answer["model"]).write_answer(answer)

    def write_native_answer(self, native: Any, answer: Answer, /) -> bytes:
        """Return the provider's message *native* with the canonical *answer*'s model."""
        return _answers(answer["model"]).write_native_answer(native, answer)

    def write_stream(self) -> MessagesStream:
        """Return a new writer of a stream."""
        return _answers("").write_stream()

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return *error* in Anthropic's envelope, without the id of a request."""
        return write_error(error)


def _answers(model: str) -> MessagesAnswers:
    return MessagesAnswers(model, secrets.token_hex())


ANTHROPIC_MESSAGES = AnthropicMessages()
