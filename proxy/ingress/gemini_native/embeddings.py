"""Gemini's format of embeddings: ``embedContent`` for one content, and ``batchEmbedContents`` for several.

The parts of one content are one vector (google-genai 3.4, run in 2026-11). ``taskType`` and ``title`` go to Gemini
alone. Sources: ai.google.dev/api/embeddings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from typing_extensions import override

from proxy.core.errors import InvalidRequest, ProxyError
from proxy.core.json_text import write_json
from proxy.core.text_request import MAX_TEXTS, TextRequest
from proxy.core.upstream_call import Answer
from proxy.ingress.gemini_native.errors import write_error
from proxy.ingress.gemini_native.field_types import read_whole, refuse_field
from proxy.ingress.gemini_native.format import GEMINI_NATIVE
from proxy.ingress.gemini_native.stream_framing import SSE
from proxy.ingress.gemini_native.write_stream import GeminiStream
from proxy.ingress.json_fields import load_object, refuse_nesting
from proxy.ingress.parameter_limits import check_unknown
from sanitizers import Unrepairable
from sanitizers.native.gemini.spellings import as_list, both_spellings, path_of, read_object
from sanitizers.work_limit import metered

_BATCH = both_spellings("requests")
_REQUEST = both_spellings("content", "model", "outputDimensionality")
_CONTENT = both_spellings("parts", "role")
_PART = both_spellings("text")
_DIMENSIONS = "outputDimensionality"


class GeminiEmbedding:
    """Implements :class:`proxy.forwarding.answer_format.ClientFormat` for one content. Nothing is streamed."""

    name = "gemini_embeddings"
    id_prefix = ""
    stream_content_type = SSE.content_type
    keep_alive = SSE.keep_alive
    is_batch = False

    def read_request(
        self, body: bytes, /, *, max_nesting: int, mends: bool = False, weight: int = 0, model: str = ""
    ) -> TextRequest:
        """Return the request for *model* in *body*. A body names its model too, which counts where *model* is empty.

        *mends* has no effect. Raises :class:`InvalidRequest`, with the path in ``param``, for what is no request for
        embeddings of texts.
        """
        fields = load_object(body)
        requests = [fields]
        try:
            refuse_nesting(fields, max_nesting)
            if self.is_batch:
                requests = _requests_of(fields)
            return _read(requests, "requests[{}]" if self.is_batch else "", model, weight)
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
        """Return what :meth:`write_answer` returns, since answers of embeddings have no source."""
        return self.write_answer(answer)

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


def _requests_of(fields: Mapping[str, Any]) -> list[Any]:
    requests = read_object(fields, _BATCH).get("requests")
    if not isinstance(requests, list) or not requests:
        refuse_field("requests", "must be a list that is not empty")
    if len(requests) > MAX_TEXTS:
        refuse_field("requests", f"has too many entries: at most {MAX_TEXTS} are taken")
    return requests


def _read(requests: Sequence[Any], place: str, model: str, weight: int) -> TextRequest:
    """Return *requests*, which may differ in their contents alone, as one. *place* is the path of one of them."""
    texts: list[str] = []
    first: tuple[dict[str, Any], dict[str, Any]] | None = None
    for at, given in enumerate(metered(requests)):
        path = place.format(at)
        if not isinstance(given, dict):
            refuse_field(path, "must be an object")
        known = read_object(given, _REQUEST, path)
        texts.append(_read_text(known.pop("content", None), path_of(path, "content")))
        named = known.pop("model", None)
        if not model and isinstance(named, str):
            model = named.removeprefix("models/")
        own = {name: value for name, value in given.items() if name not in _REQUEST and value is not None}
        if first is None:
            first = known, own
        elif first != (known, own):
            refuse_field(path, "must have the fields of the first request, apart from its content")
    if not model:
        refuse_field("model", "must be a string that is not empty")
    assert first is not None, "there is a request"
    known, own = first
    check_unknown(own)
    parameters: dict[str, Any] = {"input": texts}
    if _DIMENSIONS in known:
        path = path_of(place.format(0), _DIMENSIONS)
        parameters["dimensions"] = read_whole(path, known[_DIMENSIONS], 1)
    return TextRequest(
        model, False, False, MappingProxyType(parameters), MappingProxyType({}), weight, MappingProxyType(own)
    )


def _read_text(content: Any, place: str) -> str:
    """Return the text of *content*, whose parts become lines."""
    if not isinstance(content, dict):
        refuse_field(place, "must be an object with 'parts'")
    lines: list[str] = []
    for at, part in enumerate(metered(as_list(read_object(content, _CONTENT, place).get("parts")))):
        path = f"{place}.parts[{at}]"
        text = read_object(part, _PART, path).get("text") if isinstance(part, dict) else None
        if not isinstance(text, str):
            refuse_field(path, "must have a text: turnright embeds nothing else")
        lines.append(text)
    if not lines:
        refuse_field(f"{place}.parts", "must be a list that is not empty")
    return "\n".join(lines)
