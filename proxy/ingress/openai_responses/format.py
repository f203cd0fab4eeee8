"""The Responses format for errors, and for requests without a stored conversation."""

from __future__ import annotations

import secrets
from typing import Any

from proxy.core.errors import ProxyError
from proxy.core.json_text import EVENT_STREAM
from proxy.core.source import OPENAI_RESPONSES as NAME
from proxy.core.upstream_call import Answer
from proxy.ingress.openai_answers import KEEP_ALIVE
from proxy.ingress.openai_responses.answer import ResponsesAnswers
from proxy.ingress.openai_responses.echo import ResponseHead, make_echo
from proxy.ingress.openai_responses.errors import write_error
from proxy.ingress.openai_responses.ids import RESPONSE_PREFIX, make_response_id
from proxy.ingress.openai_responses.read_request import read_request
from proxy.ingress.openai_responses.write_stream import ResponsesStream
from sanitizers.native.responses.tools import read_tools


class OpenAIResponses:
    """Implements :class:`proxy.forwarding.answer_format.ClientFormat` without the facts of a request.

    Its answers repeat no field of the request, and know no tools. :class:`ResponsesAnswers` writes the answer of a
    request that was read.
    """

    name = NAME
    id_prefix = RESPONSE_PREFIX
    stream_content_type = EVENT_STREAM
    keep_alive = KEEP_ALIVE
    read_request = staticmethod(read_request)

    def write_answer(self, answer: Answer, /) -> bytes:
        """Return the JSON of the response object for *answer*."""
        return _answers().write_answer(answer)

    def write_native_answer(self, native: Any, answer: Answer, /) -> bytes:
        """Return the JSON of the response object for the canonical *answer*."""
        return self.write_answer(answer)

    def write_stream(self) -> ResponsesStream:
        """Return a new writer of a stream."""
        return _answers().write_stream()

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return *error* in OpenAI's envelope."""
        return write_error(error)


def _answers() -> ResponsesAnswers:
    head = ResponseHead(make_response_id(secrets.token_hex()), 0, make_echo({"model": ""}))
    return ResponsesAnswers(head, read_tools(None, ()))


OPENAI_RESPONSES = OpenAIResponses()
