"""The format of one request's answer: it knows the asked model's name, and the client's places."""

from __future__ import annotations

from typing import Any

from proxy.core.errors import ProxyError
from proxy.core.json_text import EVENT_STREAM, write_json
from proxy.core.source import ANTHROPIC_MESSAGES
from proxy.core.upstream_call import Answer
from proxy.ingress.anthropic_messages.answer_context import ID_PREFIX, AnswerContext
from proxy.ingress.anthropic_messages.errors import write_error
from proxy.ingress.anthropic_messages.native_answer import own_answer
from proxy.ingress.anthropic_messages.read_request import read_request
from proxy.ingress.anthropic_messages.stream_output import write_event
from proxy.ingress.anthropic_messages.usage import write_usage
from proxy.ingress.anthropic_messages.write_answer import make_message
from proxy.ingress.anthropic_messages.write_stream import MessagesStream

PING = write_event("ping", {})
"""The event that keeps a silent stream alive, as Anthropic's does."""


class MessagesAnswers(AnswerContext):
    """Implements :class:`proxy.forwarding.answer_format.ClientFormat` for one request, from its facts."""

    name = ANTHROPIC_MESSAGES
    id_prefix = ID_PREFIX
    stream_content_type = EVENT_STREAM
    keep_alive = PING
    read_request = staticmethod(read_request)

    def write_answer(self, answer: Answer, /) -> bytes:
        """Return the JSON of the message for the canonical *answer*."""
        return write_json(make_message(self, answer))

    def write_native_answer(self, native: Any, answer: Answer, /) -> bytes:
        """Return the provider's message *native* with the client's names. *answer* is its canonical form."""
        own = own_answer(native, answer, self.model)
        if not isinstance(own.get("usage"), dict):  # anthropic's SDK for Python needs the counts
            said = len(answer["choices"][0]["message"].get("content") or "")
            own["usage"] = write_usage(answer.get("usage"), self.numbers().requested, said)
        return write_json(own)

    def write_stream(self) -> MessagesStream:
        """Return a new writer of the stream."""
        return MessagesStream(self)

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return *error* in Anthropic's envelope."""
        return write_error(error, self.request_id, self.places, self.numbers())
