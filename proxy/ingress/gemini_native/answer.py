"""The format of one request's answer: it knows the form of its stream, the thoughts that it shows, and the places."""

from __future__ import annotations

from typing import Any

from proxy.core.errors import ProxyError
from proxy.core.json_text import write_json
from proxy.core.source import GEMINI_NATIVE
from proxy.core.upstream_call import Answer
from proxy.ingress.gemini_native.answer_context import AnswerContext
from proxy.ingress.gemini_native.errors import write_error
from proxy.ingress.gemini_native.native_names import with_client_names
from proxy.ingress.gemini_native.read_request import read_request
from proxy.ingress.gemini_native.stream_framing import ARRAY, SSE
from proxy.ingress.gemini_native.write_answer import make_answer
from proxy.ingress.gemini_native.write_stream import GeminiStream


class GeminiAnswers(AnswerContext):
    """Implements :class:`proxy.forwarding.answer_format.ClientFormat` for one request, from its facts."""

    name = GEMINI_NATIVE
    id_prefix = ""
    read_request = staticmethod(read_request)

    @property
    def stream_content_type(self) -> str:
        """The type of the stream: events, or one JSON array."""
        return ARRAY.content_type if self.is_array else SSE.content_type

    @property
    def keep_alive(self) -> bytes:
        """An empty text, or blanks between the elements of an array."""
        return ARRAY.keep_alive if self.is_array else SSE.keep_alive

    def write_answer(self, answer: Answer, /) -> bytes:
        """Return the JSON of the canonical *answer* in Gemini's form."""
        return write_json(make_answer(self, answer))

    def write_native_answer(self, native: Any, answer: Answer, /) -> bytes:
        """Return the provider's answer *native* as it came. *answer* is its canonical form."""
        named = with_client_names(native, answer["choices"])
        return write_json(make_answer(self, answer) if named is None else named)

    def write_stream(self) -> GeminiStream:
        """Return a new writer of the stream."""
        return GeminiStream(self)

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return *error* in Google's envelope."""
        return write_error(error, self.places, self.numbers())
