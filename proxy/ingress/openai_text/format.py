"""OpenAI's formats of text completions and embeddings, for forwarding."""

from __future__ import annotations

from typing_extensions import override

from proxy.core.json_text import EVENT_STREAM, write_json
from proxy.core.text_request import TextRequest
from proxy.forwarding.answer_format import StreamWriter
from proxy.ingress.openai_answers import KEEP_ALIVE, OpenAIStream, write_error, write_native_answer
from proxy.ingress.openai_text.requests import parse_completion_request, parse_embedding_request

_NAME = "openai_completions"
_STREAM = OpenAIStream(_NAME)


class OpenAICompletions:
    """Implements :class:`proxy.forwarding.answer_format.ClientFormat` for text completions."""

    name = _NAME
    id_prefix = "cmpl-"
    stream_content_type = EVENT_STREAM
    keep_alive = KEEP_ALIVE
    write_answer = staticmethod(write_json)
    write_native_answer = staticmethod(write_native_answer)
    write_error = staticmethod(write_error)

    def read_request(self, body: bytes, /, *, max_nesting: int, mends: bool, weight: int) -> TextRequest:
        """Return the request in *body*. There are no messages to mend."""
        return parse_completion_request(body, max_nesting=max_nesting, weight=weight)

    def write_stream(self) -> StreamWriter:
        """Return the writer of a streamed text."""
        return _STREAM


class OpenAIEmbeddings(OpenAICompletions):
    """Implements the same protocol for embeddings. Their answers have no id and are never streamed."""

    name = "openai_embeddings"

    @override
    def read_request(self, body: bytes, /, *, max_nesting: int, mends: bool, weight: int) -> TextRequest:
        """Return the request in *body*. There are no messages to mend."""
        return parse_embedding_request(body, max_nesting=max_nesting, weight=weight)


OPENAI_COMPLETIONS = OpenAICompletions()
OPENAI_EMBEDDINGS = OpenAIEmbeddings()
