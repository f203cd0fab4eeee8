"""The format of one request's answer: it knows the response's id, and the fields that the answer repeats."""

from __future__ import annotations

from typing import Any

from proxy.core.errors import ProxyError
from proxy.core.json_text import EVENT_STREAM, write_json
from proxy.core.source import OPENAI_RESPONSES, SOURCE, AnswerSource
from proxy.core.upstream_call import Answer
from proxy.ingress.openai_answers import KEEP_ALIVE
from proxy.ingress.openai_responses.answer_context import AnswerContext
from proxy.ingress.openai_responses.errors import write_error
from proxy.ingress.openai_responses.ids import RESPONSE_PREFIX
from proxy.ingress.openai_responses.native_response import own_answer
from proxy.ingress.openai_responses.read_request import read_request
from proxy.ingress.openai_responses.write_answer import make_finished
from proxy.ingress.openai_responses.write_stream import ResponsesStream


class ResponsesAnswers(AnswerContext):
    """Implements :class:`proxy.forwarding.answer_format.ClientFormat` for one request, from its facts."""

    name = OPENAI_RESPONSES
    id_prefix = RESPONSE_PREFIX
    stream_content_type = EVENT_STREAM
    keep_alive = KEEP_ALIVE
    read_request = staticmethod(read_request)

    stream: ResponsesStream | None = None
    """The writer of the current attempt, for a stream."""

    def finish(self, answer: Answer | None) -> dict[str, Any] | None:
        """Return the finished response object: that of a whole *answer*, or that of the stream where it is None.

        The same object is written later, so that a change of it reaches the client. None is returned where the answer
        has not come to its end.
        """
        if answer is not None and self.finished is None:
            source = answer.get(SOURCE)
            if isinstance(source, AnswerSource) and source.format == self.name:
                self.finished = own_answer(self, source.event, answer)
            else:
                self.finished = make_finished(self, answer)
        elif answer is None and self.stream is not None:
            return self.stream.finish()
        return self.finished

    def write_answer(self, answer: Answer, /) -> bytes:
        """Return the JSON of the response object, and keep the object as :attr:`finished`."""
        return write_json(self.finish(answer))

    def write_native_answer(self, native: Any, answer: Answer, /) -> bytes:
        """Return the provider's response object *native* with the proxy's names. *answer* is its canonical form."""
        if self.finished is None:
            self.finished = own_answer(self, native, answer)
        return write_json(self.finished)

    def write_stream(self) -> ResponsesStream:
        """Return a new writer of the stream. :attr:`finished` is set by the writer that comes to an end."""
        self.head = self.own_head  # an earlier attempt may have left its provider's names
        self.stream = ResponsesStream(self)
        return self.stream

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return *error* in OpenAI's envelope, with the names of the Responses API in ``param``."""
        return write_error(error, self.spans, self.earlier)
