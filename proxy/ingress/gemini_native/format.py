"""Gemini's format for errors, and for requests whose facts are not known."""

from __future__ import annotations

import secrets
from typing import Any

from proxy.core.errors import ProxyError
from proxy.core.source import GEMINI_NATIVE as NAME
from proxy.core.upstream_call import Answer
from proxy.ingress.gemini_native.answer import GeminiAnswers
from proxy.ingress.gemini_native.errors import write_error
from proxy.ingress.gemini_native.read_request import read_request
from proxy.ingress.gemini_native.stream_framing import SSE
from proxy.ingress.gemini_native.write_stream import GeminiStream


class GeminiNative:
    """Implements :class:`proxy.forwarding.answer_format.ClientFormat` without the facts of a request.

    :class:`GeminiAnswers` writes the answer of a request that was read.
    """

    name = NAME
    id_prefix = ""
    stream_content_type = SSE.content_type
    keep_alive = SSE.keep_alive
    read_request = staticmethod(read_request)

    def write_answer(self, answer: Answer, /) -> bytes:
        """Return the JSON of the canonical *answer* in Gemini's form."""
        return _answers().write_answer(answer)

    def write_native_answer(self, native: Any, answer: Answer, /) -> bytes:
        """Return the provider's answer *native* as it came."""
        return _answers().write_native_answer(native, answer)

    def write_stream(self) -> GeminiStream:
        """Return a new writer of the stream."""
        return _answers().write_stream()

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return *error* in Google's envelope."""
        return write_error(error)


def _answers() -> GeminiAnswers:
    return GeminiAnswers("", secrets.token_hex())


GEMINI_NATIVE = GeminiNative()
