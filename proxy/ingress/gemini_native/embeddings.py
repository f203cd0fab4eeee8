"""Gemini's format of embeddings: ``embedContent`` for one content, and ``batchEmbedContents`` for several.

Gemini's own answer is relayed as it came. Other answers are written from OpenAI's list of embeddings. The requests are
read by :mod:`.embedding_request`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from proxy.core.errors import InvalidRequest, ProxyError
from proxy.core.json_text import write_json
from proxy.core.source import GEMINI_EMBEDDINGS as NAME
from proxy.core.text_request import TextRequest
from proxy.core.upstream_call import Answer
from proxy.ingress.gemini_native.embedding_request import read_embedding_request
from proxy.ingress.gemini_native.errors import write_error
from proxy.ingress.gemini_native.format import GEMINI_NATIVE
from proxy.ingress.gemini_native.stream_framing import SSE
from proxy.ingress.gemini_native.write_stream import GeminiStream
from proxy.ingress.json_fields import load_object, refuse_nesting
from sanitizers import Unrepairable


class GeminiEmbedding:
    """Implements :class:`proxy.forwarding.answer_format.ClientFormat` for one content. Nothing is streamed."""

    name = NAME
    id_prefix = ""
    stream_content_type = SSE.content_type
    keep_alive = SSE.keep_alive
    is_batch = False

    def read_request(
        self, body: bytes, /, *, max_nesting: int, mends: bool = False, weight: int = 0, model: str = ""
    ) -> TextRequest:
        """Return the request for *model* in *body*. A body names its model too, which counts where *model* is empty.

        *mends* has no effect. Raises :class:`InvalidRequest`, with the path in ``param``, for what is no request for
        embeddings.
        """
        fields = load_object(body)
        try:
            refuse_nesting(fields, max_nesting)
            return read_embedding_request(fields, body, model=model, is_batch=self.is_batch, weight=weight)
        except Unrepairable as error:
            refused = InvalidRequest(error.message, param=error.param)
            refused.asked_model = model
            raise refused from None
        except InvalidRequest as error:
            error.asked_model = model
            raise

    def write_answer(self, answer: Answer, /) -> bytes:
        """Return the JSON of the one embedding in *answer*."""
        return write_json({"embedding": _vector(answer["data"][0])})

    def write_native_answer(self, native: Any, answer: Answer, /) -> bytes:
        """Return Gemini's answer *native* as it came."""
        return write_json(native)

    def write_stream(self) -> GeminiStream:
        """Return a new writer of a stream, which ends with an error alone."""
        return GEMINI_NATIVE.write_stream()

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return *error* in Google's envelope."""
        return write_error(error)


class GeminiEmbeddings(GeminiEmbedding):
    """Implements the same protocol for several contents."""

    is_batch = True

    @override
    def write_answer(self, answer: Answer, /) -> bytes:
        """Return the JSON of the embeddings in *answer*, in their order."""
        return write_json({"embeddings": [*map(_vector, answer["data"])]})


GEMINI_EMBEDDING = GeminiEmbedding()
GEMINI_EMBEDDINGS = GeminiEmbeddings()


def _vector(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"values": entry["embedding"]}
